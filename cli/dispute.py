"""`pitledger dispute`: the verbs of a disputed roll, from the claim to the closed file.

Each builds the command that a table log would hold, hands it to the ledger, and says what was recorded and
what is to be done next.
"""

import re
from datetime import UTC, date, datetime
from hashlib import file_digest
from pathlib import Path
from typing import Any

import click

from cli.disputes import due
from cli.filters import DAY
from cli.house import House
from cli.output import print_document
from cli.spoken import AMOUNT, digest, said_by, spoken
from cli.summary import REFUSED
from ledger.casino import Answer
from ledger.errors import LedgerError
from ledger.log import bring_up_to_date, event_of, read_stream
from ledger.migrations import property_of
from projections import disputes as disputed
from projections import tables
from projections.rows import Row
from projections.telling import money_in, tell

_NOT_IN_AN_ID = re.compile(r"[^A-Za-z0-9._-]")


@click.group()
def dispute() -> None:
    """Open, rule on, settle and close the dispute of a roll.

    \b
    Example:
        pitledger dispute open CR08 --roll 120 --player Bea --amount 170 \\
            --claim "the four was good" --by F-204 --role floor
    """


@dispute.command("open")
@click.argument("table")
@click.option("--roll", type=click.IntRange(1), required=True, metavar="N", help="The disputed roll.")
@click.option("--player", required=True, metavar="PLAYER", help="The patron.")
@click.option("--amount", type=AMOUNT, required=True, help="What he should get; negative: give back.")
@click.option("--claim", required=True, metavar="TEXT", help="What he says.")
@click.option("--day", type=DAY, help="The gaming day of the roll; without it, the table's last one.")
@click.option("--wager", metavar="WAGER", help="The wager it is about.")
@click.option("--camera", metavar="NAME", help="Whose video is held; without it, every camera's.")
@click.option("--dispute", "name", metavar="ID", help="Its id; without it, one of its content.")
@said_by
@click.pass_obj
def open_(
    house: House,
    /,
    table: str,
    name: str | None,
    day: date | None,
    **said: Any,
) -> None:
    """Open the dispute of a roll of TABLE; the video is held at once.

    \b
    Example:
        pitledger dispute open CR08 --roll 120 --player Bea --amount 170 \\
            --claim "the four was good" --by F-204 --role floor
    """
    with house.books() as conn:
        day = day or tables.last_day(conn, table)
    content = [table, str(day), said["roll"], said["player"], said["claim"]]
    name = name or f"{_NOT_IN_AN_ID.sub('-', table)[:20]}-{day}-r{said['roll']}-{digest(content, 6)}"
    _say(house, "dispute", name, table, gaming_day=day and day.isoformat(), **said)


@dispute.command()
@click.argument("name", metavar="DISPUTE")
@click.option(
    "--kind",
    type=click.Choice(["video", "photo", "statement", "surveillance_review", "note"]),
    required=True,
    help="What it is; a review is surveillance's.",
)
@click.option("--reference", required=True, metavar="TEXT", help="Where it lies.")
@click.option(
    "--file",
    "path",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The file itself, to take its SHA-256; it is not copied.",
)
@click.option("--sha256", "digest", metavar="HEX", help="Its SHA-256, where the file is not here.")
@click.option("--note", metavar="TEXT", help="A note; of a review, what the recording shows.")
@said_by
@click.pass_obj
def evidence(house: House, /, name: str, path: Path | None, digest: str | None, **said: Any) -> None:
    """Attach evidence to a DISPUTE: its reference and its SHA-256.

    \b
    Example:
        pitledger dispute evidence D-1 --kind video --reference "DVR 3, clip 118" \\
            --file clip118.mp4 --by V-003 --role surveillance
    """
    if path is not None:
        with path.open("rb") as file:
            digest = file_digest(file, "sha256").hexdigest()
    _say(house, "evidence", name, sha256=digest, **said)


@dispute.command()
@click.argument("name", metavar="DISPUTE")
@click.argument("ruling", type=click.Choice(["upheld", "denied", "settled_in_part"]))
@click.option("--amount", type=AMOUNT, help="What it gives the patron, where it is settled in part.")
@click.option("--reason", required=True, metavar="TEXT", help="Why.")
@said_by
@click.pass_obj
def rule(house: House, /, name: str, **said: Any) -> None:
    """Rule on a DISPUTE; a higher rank overrules the ruling of a lower.

    \b
    Example:
        pitledger dispute rule D-1 upheld --reason "both dice hit the wall" --by M-001 --role shift_manager
    """
    _say(house, "ruling", name, **said)


