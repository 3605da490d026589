"""The demonstration: a night that ships with the program, from the table's log to the books."""

import json

from tests.cli.conftest import Pitledger
from tests.cli.test_reading import EXPECTED


def test_the_demonstration_shows_the_books_of_the_night(pitledger: Pitledger) -> None:
    result = pitledger("demo")
    assert result.exit_code == 0
    shown = result.stdout
    assert "4,523 lines: 4,523 accepted, 0 already known, 0 refused, 0 malformed\n" in shown
    titles = ["What the players hold", "What the table won", "The last 5 rolls", "What to type next:"]
    assert [shown.index(title) for title in titles] == sorted(shown.index(title) for title in titles)
    rails = {row["player"]: row["rail"] for row in json.loads(pitledger("balances", "--json").stdout)}
    assert rails == EXPECTED["rails"]


def test_the_demonstration_again_stores_nothing_new(pitledger: Pitledger) -> None:
    pitledger("demo")
    result = pitledger("demo")
    assert result.exit_code == 0
    assert "4,523 lines: 0 accepted, 4,523 already known, 0 refused, 0 malformed\n" in result.stdout
    assert "0 events stored" in result.stdout


def test_what_the_demonstration_says_to_type_next_can_be_typed(pitledger: Pitledger) -> None:
    shown = pitledger("demo").stdout.partition("What to type next:\n")[2]
    typed = [line.partition("pitledger ")[2].partition("  ")[0].split() for line in shown.splitlines()]
    assert typed.pop() == ["ingest", "YOUR-LOG.jsonl"]
    assert [pitledger(*words).exit_code for words in typed] == [0] * 4
