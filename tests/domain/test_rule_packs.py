"""Rule packs: a wrong one is refused with its line, a version has its days, a new house needs no new code."""

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from domain import events as e
from domain.rules import shelf
from domain.rules.check import Fault, WrongPack, check, read
from domain.rules.lines import lines_of
from domain.rules.shelf import packs, pinned
from domain.terms import pack_of
from tests.domain.pit import Pit, only

NEW_HOUSE = (Path(__file__).parents[1] / "data" / "new-house.toml").read_text(encoding="utf-8")
FOUR = ["casino-party", "ia-prairie-meadows", "in-68-iac-10-4", "pa-crapless"]


def put(old: str, new: str) -> str:
    """The new house's pack with one thing changed."""
    assert old in NEW_HOUSE, old
    return NEW_HOUSE.replace(old, new, 1)


def without(line: str) -> str:
    """The new house's pack with a line emptied, so that all others keep their number."""
    return put(line + "\n", "\n")


# ------------------------------------------------------------ a pack that is wrong

PAYS_ODDS = 'pays = { 4 = "2 to 1", 5 = "3 to 2", 6 = "6 to 5", 8 = "6 to 5", 9 = "3 to 2", 10 = "2 to 1" }'
PASS_WINS = 'side = "right"\nwins = [7, 11]\nloses = [2, 3, 12]\npays = "1 to 1"\nsection = "1"'
OF_A_PASS = 'pays = "1 to 1"\nsection = "1"'

