"""`pitledger whatif` as a shift manager types it: what each ruling would have changed, and nothing stored."""

import hashlib
import json
from collections.abc import Iterable

import psycopg
import pytest

from tests.cli.conftest import Pitledger
from tests.projections.night import Line
from tests.projections.told import NO_ROLL_CALLED_ON_A_WINNER, OPEN, bet, buy_in, log, overrule, roll


def ingest(pitledger: Pitledger, lines: Iterable[Line]) -> None:
    assert pitledger("ingest", "-", stdin="".join(f"{json.dumps(line)}\n" for line in lines)).exit_code == 0


def everything_in(url: str) -> dict[str, str]:
    """Every row of every table, as PostgreSQL writes it out, by its hash."""
    with psycopg.connect(url) as conn:
        names = conn.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'pitledger'").fetchall()
        return {name: _hash_of(conn, name) for (name,) in names}


def _hash_of(conn: psycopg.Connection, table: str) -> str:
    query = f"COPY (SELECT * FROM pitledger.{table} AS t ORDER BY t::text) TO STDOUT"
    with conn.cursor() as cursor, cursor.copy(query.encode()) as copy:
        return hashlib.sha256(b"".join(bytes(part) for part in copy)).hexdigest()


def test_the_two_rulings_of_the_no_roll_case_differ_by_170_and_the_ledger_is_byte_for_byte_as_it_was(
    pitledger: Pitledger, fresh_ledger: str
) -> None:
    ingest(pitledger, NO_ROLL_CALLED_ON_A_WINNER)
    assert pitledger("balances").exit_code == 0  # so that the projections have rows too
    before = everything_in(fresh_ledger)
    assert len(before) > 8
    found = json.loads(pitledger("whatif", "CR01", "--roll", "2", "--stands", "--json").output)
    assert [player["difference"] for player in found["players"]] == [17000]
    assert found["house"]["difference"] == -17000
    pitledger("whatif", "CR01", "--roll", "3", "--no-roll")
    pitledger("whatif", "CR01", "--roll", "1", "--rules", "pa-crapless")
    assert everything_in(fresh_ledger) == before


def test_what_was_stored_since_anybody_read_is_not_even_given_its_place(
    pitledger: Pitledger, fresh_ledger: str
) -> None:
    ingest(pitledger, NO_ROLL_CALLED_ON_A_WINNER)
    before = everything_in(fresh_ledger)
    assert pitledger("whatif", "CR01", "--roll", "2", "--stands").exit_code == 0
    assert everything_in(fresh_ledger) == before


def test_people_are_shown_both_rulings_side_by_side(pitledger: Pitledger) -> None:
    ingest(pitledger, NO_ROLL_CALLED_ON_A_WINNER)
    assert (
        pitledger("whatif", "CR01", "--roll", "2", "--stands").output
        == """\
CR01 on 2026-11-28, roll 2, called 20:00:27 by B-031 boxman: No Roll: short, 1-3 on the dice
If it had stood as 1-3, an easy four, up to roll 3:

Player    Rail  would be  On layout  would be     Net  would be  Difference
Nat     435.00    605.00       0.00      0.00  -65.00    105.00      170.00
---------------------------------------------------------------------------
                                                                     170.00
Amounts in USD.

The house
Table win  would be  Difference
    65.00   -105.00     -170.00
Amounts in USD.

Wagers that would have been decided otherwise
Player  Wager   Bet     As it was       Otherwise      Difference
Nat     line    pass    lost on roll 3  won on roll 2       50.00
Nat     behind  odds 4  lost on roll 3  won on roll 2      120.00
-----------------------------------------------------------------
                                                           170.00
Amounts in USD.

What was said afterwards and would have been answered otherwise
Nothing to show.

Nothing was stored.
"""
    )


def test_commands_that_would_not_have_been_possible_are_listed_with_the_reason(pitledger: Pitledger) -> None:
    story = log(
        OPEN,
        buy_in("Nat", 20000),
        roll(2, 2),
        roll(3, 1),
        overrule(2, dice=[3, 3]),
        overrule(2, who="M-001", dice=[3, 1]),
        bet("Nat", "w2", "pass", 1000),
    )
    ingest(pitledger, story)
    shown = pitledger("whatif", "CR01", "--roll", "2", "--dice", "6,5", "--until", "now").output
    assert (
        "3-1, an easy four (overruled: it stands as 3-1)\nIf it had been called 6-5, eleven, up to roll 2:"
        in shown
    )
    assert [line.split()[2:] for line in shown.splitlines() if line.startswith("20:00")] == [
        "overrule accepted left out the call of roll 2 that it overruled was not made".split(),
        "overrule accepted left out the call of roll 2 that it overruled was not made".split(),
        "bet Nat pass w2 accepted WRONG_PHASE pass is made before a come-out roll; the puck is On 4".split(),
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--roll", "2"), "one of --dice, --no-roll, --stands, --rules, --cash\n"),
        (("--roll", "2", "--stands", "--no-roll"), "one of --dice, --no-roll, --stands, --rules, --cash\n"),
        (("--roll", "2", "--dice", "7,1"), "'7,1' are no dice; write two faces, like 3,4\n"),
        (("--roll", "2", "--stands", "--until", "soon"), "'soon' is neither a roll nor `now`\n"),
        (("--roll", "2", "--no-roll"), "Error: roll 2 is no roll already\n"),
        (
            ("--roll", "8", "--no-roll"),
            "Error: there is no roll 8 at CR01 on 2026-11-28: the last is roll 3\n",
        ),
    ],
)
def test_a_question_that_cannot_be_answered_is_turned_away_in_one_line(
    pitledger: Pitledger, words: tuple[str, ...], said: str
) -> None:
    ingest(pitledger, NO_ROLL_CALLED_ON_A_WINNER)
    result = pitledger("whatif", "CR01", *words)
    assert result.exit_code in (1, 2)
    assert result.output.endswith(said)


def test_chips_carried_over_into_the_next_day_are_the_rail_as_it_would_have_been(
    pitledger: Pitledger,
) -> None:
    first = [*NO_ROLL_CALLED_ON_A_WINNER, *log(*[{}] * 11, {"do": "close", "closer": 5000000})[11:]]
    second = log({**OPEN, "gaming_day": "2026-11-30"})
    later = {**second[0], "id": "CR01:next", "at": "2026-11-30T12:00:00-06:00"}
    ingest(pitledger, [*first, later])
    words = ("CR01", "--day", "2026-11-28", "--roll", "2", "--stands", "--json")
    [nat] = json.loads(pitledger("whatif", *words).output)["players"]
    assert (nat["was"]["rail"], nat["would_be"]["rail"], nat["difference"]) == (0, 0, 17000)


def test_what_was_decided_on_a_patron_s_account_is_taken_as_it_happened(pitledger: Pitledger) -> None:
    deposit = {"do": "deposit_front_money", "player": "Nat", "amount": 100000, "who": "C-001"}
    story = log(
        OPEN,
        buy_in("Nat", 50000),
        bet("Nat", "w1", "field", 500),
        roll(2, 2),
        deposit,
        {"do": "buy_in", "player": "Nat", "amount": 20000, "tender": "front_money"},
    )
    ingest(pitledger, story)
    found = json.loads(pitledger("whatif", "CR01", "--roll", "1", "--dice", "3,4", "--json").output)
    assert found["commands"] == []
    assert found["players"][0]["was"]["rail"] == 70500
    assert found["players"][0]["would_be"]["rail"] == 69500
