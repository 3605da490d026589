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
    """The events in `rows`, in their order.

    They are not checked again: they were when they were written, and a rebuild reads them all. Their plain
    fields are what JSON gives: a list for a tuple, text for a date.
    """
    for row in rows:
        _, _, table, gaming_day, name, schema_version, data, *_ = row
        kind = BY_NAME.get(name)
        if kind is None or kind.schema_version != schema_version:
            event = _of_another_version(kind, row)
        else:
            event = object.__new__(kind)
            object.__setattr__(event, "__dict__", loads(data))
        yield Fact(table or NO_TABLE, gaming_day, row, event, money(event))


def _of_another_version(kind: type[Happened] | None, row: Row) -> Happened:
    if kind is None or row.schema_version > kind.schema_version:
        return event_from(row.name, row.data)  # which says what is wrong with it
    event = object.__new__(kind)
    object.__setattr__(event, "__dict__", {**_added_since(kind), **loads(row.data)})
    return event


@cache
def _added_since(kind: type[Happened]) -> dict[str, Any]:
    """What the fields are that an event of an older version lacks."""
    fields = kind.model_fields.items()
    return {name: field.default for name, field in fields if not field.is_required()}
