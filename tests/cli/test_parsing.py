"""A line is read as the command it is, or turned away in words that a clerk understands."""

import json

import pytest

from cli.log_lines import LONGEST_LINE, Line
from cli.parsing import Malformed, submitted

ENVELOPE = {
    "id": "CR01:1",
    "at": "2026-11-28T20:00:03-06:00",
    "by": {"badge": "D-1", "role": "dealer"},
    "table": "CR01",
}
BET = ENVELOPE | {"do": "bet", "player": "Bea", "wager": "w1", "kind": "pass", "amount": 500}
OPEN = ENVELOPE | {
    "do": "open",
    "gaming_day": "2026-11-28",
    "rules": "ia-prairie-meadows",
    "min": 500,
    "max": 50000,
    "chip": 100,
    "payout_unit": 100,
    "opener": {"2500": 1500000},
}
ROLL = ENVELOPE | {"do": "roll", "dice": [3, 4]}
FILL = ENVELOPE | {"do": "fill", "slip": "F1", "amount": 5}


def line(text: str | bytes, *, ended: bool = True) -> Line:
    return Line(1, text if isinstance(text, bytes) else text.encode(), ended)


def fault(text: str | bytes, *, ended: bool = True) -> str:
    with pytest.raises(Malformed) as raised:
        submitted(line(text, ended=ended))
    return str(raised.value)


def fault_of(command: dict[str, object], **changes: object) -> str:
    return fault(json.dumps(command | changes))


def test_a_command_is_the_same_however_it_is_written() -> None:
    as_written = [
        json.dumps(BET),
        json.dumps(BET, separators=(",", ":"), sort_keys=True),
        json.dumps(dict(reversed(BET.items())), indent=None),
        json.dumps(BET).replace("Bea", "\\u0042ea"),
    ]
    read = [submitted(line(text)) for text in as_written]
    assert len({text for _, text in read}) == 1
    assert len({repr(command) for command, _ in read}) == 1


def test_the_canonical_text_holds_every_field_in_order_without_spaces() -> None:
    _, text = submitted(line(json.dumps(ROLL)))
    assert text == (
        b'{"at":"2026-11-28T20:00:03-06:00","by":{"badge":"D-1","role":"dealer"},'
        b'"dice":[3,4],"do":"roll","id":"CR01:1","table":"CR01"}'
    )


@pytest.mark.parametrize(
    ("amount", "said"),
    [
        (2**53, "amount 9007199254740992 is larger than a table log can hold (2^53 - 1 cents)"),
        (2**70, "amount 1180591620717411303424 is larger than a table log can hold (2^53 - 1 cents)"),
        (-(2**53), "amount -9007199254740992 is smaller than a table log can hold (-2^53 + 1 cents)"),
        (5.0, "amount must be a whole number of cents, not 5.0"),
        ("500", 'amount must be a whole number of cents, not "500"'),
        (True, "amount must be a whole number of cents, not true"),
        (None, "amount must be a whole number of cents, not null"),
    ],
)
def test_money_is_a_whole_number_of_cents_that_can_be_held(amount: object, said: str) -> None:
    assert fault_of(BET, amount=amount) == said


def test_the_largest_amount_is_held() -> None:
    _, text = submitted(line(json.dumps(BET | {"amount": 2**53 - 1})))
    assert b'"amount":9007199254740991' in text


