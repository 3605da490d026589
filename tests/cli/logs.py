"""Table logs written by hand, for tests to feed to `pitledger ingest`."""

import json
from collections.abc import Iterable

Fields = dict[str, object]

OPEN: Fields = {
    "do": "open",
    "gaming_day": "2026-11-28",
    "rules": "ia-prairie-meadows",
    "min": 500,
    "max": 500000,
    "chip": 100,
    "payout_unit": 100,
    "opener": {"2500": 1500000},
}
BUY_IN: Fields = {"do": "buy_in", "player": "Bea", "amount": 30000, "tender": "cash"}
PASS_BET: Fields = {"do": "bet", "player": "Bea", "wager": "w1", "kind": "pass", "amount": 1000}
NATURAL: Fields = {"do": "roll", "dice": [3, 4]}
TOO_SMALL: Fields = {"do": "bet", "player": "Bea", "wager": "w2", "kind": "pass", "amount": 300}

SHORT_NIGHT = (OPEN, BUY_IN, PASS_BET, NATURAL)


def command(number: int, fields: Fields, table: str = "CR01") -> Fields:
    """A whole command: the fields given, in the envelope that every command has."""
    return {
        "id": f"{table}:{number}",
        "at": f"2026-11-28T20:{number // 60:02}:{number % 60:02}-06:00",
        "by": {"badge": "B-031", "role": "boxman"},
        "table": table,
        **fields,
    }


def lines(commands: Iterable[Fields], table: str = "CR01") -> list[str]:
    """The lines of a log that says these things one after another."""
    return [json.dumps(command(number, fields, table)) for number, fields in enumerate(commands, 1)]


def log(commands: Iterable[Fields], table: str = "CR01") -> str:
    """A whole log."""
    return "".join(f"{line}\n" for line in lines(commands, table))
