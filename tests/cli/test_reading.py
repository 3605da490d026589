"""The books of the demonstration's night, as they are shown to people and handed to programs."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli import logs
from tests.cli.conftest import Pitledger

DATA = Path(__file__).parent.parent / "data"
EXPECTED: dict[str, Any] = json.loads((DATA / "ia-night.expected.json").read_text())
WIN = """\
Table  Gaming day      Opener  Fills  Credits  Closer       Drop  Count win  Event win  Held  Table win  Hold %
CR08   2026-11-28  100,000.00   0.00     0.00          35,500.00               -224.50  1.00    -223.50   -0.63
---------------------------------------------------------------------------------------------------------------
                   100,000.00   0.00     0.00          35,500.00               -224.50  1.00    -223.50
Amounts in USD.
"""  # noqa: E501  an unknown closer is no closer of nothing, and neither is the sum of it
LAST_ROLLS = """\
Table  Gaming day  Roll  Dice  Total  Call  Shooter  Puck  Decided  House net  At
CR08   2026-11-28   239  1-4       5                 on 6        8     -10.00  2026-11-28 21:09:33
CR08   2026-11-28   240  4-6      10                 on 6        7     -40.00  2026-11-28 21:10:17
--------------------------------------------------------------------------------------------------
                                                                       -50.00