WRONG = {
    # odds missing
    "a line wager without odds": (put(OF_A_PASS, 'section = "1"\n'), 20, "pass: pays is missing"),
    "a number without odds": (put("numbers = [6, 8]", "numbers = [5, 6, 8]"), 61, "place: no odds for 5"),
    "odds for a number that is not listed": (
        put('8 = "7 to 6" }', '8 = "7 to 6", 9 = "7 to 5" }'),
        61,
        "place: odds for 9, which is not among its numbers",
    ),
    "a leg without odds": (put('{ pays = { 3 = "15 to 1" } }', "{}"), 84, "three_way: leg 2 has no odds"),
    "an empty price": (
        put('3 = "15 to 1"', '3 = ""'),
        84,
        'three_way: legs 1 pays 3 needs a price in quotes, a positive fraction like "7 to 6"',
    ),
    "a come point without odds": (
        put(PAYS_ODDS, PAYS_ODDS.replace('5 = "3 to 2", ', "")),
        51,
        "odds: no odds for 5",
    ),
    "faces authorised but not priced": (
        put('"1-3" = "5.2" }', '"1-3" = "5.2", "4-6" = "5.3" }'),
        97,
        "hop: 4-6 is authorised but has no odds",
    ),
    "faces priced but not authorised": (
        put('section_of = { "2-2" = "5.1", "1-3" = "5.2" }', 'section_of = { "2-2" = "5.1" }'),
        96,
        "hop: 1-3 has odds but no paragraph authorises it",
    ),
    # totals
    "a total that both wins and loses": (
        put(PASS_WINS, PASS_WINS.replace("[2, 3, 12]", "[2, 3, 11, 12]")),
        26,
        "pass: 11 is decided twice: it is in wins and in loses",
    ),
    "a total that wins and is a point": (
        put(PASS_WINS, PASS_WINS.replace("[7, 11]", "[7, 10, 11]")),
        26,
        "pass: 10 is decided twice: it is in wins and in points",
    ),
    "a total that nothing decides": (
        put(PASS_WINS, PASS_WINS.replace("[2, 3, 12]", "[2, 3]")),
        20,
        "pass: 12 is not decided: it neither wins, loses nor pushes, and is no point",
    ),
    "a seven to be gathered": (
        put("numbers = [2, 3, 4, 5, 6]", "numbers = [2, 3, 7]"),
        106,
        "all_small: 7 is among its numbers and kills it",
    ),
    "a seven as a number": (
        put(
            'numbers = [6, 8]\npays = { 6 = "7 to 6", 8 = "7 to 6" }',
            'numbers = [7]\npays = { 7 = "1 to 1" }',
        ),
        60,
        "place: 7 decides the others and cannot be a number itself",
    ),
    "a total that no dice show": (
        put("wins = [7, 11]", "wins = [7, 13]"),
        26,
        "pass: wins 1: input should be less than or equal to 12",
    ),
    # keys and citations
    "an unknown key": (put('side = "right"', 'sied = "right"'), 25, "pass: sied is no key of a pack"),
    "an unknown key of the house": (
        put('title = "New House"', 'tilte = "x"'),
        3,
        "tilte is no key of a pack",
    ),
    "an unknown key of a leg": (
        put("{ pays = { 12 =", "{ odds = { 12 ="),
        85,
        "three_way: legs 2 odds is no key of a pack",
    ),
    "an unknown mechanism": (put('"gather"', '"collect"'), 104, "all_small: no mechanism collect"),
    "no mechanism": (without('mechanism = "gather"'), 101, "all_small: mechanism is missing"),
    "a citation missing": (without('section = "1"'), 20, "pass: section is missing"),
    "a citation of the price missing": (
        put('section = "1"\npays_section = "6"', 'section = "1"'),
        20,
        "pass: pays_section is missing",
    ),
    "a citation that is empty": (put('section = "1"', 'section = " "'), 29, "pass: section cites nothing"),
    "a reading without a reason": (
        without('reason = "Nobody can be paid a fraction of a cent."'),
        111,
        "1: reason is missing",
    ),
    "a reading that says nothing": (
        put('reading = "They are breakage."', 'reading = ""'),
        114,
        "1: reading says nothing",
    ),
    # names
    "a wager listed twice": (put('kind = "come"', 'kind = "pass"'), 33, "pass is listed twice"),
    "a reading listed twice": (
        NEW_HOUSE + '[[reading]]\nid = "1"\nsays = "x"\nreading = "x"\nreason = "x"\n',
        117,
        "1: there are two readings of that id",
    ),
    "odds behind what is not listed": (
        put('bases = ["pass", "come"]', 'bases = ["pass", "come", "put_come"]'),
        49,
        "odds: they support put_come, which is not listed",
    ),
    "odds behind what has no point": (
        put('bases = ["pass", "come"]', 'bases = ["pass", "place"]'),
        49,
        "odds: they support place, which has no point",
    ),
    "odds on the other side": (
        put('"come"]\nside = "right"', '"come"]\nside = "wrong"'),
        49,
        "odds: they are on the wrong side, pass on the right side",
    ),
    "a family that nobody has": (
        put('["place", "come_odds"]', '["place", "hard"]'),
        10,
        "off_on_come_out: hard is no family of wagers here",
    ),
    "a line wager that sleeps": (
        put('["place", "come_odds"]', '["pass"]'),
        10,
        "off_on_come_out: pass is decided on a come-out roll",
    ),
    "a line that no puck knows": (put('kind = "come"', 'kind = "go"'), 35, "go: line is no mechanism for go"),
    # figures
    "a price that is a number": (
        put(OF_A_PASS, 'pays = 1.5\nsection = "1"'),
        28,
        'pass: pays needs a price in quotes, a positive fraction like "7 to 6"',
    ),
    "a price with a point": (
        put('6 = "7 to 6"', '6 = "1.5"'),
        61,
        'place: pays 6 needs a price in quotes, a positive fraction like "7 to 6"',
    ),
    "a price of nothing": (
        put('6 = "7 to 6"', '6 = "0 to 1"'),
        61,
        'place: pays 6 needs a price in quotes, a positive fraction like "7 to 6"',
    ),
    "a price against the player": (
        put('6 = "7 to 6"', '6 = "-7 to 6"'),
        61,
        'place: pays 6 needs a price in quotes, a positive fraction like "7 to 6"',
    ),
    "a price divided by nothing": (
        put('6 = "7 to 6"', '6 = "7 to 0"'),
        61,
        'place: pays 6 needs a price in quotes, a positive fraction like "7 to 6"',
    ),
    "a price in words": (
        put('6 = "7 to 6"', '6 = "even"'),
        61,
        'place: pays 6 needs a price in quotes, a positive fraction like "7 to 6"',
    ),
    "a unit of no chips": (
        put("unit = 3", "unit = 0"),
        81,
        "three_way: unit: input should be greater than or equal to 1",
    ),
    "a commission of everything": (
        put('"1/20"', '"1/1"'),
        13,
        'limits vig_rate needs a fraction from 0 to less than 1, like "1/20"',
    ),
    "a commission that is a float": (
        put('"1/20"', "0.05"),
        13,
        "limits vig_rate: input should be a valid string",
    ),
    # dates
    "a day that is none": (
        put("in_force_from = 2026-01-01", 'in_force_from = "2026-13-01"'),
        7,
        "in_force_from needs a day, like 2026-11-30",
    ),
    "a date that is a number": (
        put("checked_on = 2026-11-30", "checked_on = 20261130"),
        6,
        "checked_on needs a day, like 2026-11-30",
    ),
    "a pack that is never in force": (
        put("2030-01-01", "2025-01-01"),
        8,
        "in force from 2026-01-01 and no longer from 2025-01-01: never in force",
    ),
    "a version that is text": (
        put("version = 1", 'version = "1"'),
        2,
        "version: input should be a valid integer",
    ),
    # the text itself
    "no TOML": (put("[limits]", "[limits"), 12, "not TOML: Expected ']' at the end of a table declaration"),
    "a key given twice": (
        put('made = "point_on"', 'kind = "come"'),
        36,
        "not TOML: Cannot overwrite a value",
    ),
    "a text that breaks off": (NEW_HOUSE.rstrip("\n").rstrip('"'), 115, "not TOML: Unterminated string"),
    "nothing at all": ("", 1, "id is missing"),
}


