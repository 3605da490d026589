"""Drop and win of each table and gaming day, by count and by wager, and whether the two meet.

The formulas are those that regulators share: win = closer + credits + drop - opener - fills
(58 Pa. Code 601a.9(c), Miss. Rule 13-7-3.3(a)). What the wagers say it must be, plus what counting found
otherwise (the variances), must be the same to the cent; `residual` is what is left unexplained.
"""

from collections.abc import Callable, Mapping
from datetime import date
from fractions import Fraction
from functools import cache
from math import floor, lcm
from typing import Any

from psycopg import Connection

from domain import events as e
from domain.books import EVENT_WIN, FLOWS, Account, Flow, Money, into
from projections.action import Action, kind_of, terms_of, wager_of
from projections.projection import Batch, Edition, Projection, TableDay, at_tables
from projections.rows import Row, find, load, put, select

TableDays = dict[TableDay, Row]


def new_row(table: str, gaming_day: date) -> Row:
    """A table and gaming day of which nothing is known yet."""
    return {
        "table_name": table,
        "gaming_day": gaming_day,
        "opener": None,
        "closer": None,
        "counted_open": None,  # the last count of the rack as a closer while the table is open
        "opening_variance": 0,  # the first opener over the closer that the tray was locked with
        "variances": 0,  # found in the rack so far against the books
        "boxes": {},  # box -> [pass, cash, markers, slips], as last counted
        "hung": [],  # boxes that were installed
        "recycled": 0,
        "placed": 0,
        "handle": 0,
        "staked_at": {},  # the house's exact advantage -> stakes decided at it
        "rules": None,  # of the day's first opening
        "terms": "",  # of its last
        "action": {},  # `projections.action.Action`
        "last_roll": {"roll": 0, "decided": {}},  # the particulars of each wager it decided
        "breakage": 0,  # whole cents, as each settlement shows it
        "breakage_exact": "0",
        **dict.fromkeys(FLOWS, 0),
    }


def fold(known: TableDays, batch: Batch) -> None:
    """Bring the rows of `known` forward by `batch`; it has a row for every table and gaming day in it."""
    for table_day, part in batch.items():
        day = known[table_day]
        for flows in part.moved.values():
            for flow, amount in flows.items():
                day[flow] += amount
        for fact in part.facts:
            if remember := _REMEMBER.get(type(fact.event)):
                remember(day, fact.event)


def take(day: Row, event: e.Happened, moved: Money) -> None:
    """Bring one row forward by one event, which moved `moved`."""
    for flow, _, amount in moved:
        day[flow] += amount
    if remember := _REMEMBER.get(type(event)):
        remember(day, event)


def _opened(day: Row, event: e.TableOpened) -> None:
    found = 0 if event.preceding_closer is None else event.opener - event.preceding_closer
    if day["opener"] is None:  # a table that opens again goes on with the day's first opener
        day["opener"], day["opening_variance"] = event.opener, found
    else:
        day["variances"] += found
    day["rules"], day["terms"] = day["rules"] or event.rules, terms_of(event)
    day["closer"] = day["counted_open"] = None


def _closed(day: Row, event: e.TableClosed) -> None:
    day["closer"] = event.closer


def _inventory(day: Row, event: e.TableInventoryCounted) -> None:
    """A table that never closes is counted as if it did; the count holds until its rack moves."""
    if event.count == "closer":
        day["counted_open"] = {"counted": event.counted, "moved": event.book - day["variances"]}


def _variance(day: Row, event: e.InventoryVarianceFound) -> None:
    if event.against == "book":
        day["variances"] += event.difference
    elif event.against == "corrected_closer":
        day["opening_variance"] += event.difference


def _drop_counted(day: Row, event: e.DropCounted) -> None:
    last_pass, *_ = day["boxes"].get(event.box, (0,))
    if event.count_pass >= last_pass:
        day["boxes"][event.box] = [event.count_pass, event.cash, event.markers, event.slips]


def _box_hung(day: Row, event: e.DropBoxInstalled) -> None:
    day["hung"].append(event.box)