@dispute.command()
@click.argument("name", metavar="DISPUTE")
@click.option("--amount", type=AMOUNT, required=True, help="To the patron; negative: from him.")
@click.option("--tender", type=click.Choice(["chips", "cash"]), required=True, help="In what.")
@click.option("--approved-by", required=True, metavar="BADGE", help="Neither you nor whoever ruled.")
@said_by
@click.pass_obj
def settle(house: House, /, name: str, **said: Any) -> None:
    """Settle a DISPUTE: money moves under the ruling that stands, once.

    \b
    Example:
        pitledger dispute settle D-1 --amount 170 --tender chips --approved-by M-002 --by F-204 --role floor
    """
    _say(house, "settle_dispute", name, **said)


@dispute.command()
@click.argument("name", metavar="DISPUTE")
@click.option("--reference", metavar="TEXT", help="The regulator's number for it.")
@click.option("--reason", metavar="TEXT", help="Why, where the amount does not ask for it.")
@said_by
@click.pass_obj
def notify(house: House, /, name: str, **said: Any) -> None:
    """Record that the regulator was given notice of a DISPUTE.

    \b
    Example:
        pitledger dispute notify D-1 --reference GCB-2026-118 --by M-001 --role shift_manager
    """
    _say(house, "notify_regulator", name, **said)


@dispute.command()
@click.argument("name", metavar="DISPUTE")
@click.option("--withdrawn", is_flag=True, help="The patron withdrew before anybody ruled.")
@click.option("--reason", metavar="TEXT", help="A last word.")
@said_by
@click.pass_obj
def close(house: House, /, name: str, **said: Any) -> None:
    """Close a DISPUTE in which nothing is due any more.

    \b
    Example:
        pitledger dispute close D-1 --reason "paid and signed for" --by M-001 --role shift_manager
    """
    _say(house, "close_dispute", name, **said)


# ------------------------------------------------------------------------------------- saying it


def _say(
    house: House,
    do: str,
    name: str,
    table: str | None = None,
    *,
    by: str,
    role: str,
    at: str | None,
    command_id: str | None,
    as_json: bool,
    **said: Any,
) -> None:
    """Hand a command to the ledger and tell what became of it; exits 3 where it was refused."""
    with house.ledger() as conn:
        about = property_of(conn)
    command = {
        "table": table or _known(house, name)["table"],
        "do": do,
        "dispute": name,
        **{field: value for field, value in said.items() if value not in (None, False)},
    }
    one = spoken(command, about, by=by, role=role, at=at, command_id=command_id)
    with house.casino() as casino:
        [answer] = casino.handle([one])
    _tell(house, name, one.command.id, answer, as_json=as_json)
    click.get_current_context().exit(REFUSED if answer.status == "refused" else 0)


def _known(house: House, name: str) -> Row:
    """A dispute as it stands. Raises LedgerError where there is none of that name."""
    with house.books() as conn:
        known = disputed.rows(conn, datetime.now(UTC))
    for row in known:
        if row["dispute"] == name:
            return row
    there = ", ".join(row["dispute"] for row in known[-12:])
    raise LedgerError(
        f"there is no dispute {name}: {f'there is {there}' if there else 'nothing is disputed'}"
    )


def _tell(house: House, name: str, command: str, answer: Answer, *, as_json: bool) -> None:
    if answer.status == "refused":
        refusal = {"status": "refused", "reason": answer.reason, "message": answer.message}
        print_document(refusal) if as_json else click.echo(
            f"Refused {answer.reason}: {answer.message}. The refusal is recorded.", err=True
        )
        return
    row, recorded = _known(house, name), _recorded(house, name, command)
    if as_json:
        print_document({"status": answer.status, "recorded": recorded, "dispute": row})
        return
    click.secho(f"Dispute {name}, recorded:", bold=True)
    for event in recorded:
        click.echo(f"  {event['position']:>8}  {event['event']}: {event['text']}")
    click.echo(f"Next: {_next(row)}")


def _recorded(house: House, name: str, command: str) -> list[Row]:
    """What a command left in a dispute's stream."""
    with house.ledger() as conn:
        bring_up_to_date(conn)
        money = money_in(property_of(conn).currency)
        rows = [row for row in read_stream(conn, f"dispute:{name}") if row.command == command]
    return [
        {"position": row.position, "event": row.name, "text": tell(event_of(row), "", money)} for row in rows
    ]


def _next(row: Row) -> str:
    """What is to be done with a dispute, by when."""
    name = row["dispute"]
    match row["status"]:
        case "open":
            return f"attach the evidence and rule by {due(row)}: pitledger dispute rule {name} ..."
        case "to settle":
            return f"settle by {due(row)}: pitledger dispute settle {name} ..."
        case "to close":
            return f"nothing is due: pitledger dispute close {name}"
    return f"nothing; the video is kept until {row['keep_video_until']}, pitledger dossier {name} is the file"
