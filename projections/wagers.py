"""The life of every wager: placed, pressed, moved, turned on, decided by which roll at what time.

The table holds no more than what finds a wager at once, whatever the size of the ledger: one row a wager
placed. What became of it the audit trail finds by its name; the life itself is folded from the events when
somebody asks.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import date
from itertools import groupby
from typing import Any

from psycopg import Connection

from domain import events as e
from ledger.envelope import event_from
from ledger.migrations import property_of
from projections.projection import Projection
from projections.rows import Row, columns_of, find, pages, select
from projections.telling import Money, called, faces, money_in, ruling_of, spoken_bet, sum_of, tell

TOGETHER = 500
"""Wagers whose events one statement fetches."""

_PLACED = {
    "position": "bigint NOT NULL",
    "stream": "text NOT NULL",
    "version": "bigint NOT NULL",
    "table_name": "text NOT NULL",
    "gaming_day": "date NOT NULL",
    "wager": "text NOT NULL",
    "player": "text NOT NULL",
    "kind": "text NOT NULL",
    "number": "integer",
}
_RETOLD = f"""
    INSERT INTO pitledger.wagers{{new}} ({", ".join(_PLACED)})
    SELECT position, stream, version, table_name, gaming_day, wager, player, kind, number::integer
    FROM facts WHERE event = 'WagerPlaced'"""
# The disputes of a day's rolls, each with where its roll was called.
_DISPUTES = """
    SELECT d.dispute, d.table_name, d.gaming_day, d.roll, d.player, d.wager, d.amount, d.claim, d.ruling,
        d.gives, d.ruled_by, d.ruled_role, d.paid, d.closed_at IS NOT NULL AS closed, rolls.position AS called
    FROM pitledger.disputes d JOIN pitledger.rolls USING (table_name, gaming_day, roll)
    WHERE (table_name, gaming_day) IN (SELECT * FROM unnest(%(tables)s::text[], %(days)s::date[]))
    ORDER BY d.position"""
Filters = dict[str, object]


PROJECTION = Projection(
    name="wagers",
    version=3,
    tables={"wagers": columns_of(_PLACED)},
    indexes=(
        "UNIQUE INDEX ON pitledger.wagers{new} (position)",
        "INDEX ON pitledger.wagers{new} (player, kind, position)",
        "INDEX ON pitledger.wagers{new} (player, position)",
        "INDEX ON pitledger.wagers{new} (wager)",
    ),
    retold=(_RETOLD,),
)

_WAGERS = "SELECT position, stream, wager FROM pitledger.wagers WHERE {where} AND {page}"
_LAST = """
    SELECT * FROM (
        SELECT position, stream, wager FROM pitledger.wagers WHERE {where}
        ORDER BY position DESC LIMIT %(last)s
    ) AS latest ORDER BY position"""
_COUNT = "SELECT count(*) AS wagers FROM pitledger.wagers WHERE {where}"
_EVENTS = """
    WITH asked AS (
        SELECT * FROM unnest(%(streams)s::text[], %(wagers)s::text[], %(positions)s::bigint[])
            AS asked (stream, wager, placed)
    ), life AS (
        SELECT asked.stream, asked.wager, placed, position, version FROM asked
            JOIN pitledger.wagers ON position = placed
        UNION ALL SELECT asked.*, position, version FROM asked CROSS JOIN LATERAL (
            SELECT position, version FROM pitledger.audit changed
            WHERE changed.wager = asked.wager AND changed.stream = asked.stream
                AND event <> 'WagerPlaced' OFFSET 0) AS changes
    )
    SELECT placed, position, version, name, occurred_at AS at, badge, role, command, table_name, gaming_day,
        data::text AS data
    FROM life JOIN pitledger.events USING (stream, version)
    WHERE property = (SELECT property FROM pitledger.property) ORDER BY placed, position"""
_CALLS = """
    SELECT table_name, gaming_day, roll, calls FROM pitledger.rolls
    JOIN unnest(%(tables)s::text[], %(days)s::date[], %(rolls)s::integer[])
        AS asked (table_name, gaming_day, roll) USING (table_name, gaming_day, roll)"""


def filtered(
    *,
    table: str | None = None,
    day: date | None = None,
    player: str | None = None,
    wager: str | None = None,
    kind: str | None = None,
    number: int | None = None,
) -> Filters:
    """Which wagers are asked for; None filters nothing."""
    return {
        "table_name": table,
        "gaming_day": day,
        "player": player,
        "wager": wager,
        "kind": kind,
        "number": number,
    }


def count(conn: Connection[Any], filters: Filters) -> int:
    """How many wagers there are."""
    return int(select(conn, _COUNT, filters)[0]["wagers"])


def rows(conn: Connection[Any], filters: Filters, last: int | None = None) -> Iterator[Row]:
    """The life of each wager in order of placing; only the `last` so many of them where given. Cents.

    `amount` is the stake as it last lay, `call` the call that decided it, `life` every event in order, each
    with its sentence.
    """
    money = money_in(property_of(conn).currency)
    if last is None:
        found: Iterable[Row] = pages(conn, _WAGERS, filters, None, None)
    else:
        found = select(conn, _LAST, filters, last=last)
    for wagers in _in_parts(found):
        yield from _lives(conn, wagers, money)


def _in_parts(found: Iterable[Row]) -> Iterator[list[Row]]:
    part: list[Row] = []
    for row in found:
        part.append(row)
        if len(part) == TOGETHER:
            yield part
            part = []
    if part:
        yield part


# ------------------------------------------------------------------------------------- a life


def _lives(conn: Connection[Any], wagers: list[Row], money: Money) -> Iterator[Row]:
    streams, names, positions = ([row[name] for row in wagers] for name in ("stream", "wager", "position"))
    events = select(conn, _EVENTS, {}, streams=streams, wagers=names, positions=positions)
    for row in events:
        row["event"] = event_from(row["name"], row.pop("data"))
    calls, disputes = _calls(conn, events), _disputes(conn, events)
    for _, rows_of_one in groupby(events, key=lambda row: row["placed"]):
        life = _life(list(rows_of_one), calls, money)
        of_its_day = disputes.get((life["table"], life["gaming_day"]), ())
        life["disputes"] = [_disputed(row, money) for row in of_its_day if _concerns(row, life)]
        yield life


def _disputes(conn: Connection[Any], events: list[Row]) -> dict[tuple[str, str], list[Row]]:
    """The disputes of the tables and gaming days that the wagers were made on."""
    asked = {"tables": [row["table_name"] for row in events], "days": [row["gaming_day"] for row in events]}
    found: dict[tuple[str, str], list[Row]] = {}
    for row in find(conn, _DISPUTES, asked):
        found.setdefault((row["table_name"], row["gaming_day"].isoformat()), []).append(row)
    return found


def _concerns(dispute: Row, life: Row) -> bool:
    """Whether a dispute is about a wager: by its name, else as one of its player's that lay on the roll."""
    if dispute["wager"] is not None:
        return bool(dispute["wager"] == life["wager"])
    ended = life["life"][-1]["position"] if life["status"] != "undecided" else dispute["called"]
    lay = life["position"] < dispute["called"] <= ended
    return lay and bool(dispute["player"] == life["player"])