def test_the_new_house_is_right() -> None:
    assert check(NEW_HOUSE) == []


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_pack_is_refused_with_its_line(wrong: str) -> None:
    text, line, message = WRONG[wrong]
    assert Fault(line, message) in check(text), check(text)
    with pytest.raises(WrongPack) as refused:
        read(text, "new-house.toml")
    assert f"new-house.toml:{line}: {message}" in str(refused.value).splitlines()


@pytest.mark.parametrize("left_out", range(1, NEW_HOUSE.count("\n") + 1))
def test_whatever_line_is_left_out_the_check_says_what_is_wrong_or_nothing(left_out: int) -> None:
    lines = NEW_HOUSE.splitlines(keepends=True)
    text = "".join(lines[: left_out - 1] + lines[left_out:])
    for fault in check(text):
        assert 1 <= fault.line < len(lines), fault
        assert fault.message


SPREAD = '''\
# [not] a = "table"
a.b = 1 # c = 2
text = """
[neither]
is = "this"
"""
list = [
    "x, ]", # one
    { of = "tables", with = [1,
        2] },
]
"quoted key" = 'a [ in text'
[[wager]]
[wager.deep]
x = 1
[[wager]]
[[wager.leg]]
y = { z = 2 }
'''


def test_the_line_of_everything_in_a_text_is_known() -> None:
    assert lines_of(SPREAD) == {
        ("a",): 2,
        ("a", "b"): 2,
        ("text",): 3,
        ("list",): 7,
        ("list", "0"): 8,
        ("list", "1"): 9,
        ("list", "1", "of"): 9,
        ("list", "1", "with"): 9,
        ("list", "1", "with", "0"): 9,
        ("list", "1", "with", "1"): 10,
        ("quoted key",): 12,
        ("wager",): 13,
        ("wager", "0"): 13,
        ("wager", "0", "deep"): 14,
        ("wager", "0", "deep", "x"): 15,
        ("wager", "1"): 16,
        ("wager", "1", "leg"): 17,
        ("wager", "1", "leg", "0"): 17,
        ("wager", "1", "leg", "0", "y"): 18,
        ("wager", "1", "leg", "0", "y", "z"): 18,
    }


# ------------------------------------------------------------ the four that ship


def numbered(letter: str, last: int) -> set[str]:
    return {f"{letter}-{number}" for number in range(1, last + 1)}


READINGS = {  # the defects known of each document; of those common to all, the ones that concern it
    "ia-prairie-meadows": numbered("I", 24) | numbered("G", 7),
    "pa-crapless": numbered("P", 15) | numbered("G", 7),
    "in-68-iac-10-4": numbered("N", 11) | {"G-1", "G-3", "G-4", "G-5", "G-6"},
    "casino-party": numbered("C", 10) | {"G-3", "G-4", "G-5"},
}


def test_the_four_documents_have_a_pack_each() -> None:
    assert sorted(packs()) == FOUR


@pytest.mark.parametrize("rules", FOUR)
def test_every_known_defect_of_a_document_is_read_with_a_reason(rules: str) -> None:
    assert {reading.id for reading in packs()[rules].reading} == READINGS[rules]