Amounts in USD.
"""


def read(night: Pitledger, *words: str) -> Any:
    result = night(*words, "--json")
    assert result.exit_code == 0
    return json.loads(result.stdout)


def test_the_night_ends_with_the_rails_that_the_simulator_says(night: Pitledger) -> None:
    rows = read(night, "balances")
    assert {row["player"]: row["rail"] for row in rows} == EXPECTED["rails"]
    assert {row["player"]: row["on_layout"] for row in rows} == EXPECTED["on_layout"]
    assert {row["player"]: row["rails"]["CR08"] for row in rows} == EXPECTED["rails"]


def test_the_night_ends_with_the_puck_that_the_simulator_says(night: Pitledger) -> None:
    table = read(night, "layout", "CR08")
    assert (table["puck"], table["roll"]) == (EXPECTED["puck"], EXPECTED["rolls"])
    assert table["rails"] == EXPECTED["rails"]


def test_the_night_ends_with_the_win_that_the_simulator_says(night: Pitledger) -> None:
    (day,) = read(night, "win")
    assert day["event_win"] + day["commission_held"] == EXPECTED["table_win"]


@pytest.mark.parametrize("roll", [2, 60, 120, 240])
def test_just_before_a_roll_the_players_had_what_the_roll_before_left_them(
    night: Pitledger, roll: int
) -> None:
    table = read(night, "layout", "CR08", "--at-roll", str(roll))
    wealth = dict(table["rails"])
    for wager in table["wagers"]:
        wealth[wager["player"]] += wager["amount"]
    assert sum(wealth.values()) == sum(EXPECTED["wealth_after_roll"][roll - 2].values()) - commission(
        night, roll
    )


def commission(night: Pitledger, roll: int) -> int:
    """Collected between the roll before and this one."""
    first, last = (at_roll(night, number)["position"] for number in (roll - 1, roll))
    between = read(night, "audit", "--since", str(first), "--until", str(last))
    signs = {"CommissionCollected": 1, "CommissionRefunded": -1}
    return sum(int(row["amount"]) * signs.get(row["event"], 0) for row in between if row["amount"])


def at_roll(night: Pitledger, roll: int) -> dict[str, Any]:
    (row,) = read(night, "rolls", "--roll", str(roll))
    assert isinstance(row, dict)
    return row


def test_a_settlement_says_what_caused_it(night: Pitledger) -> None:
    first = read(night, "settlements", "--limit", "1")[0]
    assert {
        name: first[name] for name in ("roll", "wager", "player", "kind", "outcome", "paid", "command")
    } == {
        "roll": 1,
        "wager": "w11",
        "player": "Ida",
        "kind": "field",
        "outcome": "won",
        "paid": 1000,
        "command": at_roll(night, 1)["command"],
    }


def test_settlements_are_narrowed_by_what_they_say(night: Pitledger) -> None:
    rows = read(night, "settlements", "--player", "Ida", "--kind", "field", "--table", "CR08")
    assert {(row["player"], row["kind"]) for row in rows} == {("Ida", "field")}
    everything = read(night, "settlements")
    assert len(rows) == sum((row["player"], row["kind"]) == ("Ida", "field") for row in everything)
    middle = everything[len(everything) // 2]["position"]
    later = read(night, "settlements", "--since", str(middle), "--limit", "3")
    assert later == [row for row in everything if row["position"] >= middle][:3]


def test_every_output_of_a_listing_says_the_same(night: Pitledger) -> None:
    rows = read(night, "settlements", "--roll", "5")
    lines = night("settlements", "--roll", "5", "--jsonl").stdout.splitlines()
    assert [json.loads(line) for line in lines] == rows
    cells = list(csv.DictReader(io.StringIO(night("settlements", "--roll", "5", "--csv").stdout)))
    assert [list(row) for row in cells] == [list(row) for row in rows]
    assert [int(row["net"]) for row in cells] == [row["net"] for row in rows]


@pytest.mark.parametrize("listing", ["balances", "win", "settlements", "rolls", "tables", "audit"])
def test_csv_has_every_field_of_json(night: Pitledger, listing: str) -> None:
    header = next(csv.reader(io.StringIO(night(listing, "--csv").stdout)))
    assert header == list(read(night, listing)[0])


def test_the_audit_trail_has_every_event_once_and_in_order(night: Pitledger) -> None:
    rows = [json.loads(line) for line in night("audit", "--jsonl").stdout.splitlines()]
    assert [row["position"] for row in rows] == list(range(1, len(rows) + 1))
    assert rows[0]["event"] == "TableOpened"
    assert rows[0]["data"]["rules"] == "ia-prairie-meadows"


def test_win_for_people(night: Pitledger) -> None:
    assert night("win").stdout == WIN


def test_the_last_rolls_for_people(night: Pitledger) -> None:
    assert night("rolls", "--limit", "2").stdout == LAST_ROLLS


def test_settlements_for_people(night: Pitledger) -> None:
    header, ida, *_ = night("settlements", "--roll", "1", "--player", "Ida").stdout.splitlines()
    assert header.split()[:9] == "Position Table Roll Player Wager Bet Stake Outcome Odds".split()
    assert ida.split("  ")[-1].strip() == "Prairie Meadows, Payout Odds 1"
    assert "  field   10.00  won      1 to 1  10.00        0.00  10.00  " in ida


def test_balances_for_people(night: Pitledger) -> None:
    lines = night("balances", "--player", "Ida").stdout.splitlines()
    assert lines[0].split("  ")[0] == "Player"
    assert lines[1].split()[:4] == ["Ida", "2,106.00", "0.00", "2,000.00"]
    assert lines[-1] == "Amounts in USD."


def test_the_layout_for_people(night: Pitledger) -> None:
    lines = night("layout", "CR08", "--at-roll", "1").stdout.splitlines()
    assert lines[0] == "CR08 on 2026-11-28, roll 1: puck off, no shooter named"
    assert lines[2] == "Player  Wager  Bet        Amount  Working"
    assert lines[3] == "Abel    w1     pass         5.00  yes"


# ---------------------------------------- the aggregate limit


def says(do: str, **fields: object) -> logs.Fields:
    return {"do": do, **fields}


STAKES = {"Ana": 10_000, "Ben": 20_000, "Cyd": 70_000}
ALL_OR_NOTHING = [
    {**logs.OPEN, "rules": "pa-crapless", "aggregate_limit": 10_000_000, "payout_unit": 500},
    *(says("buy_in", player=player, amount=100_000, tender="cash") for player in STAKES),
    *(
        says("bet", player=player, wager=player.lower(), kind="all_or_nothing", amount=stake)
        for player, stake in STAKES.items()
    ),
    *(says("roll", dice=[1, low]) for low in (1, 2, 3, 4, 5)),
    *(says("roll", dice=[6, high]) for high in (2, 3, 4, 5, 6)),
]
SHARED = "Ana's all or nothing (ana) at CR01 on 2026-11-28: won on roll 10: 6-6, twelve, at 20:00:17\n"
WHY = (
    "all or nothing, $100.00 at 175 to 1, owed $17,500.00, $10,000.00 as the table's aggregate limit of "
    "$100,000.00 is shared, house policy, 58 Pa. Code § 623b.6(d)(5)(ii)"
)


def test_pp30_winners_at_long_odds_share_the_posted_limit_and_every_surface_says_so(
    pitledger: Pitledger,
) -> None:
    assert pitledger("ingest", "-", stdin=logs.log(ALL_OR_NOTHING)).exit_code == 0
    rows = read(pitledger, "settlements")
    assert [(row["player"], row["odds"], row["owed"], row["paid"], row["breakage"]) for row in rows] == [
        ("Ana", "175/1", 1_000_000, 1_000_000, 0),
        ("Ben", "175/1", 2_000_000, 2_000_000, 0),
        ("Cyd", "175/1", 7_000_000, 7_000_000, 0),
    ]
    assert [row["owed_in_full"] for row in rows] == [1_750_000, 3_500_000, 12_250_000]
    assert {(row["aggregate_limit"], row["aggregate_owed_exact"], row["limit_section"]) for row in rows} == {
        (10_000_000, "17500000", "house policy")
    }
    assert read(pitledger, "tables")[0]["aggregate_limit"] == 10_000_000
    assert read(pitledger, "win")[0]["event_win"] == -10_000_000
    told = pitledger("wagers", "--wager", "ana").output
    assert SHARED in told
    assert f"won on roll 10: 6-6, twelve; {WHY}\n" in told
    fate = read(pitledger, "replay", "CR01", "--roll", "10")["rolls"][0]["fates"][0]
    assert (fate["text"], fate["owed_in_full"], fate["aggregate_limit"]) == (WHY, "1750000", 10_000_000)
    people = pitledger("settlements", "--player", "Ana").output
    assert "58 Pa. Code § 623b.6(d)(5)(ii); aggregate limit of 100,000.00, house policy\n" in people


def test_what_would_have_been_shared_is_told_with_its_reason(pitledger: Pitledger) -> None:
    wrong = [*ALL_OR_NOTHING[:-1], says("roll", dice=[5, 6])]
    assert pitledger("ingest", "-", stdin=logs.log(wrong)).exit_code == 0
    found = read(pitledger, "whatif", "CR01", "--roll", "10", "--dice", "6,6")
    ana = next(row["would_be"] for row in found["settlements"] if row["wager"] == "ana")
    assert (ana["paid"], ana["owed_in_full"], ana["text"]) == (1_000_000, "1750000", WHY)
    assert found["house"]["would_be"] == -10_000_000


def test_a_limit_too_low_for_iowa_opens_no_table_and_says_what_would(pitledger: Pitledger) -> None:
    low = logs.log([{**logs.OPEN, "aggregate_limit": 2_000_000}])
    result = pitledger("ingest", "-", "--json", stdin=low)
    assert result.exit_code == 3
    (refusal,) = json.loads(result.stdout)["refusals"]
    assert (refusal["reason"], refusal["message"]) == (
        "CONTRARY_TO_RULES",
        "an aggregate limit of 20,000.00 is too low: Iowa r. 491-11.7(2)(c) wants 25,000.00 at least with a "
        "minimum of 5.00; post that much, or none",
    )
