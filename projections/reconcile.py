"""Count win against event win, line by line, and against the books: two independent routes to one figure.

The first goes by counts and wagers (`projections.win`): what was counted, less what the wagers say, less
commission held and what counting found otherwise, leaves a residual that must be nothing. The second goes by
postings (`projections.books`): what the income accounts of the table add up to, and whether its rack and its
boxes stand in the books at what was counted. Cents; None is not known, which is never 0.
"""

from datetime import date
from fractions import Fraction
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
    issued, collected = books.issued_and_collected(conn, day)
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
    table = known["table_name"]
    figures, posted = win.figures(known), ledger.posted.get(table, {})
    row = _lines(known, figures, posted, ledger.credit.get(table, {}))
    if figures["count_win"] is not None:
        books_win = _books_win(known, posted)
        row.update(
            books_win=books_win,
            books_residual=figures["count_win"] - books_win,
            rack_in_books=ledger.on(postings.RACK, table) - known["closer"],
            boxes_in_books=ledger.on(postings.DROP_BOX, table),
        )
    return row


def of_shift(known: Row, posted: dict[str, int], credit: dict[str, int]) -> tuple[Row, Fraction]:
    """What `rows` say of a day, of one shift that was folded as a day is; and its exact theoretical win.

    What its boxes were counted over the books is posted after the close, for the day in one sum: here it is
    the shift's own. What stands in the books at the end of a shift is not asked.
    """
    known = win.closer_stands(known)
    figures = win.figures(known)
    row = _lines(known, figures, posted, credit)
    if figures["count_win"] is not None:
        after_close = posted.get(postings.DROP_VARIANCE.format(table=postings.part(known["table_name"])), 0)
        books_win = _books_win(known, posted) + after_close + figures["drop_variance"]
        row.update(books_win=books_win, books_residual=figures["count_win"] - books_win)
    return row, Fraction(figures["theo_win_exact"])


def _lines(known: Row, figures: Row, posted: dict[str, int], credit: dict[str, int]) -> Row:
    """Every line but those that stand in the books, which are still to be known."""
    row: Row = {
        **dict.fromkeys(FIELDS),
        "table": figures["table"],
        "gaming_day": figures["gaming_day"],
        **completeness(known),
        **_by_count(known, figures),
        **_by_event(known, figures),
        **_between(known, figures),
        "credit_issued": credit.get("issued_at_table", 0),
        "credit_collected": credit.get("paid_at_table", 0),
        "coupons": known["coupons_dropped"],
        "opening_variance": known["opening_variance"],
        "recycled_drop": figures["recycled_drop"],
    }
    row.update(_wins(row, posted))
    row.update({name: figures[name] for name in ("handle", "placed", "theo_win")})
    if figures["count_win"] is not None:
        row.update({name: figures[name] for name in ("hold_pct", "hold_pct_without_recycled")})
    return row


def completeness(known: Row) -> Row:
    """Which counts are wanting before the win of the table is known."""
    missing = []
    if known["opener"] is None:
        missing.append("the table was not opened")
    elif known["closer"] is None:
        missing.append("the rack has not been counted at the close")
    uncounted = sorted(set(known["hung"]) - known["boxes"].keys())
    why = known.get("not_told", {})
    missing += [f"box {box} {why.get(box, 'has not been counted')}" for box in uncounted]
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


def _books_win(known: Row, posted: dict[str, int]) -> int:
    """The same win out of the accounts."""
    held = -posted.get(postings.COMMISSION_HELD, 0)
    others: int = known["coupons_dropped"] + known["dispute_settled_at_cage"] - known["opening_variance"]
    return _income(posted) + held + others


def _income(posted: dict[str, int]) -> int:
    return -sum(cents for account, cents in posted.items() if account.startswith(_INCOME))


def _wins(row: Row, posted: dict[str, int]) -> Row:
    statistical = row["count_win"]
    known = statistical is not None
    return {
        "win_statistical": statistical,
        "win_event": row["event_win"],
        "win_nevada": statistical - row["credit_issued"] + row["credit_collected"] if known else None,
        "win_pennsylvania": statistical,
        "win_gaap": _income(posted) if known else None,
    }
