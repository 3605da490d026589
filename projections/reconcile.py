"""Count win against event win, line by line, and against the books: two independent routes to one figure.

The first goes by counts and wagers (`projections.win`): what was counted, less what the wagers say, less
commission held and what counting found otherwise, leaves a residual that must be nothing. The second goes by
postings (`projections.books`): what the income accounts of the table add up to, and whether its rack and its
boxes stand in the books at what was counted. Cents; None is not known, which is never 0.
"""

from datetime import date
from typing import Any

from psycopg import Connection

from domain import postings
from domain.policy.wins import wins_in_force
from projections import books, win
from projections.rows import Row

COUNT_LINES = "closer credits drop_cash drop_markers drop_slips drop opener fills count_win".split()
EVENT_LINES = (
    "wagers_lost commission_earned winnings_paid mispaid adjustments disputes_settled event_win".split()
)
BETWEEN = (
    "commission_held inventory_variance drop_variance disputes_at_cage residual books_win books_residual "
    "rack_in_books boxes_in_books"
).split()
WINS = ("statistical", "event", "nevada", "pennsylvania", "gaap")
FIELDS = [
    *("table", "gaming_day", "completeness", "missing"),
    *COUNT_LINES,
    *EVENT_LINES,
    *BETWEEN,
    *("credit_issued", "credit_collected", "coupons", "opening_variance", "recycled_drop"),
    *(f"win_{name}" for name in WINS),
    *("hold_pct", "hold_pct_without_recycled", "handle", "placed", "theo_win"),
]
_INCOME = "Income:Craps:"


def rows(conn: Connection[Any], table: str | None = None, day: date | None = None) -> list[Row]:
    """One row a table and gaming day, in order of both; `FIELDS` are what it holds."""
    found: list[Row] = []
    per_day: dict[date, _Books] = {}
    for known in win.folded(conn, table, day):
        gaming_day = known["gaming_day"]
        if gaming_day not in per_day:
            per_day[gaming_day] = _Books(conn, gaming_day)
        found.append(_row(known, per_day[gaming_day]))
    return found


def house(conn: Connection[Any], day: date) -> Row:
    """What concerns the house as a whole at the end of a gaming day, in cents.

    `nevada` is known when every table's win is; markers bought back at the cage are collected there.
    """
    balances = books.balances(conn, day)
    credit = books.credit_of_day(conn, day).values()
    issued = sum(figures["issued_at_table"] + figures["issued_at_cage"] for figures in credit)
    collected = sum(figures["paid_at_table"] + figures["paid_at_cage"] for figures in credit)
    wins = [row["count_win"] for row in rows(conn, day=day)]
    known = bool(wins) and None not in wins
    return {
        "gaming_day": day.isoformat(),
        "chips_outstanding": postings.outstanding(balances),
        "markers_unpaid": balances.get(postings.MARKERS, 0),
        "front_money": -balances.get(postings.FRONT_MONEY, 0),
        "commission_refundable": -balances.get(postings.COMMISSION_HELD, 0),
        "credit_issued": issued,
        "credit_collected": collected,
        "win_nevada": sum(wins) - issued + collected if known else None,
        "trial_balance": sum(balances.values()),
    }


def broken(rows: list[Row], house: Row | None = None) -> bool:
    """Whether a figure that must be nothing is something: the ledger or this program is at fault."""
    checks = ("residual", "books_residual", "rack_in_books", "boxes_in_books")
    apart = any(row[check] for row in rows for check in checks)
    return apart or (house is not None and house["trial_balance"] != 0)


def definitions(day: date) -> list[Row]:
    """The wins by name, each with its formula and version."""
    return [definition.model_dump(mode="json") for definition in wins_in_force(day).values()]


# ------------------------------------------------------------------------------------- one table's day


class _Books:
    """What the books say of one gaming day."""

    def __init__(self, conn: Connection[Any], day: date) -> None:
        self.posted = books.of_day(conn, day)
        self.balances = books.balances(conn, day)
        self.credit = books.credit_of_day(conn, day)

    def on(self, account: str, table: str) -> int:
        """The balance of a table's own account."""
        return self.balances.get(account.format(table=postings.part(table)), 0)


