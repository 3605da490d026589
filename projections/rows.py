"""Rows of projections, read and written a batch at a time in the schema `pitledger`."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson
from psycopg import Connection
from psycopg.rows import dict_row

PAGE = 5_000
"""Rows that one statement of a long answer fetches."""

END = 2**63 - 1  # no position is beyond it

Row = dict[str, Any]


def load(conn: Connection[Any], table: str, keys: Sequence[Row]) -> list[Row]:
    """The rows of `table` that have one of `keys`, which all name the same columns."""
    if not keys:
        return []
    query = f"""
        SELECT old.* FROM pitledger.{table} old
        JOIN json_populate_recordset(NULL::pitledger.{table}, %(keys)s::json) USING ({", ".join(keys[0])})"""
    return find(conn, query, {"keys": _json(keys)})


def put(conn: Connection[Any], table: str, key: Sequence[str], rows: Sequence[Row]) -> None:
    """Write whole `rows`, which all have the same columns, in the place of those with the same `key`."""
    _upsert(conn, table, key, rows, "{0} = excluded.{0}")


def add(conn: Connection[Any], table: str, key: Sequence[str], rows: Sequence[Row]) -> None:
    """Add the figures of `rows` to those that `table` has under the same `key`."""
    _upsert(conn, table, key, rows, "{0} = old.{0} + excluded.{0}")


def _upsert(conn: Connection[Any], table: str, key: Sequence[str], rows: Sequence[Row], change: str) -> None:
    if not rows:
        return
    columns = ", ".join(rows[0])
    changes = ", ".join(change.format(column) for column in rows[0] if column not in key)
    query = f"""
        INSERT INTO pitledger.{table} AS old ({columns})
        SELECT {columns} FROM json_populate_recordset(NULL::pitledger.{table}, %s::json)
        ON CONFLICT ({", ".join(key)}) DO UPDATE SET {changes}"""
    conn.execute(query, [_json(rows)])


def _json(rows: Sequence[Row]) -> str:
    try:
        return orjson.dumps(rows, default=str).decode()
    except TypeError:  # a sum longer than 64 bits
        return json.dumps(rows, default=str)


def columns_of(table: Mapping[str, str]) -> str:
    """The columns of a CREATE TABLE."""
    return ", ".join(f"{column} {definition}" for column, definition in table.items())


def find(conn: Connection[Any], query: str, parameters: Mapping[str, object]) -> list[Row]:
    """The answer to `query`."""
    with conn.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(query, parameters).fetchall()


def select(conn: Connection[Any], query: str, filters: Mapping[str, object], **others: object) -> list[Row]:
    """The answer to `query`, its times on the property's clock.

    `{where}` in it becomes: each column named in `filters` has its value; None filters nothing.
    """
    given = {column: value for column, value in filters.items() if value is not None}
    condition = " AND ".join(f"{column} = %({column})s" for column in given) or "true"
    with conn.transaction():
        conn.execute("SELECT set_config('TimeZone', time_zone, true) FROM pitledger.property")
        return find(conn, query.replace("{where}", condition), {**given, **others})


def pages(
    conn: Connection[Any], query: str, filters: Mapping[str, object], since: int | None, until: int | None
) -> Iterator[Row]:
    """A long answer in order of `position`, from `since` up to `until`; as `select`, and `{page}` in `query`.

    No transaction stays open between pages, so a reader who falls asleep holds up nobody's rebuild.
    """
    page_of = "position > %(after)s AND position <= %(until)s ORDER BY position LIMIT %(page)s"
    paged, until = query.replace("{page}", page_of), END if until is None else until
    after = (since or 1) - 1
    while page := select(conn, paged, filters, after=after, until=until, page=PAGE):
        yield from page
        after = page[-1]["position"]
        if len(page) < PAGE:
            return
