"""The nightly pack: everything that a revenue audit wants of one gaming day, as files that never change."""
