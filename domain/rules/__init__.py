"""The houses' rules as cited data (one TOML file a rule set and version), and what reads them."""
