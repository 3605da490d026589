"""Events as the folds want them: decoded once for all projections, with the money they moved."""

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from orjson import loads

from domain.books import money
from domain.events import BY_NAME, Happened
from ledger.envelope import event_from
from projections.projection import NO_TABLE, Fact
from projections.retelling import Row


def facts(rows: Iterable[Row]) -> Iterator[Fact]:
    """The events in `rows`, in their order, as `plain` has them."""
    for row in rows:
        _, _, table, gaming_day, name, schema_version, data, *_ = row
        event = plain(name, schema_version, data)
        yield Fact(table or NO_TABLE, gaming_day, row, event, money(event))


def plain(name: str, schema_version: int, data: str) -> Happened:
    """A stored event that is not checked again: it was when it was written, and a rebuild reads them all.

    Its plain fields are what JSON gives: a list for a tuple, text for a date.
    """
    kind = BY_NAME.get(name)
    if kind is None or schema_version > kind.schema_version:
        return event_from(name, data)  # which says what is wrong with it
    event = object.__new__(kind)
    said = loads(data)
    if kind.schema_version != schema_version:
        said = {**_added_since(kind), **said}
    object.__setattr__(event, "__dict__", said)
    return event


@cache
def _added_since(kind: type[Happened]) -> dict[str, Any]:
    """What the fields are that an event of an older version lacks."""
    fields = kind.model_fields.items()
    return {name: field.default for name, field in fields if not field.is_required()}
