"""What a pack says of itself: whose day, which events, rules and policies, and the hash of every file."""

from collections.abc import Iterable
from hashlib import file_digest
from pathlib import Path
from typing import Any, Protocol

from psycopg import Connection

from domain.policy.hold_review import hold_rules
from domain.policy.taxes import in_force
from domain.policy.title_31 import cash_policy
from domain.policy.wins import wins_in_force
from ledger.migrations import Property
from projections import reconcile, tables
from projections.day_events import Range
from projections.pack.gather import Gathered
from projections.pack.journal import Journal
from projections.pack.sheet import Sheet, decimal, totals

FORMAT = 2  # grows when a column or a file is added


class Pack(Protocol):
    """A pack whose files are written."""

    conn: Connection[Any]
    folder: Path
    house: Property
    order: Any
    range: Range
    gathered: Gathered
    journal: Journal
    sheets: list[Sheet]
    rows: dict[str, int]
    root: str


def manifest(pack: Pack, version: int) -> dict[str, Any]:
    """The manifest of a pack that becomes this version. The same events always give the same text."""
    day = pack.order.day
    return {
        "schema_version": FORMAT,
        "property": pack.house.name,
        "currency": pack.house.currency,
        "time_zone": pack.house.time_zone,
        "gaming_day": day.isoformat(),
        "version": version,
        "supersedes": version - 1 or None,
        "status": _status(pack.gathered),
        "standing": pack.order.standing,
        "missing": pack.order.missing,
        "events": {"from": pack.range.first, "to": pack.range.last, "count": pack.rows["events.jsonl.gz"]},
        "known_at": pack.gathered.known_at,
        "merkle_root": pack.root,
        "rules": _rules(pack),
        "policies": _policies(pack),
        "control_totals": _control_totals(pack),
        "files": _files(pack),
    }


def contents(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """The SHA-256 of files in a folder, by name."""
    found = {}
    for name in names:
        with (folder / name).open("rb") as file:
            found[name] = file_digest(file, "sha256").hexdigest()
    return found


def _status(gathered: Gathered) -> str:
    """Closed and sealed is certified; a correction since then restates it."""
    if gathered.closed_at is None:
        return "preliminary"
    return "restated" if gathered.corrected_since else "certified"


def _rules(pack: Pack) -> dict[str, str]:
    found = tables.rows(pack.conn, day=pack.order.day)
    return {row["table"]: f"{row['rules']}@{row['rules_version']}" for row in found if row["rules"]}


def _policies(pack: Pack) -> list[str]:
    day, sheets = pack.order.day, {sheet.name for sheet in pack.sheets}
    wins = [win.id for win in wins_in_force(day).values()]
    taxes = [template.id for template in in_force(day).values() if f"tax_{template.jurisdiction}" in sheets]
    return sorted([*wins, cash_policy(day).id, *(rule.id for rule in hold_rules(day)), *taxes])


def _control_totals(pack: Pack) -> dict[str, Any]:
    """What the day comes to by the tables' figures and by the accounts, and the chips that are out."""
    house = reconcile.house(pack.conn, pack.order.day)
    debits = sum(
        one.amount for entry in pack.journal.transactions for one in entry.postings if one.amount > 0
    )
    return {
        **{name: _money(cents) for name, cents in house.items() if name != "gaming_day"},
        "journal_debits": decimal(debits),
        "balances": {account: decimal(cents) for account, cents in pack.journal.balances.items() if cents},
    }


def _money(cents: int | None) -> str | None:
    return None if cents is None else decimal(cents)


def _files(pack: Pack) -> dict[str, Any]:
    sums = {sheet.name: totals(sheet) for sheet in pack.sheets}
    hashes = contents(pack.folder, sorted(pack.rows))
    return {
        name: {"rows": pack.rows[name], "sha256": hash_, "totals": sums.get(Path(name).stem, {})}
        for name, hash_ in hashes.items()
    }