def _row(known: Row, ledger: _Books) -> Row:
    figures = win.figures(known)
    credit = ledger.credit.get(known["table_name"], {})
    row: Row = {
        "table": figures["table"],
        "gaming_day": figures["gaming_day"],
        **_completeness(known),
        **_by_count(known, figures),
        **_by_event(known, figures),
        **_between(known, figures),
        **_by_posting(known, figures, ledger),
        "credit_issued": credit.get("issued_at_table", 0),
        "credit_collected": credit.get("paid_at_table", 0),
        "coupons": known["coupons_dropped"],
        "opening_variance": known["opening_variance"],
        "recycled_drop": figures["recycled_drop"],
    }
    row.update(_wins(row, ledger, known["table_name"]))
    row.update({name: figures[name] for name in ("handle", "placed", "theo_win")})
    holds = ("hold_pct", "hold_pct_without_recycled")
    row.update({name: None if figures["count_win"] is None else figures[name] for name in holds})
    return {name: row[name] for name in FIELDS}


def _completeness(known: Row) -> Row:
    """Which counts are wanting before the win of the table is known."""
    missing = []
    if known["opener"] is None:
        missing.append("the table was not opened")
    elif known["closer"] is None:
        missing.append("the rack has not been counted at the close")
    uncounted = sorted(set(known["hung"]) - known["boxes"].keys())
    missing += [f"box {box} has not been counted" for box in uncounted]
    if not known["boxes"] and not uncounted:
        missing.append("no drop box has been counted")
    return {"completeness": "incomplete" if missing else "complete", "missing": missing}


def _by_count(known: Row, figures: Row) -> Row:
    lines = {name: figures[name] for name in COUNT_LINES}
    if not figures["drop_counted"]:
        lines.update(dict.fromkeys(("drop_cash", "drop_markers", "drop_slips", "drop")))
    return lines


def _by_event(known: Row, figures: Row) -> Row:
    return {
        "wagers_lost": figures["lost"],
        "commission_earned": figures["commission"],
        "winnings_paid": figures["paid"],
        "mispaid": figures["mispay"],
        "adjustments": figures["adjusted"],
        "disputes_settled": figures["disputes"],
        "event_win": figures["event_win"],
    }


def _between(known: Row, figures: Row) -> Row:
    """What stands between the two wins; a dispute settled at the cage never touched the rack."""
    return {
        "commission_held": figures["commission_held"],
        "inventory_variance": figures["inventory_variance"],
        "drop_variance": figures["drop_variance"],
        "disputes_at_cage": known["dispute_settled_at_cage"],
        "residual": figures["residual"],
    }


def _by_posting(known: Row, figures: Row, ledger: _Books) -> Row:
    """The same win out of the accounts, and what the rack and the boxes stand at beside their counts."""
    if figures["count_win"] is None:
        return dict.fromkeys(("books_win", "books_residual", "rack_in_books", "boxes_in_books"))
    posted = ledger.posted.get(known["table_name"], {})
    held = -posted.get(postings.COMMISSION_HELD, 0)
    others = known["coupons_dropped"] + known["dispute_settled_at_cage"] - known["opening_variance"]
    books_win = _income(posted) + held + others
    return {
        "books_win": books_win,
        "books_residual": figures["count_win"] - books_win,
        "rack_in_books": ledger.on(postings.RACK, known["table_name"]) - known["closer"],
        "boxes_in_books": ledger.on(postings.DROP_BOX, known["table_name"]),
    }


def _income(posted: dict[str, int]) -> int:
    return -sum(cents for account, cents in posted.items() if account.startswith(_INCOME))


def _wins(row: Row, ledger: _Books, table: str) -> Row:
    statistical = row["count_win"]
    known = statistical is not None
    return {
        "win_statistical": statistical,
        "win_event": row["event_win"],
        "win_nevada": statistical - row["credit_issued"] + row["credit_collected"] if known else None,
        "win_pennsylvania": statistical,
        "win_gaap": _income(ledger.posted.get(table, {})) if known else None,
    }
