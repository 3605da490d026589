"""`pitledger rules` says what a house offers, what it costs exactly, and where a pack is wrong."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cli.main import main

DATA = Path(__file__).parents[1] / "data"


@pytest.fixture(autouse=True)
def _among_the_data(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where new-house.toml, a house of the tests' own, lies."""
    monkeypatch.chdir(DATA)


def rules(*words: str) -> Result:
    return CliRunner().invoke(main, ["rules", *words], catch_exceptions=False)


def test_the_rule_sets_are_listed() -> None:
    assert [re.split(" {2,}", line) for line in rules("list").output.splitlines()] == [
        ["Rules", "Version", "Title", "Authority", "In force", "Wagers", "Readings"],
        [
            *("casino-party", "1", "Casino Party, How to Deal Craps"),
            *("a one-page dealer's sheet for casino parties", "at any date", "15", "13"),
        ],
        [
            *("ia-prairie-meadows", "1", "Prairie Meadows, The Rules of Craps"),
            *("Prairie Meadows, Iowa (house rules)", "at any date", "29", "31"),
        ],
        [
            *("in-68-iac-10-4", "1", "Indiana, Craps: wagers, wagering rules, outcomes"),
            *("Indiana Gaming Commission", "at any date", "22", "16"),
        ],
        [
            *("pa-crapless", "1", "Crapless Craps, temporary regulation"),
            *("Pennsylvania Gaming Control Board", "from 2025-11-15 and before 2028-11-15", "20", "22"),
        ],
    ]


def test_a_program_gets_the_days_of_a_rule_set() -> None:
    listed = [json.loads(line) for line in rules("list", "--jsonl").output.splitlines()]
    assert {row["rules"]: (row["in_force_from"], row["in_force_until"]) for row in listed} == {
        "casino-party": (None, None),
        "ia-prairie-meadows": (None, None),
        "in-68-iac-10-4": (None, None),
        "pa-crapless": ("2025-11-15", "2028-11-15"),
    }


SHOWN = """\
New House
new-house, version 1, New House (house rules)
Cited as New House; checked against the text on 2026-11-30.

  points               4, 5, 6, 8, 9, 10
  off on the come-out  place, come odds [New House, 7]
  On marker            speaks for all similar wagers [New House, 7]
  commission           none
  odds                 at most 3 times the base
  aggregate limit      as posted, on odds over 50 to 1, which nothing here pays [house policy]
  case bet             no
  payouts              by the document
  in force             from 2026-01-01 and before 2030-01-01

Pass (pass)
  Made   before a come-out roll; wins on 7, 11; loses on 2, 3, 12; else the point wins, 7 loses [New House, 1]
  Pays   1 to 1 [New House, 6]
  Terms  come-out: works; may come down; posted maximum

Come (come)
  Made   with a point On; wins on 7, 11; loses on 2, 3, 12; else the point wins, 7 loses [New House, 2]
  Pays   1 to 1 [New House, 6]
  Terms  come-out: works; may come down; posted maximum

Odds (odds on pass)
  Made   once its base has a point; wins and loses with its base [New House, 3]
  Pays   4, 10: 2 to 1; 5, 9: 3 to 2; 6, 8: 6 to 5 [New House, 6]
  Terms  come-out: works; may come down; posted odds limits

Odds (odds on come)
  Made   once its base has a point; wins and loses with its base [New House, 3]
  Pays   4, 10: 2 to 1; 5, 9: 3 to 2; 6, 8: 6 to 5 [New House, 6]
  Terms  come-out: off unless called On; may come down; posted odds limits

Place (place)
  Made   at any time, on 6, 8; the number wins, 7 loses [New House, 4]
  Pays   7 to 6 [New House, 6]
  Terms  come-out: off unless called On; may come down; posted maximum

Place to Lose (place_to_lose)
  Made   at any time, on 4, 10; 7 wins, the number loses [New House, 4]
  Pays   5 to 11 [New House, 6]
  Terms  come-out: works; may come down; posted maximum

Three Way (three_way)
  Made   at any time; the next roll wins on 2, 3, 12 [New House, 5]
  Pays   2, 12: 28 to 3; 3: 13 to 3, net on the whole [New House, 6]
  Terms  in units of 3 chips; come-out: works; may come down; posted maximum

Hop (hop)
  Made   at any time; the next roll wins on its faces [New House, 5]
  Pays   1-3: 15 to 1; 2-2: 30 to 1 [New House, 6]
  Terms  come-out: works; may come down; posted maximum

All Small (all_small)
  Made   before a come-out roll; 2, 3, 4, 5, 6 all thrown before a 7 win, 7 loses [New House, 5]
  Pays   34 to 1 [New House, 6]
  Terms  come-out: works; may come down; posted maximum

Procedure
  sleep                [New House, 7]
  removal              [New House, 8]

Readings
  1     Nothing is said of fractions.
        Read: They are breakage.
        Why:  Nobody can be paid a fraction of a cent.
"""


