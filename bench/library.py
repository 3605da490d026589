"""The library as it comes: its own application, mapper, recorder, and its ProjectionRunner with one view."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from eventsourcing.application import Application
from eventsourcing.domain import DomainEventProtocol
from eventsourcing.persistence import Tracking
from eventsourcing.postgres import PostgresDatastore, PostgresTrackingRecorder
from eventsourcing.projection import Projection, ProjectionRunner
from orjson import loads
from psycopg.conninfo import conninfo_to_dict
from psycopg.sql import SQL, Identifier

from ledger.log import LogRow

PATIENCE = 600  # seconds


@dataclass(frozen=True)
class Stored:
    """An event of ours as the library would have it: a dataclass of its own, transcoded by its own JSON."""

    originator_id: str
    originator_version: int
    name: str
    badge: str
    command: str
    event: dict[str, Any]


class House(Application[str]):
    """Stores events as the library does where nothing is said."""


class Stakes(PostgresTrackingRecorder):
    """A view of one row a player: what was staked and decided."""

    def __init__(self, datastore: PostgresDatastore, **named: Any) -> None:
        super().__init__(datastore, **named)
        self.check_identifier_length("stakes")
        table = Identifier(self.datastore.schema), Identifier("stakes")
        self.sql_create_statements.append(
            SQL(
                "CREATE TABLE IF NOT EXISTS {}.{} (player text PRIMARY KEY, staked bigint, net bigint)"
            ).format(*table)
        )
        self.add_statement = SQL(
            "INSERT INTO {}.{} AS old VALUES (%s, %s, %s) ON CONFLICT (player) "
            "DO UPDATE SET staked = old.staked + excluded.staked, net = old.net + excluded.net"
        ).format(*table)

    def add(self, player: str, staked: int, net: int, tracking: Tracking) -> None:
        """Add to a player's row, and remember how far the view has come, in one transaction."""
        with self.datastore.transaction(commit=True) as cursor:
            cursor.execute(self.add_statement, (player, staked, net))
            self._insert_tracking(cursor, tracking)


class OfStakes(Projection[Stakes]):
    """The simplest projection there can be of a table's events."""

    def process_event(self, domain_event: DomainEventProtocol[str], tracking: Tracking) -> None:
        assert isinstance(domain_event, Stored), domain_event
        said = domain_event.event
        player, staked, net = said.get("player") or "", said.get("amount") or 0, said.get("net") or 0
        self.view.add(player, staked, net, tracking)


def settings(url: str) -> dict[str, str]:
    """The library's five settings for the database at `url`, and readable names of streams."""
    place = conninfo_to_dict(url)
    return {
        "PERSISTENCE_MODULE": "eventsourcing.postgres",
        "ORIGINATOR_ID_TYPE": "text",
        "POSTGRES_DBNAME": str(place["dbname"]),
        "POSTGRES_HOST": str(place.get("host") or "localhost"),
        "POSTGRES_PORT": str(place.get("port") or 5432),
        "POSTGRES_USER": str(place.get("user") or ""),
        "POSTGRES_PASSWORD": str(place.get("password") or ""),
    }


def store(url: str, rows: Iterable[LogRow]) -> int:
    """Store the events of `rows` in the library's own way; answers its last notification."""
    with House(settings(url)) as house:
        remaining: Iterator[LogRow] = iter(rows)
        while part := list(islice(remaining, 100)):
            house.save(*(_stored(row) for row in part))
        return house.recorder.max_notification_id() or 0


def _stored(row: LogRow) -> Stored:
    return Stored(row.stream, row.version, row.name, row.badge, row.command, loads(row.data))


def run_projection(url: str, until: int) -> int:
    """Let the library's runner bring the view up to notification `until`."""
    with ProjectionRunner(
        application_class=House, projection_class=OfStakes, view_class=Stakes, env=settings(url)
    ) as runner:
        runner.wait(until, timeout=PATIENCE)
    return until
