"""Every dispute as it stands: the claim, the ruling that stands, what is due by when, what was paid."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from psycopg import Connection

from domain import events as e
from projections.projection import Batch, Edition, Fact, Projection
from projections.rows import Row, columns_of, load, put, select

_STREAM = "dispute:"
_DISPUTE = {
    "dispute": "text PRIMARY KEY",
    "table_name": "text NOT NULL",
    "gaming_day": "date NOT NULL",
    "roll": "integer NOT NULL",
    "wager": "text",
    "player": "text NOT NULL",
    "claim": "text NOT NULL",
    "amount": "bigint NOT NULL",
    "position": "bigint NOT NULL",
    "opened_at": "timestamptz NOT NULL",
    "opened_by": "text NOT NULL",
    "opened_role": "text NOT NULL",
    "policy": "text NOT NULL",
    "rule_by": "timestamptz NOT NULL",
    "complain_by": "date",
    "camera": "text",
    "video_since": "timestamptz",
    "video_until": "timestamptz",
    "evidence": "integer NOT NULL",
    "rulings": "integer NOT NULL",
    "ruling": "text",
    "gives": "bigint",
    "ruled_at": "timestamptz",
    "ruled_by": "text",
    "ruled_role": "text",
    "settle_by": "timestamptz",
    "paid": "numeric NOT NULL",
    "settled_at": "timestamptz",
    "approved_by": "text",
    "notified_at": "timestamptz",
    "closed_at": "timestamptz",
    "outcome": "text",
    "keep_video_until": "date",
}


def fold(known: dict[str, Row], facts: Iterable[Fact]) -> None:
    """Bring the disputes of `known`, by id, forward by `facts`; those that are opened in them are new."""
    for fact in facts:
        if remember := _REMEMBER.get(type(fact.event)):
            remember(known.setdefault(dispute_of(fact.row.stream), dict.fromkeys(_DISPUTE)), fact, fact.event)


def dispute_of(stream: str) -> str:
    """Which dispute a stream is about."""
    return stream.removeprefix(_STREAM)


def _opened(row: Row, fact: Fact, event: e.DisputeOpened) -> None:
    said = ("roll", "wager", "player", "claim", "amount", "policy", "rule_by", "complain_by")
    row.update({name: getattr(event, name) for name in said})
    row.update(
        dispute=dispute_of(fact.row.stream),
        table_name=fact.table,
        gaming_day=fact.gaming_day,
        position=fact.row.position,
        opened_at=fact.row.occurred_at,
        opened_by=fact.row.badge,
        opened_role=fact.row.role,
        evidence=0,
        rulings=0,
        paid=0,
    )


def _held(row: Row, fact: Fact, event: e.VideoHoldPlaced) -> None:
    row.update(camera=event.camera, video_since=event.since, video_until=event.until)


def _evidence(row: Row, fact: Fact, event: e.EvidenceAttached | e.SurveillanceReviewed) -> None:
    row["evidence"] += 1


def _ruled(row: Row, fact: Fact, event: e.RulingMade) -> None:
    row.update(
        rulings=row["rulings"] + 1,
        ruling=event.ruling,
        gives=event.amount,
        ruled_at=fact.row.occurred_at,
        ruled_by=event.badge,
        ruled_role=event.role,
        settle_by=event.settle_by,
    )


def _settled(row: Row, fact: Fact, event: e.DisputeSettled) -> None:
    row.update(
        paid=int(row["paid"]) + event.amount,
        settled_at=fact.row.occurred_at,
        approved_by=event.approved_by,
        settle_by=None,
    )


def _notified(row: Row, fact: Fact, event: e.RegulatorNotified) -> None:
    row["notified_at"] = row["notified_at"] or fact.row.occurred_at


def _closed(row: Row, fact: Fact, event: e.DisputeClosed) -> None:
    row.update(closed_at=fact.row.occurred_at, outcome=event.outcome, keep_video_until=event.video_until)


_REMEMBER: dict[type[e.Happened], Callable[[Row, Fact, Any], None]] = {
    e.DisputeOpened: _opened,
    e.VideoHoldPlaced: _held,
    e.EvidenceAttached: _evidence,
    e.SurveillanceReviewed: _evidence,
    e.RulingMade: _ruled,
    e.DisputeSettled: _settled,
    e.RegulatorNotified: _notified,
    e.DisputeClosed: _closed,
}


def write(conn: Connection[Any], batch: Batch, new: Edition) -> None:
    """Bring the rows of the disputes in `batch` forward."""
    about = [fact for part in batch.values() for fact in part.facts if type(fact.event) in _REMEMBER]
    if not about:
        return
    ids = sorted({dispute_of(fact.row.stream) for fact in about})
    known = {row["dispute"]: row for row in load(conn, f"disputes{new}", [{"dispute": id_} for id_ in ids])}
    fold(known, about)
    put(conn, f"disputes{new}", ("dispute",), list(known.values()))


PROJECTION = Projection(
    name="disputes",
    version=1,
    tables={"disputes": columns_of(_DISPUTE)},
    indexes=(
        "INDEX ON pitledger.disputes{new} (table_name, gaming_day)",
        "INDEX ON pitledger.disputes{new} (player)",
    ),
    remembers=_REMEMBER,
    write=write,
)

# A deadline is missed where it passed and what it was for has not been done; `as_of` decides what passed.
_ROWS = """
    SELECT dispute, table_name AS "table", gaming_day, roll, wager, player, claim, amount,
        CASE WHEN closed_at IS NOT NULL THEN 'closed' WHEN ruling IS NULL THEN 'open'
             WHEN settle_by IS NOT NULL THEN 'to settle' ELSE 'to close' END AS status,
        CASE WHEN closed_at IS NULL
             THEN CASE WHEN ruling IS NULL THEN rule_by ELSE settle_by END END AS due_by,
        coalesce(closed_at IS NULL
            AND CASE WHEN ruling IS NULL THEN rule_by ELSE settle_by END < %(as_of)s, false) AS overdue,
        ruling, gives, ruled_by, ruled_role, ruled_at, rulings, paid, approved_by, settled_at,
        notified_at, complain_by, evidence, camera, video_since, video_until,
        opened_at, opened_by, opened_role, policy, rule_by, settle_by, closed_at, outcome, keep_video_until,
        position
    FROM pitledger.disputes WHERE {where} AND (NOT %(only_open)s OR closed_at IS NULL)
    ORDER BY position"""


def rows(
    conn: Connection[Any],
    as_of: datetime,
    *,
    dispute: str | None = None,
    table: str | None = None,
    player: str | None = None,
    only_open: bool = False,
) -> list[Row]:
    """Disputes in the order in which they were opened, as of a moment. Cents, signed to the player.

    `status` says what is to be done next, `due_by` by when, `gives` what the ruling that stands gives.
    """
    filters = {"dispute": dispute, "table_name": table, "player": player}
    found = select(conn, _ROWS, filters, as_of=as_of, only_open=only_open)
    return [{name: _plain(value) for name, value in row.items()} for row in found]


def _plain(value: Any) -> Any:
    """A value as JSON says it; a sum of cents is a whole number, though PostgreSQL adds up to a numeric."""
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return value if isinstance(value, str | int | None) else int(value)
