"""What happens at a craps table, and what it means in money: no clock, no chance, no database."""