IOWA, PENNSYLVANIA, INDIANA, PARTY = "ia-prairie-meadows", "pa-crapless", "in-68-iac-10-4", "casino-party"
CITED: list[tuple[str, dict[str, Any], list[tuple[int, int]], str]] = [
    (IOWA, {"kind": "pass"}, [(1, 1)], "Prairie Meadows, Permissible Wagers 1.2"),
    (IOWA, {"kind": "dont_pass"}, [(6, 6)], "Prairie Meadows, Permissible Wagers 2.3"),
    (IOWA, {"kind": "lay", "number": 4}, [(3, 4)], "Prairie Meadows, True Odds on Place Bets 3"),
    (IOWA, {"kind": "world"}, [(3, 4)], "Prairie Meadows, Payout Odds 4.2"),
    (IOWA, {"kind": "horn_high", "high": 2}, [(1, 1)], "Prairie Meadows, Payout Odds 3.2"),
    (PENNSYLVANIA, {"kind": "pass"}, [(1, 1), (3, 4)], "58 Pa. Code § 623b.6(b)(1)(ii)"),
    (PENNSYLVANIA, {"kind": "hop", "combo": [4, 2]}, [(1, 1)], "58 Pa. Code § 623b.6(b)(25)(ii)"),
    (PENNSYLVANIA, {"kind": "hop", "combo": [4, 2]}, [(2, 4)], "58 Pa. Code § 623b.6(d)(1)"),
    (PENNSYLVANIA, {"kind": "all_tall"}, [(3, 4)], "58 Pa. Code § 623b.6(b)(35)(iii)"),
    (INDIANA, {"kind": "dont_pass"}, [(6, 6)], "68 IAC 10-4-7(b)(3)"),
    (INDIANA, {"kind": "pass"}, [(6, 6)], "68 IAC 10-4-7(a)(2)"),
    (INDIANA, {"kind": "hard", "number": 6}, [(2, 4)], "68 IAC 10-4-7(m)"),
    (PARTY, {"kind": "pass"}, [(6, 6)], "Casino Party, 12: Craps (barred)"),
    (PARTY, {"kind": "pass"}, [(2, 2), (3, 4)], "Casino Party, 7: Loser"),
    (PARTY, {"kind": "dont_pass"}, [(2, 2), (1, 3)], "Casino Party, Point: Winner"),
    (PARTY, {"kind": "dont_come"}, [(2, 2), (1, 3)], "Casino Party, 4: Point"),
    (PARTY, {"kind": "any_craps"}, [(5, 6)], "Casino Party, 11: Winner"),
]


@pytest.mark.parametrize(("rules", "bet", "rolls", "section"), CITED)
def test_a_settlement_cites_its_paragraph_as_the_document_does(
    rules: str, bet: dict[str, Any], rolls: list[tuple[int, int]], section: str
) -> None:
    pit = Pit(rules=rules, terms={"paytable": "reference"})
    pit.bet("w1", amount=4000, **bet)
    for dice in rolls:
        pit.roll(*dice)
    assert [settled.section for settled in only(pit.events, e.WagerSettled)] == [section]


def test_odds_cite_the_price_of_their_point_and_their_return_the_reading() -> None:
    pit = Pit(rules=PENNSYLVANIA)
    pit.bet("w1", "pass", 1000)
    pit.roll(4, 4)
    pit.bet("o1", "odds", 1000, on="w1")
    pit.bet("w2", "come", 1000)
    pit.roll(3, 3)
    pit.bet("o2", "odds", 1000, on="w2")
    pit.roll(2, 6)
    pit.roll(3, 4)
    cited = {settled.wager: settled.section for settled in only(pit.events, e.WagerSettled)}
    assert cited["o1"] == "58 Pa. Code § 623b.6(e)(1)(ii)(E)"
    assert cited["o2"] == "58 Pa. Code § 623b.6(e)(2), reading P-5"


# ------------------------------------------------------------ versions, new houses

Shelf = Callable[..., None]


