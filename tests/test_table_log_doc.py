"""The table log's page names everything that the log may say, and nothing else that looks like it."""

import re
from pathlib import Path
from typing import Any, get_args

import pytest

from domain.commands import Command, Role
from domain.refusals import Reason

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "table-log.md").read_text(encoding="utf-8")
COMMANDS = {get_args(kind.model_fields["do"].annotation)[0]: kind for kind in get_args(get_args(Command)[0])}
OF_DISPUTES = {do for do, kind in COMMANDS.items() if "dispute" in kind.model_fields}
OF_EVERY_LINE = {"id", "at", "by", "table", "do"}


def row_of(do: str) -> str:
    """The row of the table that describes a command."""
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and f"`{do}`" in line.split("|")[1]]
    assert rows, do
    return rows[0]


@pytest.mark.parametrize("do", sorted(COMMANDS.keys() - OF_DISPUTES - {"pass_dice"}))
def test_every_command_and_every_field_of_it_is_described(do: str) -> None:
    kind: Any = COMMANDS[do]
    names = {field.alias or name for name, field in kind.model_fields.items()} - OF_EVERY_LINE
    assert not [name for name in names if f"`{name}`" not in row_of(do)]


def test_every_role_is_named() -> None:
    assert not [role for role in Role if f"`{role}`" not in PAGE]


def test_every_reason_of_a_refusal_is_named_and_none_that_there_is_not() -> None:
    named = set(re.findall(r"`([A-Z][A-Z_]+)`", PAGE.split("Reasons of a refusal:")[1]))
    assert named == {reason.value for reason in Reason}


def test_disputes_are_described_on_their_own_page() -> None:
    page = (ROOT / "docs" / "disputes.md").read_text(encoding="utf-8")
    assert not [do for do in OF_DISPUTES if f"`{do}`" not in page + PAGE]
