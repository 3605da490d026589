"""Histories told from a log, without a database; and the log of the No Roll that a court had to decide."""

from collections.abc import Iterable, Iterator
from datetime import date

import orjson

from ledger.log import LogRow
from ledger.migrations import Property
from projections.history import Day, History, Told
from tests.projections.night import Line, facts

DAY = "2026-11-28"
DEMO = Property("demo", "USD", "America/Chicago", 6)
ROLES = {"C": "cage", "D": "dealer", "S": "stickman", "B": "boxman", "F": "floor", "M": "shift_manager"}
OPEN: Line = {
    "do": "open",
    "gaming_day": DAY,
    "rules": "ia-prairie-meadows",
    "min": 500,
    "max": 500000,
    "chip": 100,
    "payout_unit": 100,
    "opener": 5000000,
}


def log(*said: Line, table: str = "CR01") -> list[Line]:
    """Whole commands, three seconds apart from eight in the evening; the letter of a badge is its role."""
    lines = []
    for number, fields in enumerate(said, 1):
        second = 3 * number
        badge = fields.get("who", "D-142")
        lines.append(
            {
                "id": f"{table}:{number:04}",
                "at": f"{DAY}T20:{second // 60:02}:{second % 60:02}-06:00",
                "by": {"badge": badge, "role": ROLES[badge[0]]},
                "table": table,
                **{name: value for name, value in fields.items() if name != "who"},
            }
        )
    return lines


def buy_in(player: str, amount: int) -> Line:
    return {"do": "buy_in", "player": player, "amount": amount, "tender": "cash"}


def bet(player: str, wager: str, kind: str, amount: int, **more: object) -> Line:
    return {"do": "bet", "player": player, "wager": wager, "kind": kind, "amount": amount, **more}


def roll(*dice: int, who: str = "S-009") -> Line:
    return {"do": "roll", "dice": list(dice), "who": who}


def out() -> Line:
    return {"do": "dice_out", "who": "S-009"}


def overrule(number: int, who: str = "F-204", **call: object) -> Line:
    return {"do": "overrule", "roll": number, "reason": "as the video shows", "who": who, **call}


def history_of(lines: Iterable[Line]) -> History:
    """The history that a ledger would hold of `lines`, all of one table and gaming day."""
    lines = list(lines)
    told = {one.version - 1: one for one in _told(lines)}
    called = {at: one.occurred_at for at, one in told.items() if one.name in ("RollCalled", "NoRollCalled")}
    where = lines[0]["table"], date.fromisoformat(lines[0]["gaming_day"])
    return History(Day(DEMO, *where, [*called], [*called.values()]), told)


def _told(lines: list[Line]) -> Iterator[Told]:
    texts = {line["id"]: orjson.dumps(line, option=orjson.OPT_SORT_KEYS).decode() for line in lines}
    for _, _, row, _, _ in facts(lines):
        assert isinstance(row, LogRow), row
        said = texts[row.command] if row.step == 0 else None
        who = row.badge, row.role, row.command, row.step
        yield Told(
            row.version, row.position, row.name, row.occurred_at, row.recorded_at, *who, row.data, said
        )


def text_of(lines: Iterable[Line]) -> str:
    """The table log with these lines."""
    return "".join(f"{orjson.dumps(line).decode()}\n" for line in lines)


NO_ROLL_CALLED_ON_A_WINNER = log(
    OPEN,
    buy_in("Nat", 50000),
    {"do": "shooter", "player": "Nat"},
    bet("Nat", "line", "pass", 2500),
    out(),
    roll(2, 2),
    bet("Nat", "behind", "odds", 4000, on="line"),
    out(),
    {"do": "no_roll", "reason": "short", "dice": [1, 3], "who": "B-031"},
    out(),
    roll(3, 4),
)
"""ACCOUNTING.md PP01. $65 stands on the line: $25 flat and $40 odds on the four. The four that was called
No Roll would have won $25 at even money and $80 at 2 to 1, the $105 of the source, and taken the $65 out
of harm's way. They stayed up instead and were lost to the seven."""