def test_a_house_is_shown_in_words_and_figures_with_paragraphs_and_readings() -> None:
    assert rules("show", "new-house.toml").output == SHOWN


@pytest.mark.parametrize(
    ("house", "said"),
    [
        (
            "ia-prairie-meadows",
            "  Pays   2, 12: 57 to 5 if it is the high number, else 26 to 5; 3, 11: 27 to 5 if it is the high"
            " number, else 11 to 5, net on the whole [Prairie Meadows, Payout Odds 3.2]",
        ),
        (
            "ia-prairie-meadows",
            "  Terms  come-out: off unless called On; may come down; posted minimum and maximum, 6/5 of it on"
            " 6, 8 [Prairie Meadows, Making and Removal of Wagers 5]",
        ),
        (
            "ia-prairie-meadows",
            "  Costs  exactly 1/20 of what it could win, when made"
            " [Prairie Meadows, True Odds on Place Bets 2]",
        ),
        (
            "in-68-iac-10-4",
            "  Made   at any time; the next roll wins on 2, 3, 11, 12, pushes on 7 [68 IAC 10-4-7(x)]",
        ),
        ("in-68-iac-10-4", "  payouts              by the reference paytable"),
        (
            "pa-crapless",
            "  Made   before a come-out roll; wins on 7; else the point wins, 7 loses"
            " [58 Pa. Code § 623b.6(b)(1)]",
        ),
        (
            "pa-crapless",
            "  Costs  at most 1/20 of the wager, when made, or on a win where the house names its number"
            " [58 Pa. Code § 623b.6(d)(4)(ii)(A)]",
        ),
        ("casino-party", "  Pays   4, 10: 8 to 1; 6, 8: 10 to 1 [Casino Party, 4-10: Point]"),
    ],
)
def test_each_of_the_four_is_shown_as_its_document_has_it(house: str, said: str) -> None:
    assert said in rules("show", house).output.splitlines()


@pytest.mark.parametrize("house", ["casino-party", "ia-prairie-meadows", "in-68-iac-10-4", "pa-crapless"])
def test_what_is_shown_to_people_is_there_for_programs(house: str) -> None:
    shown = json.loads(rules("show", house, "--json").output)
    assert shown["rules"] == house
    text = rules("show", house).output
    for wager in shown["wagers"]:
        assert f"\n{wager['name']} ({wager['wager']})\n" in text
    for reading in shown["readings"]:
        assert f"Why:  {reading['reason']}\n" in text


def test_people_see_the_edges_as_fractions_and_percentages() -> None:
    lines = rules("edge", "casino-party").output.splitlines()
    assert lines[0].split() == "Wager Commission Per bet % Per bet resolved % Per roll % Section".split()
    assert (
        lines[2].split()
        == "dont pass 3/220 1.3636 27/1925 1.4026 9/2228 0.4039 Casino Party, Come-out".split()
    )
    assert len(lines) == 1 + 23
    assert {len(line[: line.index("Casino")]) for line in lines[1:]} == {lines[0].index("Section")}


