"""The pit, the cage and the auditor at a terminal: the only place that prints, asks the clock or exits."""
