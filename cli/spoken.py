"""Commands said at the terminal: what such a verb asks for, and how it becomes one of the table log."""

import re
from collections.abc import Callable
from datetime import datetime
from hashlib import sha256
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

import click
import orjson

from cli.log_lines import Line
from cli.output import document_option
from cli.parsing import Malformed, submitted
from domain.commands import Role
from ledger.casino import Submitted
from ledger.migrations import Property
from projections.rows import Row

_Command = TypeVar("_Command", bound=Callable[..., Any])
_AMOUNT = re.compile(r"(-?)(\d{1,13})(?:\.(\d\d))?")


class _Amount(click.ParamType[int]):
    name = "AMOUNT"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        if found := _AMOUNT.fullmatch(value):
            sign, whole, cents = found.groups()
            return int(f"{sign}{whole}{cents or '00'}")
        return self.fail(f"{value!r} is no amount; write it like 170 or 170.50", param, ctx)


AMOUNT = _Amount()
ROLES = click.Choice([role.value for role in Role])


def said_by(command: _Command) -> _Command:
    """Gives a verb who says it (`by`, `role`), when (`at`), under which `command_id`, and `as_json`."""
    command = document_option(command)
    command = click.option("--at", metavar="TIME", help="When, in RFC 3339; without it, now.")(command)
    command = click.option(
        "--id", "command_id", metavar="ID", help="The command's own id; without it, one of its content."
    )(command)
    command = click.option("--role", type=ROLES, required=True, help="What you are at the property.")(command)
    return click.option("--by", metavar="BADGE", required=True, help="Your badge.")(command)


def spoken(
    command: Row, about: Property, *, by: str, role: str, at: str | None, command_id: str | None
) -> Submitted:
    """`command` with who says it and when, under an id of its content where it has none.

    Raises click's UsageError where the table log would not hold it.
    """
    command |= {"at": at or now(about).isoformat(timespec="milliseconds"), "by": {"badge": by, "role": role}}
    command["id"] = command_id or f"{command['do']}:{digest(command, 20)}"
    try:
        return submitted(Line(1, orjson.dumps(command), True))
    except Malformed as fault:
        raise click.UsageError(str(fault)) from None


def digest(content: object, length: int) -> str:
    """The first `length` hex digits of a content's SHA-256."""
    return sha256(orjson.dumps(content, option=orjson.OPT_SORT_KEYS)).hexdigest()[:length]


def now(about: Property) -> datetime:
    """The time at the property."""
    return datetime.now(ZoneInfo(about.time_zone))