@pytest.mark.parametrize(
    ("command", "changes", "said"),
    [
        (BET, {"at": "2026-11-28T20:00:03"},
         'at needs a time with an offset, like "2026-11-28T20:00:03-06:00", not "2026-11-28T20:00:03"'),
        (BET, {"at": "2026-02-30T20:00:03Z"},
         'at "2026-02-30T20:00:03Z" is no time; write it like "2026-11-28T20:00:03-06:00"'),
        (BET, {"at": "0001-01-01T00:00:00+14:00"},
         'at is in the year 1: a ledger holds 1900 to 2999, not "0001-01-01T00:00:00+14:00"'),
        (BET, {"at": "9999-12-31T23:59:59-14:00"},
         'at is in the year 9999: a ledger holds 1900 to 2999, not "9999-12-31T23:59:59-14:00"'),
        (OPEN, {"gaming_day": "0202-11-28"},
         'gaming_day is in the year 202: a ledger holds 1900 to 2999, not "0202-11-28"'),
        (OPEN, {"gaming_day": "28/11/2026"},
         'gaming_day must be a date, like "2026-11-28", not "28/11/2026"'),
        (BET, {"do": "bat"}, 'do "bat" is no command; `pitledger log-schema` shows what a command holds'),
        (BET, {"stake": 5}, '"stake" is no field of bet; `pitledger log-schema` shows what a command holds'),
        (BET, {"kind": "Pass Line"},
         'kind must be a kind of wager, like "pass" or "place", not "Pass Line"'),
        (BET, {"stays": "yes"}, 'stays must be true or false, not "yes"'),
        (BET, {"id": "a b"}, 'id must be 1 to 64 characters of A-Z a-z 0-9 . _ : -, not "a b"'),
        (BET, {"player": "B\x00a"},
         'player must be 1 to 64 characters, none of them a control character, not "B\\u0000a"'),
        (BET, {"by": "D-1"},
         'by must be an object {"badge": "F-204", "role": "floor"}, not "D-1"'),
        (ROLL, {"dice": [3, 7]}, "dice must be at most 6, not 7"),
        (ROLL, {"dice": [3]}, "dice must be two faces, [left, right]"),
        (ROLL, {"dice": [1, 2, 3]}, "dice must be two faces, [left, right]"),
        (ROLL, {"dice": 7}, "dice must be two faces, [left, right]"),
        (FILL, {"amount": -5}, "amount must be at least 0, not -5"),
        (FILL, {"amount": {"2500": -5}}, "amount.2500 must be at least 0, not -5"),
        (FILL, {"amount": {"$25": 5}},
         'amount.$25 must be by denominations in cents, like {"2500": 1500000}, not "$25"'),
        (OPEN, {"max": 0}, "max must be more than 0, not 0"),
        (OPEN, {"min": 60000}, "min 60000 is more than max 50000"),
        (OPEN, {"vig": {"rate": "a twentieth"}},
         'vig.rate needs a fraction from 0 to less than 1, like "1/20", not "a twentieth"'),
        (BET, {"kind": "place"}, 'a place bet needs "number"'),
    ],
)  # fmt: skip
def test_a_misfit_is_named_by_its_field(
    command: dict[str, object], changes: dict[str, object], said: str
) -> None:
    assert fault_of(command, **changes) == said


def test_what_is_missing_is_named() -> None:
    short = {name: value for name, value in BET.items() if name not in {"player", "wager"}}
    assert fault(json.dumps(short)) == '"player" is missing; "wager" is missing'
    assert fault("{}") == '"do" is missing; `pitledger log-schema` shows what a command holds'


def test_only_the_first_faults_of_a_line_are_said() -> None:
    assert fault('{"do":"bet"}').endswith('"by" is missing; and 5 more')


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b'{"id":"CR01:1","do":"be', "cut off: the line ends in the middle of a command; "
                                     "ingest it again when it is whole"),
        (b"CR01 opened at eight", "not JSON at column 1: unexpected character, expected a JSON value; "
                                  "a table log is one JSON object a line"),
        (b'{"amount":NaN}', "NaN is no number in JSON: money is a whole number of cents"),
        (b'{"amount":-Infinity}', "-Infinity is no number in JSON: money is a whole number of cents"),
        (b'{"player":"\xff"}', "not UTF-8 text: write the log again in UTF-8"),
        (b"\x89PNG\r\n\x1a\x00\x00",
         "holds NUL characters: a table log is plain text, one JSON object a line"),
        (b'{"player":"\\ud800"}', "not JSON at column 12: half of a character (a lone surrogate)"),
        (b'{"a":' * 300 + b"1" + b"}" * 300, "nested too deeply to be a command"),
        (b"[]", 'JSON, but no command: a command is an object, {"id": ..., "at": ..., "by": ..., "do": ...}'),
        (b"x" * (LONGEST_LINE + 1), "longer than 1,048,576 bytes, which no command is: is this a table log?"),
    ],
)  # fmt: skip
def test_what_is_no_command_at_all_is_said_so(text: bytes, said: str) -> None:
    assert fault(text) == said


def test_a_log_that_was_cut_off_is_told_from_a_line_that_was() -> None:
    assert fault(b'{"id":"CR01', ended=False) == (
        "cut off: the log ends in the middle of a command; ingest it again when it is whole"
    )


def test_a_field_written_twice_is_turned_away_for_nobody_knows_which_one_counts() -> None:
    twice = json.dumps(BET, separators=(",", ":")).replace('"amount":500', '"amount":500,"amount":5')
    assert fault(twice) == '"amount" is there twice: write each field once'


def test_a_field_written_twice_is_found_inside_another() -> None:
    assert fault(b'{"by":{"badge":"a","badge":"b"}}') == '"badge" is there twice: write each field once'


def test_a_quoted_value_cannot_write_on_the_clerks_terminal() -> None:
    assert "\x1b" not in fault_of(BET, tender="\x1b[2J", kind="\x1b]0;pwned\x07")
