"""What the ledger costs, beside what plain PostgreSQL costs in the same run: `python -m bench --help`."""