def _disputed(row: Row, money: Money) -> Row:
    """A dispute in few words: the claim, and what has come of it so far."""
    said = f"roll {row['roll']} is disputed, {money(row['amount'])}: {row['claim']}"
    if ruling := ruling_of(row):
        said += f"; {ruling}, gives {money(row['gives'])}, paid {money(int(row['paid']))}"
    names = ("dispute", "roll", "ruling", "gives", "closed")
    return {**{name: row[name] for name in names}, "paid": int(row["paid"]), "text": said}


def _calls(conn: Connection[Any], events: list[Row]) -> dict[tuple[str, date, int], list[Row]]:
    """Every call of the rolls that decided the wagers."""
    decided = {
        (row["table_name"], row["gaming_day"], row["event"].roll)
        for row in events
        if isinstance(row["event"], e.WagerSettled)
    }
    if not decided:
        return {}
    tables, days, numbers = map(list, zip(*decided, strict=True))
    found = select(conn, _CALLS, {}, tables=tables, days=days, rolls=numbers)
    return {(row["table_name"], row["gaming_day"], row["roll"]): row["calls"] for row in found}


def _life(events: list[Row], calls: dict[tuple[str, date, int], list[Row]], money: Money) -> Row:
    placed = events[0]["event"]
    assert isinstance(placed, e.WagerPlaced), events
    told: list[Row] = []
    life = {
        "table": events[0]["table_name"],
        "gaming_day": events[0]["gaming_day"].isoformat(),
        **{name: getattr(placed, name) for name in "wager player kind number combo high base".split()},
        "amount": placed.amount,
        "placed_at": events[0]["at"].isoformat(),
        "placed_by": events[0]["badge"],
        "position": events[0]["position"],
        **_UNDECIDED,
        "story": "",
        "life": told,
    }
    for row in events:
        bet = spoken_bet(life["kind"], life["number"], life["combo"], life["high"])
        if remember := _REMEMBER.get(type(row["event"])):
            remember(life, row, calls)
        told.append(_entry(life, row, tell(row["event"], bet, money), money))
    life["story"] = _story(life)
    return life


