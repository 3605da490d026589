"""The sheets of a pack that are figures: tables, statistics, chips, markers, disputes, cash."""

from collections.abc import Iterator
from datetime import date, timedelta
from functools import partial
from hashlib import sha256
from typing import Any

from psycopg import Connection

from domain import postings
from projections import books, reconcile, statistics, tables, title_31
from projections.pack.gather import Gathered
from projections.pack.sheet import Row, Sheet, decimal, fields

_MASTER = fields(
    text_1="gaming_day shift pit table_id game",
    money_1="opener fills credits closer drop_cash drop_markers drop_other drop_total win_count win_event "
    "commission commission_held mispay disputes inv_variance drop_variance residual handle theo_win",
    percent_1="hold_pct",
    text_2="completeness missing_inputs currency",
    money_2="adjustments disputes_at_cage opening_variance coupons credit_issued credit_collected win_nevada "
    "win_pennsylvania win_gaap books_residual recycled_drop placed",
    percent_2="hold_pct_without_recycled",
    whole="shift_number first_event last_event",
)
_NAMES = {
    "table_id": "table",
    "drop_other": "drop_slips",
    "drop_total": "drop",
    "win_count": "count_win",
    "win_event": "event_win",
    "commission": "commission_earned",
    "mispay": "mispaid",
    "disputes": "disputes_settled",
    "inv_variance": "inventory_variance",
    "missing_inputs": "missing",
}
"""What the master gaming report calls a line of the reconciliation."""
_STATS = fields(
    text_1="gaming_day scope table game period from_day",
    whole="days incomplete_days",
    money_1="drop win",
    percent_1="hold_pct",
    money_2="theo_win",
    percent_2="theo_hold_pct",
    money_3="handle sd",
    percent_3="z base_level",
    text_2="base_period flag",
    money_4="recycled_drop",
    percent_4="hold_pct_without_recycled",
)
_CHIPS = fields(text="denomination", money="issued cage tables transit outstanding change")
_MARKERS = fields(
    text_1="marker patron issued_on",
    whole="age_days",
    money="issued_at_table issued_at_cage paid_at_table paid_at_cage written_off balance",
    text_2="status",
)
_DISPUTES = fields(
    text_1="dispute table gaming_day",
    whole="roll",
    text_2="patron claim",
    money_1="amount",
    text_3="ruling ruled_by ruled_role ruled_at",
    money_2="gives paid",
    text_4="status settled_at approved_by camera video_since video_until notified_at opened_at closed_at "
    "outcome",
)
_MTL = fields(
    text_1="patron gaming_day at way kind",
    money="amount sum_so_far",
    text_2="over table badge",
    whole="position",
)
_CTR = fields(
    text_1="patron gaming_day",
    money="cash_in cash_out",
    whole="transactions",
    text_2="ctr_in ctr_out file_by policy",
)
ALL = "all"
DAY = "day"
"""What the master gaming report calls the shift of a row of the whole day; it has no shift number."""


def sheets(conn: Connection[Any], gathered: Gathered, property_name: str, currency: str) -> Iterator[Sheet]:
    """Every sheet of a gaming day but the journal, in the order of the pack."""
    day = gathered.day
    slips, inventory, *others = gathered.papers.sheets(day.isoformat())
    yield Sheet("master_gaming_report", _MASTER, _master(conn, gathered, currency), part="shift_number")
    yield Sheet("stats", _STATS, statistics.rows(conn, day))
    yield from (slips, inventory, *others)
    yield Sheet("disputes", _DISPUTES, _disputes(gathered, property_name))
    yield Sheet("chip_float", _CHIPS, _chips(conn, day))
    yield Sheet("markers", _MARKERS, _markers(conn, day, property_name))
    yield gathered.staff.sheet(day.isoformat())
    yield Sheet("mtl", _MTL, [_named(row) for row in title_31.logged(gathered.cash, day)], restricted=True)
    yield Sheet("ctr", _CTR, _reported(gathered), restricted=True)


def pseudonym(player: str, property_name: str) -> str:
    """What a patron is called where the file is not restricted: the same in every pack of a property.

    >>> pseudonym("P7", "demo") == pseudonym("P7", "demo") != pseudonym("P8", "demo")
    True
    """
    return f"patron-{sha256(f'{property_name}/{player}'.encode()).hexdigest()[:12]}"


# ------------------------------------------------------------------------------------- tables


