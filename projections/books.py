"""The general ledger: what every account, every marker and every kind of chip stands at, by gaming day.

Sums of the postings of each gaming day and table, so that a balance is one short sum, however old the house
is. What a table's flows post is added up by flow; what an event posts beyond them, by the event.
"""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from psycopg import Connection

from domain import events as e
from domain.books import FLOWS
from domain.chips import MOVES, ChipFloat
from domain.postings import ENTRIES, SIDES
from domain.postings import part as account_part
from projections.projection import Batch, Edition, Fact, Part, Projection
from projections.rows import Row, add, find, load, put

_PATRONS_OWN = (None, None)
POSTING_FLOWS = {flow: sides for flow in FLOWS if (sides := SIDES[flow]) != _PATRONS_OWN}

Key = tuple[Any, ...]


# ------------------------------------------------------------------------------------- the accounts


def posted(part: Part, table: str) -> dict[str, int]:
    """What the events of `part` posted at `table`: account -> cents, debits positive.

    Accounts on which nothing is left are there too: which rows there are must not depend on how the log was
    cut into batches.
    """
    found: dict[str, int] = {}
    for flows in part.moved.values():
        for flow, (debit, credit) in POSTING_FLOWS.items():
            _post(found, table, debit, flows[flow])
            _post(found, table, credit, -flows[flow])
    for fact in part.facts:
        if (entry := ENTRIES.get(type(fact.event))) is not None:
            for account, amount in entry(fact.event):
                _post(found, table, account, amount)
    return found


def _post(found: dict[str, int], table: str, account: str | None, amount: int) -> None:
    if account is not None:
        name = account.format(table=account_part(table)) if "{" in account else account
        found[name] = found.get(name, 0) + amount


# ------------------------------------------------------------------------------------- markers


_ON_CREDIT = (e.MarkerIssued, e.MarkerPaid, e.MarkerWrittenOff)


def _credit(fact: Fact) -> Row | None:
    """What an event of a patron's account did to one of his markers."""
    event = fact.event
    match event:
        case e.MarkerIssued():
            figure = "issued_at_table" if event.at == "table" else "issued_at_cage"
        case e.MarkerPaid():
            figure = "paid_at_table" if event.at == "table" else "paid_at_cage"
        case e.MarkerWrittenOff():
            figure = "written_off"
        case _:
            return None
    row: Row = dict.fromkeys(CREDIT_FIGURES, 0)
    row.update(
        gaming_day=fact.gaming_day,
        table_name=fact.table,
        player=event.player,
        marker=event.marker or "",
    )
    row[figure] = event.amount
    return row


CREDIT_FIGURES = ("issued_at_table", "issued_at_cage", "paid_at_table", "paid_at_cage", "written_off")
_ACCOUNT_KEY = ("gaming_day", "table_name", "account")
_CREDIT_KEY = ("gaming_day", "table_name", "player", "marker")
_CHIPS_KEY = ("gaming_day", "place", "denomination")
_RACK_KEY = ("gaming_day", "table_name")


# ------------------------------------------------------------------------------------- the projection


class _Sums:
    """What one batch adds: what was posted, what was owed, and which chips moved where."""

    def __init__(self) -> None:
        self.accounts: dict[Key, int] = {}
        self.credit: dict[Key, Row] = {}
        self.chips: dict[Key, int] = {}

    def take(self, table: str, day: date, part: Part, chips: ChipFloat) -> None:
        """Add up a part; `chips` know what lay in the table's rack before it, and then what does after it."""
        for account, amount in posted(part, table).items():
            self.accounts[day, table, account] = amount
        for row in filter(None, map(_credit, part.facts)):
            self._owe(row)
        for fact in part.facts:
            chips.apply(fact.event, table)
        for place, moved in (("issued", chips.issued), ("cage", chips.cage), ("transit", chips.in_transit)):
            for denomination, cents in moved.items():
                self.chips[day, place, denomination] = self.chips.get((day, place, denomination), 0) + cents

    def _owe(self, row: Row) -> None:
        before = self.credit.setdefault(tuple(row[name] for name in _CREDIT_KEY), row)
        if before is not row:
            before.update({figure: before[figure] + row[figure] for figure in CREDIT_FIGURES})


def write(conn: Connection[Any], batch: Batch, new: Edition) -> None:
    """Add what `batch` posted, owed and moved."""
    sums, racks = _Sums(), _racks(conn, batch, new)
    for (table, day), part in batch.items():
        sums.take(table, day, part, racks[table, day])
    add(conn, f"books{new}", _ACCOUNT_KEY, _rows(sums.accounts, *_ACCOUNT_KEY, "amount"))
    add(conn, f"credit{new}", _CREDIT_KEY, list(sums.credit.values()))
    add(conn, f"chips{new}", _CHIPS_KEY, _rows(sums.chips, *_CHIPS_KEY, "amount"))
    put(conn, f"racks{new}", _RACK_KEY, list(_lying(racks)))


def _racks(conn: Connection[Any], batch: Batch, new: Edition) -> dict[Key, ChipFloat]:
    """What lies in the racks of the tables and days in `batch`, as far as is known."""
    racks: dict[Key, ChipFloat] = {(table, day): ChipFloat() for table, day in batch}
    for row in load(conn, f"racks{new}", [{"gaming_day": day, "table_name": table} for table, day in racks]):
        chips = racks[row["table_name"], row["gaming_day"]]
        chips.rack(row["table_name"]).update(row["chips"])
        chips.closed |= {row["table_name"]} if row["closed"] else set()
    return racks


def _lying(racks: Mapping[Key, ChipFloat]) -> Iterator[Row]:
    for (table, day), chips in racks.items():
        if rack := chips.rack(table):
            closed = table in chips.closed
            yield {"gaming_day": day, "table_name": table, "chips": rack, "closed": closed}