_RECKONED = (
    "odds owed paid commission net credit section owed_in_full aggregate_limit aggregate_owed limit_section"
).split()
_UNDECIDED = {
    "status": "undecided",
    **dict.fromkeys("roll dice call decided_at decided_by decided_role".split()),
    **dict.fromkeys(_RECKONED),
}


def _entry(life: Row, row: Row, text: str, money: Money) -> Row:
    """One event of a life, in a sentence; what decided it, by which roll."""
    event = row["event"]
    if isinstance(event, e.WagerSettled):
        text = f"{_by_roll(life)}; {sum_of(event, money)}"
    return {
        "event": row["name"],
        "text": text,
        "at": row["at"].isoformat(),
        "by": row["badge"],
        "role": row["role"],
        "command": row["command"],
        "position": row["position"],
        "version": row["version"],
    }


def _by_roll(life: Row) -> str:
    return f"{life['status']} on roll {life['roll']}: {life['call']}"


def _story(life: Row) -> str:
    """How it ended, in one line."""
    if life["status"] == "undecided":
        return "still up"
    clock = life["decided_at"][11:19]
    return f"came down at {clock}" if life["status"] == "taken_down" else f"{_by_roll(life)}, at {clock}"


Calls = dict[tuple[str, date, int], list[Row]]


def _settled(life: Row, row: Row, calls: Calls) -> None:
    event = row["event"]
    made = calls.get((row["table_name"], row["gaming_day"], event.roll), [])
    dice = next((call["dice"] for call in reversed(made) if call["position"] <= row["position"]), None)
    life.update(
        status=event.outcome,
        dice=dice,
        call=called((dice[0], dice[1])) if dice else faces(None),
        decided_at=row["at"].isoformat(),
        decided_by=row["badge"],
        decided_role=row["role"],
        roll=event.roll,
        number=event.number,
        amount=event.stake,
        **{name: getattr(event, name) for name in _RECKONED},
    )


def _lies_again(life: Row, row: Row, calls: Calls) -> None:
    life.update(_UNDECIDED)


def _came_down(life: Row, row: Row, calls: Calls) -> None:
    life.update(
        status="taken_down",
        decided_at=row["at"].isoformat(),
        decided_by=row["badge"],
        decided_role=row["role"],
    )


def _restored(life: Row, row: Row, calls: Calls) -> None:
    life.update(_UNDECIDED, amount=row["event"].amount)


def _resized(life: Row, row: Row, calls: Calls) -> None:
    life["amount"] = row["event"].to


def _moved(life: Row, row: Row, calls: Calls) -> None:
    life["number"] = row["event"].to


_REMEMBER: dict[type[e.Happened], Callable[[Row, Row, Calls], None]] = {
    e.WagerSettled: _settled,
    e.SettlementReversed: _lies_again,
    e.WagerTakenDown: _came_down,
    e.WagerRestored: _restored,
    e.WagerPressed: _resized,
    e.WagerReduced: _resized,
    e.WagerMoved: _moved,
}
