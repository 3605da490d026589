"""Drop, win and hold by day, month and year to date, against what the action taken should have given.

The hold of one table and night is noise. The ledger knows every wager, so the noise is known exactly: the
variance of the win is that of the action taken (`projections.action`). `z` is how many standard deviations
the win is from the theoretical. Money is cents; percentages and `z` are hundredths.
"""

from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from fractions import Fraction
from math import floor, isqrt
from typing import Any, NamedTuple

from psycopg import Connection

from domain.policy.hold_review import HoldRule, Period, hold_rules
from projections import win
from projections.action import Action, added, variance
from projections.projection import TableDay
from projections.rows import Row

PERIODS: tuple[Period, ...] = ("day", "mtd", "ytd")
FIELDS = (
    "gaming_day scope table game period from_day days incomplete_days drop win hold_pct theo_win "
    "theo_hold_pct handle sd z base_level base_period flag recycled_drop hold_pct_without_recycled"
).split()


NONE: Mapping[TableDay, Action] = {}


class Measured(NamedTuple):
    """One table and gaming day: its figures, the game, and the action it took (None: not known)."""

    figures: Row
    game: str
    action: Action | None


def rows(conn: Connection[Any], day: date) -> list[Row]:
    """Each table's and each game's figures for the day, the month and the year to date."""
    since = date(day.year, 1, 1)
    year = _measured(conn, since, day, win.actions(conn, since, day))
    today = {one.figures["table"] for one in year if one.figures["gaming_day"] == day.isoformat()}
    games = sorted({one.game for one in year if one.figures["table"] in today})
    before = _before(conn, day)
    found = []
    for scope, name in [*(("table", table) for table in sorted(today)), *(("game", game) for game in games)]:
        ours = _of(year, scope, name)
        bases = {period: _hold(_of(measured, scope, name)) for period, measured in before.items()}
        found += [_row(scope, name, period, _within(ours, period, day), day, bases) for period in PERIODS]
    return found


def _within(ours: Iterable[Measured], period: Period, day: date) -> list[Measured]:
    first = _first_day(period, day).isoformat()
    return [one for one in ours if one.figures["gaming_day"] >= first]


def _first_day(period: Period, day: date) -> date:
    return {"day": day, "mtd": day.replace(day=1), "ytd": date(day.year, 1, 1)}[period]


# ------------------------------------------------------------------------------------- one row


def _row(
    scope: str, name: str, period: Period, ours: list[Measured], day: date, bases: dict[str, int | None]
) -> Row:
    known = [one for one in ours if one.figures["count_win"] is not None]
    drop, won, theo, handle, recycled = (
        sum(one.figures[figure] for one in known)
        for figure in ("drop", "count_win", "theo_win", "handle", "recycled_drop")
    )
    row: Row = {
        "gaming_day": day.isoformat(),
        "scope": scope,
        "table": name if scope == "table" else None,
        "game": ours[0].game if ours else None,
        "period": period,
        "from_day": _first_day(period, day).isoformat(),
        "days": len(ours),
        "incomplete_days": len(ours) - len(known),
        "drop": drop if known else None,
        "win": won if known else None,
        "hold_pct": hundredths(won, drop) if known else None,
        "theo_win": theo if known else None,
        "theo_hold_pct": hundredths(theo, drop) if known else None,
        "handle": handle if known else None,
        "recycled_drop": recycled if known else None,
        "hold_pct_without_recycled": hundredths(won, drop - recycled) if known else None,
        **_deviation(known, won - theo),
    }
    return {name: row[name] for name in FIELDS if name in row} | _review(row, period, day, bases)


def _deviation(known: list[Measured], more: int) -> Row:
    """The standard deviation of the win in cents, and how many of them it is off; in hundredths."""
    actions = [one.action for one in known if one.action is not None]
    if not known or len(actions) < len(known):
        return {"sd": None, "z": None}
    root = isqrt(floor(variance(added(actions)) * 10_000))  # hundredths of a cent
    return {"sd": root // 100, "z": win.half_up(Fraction(more * 10_000, root)) if root else None}


def _review(row: Row, period: Period, day: date, bases: dict[str, int | None]) -> Row:
    """The base level that the hold is held against, and the rules that want it looked into."""
    level, of, flags = None, None, []
    for rule in hold_rules(day):
        if rule.period != period:
            continue
        base = next(((bases[name], name) for name in rule.base if bases[name] is not None), None)
        if base is not None:
            level, of = base
        if _is_off(rule, row, level):
            flags.append(rule.id)
    return {"base_level": level, "base_period": of, "flag": " ".join(flags) or None}


def _is_off(rule: HoldRule, row: Row, level: int | None) -> bool:
    match rule.measure:
        case "points":
            known = row["hold_pct"] is not None and level is not None
            return known and abs(row["hold_pct"] - (level or 0)) > rule.threshold
        case "deviations":
            return row["z"] is not None and abs(row["z"]) > rule.threshold
    return False


def hundredths(win_: int, drop: int) -> int | None:
    """A win in hundredths of a percent of the drop; None without drop.

    >>> hundredths(-7000, 710_000), hundredths(60_000, 0)
    (-99, None)
    """
    return win.half_up(Fraction(win_ * 10_000, drop)) if drop > 0 else None


# ------------------------------------------------------------------------------------- what is measured


def _measured(
    conn: Connection[Any], first: date, last: date, actions: Mapping[TableDay, Action] = NONE
) -> list[Measured]:
    """Every table and gaming day from `first` to `last`."""
    return [
        Measured(
            win.figures(known),
            known["rules"] or "unknown",
            actions.get((known["table_name"], known["gaming_day"])),
        )
        for known in win.between(conn, first, last)
    ]


def _before(conn: Connection[Any], day: date) -> dict[str, list[Measured]]:
    """The business year and the month before: what base levels are made of."""
    end_of_month = day.replace(day=1) - timedelta(days=1)
    year = date(day.year - 1, 1, 1), date(day.year - 1, 12, 31)
    return {
        "prior_year": _measured(conn, *year),
        "prior_month": _measured(conn, end_of_month.replace(day=1), end_of_month),
    }


def _of(measured: Iterable[Measured], scope: str, name: str) -> list[Measured]:
    return [one for one in measured if name == (one.figures["table"] if scope == "table" else one.game)]


def _hold(measured: Iterable[Measured]) -> int | None:
    known = [one.figures for one in measured if one.figures["count_win"] is not None]
    return hundredths(sum(row["count_win"] for row in known), sum(row["drop"] for row in known))
