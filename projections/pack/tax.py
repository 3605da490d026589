"""Tax worksheets: what a jurisdiction taxes of the win, line by line, and what it takes of it.

A worksheet is no return: it has the figures and the sums that one is filled in from. Where an amount is not
known, whatever is made of it is empty.
"""

from collections.abc import Iterable, Iterator
from datetime import date
from typing import Any

from psycopg import Connection

from domain.policy.taxes import Template, in_force, template_of
from projections import books, reconcile, tables, win
from projections.day_events import span_of
from projections.pack.sheet import Row, Sheet, fields

_WORKSHEET = fields(
    text_1="form template",
    whole_1="template_version",
    text_2="from_day to_day table line label",
    money_1="base",
    text_3="rate",
    money_2="amount",
    text_4="currency section missing note",
    whole_2="first_event last_event",
)
_BLANK: Row = dict.fromkeys(field.name for field in _WORKSHEET)
_OF_A_TABLE = (
    ("1", "ending inventory, Table Inventory Slip", "closer"),
    ("2", "Credit Slips", "credits"),
    ("3a", "currency from the drop box", "drop_cash"),
    ("3b", "Counter Checks from the drop box", "drop_markers"),
    ("3c", "other instruments from the drop box", "drop_slips"),
    ("3", "total from the drop box", "drop"),
    ("4", "beginning inventory, Table Inventory Slip", "opener"),
    ("5", "Fill Slips", "fills"),
    ("6", "net revenue: 1 + 2 + 3 - 4 - 5", "win_pennsylvania"),
)
_ROUNDED = "rounded to the cent, half a cent up"
_LOSS = "nothing is taken of a loss; whether it counts against other revenue, the return says"


def asked_for(conn: Connection[Any], day: date) -> list[str]:
    """The jurisdictions under whose rules a table was open on a gaming day."""
    rules = {row["rules"] for row in tables.rows(conn, day=day)}
    return sorted(name for name, template in in_force(day).items() if rules & {*template.rules})


def worksheet(conn: Connection[Any], jurisdiction: str, day: date, currency: str) -> Sheet:
    """The worksheet of a jurisdiction for a gaming day, or for its month as far as that day."""
    template = template_of(jurisdiction, day)
    assert template is not None, (jurisdiction, day)
    first = day.replace(day=1) if template.period == "month" else day
    pennsylvania = template.win == "pennsylvania"
    lines = [*(_net_revenue(conn, day) if pennsylvania else _cash_basis(conn, first, day))]
    lines += _taken(template, int(lines[-1]["line"]) + 1, lines[-1]["amount"])
    span = span_of(conn, first, day)
    about: Row = {
        "form": template.title,
        "template": template.id,
        "template_version": template.version,
        "from_day": first.isoformat(),
        "to_day": day.isoformat(),
        "currency": currency,
        "first_event": span.first,
        "last_event": span.last,
    }
    rows = [{**_BLANK, "section": template.revenue_section, **line, **about} for line in lines]
    return Sheet(f"tax_{jurisdiction}", _WORKSHEET, rows)


def _taken(template: Template, number: int, revenue: int | None) -> Iterator[Row]:
    """A line for every rate of every levy, and what they come to."""
    note = _ROUNDED if revenue is None or revenue >= 0 else _LOSS
    total = 0
    for levy in template.levy:
        for step in levy.steps(revenue or 0):
            line = {"line": str(number), "label": levy.name, "section": levy.section, "rate": str(step.rate)}
            owed = win.half_up(step.owed)
            amounts = {"base": step.base, "amount": owed} if revenue is not None else {}
            yield {**line, **amounts, "note": note}
            total += owed
            number += 1
    amount = None if revenue is None else total
    yield {"line": str(number), "label": "total", "amount": amount, "section": None, "note": template.source}


# ------------------------------------------------------------------------------------- what is taxed


def _net_revenue(conn: Connection[Any], day: date) -> Iterator[Row]:
    """The net revenue of every table, and the gross table game revenue that they add up to."""
    rows = [
        row
        for row in reconcile.rows(conn, day=day)
        if row["opener"] is not None or row["drop"] is not None  # else it only refused something that day
    ]
    for row in rows:
        missing = "; ".join(row["missing"]) or None
        for line, label, figure in _OF_A_TABLE:
            said = {"table": row["table"], "line": line, "label": label, "amount": row[figure]}
            yield {**said, "missing": missing if row[figure] is None else None}
    amount = _sum(row["win_pennsylvania"] for row in rows)
    yield {"line": "7", "label": "gross table game revenue: line 6 of every table", "amount": amount}


def _cash_basis(conn: Connection[Any], first: date, day: date) -> Iterator[Row]:
    """The win of every table and day, less the credit that was issued, with what was collected of it."""
    known = [row for row in win.between(conn, first, day) if row["opener"] is not None or row["boxes"]]
    wins = _sum(win.figures(row)["count_win"] for row in known)
    missing = [
        f"{row['gaming_day']} {row['table_name']}: {why}"
        for row in known
        for why in reconcile.completeness(row)["missing"]
    ]
    issued, collected = books.issued_and_collected(conn, day, since=first)
    revenue = None if wins is None else wins - issued + collected
    amounts = (
        ("statistical win", wins),
        ("credit issued, at tables and at the cage", issued),
        ("credit collected, at tables and at the cage", collected),
        ("gross revenue on a cash basis: 1 - 2 + 3", revenue),
    )
    lines = [
        {"line": str(n), "label": label, "amount": amount} for n, (label, amount) in enumerate(amounts, 1)
    ]
    lines[0].update(missing="; ".join(missing) or None, note=f"{len(known)} tables and days")
    yield from lines


def _sum(amounts: Iterable[int | None]) -> int | None:
    """What amounts come to; not known where one of them is not, or where there is none."""
    found = [*amounts]
    known = [amount for amount in found if amount is not None]
    return sum(known) if found and len(known) == len(found) else None