def test_programs_see_the_edges_in_the_published_shape() -> None:
    found = json.loads(rules("edge", "pa-crapless", "--json").output)
    assert found[0] == {
        "wager": "pass",
        "number": None,
        "combo": None,
        "high": None,
        "commission": None,
        "edge_per_bet": "373/6930",
        "edge_resolved": "373/6930",
        "edge_on_outlay": "373/6930",
        "edge_per_roll": "373/28839",
        "base": None,
        "name": "Pass Bet",
        "edge_per_bet_pct": "5.3824",
        "edge_resolved_pct": "5.3824",
        "edge_on_outlay_pct": "5.3824",
        "edge_per_roll_pct": "1.2934",
        "p_win": "6557/13860",
        "p_push": "0",
        "rolls": "9613/2310",
        "section": "58 Pa. Code § 623b.6(b)(1)",
        "rules": "pa-crapless",
        "version": 1,
        "vig_rate": "1/20",
        "notation": "to",
        "paytable": None,
    }
    four = [row for row in found if row["wager"] == "buy" and row["number"] == 4]
    assert [
        (row["commission"], row["edge_per_bet"], row["edge_on_outlay"], row["section"]) for row in four
    ] == [
        ("up_front", "1/20", "1/21", "58 Pa. Code § 623b.6(b)(34), (d)(4)(ii)(A)"),
        ("on_win", "1/60", "1/60", "58 Pa. Code § 623b.6(b)(34), (d)(4)(ii)(B)"),
    ]
    assert [row["combo"] for row in found if row["wager"] == "hop"][:2] == [[1, 3], [1, 4]]


def edge_of(wager: str, number: str, *words: str) -> str:
    rows = csv.DictReader(io.StringIO(rules("edge", *words, "--csv").stdout))
    return next(row["edge_per_bet"] for row in rows if (row["wager"], row["number"]) == (wager, number))


def test_the_terms_a_house_posts_change_the_edges() -> None:
    assert edge_of("buy", "4", "pa-crapless", "--vig-rate", "1/100") == "1/100"
    assert edge_of("buy", "4", "in-68-iac-10-4", "--vig-rate", "10%") == "1/10"
    assert edge_of("hard", "6", "casino-party") == "0"
    assert edge_of("hard", "6", "casino-party", "--notation", "for") == "1/11"


def test_a_commission_that_the_document_forbids_is_refused() -> None:
    result = rules("edge", "ia-prairie-meadows", "--vig-rate", "4%")
    assert result.exit_code == 2
    assert result.stderr.endswith("Error: ia-prairie-meadows has a commission of exactly 1/20, not 1/25\n")


@pytest.mark.parametrize("rate", ["0.05", "5", "100%", "3/2", "five", "1/0", "-1/20"])
def test_a_commission_is_a_fraction_of_the_wager(rate: str) -> None:
    result = rules("edge", "in-68-iac-10-4", f"--vig-rate={rate}")
    assert result.exit_code == 2
    assert "Error: Invalid value for '--vig-rate': " in result.stderr


def test_payouts_that_are_ours_are_said_to_be_ours() -> None:
    ours = (
        "in-68-iac-10-4 gives no payouts; these are of our reference paytable, like tables opened with it.\n"
    )
    assert rules("edge", "in-68-iac-10-4").stderr == ours
    assert rules("edge", "in-68-iac-10-4", "--paytable", "reference").stderr == ""
    result = rules("edge", "in-68-iac-10-4", "--json")
    assert {row["paytable"] for row in json.loads(result.stdout)} == {"reference"}
    assert result.stderr == ""


