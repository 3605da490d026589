"""The terminal, as those who type at it see it."""