def _placed(day: Row, event: e.WagerPlaced) -> None:
    day["placed"] += event.amount


def _pressed(day: Row, event: e.WagerPressed) -> None:
    day["placed"] += event.to - event.was


def _bought_in(day: Row, event: e.BuyInAccepted) -> None:
    day["recycled"] += event.recycled


_IN_BOX = {"drop_cash": 1, "drop_markers": 2, "drop_slips": 3}


def _corrected(day: Row, event: e.CorrectionRecorded) -> None:
    if event.what == "opener" and not event.from_cage:
        day["opening_variance"] += event.after - event.before
    if event.what in ("opener", "closer"):
        day[event.what] = event.after
    elif place := _IN_BOX.get(event.what):
        day["boxes"][event.item][place] = event.after


def _settled(day: Row, event: e.WagerSettled) -> None:
    """Odds are decided after their base, on the same roll; only the last roll can be overruled."""
    last = day["last_roll"]
    if last["roll"] != event.roll:
        last = day["last_roll"] = {"roll": event.roll, "decided": {}}
    decided = last["decided"]
    base = kind_of(decided[event.base]) if event.base else ""
    wager = decided[event.wager] = wager_of(event, base)
    _decided(day, event, wager, 1)


def _reversed(day: Row, event: e.SettlementReversed) -> None:
    _decided(day, event, day["last_roll"]["decided"].pop(event.wager), -1)


def _decided(day: Row, event: e.WagerSettled | e.SettlementReversed, wager: str, sign: int) -> None:
    if event.outcome == "returned":
        return
    day["handle"] += sign * event.stake
    staked = day["action"].setdefault(day["terms"], {})
    staked[wager] = staked.get(wager, 0) + sign * event.stake**2
    if event.edge is not None:
        day["staked_at"][event.edge] = day["staked_at"].get(event.edge, 0) + sign * event.stake
    if event.breakage != "0":
        breakage = Fraction(event.breakage)
        day["breakage"] += sign * floor(breakage)
        day["breakage_exact"] = str(Fraction(day["breakage_exact"]) + sign * breakage)


_REMEMBER: dict[type[e.Happened], Callable[[Row, Any], None]] = {
    e.TableOpened: _opened,
    e.TableClosed: _closed,
    e.TableInventoryCounted: _inventory,
    e.InventoryVarianceFound: _variance,
    e.DropCounted: _drop_counted,
    e.DropBoxInstalled: _box_hung,
    e.BuyInAccepted: _bought_in,
    e.WagerPlaced: _placed,
    e.WagerPressed: _pressed,
    e.CorrectionRecorded: _corrected,
    e.WagerSettled: _settled,
    e.SettlementReversed: _reversed,
}


def write(conn: Connection[Any], batch: Batch, new: Edition) -> None:
    """Bring the rows of the tables and days of `batch` forward."""
    batch = at_tables(batch)
    known = {table_day: new_row(*table_day) for table_day in sorted(batch)}
    for row in load(conn, f"win{new}", [{"table_name": table, "gaming_day": day} for table, day in known]):
        known[row["table_name"], row["gaming_day"]] = _whole(row)
    fold(known, batch)
    put(conn, f"win{new}", ("table_name", "gaming_day"), list(known.values()))


def _whole(row: Row) -> Row:
    """A stored row with its sums as the whole numbers they are (PostgreSQL's numeric arrives as Decimal)."""
    return {**row, **{figure: int(row[figure]) for figure in _SUMS}}


_SUMS = (*FLOWS, "handle", "breakage", "recycled", "placed", "variances")


PROJECTION = Projection(
    name="win",
    version=6,
    tables={
        "win": f"""
            table_name text, gaming_day date, opener bigint, closer bigint,
            counted_open jsonb, opening_variance bigint NOT NULL, variances numeric NOT NULL,
            boxes jsonb NOT NULL,
            hung jsonb NOT NULL, recycled numeric NOT NULL, placed numeric NOT NULL,
            handle numeric NOT NULL, staked_at jsonb NOT NULL,
            rules text, terms text NOT NULL, action jsonb NOT NULL, last_roll jsonb NOT NULL,
            breakage numeric NOT NULL, breakage_exact text NOT NULL,
            {", ".join(f"{flow} numeric NOT NULL" for flow in FLOWS)},
            PRIMARY KEY (table_name, gaming_day)"""
    },
    remembers=_REMEMBER,
    write=write,
)


