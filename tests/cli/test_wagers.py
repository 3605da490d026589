"""`pitledger wagers` as it is asked on the floor: which roll killed my hard six?"""

import csv
import io
import json

from tests.cli.conftest import Pitledger


def test_which_roll_killed_my_hard_six_is_one_command(night: Pitledger) -> None:
    told = night("wagers", "--player", "Hal", "--kind", "hard6", "--limit", "2").output
    assert (
        "Hal's hard 6 (w3591) at CR08 on 2026-11-28: lost on roll 238: 4-2, an easy six, at 21:08:24\n"
        in told
    )
    assert told.endswith("\nThe last 2 of 64 wagers; --limit shows more.\n")


def test_a_life_is_told_event_by_event_with_who_and_when(night: Pitledger) -> None:
    told = night("wagers", "--player", "Hal", "--wager", "w3591").output
    assert told.partition("\n\n")[2].splitlines() == [
        "Hal's hard 6 (w3591) at CR08 on 2026-11-28: lost on roll 238: 4-2, an easy six, at 21:08:24",
        "  21:07:44  D-160 dealer          Hal bets hard 6, $5.00",
        "  21:07:54  D-117 dealer          the On marker goes on Hal's hard 6 and all that are similar",
        "  21:08:24  D-117 dealer          lost on roll 238: 4-2, an easy six; hard 6, $5.00, lost, "
        "Prairie Meadows, Permissible Wagers 8",
    ]


def test_a_kind_with_its_number_is_the_same_as_both_apart(night: Pitledger) -> None:
    apart = night("wagers", "--player", "Bea", "--kind", "place", "--number", "6", "--json").output
    assert night("wagers", "--player", "Bea", "--kind", "place6", "--json").output == apart
    assert {(life["kind"], life["number"]) for life in json.loads(apart)} == {("place", 6)}


def test_programs_get_every_wager_where_people_get_the_last_twenty(night: Pitledger) -> None:
    lives = [json.loads(line) for line in night("wagers", "--player", "Hal", "--jsonl").output.splitlines()]
    rows = list(csv.DictReader(io.StringIO(night("wagers", "--player", "Hal", "--csv").output)))
    assert len(lives) == len(rows) > 20
    assert [row["story"] for row in rows] == [life["story"] for life in lives]
    assert json.loads(rows[0]["life"]) == lives[0]["life"]
    assert night("wagers", "--player", "Hal").output.count("\nHal's ") == 20


def test_a_player_who_is_not_there_is_said_so(night: Pitledger) -> None:
    result = night("wagers", "--player", "Zed")
    assert result.exit_code == 1
    assert result.output.startswith("Error: there is no player Zed: there is Abel, Bea, ")


def test_a_player_without_such_a_wager_has_nothing_to_show(night: Pitledger) -> None:
    result = night("wagers", "--player", "Hal", "--kind", "big_6")
    assert (result.exit_code, result.output) == (0, "Nothing to show.\n")


def test_a_wager_that_lay_on_a_disputed_roll_is_told_with_the_dispute_and_what_it_gave(
    pitledger: Pitledger,
) -> None:
    pitledger("ingest", "docs/disputes/no-roll.jsonl", "docs/disputes/no-roll-disputed.jsonl")
    claimed = "  D-17: roll 2 is disputed, $170.00: "
    ruled = "; upheld (M-001 shift manager), gives $170.00, paid $170.00"
    told = pitledger("wagers", "--player", "Nat").output
    lines = [line for line in told.splitlines() if line.startswith(claimed) and line.endswith(ruled)]
    assert len(lines) == 1
    lives = json.loads(pitledger("wagers", "--player", "Nat", "--json").output)
    told_of = {life["wager"]: [(one["dispute"], one["paid"]) for one in life["disputes"]] for life in lives}
    assert told_of == {"line": [("D-17", 17000)], "behind": []}  # the claim names the line bet
