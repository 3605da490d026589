"""Events written once, in order, for ever: the store, its log, and the PostgreSQL it lives in."""