@pytest.fixture
def ship(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    """Puts packs on a shelf of their own, in the place of those that ship."""

    def ship(*texts: str) -> None:
        folder = tmp_path_factory.mktemp("rules")
        for place, text in enumerate(texts):
            (folder / f"{place}.toml").write_text(text, encoding="utf-8")
        monkeypatch.setattr(shelf, "FOLDER", folder)

    return ship


SECOND = (
    put("version = 1", "version = 2")
    .replace("in_force_from = 2026-01-01", "in_force_from = 2027-01-01")
    .replace('6 = "7 to 6"', '6 = "6 to 5"')
)


def test_a_new_house_is_a_new_file_and_no_new_code(ship: Shelf) -> None:
    ship(NEW_HOUSE)
    pit = Pit(rules="new-house", terms={"min": 100})
    pit.bet("w1", "pass", 1000)
    pit.bet("w2", "place_to_lose", 1100, number=4)
    pit.bet("w3", "three_way", 300)
    pit.bet("w4", "place", 600, number=6)
    assert pit.roll(1, 2) == {"w1": ("lost", -1000, 0), "w3": ("won", 1300, 1600)}
    pit.bet("w5", "hop", 100, combo=[3, 1])
    assert pit.roll(3, 3) == {"w5": ("lost", -100, 0)}
    assert pit.roll(5, 1) == {"w4": ("won", 700, 1300)}
    assert pit.roll(3, 4) == {"w2": ("won", 500, 1600)}
    assert [settled.edge for settled in only(pit.events, e.WagerSettled)] == [
        "7/495", "7/54", "1/9", "1/66", "1/33",
    ]  # fmt: skip
    assert pit.no_bet("lay", 1000, number=4) == "NOT_OFFERED"
    assert pit.no_bet("place", 1000, number=4) == "NOT_OFFERED"


def test_a_table_is_settled_by_the_version_it_was_opened_with(ship: Shelf) -> None:
    ship(NEW_HOUSE)
    old = Pit(rules="new-house", terms={"gaming_day": "2027-03-01"})
    old.bet("w1", "place", 600, number=6)
    old.must("call", wager="w1", on=True)
    ship(NEW_HOUSE, SECOND)
    new = Pit(rules="new-house", terms={"gaming_day": "2027-03-01"})
    new.bet("w1", "place", 600, number=6)
    new.must("call", wager="w1", on=True)
    assert (pack_of(old.table).version, pack_of(new.table).version) == (1, 2)
    assert old.roll(3, 3) == {"w1": ("won", 700, 1300)}
    assert new.roll(3, 3) == {"w1": ("won", 720, 1320)}


@pytest.mark.parametrize(("day", "version"), [("2026-12-31", 1), ("2027-01-01", 2), ("2029-12-31", 2)])
def test_a_table_opens_under_the_newest_version_in_force_that_day(
    ship: Shelf, day: str, version: int
) -> None:
    ship(SECOND, NEW_HOUSE)
    assert pack_of(Pit(rules="new-house", terms={"gaming_day": day}).table).version == version


def test_no_table_opens_under_rules_that_are_not_in_force() -> None:
    assert packs(date(2028, 11, 14))["pa-crapless"].in_force(date(2028, 11, 14))
    for day in ("2025-11-14", "2028-11-15"):
        with pytest.raises(AssertionError, match="CONTRARY_TO_RULES"):
            Pit(rules="pa-crapless", terms={"gaming_day": day})


def test_a_version_that_this_program_has_not_is_not_guessed(ship: Shelf) -> None:
    ship(NEW_HOUSE)
    with pytest.raises(LookupError, match="no version 7 of the rule set new-house"):
        pinned("new-house", 7)


def test_two_files_of_one_version_are_one_too_many(ship: Shelf) -> None:
    ship(NEW_HOUSE, NEW_HOUSE)
    with pytest.raises(ValueError, match=r"0\.toml and 1\.toml are both version 1 of new-house"):
        packs()


def test_a_wrong_pack_on_the_shelf_is_refused_by_its_name(ship: Shelf) -> None:
    ship(NEW_HOUSE, put('section = "1"', 'section = ""'))
    with pytest.raises(WrongPack, match=r"^1\.toml:29: pass: section cites nothing$"):
        packs()


def test_a_price_is_read_for_one_only_where_it_is_printed_either_way() -> None:
    posted = packs()["casino-party"].as_posted("for")
    changed = {
        kind for kind, entry in packs()["casino-party"].by_kind.items() if posted.by_kind[kind] != entry
    }
    assert changed == {"hard", "any_seven", "any_craps"}