def _master(conn: Connection[Any], gathered: Gathered, currency: str) -> list[Row]:
    """Each table's shifts, where there was more than one, and then its whole day."""
    where = {row["table"]: row for row in tables.rows(conn, day=gathered.day)}
    found = []
    for row in reconcile.rows(conn, day=gathered.day):
        shifts = gathered.tables[row["table"]]
        first, last = shifts.span
        posted = partial(gathered.entries.posted, row["table"])
        whole_day = {**row, "shift": DAY, "shift_number": None, "first_event": first, "last_event": last}
        found += [_report(one, where[row["table"]], currency) for one in (*shifts.rows(posted), whole_day)]
    return found


def _report(row: Row, where: Row, currency: str) -> Row:
    said = {field.name: row.get(_NAMES.get(field.name, field.name)) for field in _MASTER}
    known = row["count_win"] is not None
    said.update(
        pit=where["pit"],
        game=where["rules"] and f"craps {where['rules']}@{where['rules_version']}",
        missing_inputs="; ".join(row["missing"]) or None,
        currency=currency,
        hold_pct=statistics.hundredths(row["count_win"], row["drop"]) if known else None,
        hold_pct_without_recycled=(
            statistics.hundredths(row["count_win"], row["drop"] - row["recycled_drop"]) if known else None
        ),
    )
    return said


# ------------------------------------------------------------------------------------- the house


def _chips(conn: Connection[Any], day: date) -> list[Row]:
    now, before = (books.chips_in_house(conn, until) for until in (day, day - timedelta(days=1)))
    known = sorted(now, key=lambda cents: (cents == "", int(cents or 0)))
    rows = [_float(name, now[name], before.get(name, {})) for name in known]
    return [*rows, _all_chips(conn, day)]


def _float(denomination: str, now: dict[str, int], before: dict[str, int]) -> Row:
    places = {place: now.get(place, 0) for place in ("issued", "cage", "tables", "transit")}
    out = _outstanding(now)
    name = decimal(int(denomination)) if denomination else "not broken down"
    return {"denomination": name, **places, "outstanding": out, "change": out - _outstanding(before)}


def _outstanding(places: dict[str, int]) -> int:
    return places.get("issued", 0) - sum(places.get(place, 0) for place in ("cage", "tables", "transit"))


def _all_chips(conn: Connection[Any], day: date) -> Row:
    """The chip liability by the books: the racks as play, counts and variances have left them."""
    now, before = books.balances(conn, day), books.brought_forward(conn, day)
    in_racks = sum(cents for account, cents in now.items() if account.startswith("Assets:Chips:Table:"))
    out = postings.outstanding(now)
    return {
        "denomination": ALL,
        "issued": -now.get(postings.ISSUED, 0),
        "cage": now.get(postings.CAGE_CHIPS, 0),
        "tables": in_racks,
        "transit": now.get(postings.IN_TRANSIT, 0),
        "outstanding": out,
        "change": out - postings.outstanding(before),
    }


def _markers(conn: Connection[Any], day: date, property_name: str) -> list[Row]:
    return [
        {
            **row,
            "marker": row["marker"] or None,
            "patron": pseudonym(row["player"], property_name),
            "issued_on": row["issued_on"] and row["issued_on"].isoformat(),
            "age_days": row["issued_on"] and (day - row["issued_on"]).days,
            "status": "unpaid" if row["balance"] else "settled",
        }
        for row in books.markers(conn, day)
    ]


def _disputes(gathered: Gathered, property_name: str) -> list[Row]:
    return [_dispute(gathered.disputes[name], property_name) for name in sorted(gathered.disputes)]


def _dispute(row: Row, property_name: str) -> Row:
    moments = (
        "ruled_at",
        "settled_at",
        "video_since",
        "video_until",
        "notified_at",
        "opened_at",
        "closed_at",
    )
    said = {moment: row[moment] and row[moment].isoformat() for moment in moments}
    return {
        **row,
        **said,
        "table": row["table_name"],
        "gaming_day": row["gaming_day"].isoformat(),
        "patron": pseudonym(row["player"], property_name),
        "status": "closed" if row["closed_at"] else "ruled" if row["ruling"] else "open",
    }


# ------------------------------------------------------------------------------------- cash, restricted


def _named(row: Row) -> Row:
    return {**row, "patron": row["player"], "over": "yes" if row["over"] else "no"}


def _reported(gathered: Gathered) -> list[Row]:
    return [
        {
            **row,
            "patron": row["player"],
            **{due: "due" if row[due] else None for due in ("ctr_in", "ctr_out")},
        }
        for row in title_31.patrons(gathered.cash, gathered.day)
    ]