def _rows(sums: Mapping[Key, object], *columns: str) -> list[Row]:
    return [dict(zip(columns, (*key, value), strict=True)) for key, value in sums.items()]


PROJECTION = Projection(
    name="books",
    version=3,
    tables={
        "books": """
            gaming_day date, table_name text, account text, amount numeric NOT NULL,
            PRIMARY KEY (gaming_day, table_name, account)""",
        "credit": f"""
            gaming_day date, table_name text, player text, marker text,
            {", ".join(f"{figure} numeric NOT NULL" for figure in CREDIT_FIGURES)},
            PRIMARY KEY ({", ".join(_CREDIT_KEY)})""",
        "chips": """
            gaming_day date, place text, denomination text, amount numeric NOT NULL,
            PRIMARY KEY (gaming_day, place, denomination)""",
        "racks": """
            gaming_day date, table_name text, chips jsonb NOT NULL, closed boolean NOT NULL,
            PRIMARY KEY (gaming_day, table_name)""",
    },
    remembers=frozenset({*ENTRIES, *MOVES, *_ON_CREDIT}),
    write=write,
)

# ------------------------------------------------------------------------------------- what is asked


def balances(conn: Connection[Any], until: date | None = None) -> dict[str, int]:
    """Every balance in cents, debits positive, at the end of gaming day `until`; accounts at 0 left out."""
    return _summed(conn, "gaming_day <= coalesce(%(until)s::date, 'infinity')", {"until": until})


def brought_forward(conn: Connection[Any], day: date) -> dict[str, int]:
    """Every balance in cents before gaming day `day`; accounts at 0 left out."""
    return _summed(conn, "gaming_day < %(day)s::date", {"day": day})


def _summed(conn: Connection[Any], where: str, given: Row) -> dict[str, int]:
    query = f"""
        SELECT account, sum(amount) AS amount FROM pitledger.books WHERE {where}
        GROUP BY account HAVING sum(amount) <> 0 ORDER BY account"""
    return {row["account"]: int(row["amount"]) for row in find(conn, query, given)}


def of_day(conn: Connection[Any], day: date) -> dict[str, dict[str, int]]:
    """What was posted on a gaming day: table (`projection.NO_TABLE`: the cage's own) -> account -> cents."""
    query = """
        SELECT table_name, account, amount FROM pitledger.books WHERE gaming_day = %(day)s
        ORDER BY table_name, account"""
    found: dict[str, dict[str, int]] = {}
    for row in find(conn, query, {"day": day}):
        found.setdefault(row["table_name"], {})[row["account"]] = int(row["amount"])
    return found


def credit_of_day(conn: Connection[Any], day: date, since: date | None = None) -> dict[str, dict[str, int]]:
    """Markers issued, paid and written off on a gaming day, or from the day `since` to it.

    Table (or none) -> figure -> cents.
    """
    figures = ", ".join(f"sum({figure}) AS {figure}" for figure in CREDIT_FIGURES)
    query = f"""
        SELECT table_name, {figures} FROM pitledger.credit
        WHERE gaming_day BETWEEN coalesce(%(since)s::date, %(day)s::date) AND %(day)s::date
        GROUP BY table_name"""
    found = find(conn, query, {"day": day, "since": since})
    return {row["table_name"]: {name: int(row[name]) for name in CREDIT_FIGURES} for row in found}


def issued_and_collected(conn: Connection[Any], day: date, since: date | None = None) -> tuple[int, int]:
    """The credit of the whole house, at tables and at the cage, of the same days."""
    credit = credit_of_day(conn, day, since).values()
    issued = sum(figures["issued_at_table"] + figures["issued_at_cage"] for figures in credit)
    return issued, sum(figures["paid_at_table"] + figures["paid_at_cage"] for figures in credit)


def markers(conn: Connection[Any], day: date) -> list[Row]:
    """Every marker unpaid at the end of a gaming day, or moved on it, in order of player and number."""
    figures = ", ".join(f"sum({figure}) AS {figure}" for figure in CREDIT_FIGURES)
    owed = "issued_at_table + issued_at_cage - paid_at_table - paid_at_cage - written_off"
    query = f"""
        SELECT player, marker, {figures}, sum({owed}) AS balance,
            min(gaming_day) FILTER (WHERE issued_at_table + issued_at_cage > 0) AS issued_on
        FROM pitledger.credit WHERE gaming_day <= %(day)s GROUP BY player, marker
        HAVING sum({owed}) <> 0 OR max(gaming_day) = %(day)s ORDER BY player, marker"""
    figured = (*CREDIT_FIGURES, "balance")
    return [{**row, **{name: int(row[name]) for name in figured}} for row in find(conn, query, {"day": day})]


def chips_in_house(conn: Connection[Any], until: date) -> dict[str, dict[str, int]]:
    """Chips by denomination and place (`issued`, `cage`, `transit`, `tables`), in cents of value.

    A rack is exact at its last count; chips that nobody broke down have the denomination `""`.
    """
    moved = """
        SELECT denomination, place, sum(amount) AS amount FROM pitledger.chips
        WHERE gaming_day <= %(until)s GROUP BY denomination, place"""
    counted = """
        SELECT key AS denomination, 'tables' AS place, sum(value::bigint) AS amount
        FROM (SELECT DISTINCT ON (table_name) chips FROM pitledger.racks
              WHERE gaming_day <= %(until)s ORDER BY table_name, gaming_day DESC) AS last,
             jsonb_each_text(chips) GROUP BY key"""
    found: dict[str, dict[str, int]] = {}
    for query in (moved, counted):
        for row in find(conn, query, {"until": until}):
            found.setdefault(row["denomination"], {})[row["place"]] = int(row["amount"])
    return found