def rows(conn: Connection[Any], table: str | None = None, day: date | None = None) -> list[Row]:
    """One row a table and gaming day, in cents; see `figures`."""
    return [figures(row) for row in folded(conn, table, day)]


def folded(conn: Connection[Any], table: str | None = None, day: date | None = None) -> list[Row]:
    """What is known of each table and gaming day, as it was folded; a closer that stands is the closer."""
    query = f"SELECT {_SHOWN} FROM pitledger.win WHERE {{where}} ORDER BY gaming_day, table_name"
    found = select(conn, query, {"table_name": table, "gaming_day": day})
    return [closer_stands(_whole(row)) for row in found]


_SHOWN = ", ".join(name for name in new_row("", date.min) if name not in ("action", "last_roll"))


def actions(conn: Connection[Any], first: date, last: date) -> dict[TableDay, Action]:
    """The action that was taken at every table that opened from one gaming day to another."""
    query = """
        SELECT table_name, gaming_day, action FROM pitledger.win
        WHERE rules IS NOT NULL AND gaming_day BETWEEN %(first)s AND %(last)s"""
    found = find(conn, query, {"first": first, "last": last})
    return {(row["table_name"], row["gaming_day"]): row["action"] for row in found}


def between(conn: Connection[Any], first: date, last: date) -> list[Row]:
    """As `folded`, of every table from one gaming day to another; a day at a time, by its index."""
    days = find(
        conn,
        "SELECT DISTINCT gaming_day FROM pitledger.win WHERE gaming_day BETWEEN %(first)s AND %(last)s "
        "ORDER BY gaming_day",
        {"first": first, "last": last},
    )
    return [row for one in days for row in folded(conn, day=one["gaming_day"])]


def closer_stands(day: Row) -> Row:
    """The closer of a table that is still open is its count as one, if nothing moved in the rack since."""
    counted = day["counted_open"]
    if day["closer"] is None and counted and counted["moved"] == _book_closer(day):
        return {**day, "closer": counted["counted"]}
    return day


def figures(day: Row) -> Row:
    """The house's figures of one table and gaming day, in cents; `hold_pct` in percent of the drop.

    `drop` is the count where a box was counted, the book's drop otherwise. `commission` has been earned,
    `commission_held` may still go back. `event_win` + `commission_held` is the table's win by wagers, less
    what disputes about its rolls were settled for (`disputes`), wherever and whenever that was paid.
    """
    event_win = sum(sign * day[flow] for flow, sign in EVENT_WIN.items())
    held = _on("held", day)
    counted = _counted(day)
    book_drop = _on("box", day)
    drop = book_drop if counted is None else counted
    count_win = _count_win(day, counted)
    win = event_win + held if count_win is None else count_win
    theo_win = theoretical_win(day["staked_at"])
    return {
        "table": day["table_name"],
        "gaming_day": day["gaming_day"].isoformat(),
        "opener": day["opener"],
        "fills": day["filled"],
        "credits": day["credited"],
        "closer": day["closer"],
        "drop": drop,
        "count_win": count_win,
        "event_win": event_win,
        "commission": day["commission_taken"] + day["commission_earned"],
        "commission_held": held,
        "breakage": day["breakage"],
        "handle": day["handle"],
        "theo_win": half_up(theo_win),
        "hold_pct": _percent(win, drop),
        "residual": None if count_win is None else count_win - event_win - held - _explained(day, drop),
        "disputes": day["dispute_settled"] + day["dispute_settled_at_cage"],
        "table_win": event_win + held,
        "drop_counted": counted is not None,
        "book_drop": book_drop,
        "book_closer": _book_closer(day),
        "theo_win_exact": str(theo_win),
        "breakage_exact": day["breakage_exact"],
        **_parts(day, drop, counted is not None),
        "hold_pct_without_recycled": _percent(win, drop - day["recycled"]),
    }


