"""Rows come out whole for programs and readable for people."""

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from cli.output import Output, listing_options, print_rows
from cli.table_of_rows import Column, count, laid_out, money

ROWS: list[dict[str, Any]] = [
    {"player": "Bea", "rail": 125000, "owed": "3500/3", "rolls": 3, "rails": {"CR01": 125000}},
    {"player": "=Cy()", "rail": -50, "owed": None, "rolls": 12, "rails": {}},
]
COLUMNS = [
    Column("player", "Player"),
    money("rail", "Rail"),
    money("owed", "Owed", total=False),
    count("rolls", "Rolls"),
]
NAMES = ["player", "rail", "owed", "rolls", "rails"]


def listed(*options: str, rows: Sequence[dict[str, Any]] = ROWS, color: bool = False) -> Result:
    @click.command()
    @listing_options
    def listing(output: Output | None) -> None:
        print_rows(rows, COLUMNS, NAMES, output, "EUR")

    return CliRunner().invoke(listing, options, color=color)


def test_people_see_aligned_columns_dollars_and_a_total() -> None:
    assert listed().output == (
        "Player      Rail   Owed  Rolls\n"
        "Bea     1,250.00  11.67      3\n"
        "=Cy()      -0.50            12\n"
        "------------------------------\n"
        "        1,249.50\n"
        "Amounts in EUR.\n"
    )


def test_a_loss_is_red_where_the_terminal_has_colours() -> None:
    assert click.style("   -0.50", fg="red") in listed(color=True).output


def test_programs_get_every_field_in_one_document() -> None:
    assert json.loads(listed("--json").output) == ROWS


def test_programs_get_a_row_a_line() -> None:
    assert [json.loads(line) for line in listed("--jsonl").output.splitlines()] == ROWS


def test_a_spreadsheet_gets_text_that_it_does_not_run() -> None:
    header, bea, cy = csv.reader(io.StringIO(listed("--csv").output))
    assert header == NAMES
    assert bea == ["Bea", "125000", "3500/3", "3", '{"CR01":125000}']
    assert cy == ["'=Cy()", "-50", "", "12", "{}"]


@pytest.mark.parametrize(
    ("options", "nothing"),
    [
        ([], "Nothing to show.\n"),
        (["--json"], "[]\n"),
        (["--jsonl"], ""),
        (["--csv"], ",".join(NAMES) + "\n"),
    ],
)
def test_no_rows_is_an_answer(options: list[str], nothing: str) -> None:
    result = listed(*options, rows=[])
    assert (result.output, result.exit_code) == (nothing, 0)


def test_a_name_cannot_write_on_the_terminal_of_whoever_reads_it() -> None:
    shown = listed(rows=[{**ROWS[0], "player": "Bea\x9b2J\u202e\x1b[1m"}]).stdout
    assert r"Bea\x9b2J\u202e\x1b[1m  1,250.00" in shown


def test_a_sum_beyond_64_bits_is_still_exact_for_programs() -> None:
    rows = [{**ROWS[0], "rail": 2**70}]
    assert json.loads(listed("--json", rows=rows).stdout) == rows
    assert str(2**70) in listed("--csv", rows=rows).stdout


def test_columns_line_up_under_wide_characters() -> None:
    rows = [{"player": "李雷", "rail": 1}, {"player": "Zoë", "rail": 100000}]
    columns = [Column("player", "Player"), money("rail", "Rail", total=False)]
    assert list(map(click.unstyle, laid_out(rows, columns, "EUR"))) == [
        "Player      Rail",
        "李雷        0.01",
        "Zoë     1,000.00",
        "Amounts in EUR.",
    ]


def test_a_table_longer_than_a_page_has_one_title_and_one_total() -> None:
    lines = list(laid_out(({"rail": cents} for cents in range(2500)), [money("rail", "Rail")], "EUR"))
    assert len(lines) == 1 + 2500 + 3
    assert lines[-2] == "31,237.50"
