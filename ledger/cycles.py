"""Python's search for reference cycles, left out while a great many objects are made that have none."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_search_for_cycles() -> Iterator[None]:
    """Events, rows and subjects are trees: to look among them for cycles costs a third of a rebuild."""
    searching = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if searching:
            gc.enable()
