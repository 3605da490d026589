"""What happens at a craps table and what it means in money: pure, with no clock, no chance and no database."""
