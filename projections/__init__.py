"""Folds of the log into tables that answer questions; thrown away and rebuilt at will."""