def _counted(day: Row) -> int | None:
    """The drop as counted; None while a box is not."""
    if not day["boxes"] or set(day["hung"]) - day["boxes"].keys():
        return None
    boxes: list[list[int]] = list(day["boxes"].values())
    return sum(cash + markers + slips for _, cash, markers, slips in boxes)


def _parts(day: Row, drop: int, counted: bool) -> Row:
    """What drop and event win are made of, and what counting found beside the books (None until counted)."""
    cash, markers, slips = _drop_by_kind(day, counted)
    known = counted and day["closer"] is not None and day["opener"] is not None
    in_rack, in_boxes = _variances(day, drop) if known else (None, None)
    return {
        "drop_cash": cash,
        "drop_markers": markers,
        "drop_slips": slips,
        "recycled_drop": day["recycled"],
        "placed": day["placed"],
        "lost": day["lost"] + day["cash_lost"],
        "paid": day["won"],
        "mispay": day["mispaid"],
        "adjusted": day["adjusted"],
        "inventory_variance": in_rack,
        "drop_variance": in_boxes,
    }


def _drop_by_kind(day: Row, counted: bool) -> tuple[int, int, int]:
    if counted:
        boxes = day["boxes"].values()
        return sum(box[1] for box in boxes), sum(box[2] for box in boxes), sum(box[3] for box in boxes)
    slips = day["front_money_dropped"] + day["coupons_dropped"]
    return day["cash_dropped"] + day["cash_lost"], day["markers_dropped"], slips


def _on(account: Account, day: Row) -> int:
    total: int = sum(sign * day[flow] for flow, sign in _flows_into(account))
    return total


@cache
def _flows_into(account: Account) -> list[tuple[Flow, int]]:
    return [(flow, into(account, flow)) for flow in FLOWS if into(account, flow)]


def _count_win(day: Row, counted_drop: int | None) -> int | None:
    if day["closer"] is None or day["opener"] is None or counted_drop is None:
        return None
    win: int = day["closer"] + day["credited"] + counted_drop - day["opener"] - day["filled"]
    return win


def _book_closer(day: Row) -> int | None:
    """What must lie in the rack if every movement was recorded; held commission lies there too."""
    return None if day["opener"] is None else day["opener"] + _on("rack", day) + _on("held", day)


def _variances(day: Row, drop: int) -> tuple[int, int]:
    """What counting found over (or, negative, under) the books: in the rack, and in the box."""
    book_closer = _book_closer(day)
    assert book_closer is not None, day
    return day["closer"] - book_closer, drop - _on("box", day)


def _explained(day: Row, drop: int) -> int:
    """Why the count may show another win than the wagers: variances, and disputes settled at the cage."""
    paid_at_cage: int = day["dispute_settled_at_cage"]
    return sum(_variances(day, drop)) + paid_at_cage


def theoretical_win(staked_at: Mapping[str, int]) -> Fraction:
    """What the house should win of stakes, by its exact advantage on them, in cents."""
    staked = [(_edge(edge), stake) for edge, stake in staked_at.items()]
    common = lcm(*(edge.denominator for edge, _ in staked))
    return Fraction(
        sum(edge.numerator * (common // edge.denominator) * stake for edge, stake in staked), common
    )


_edge = cache(Fraction)  # there are some dozens, and every table and day has most of them


def half_up(amount: Fraction) -> int:
    """Whole cents, half a cent up.

    >>> half_up(Fraction(5, 2)), half_up(Fraction(-5, 2)), half_up(Fraction(7, 3))
    (3, -2, 2)
    """
    return floor(amount + Fraction(1, 2))


def _percent(win: int, drop: int) -> float | None:
    """`win` in percent of `drop`, to two decimals; None when there is no drop.

    >>> _percent(-70_00, 7_100_00), _percent(1, 0)
    (-0.99, None)
    """
    return half_up(Fraction(win * 10_000, drop)) / 100 if drop > 0 else None
