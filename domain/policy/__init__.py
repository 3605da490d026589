"""What a house has decided to do, as dated data with sources."""