def test_two_houses_differ_wager_by_wager() -> None:
    differ = json.loads(rules("diff", "casino-party", "new-house.toml", "--json").output)
    assert differ == [
        dict(zip(("wager", "what", "first", "second"), row, strict=True))
        for row in [
            ("", "off on the come-out", "nothing", "place, come odds"),
            ("", "odds", "not offered", "at most 3 times the base"),
            ("", "in force", "at any date", "from 2026-01-01 and before 2030-01-01"),
            ("pass", "removal", "a contract once it has a point", "may come down"),
            ("pass", "limits", "posted minimum and maximum", "posted maximum"),
            ("dont_pass", "offered", "yes", "no"),
            ("come", "made", "at any time", "with a point On"),
            ("come", "removal", "a contract once it has a point", "may come down"),
            ("come", "limits", "posted minimum and maximum", "posted maximum"),
            ("dont_come", "offered", "yes", "no"),
            ("place", "made", "at any time, on 4, 5, 6, 8, 9, 10", "at any time, on 6, 8"),
            ("place", "pays", "4, 10: 9 to 5; 5, 9: 7 to 5; 6, 8: 6 to 5", "7 to 6"),
            ("place", "come-out", "works", "off unless called On"),
            ("place", "limits", "posted minimum and maximum", "posted maximum"),
            *(
                (kind, "offered", "yes", "no")
                for kind in (
                    *("hard", "big_6", "big_8", "field", "any_seven", "any_craps"),
                    *("craps_2", "craps_3", "craps_12", "eleven"),
                )
            ),
            *(
                (kind, "offered", "no", "yes")
                for kind in ("odds on pass", "odds on come", "place_to_lose", "three_way", "hop", "all_small")
            ),
        ]
    ]


def test_a_house_does_not_differ_from_itself() -> None:
    assert rules("diff", "pa-crapless", "pa-crapless@1").output == "Nothing to show.\n"


def test_people_see_the_two_houses_side_by_side(tmp_path: Path) -> None:
    later = (DATA / "new-house.toml").read_text(encoding="utf-8").replace("version = 1", "version = 2")
    (tmp_path / "later.toml").write_text(later.replace('6 = "7 to 6"', '6 = "6 to 5"'), encoding="utf-8")
    assert rules("diff", "new-house.toml", str(tmp_path / "later.toml")).output == (
        "Wager  What  new-house@1  new-house@2\nplace  pays  7 to 6       6: 6 to 5; 8: 7 to 6\n"
    )


def test_a_right_pack_is_nothing_to_speak_of() -> None:
    result = rules("check", "new-house.toml")
    assert (result.output, result.exit_code) == ("", 0)


def test_a_wrong_pack_is_shown_line_by_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (DATA / "new-house.toml").read_text(encoding="utf-8")
    (tmp_path / "wrong.toml").write_text(text.replace("wins = [7, 11]", "wins = [7]", 1), encoding="utf-8")
    (tmp_path / "old.toml").write_bytes(text.encode("utf-8").replace(b"New House (", b"\xe9 ("))
    monkeypatch.chdir(tmp_path)
    result = rules("check", "wrong.toml", "old.toml")
    undecided = "pass: 11 is not decided: it neither wins, loses nor pushes, and is no point"
    assert result.output == f"wrong.toml:20: {undecided}\nold.toml:4: not UTF-8\n"
    assert result.exit_code == 2
    result = rules("check", "wrong.toml", "--json")
    assert json.loads(result.output) == [{"file": "wrong.toml", "line": 20, "message": undecided}]
    assert result.exit_code == 2
    result = rules("edge", "wrong.toml")
    assert result.stderr.endswith(f"'RULES': this is no pack to play by\nwrong.toml:20: {undecided}\n")
    assert result.exit_code == 2


THERE_ARE = "there are casino-party, ia-prairie-meadows, in-68-iac-10-4, pa-crapless"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("show", "fire"), f"no rule set fire; {THERE_ARE}"),
        (("show", "pa-crapless@2"), f"no rule set pa-crapless@2; {THERE_ARE}"),
        (("edge", "nowhere.toml"), "nowhere.toml cannot be read: No such file or directory"),
        (("check", "nowhere.toml"), "nowhere.toml cannot be read: No such file or directory"),
    ],
)
def test_what_is_not_there_is_said_in_a_line(words: tuple[str, ...], said: str) -> None:
    result = rules(*words)
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1].endswith(said)
