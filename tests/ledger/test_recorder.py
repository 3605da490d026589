"""The library's own tests and its projections, on our recorder and our log."""

import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from importlib import import_module
from itertools import product
from types import ModuleType
from typing import Any
from uuid import uuid4

import orjson
import psycopg
import pytest
from eventsourcing.persistence import IntegrityError, Notification, StoredEvent, Subscription, Tracking
from eventsourcing.postgres import PostgresTrackingRecorder
from eventsourcing.projection import Projection, ProjectionRunner

from ledger.casino import Casino
from ledger.envelope import Recorded
from ledger.recorder import LEDGER_URL, LedgerDatastore, LedgerRecorder, LogSubscription, stored
from tests.ledger.said import NOON, buy_in, chain, opened, recording, sealed


def library_tests() -> ModuleType:
    """The library's test cases, without the cipher they import: we encrypt nothing and lack what it needs."""
    stand_in: Any = ModuleType("eventsourcing.cipher")
    stand_in.AESCipher = object
    sys.modules["eventsourcing.cipher"] = stand_in
    try:
        return import_module("eventsourcing.tests.persistence")
    finally:
        del sys.modules["eventsourcing.cipher"]


LIBRARY: Any = library_tests()


class AnyBytes(LedgerRecorder):
    """Our recorder behind events in the library's sense: any bytes, under any topic, counted from 0.

    Ours must be JSON in an envelope and are counted from 1; all else, the test cases ask of ours.
    """

    def insert_events(self, stored_events: Sequence[StoredEvent], **kwargs: Any) -> Sequence[int]:
        return list(super().insert_events([stored(_enveloped(one)) for one in stored_events]))

    def select_events(self, *args: Any, **kwargs: Any) -> Sequence[StoredEvent]:
        found = super().select_events(*args, **kwargs)
        return [StoredEvent(*_unwrapped(one)) for one in found]

    def select_notifications(self, *args: Any, **kwargs: Any) -> Sequence[Notification]:
        found = super().select_notifications(*args, **kwargs)
        return [Notification(*_unwrapped(one), one.id) for one in found]


def _enveloped(event: StoredEvent) -> Recorded:
    stream, version, name = str(event.originator_id), event.originator_version + 1, event.topic
    data, text = orjson.dumps(event.state.decode()).decode(), "{}"
    envelope = (NOON, datetime.now(UTC), "F-204", "floor", f"{stream}:{version}", 0, None, None, data, text)
    return Recorded(stream, version, name, 1, *envelope, sha256(data.encode()).digest())


def _unwrapped(event: StoredEvent) -> tuple[str, int, str, bytes]:
    return (
        str(event.originator_id),
        event.originator_version - 1,
        event.topic,
        orjson.loads(event.state).encode(),
    )


class TestTheLibrarysOwnTestCase(LIBRARY.ApplicationRecorderTestCase):  # type: ignore[misc]
    """Everything the library asks of a recorder, subscriptions included. Streams have readable names here."""

    @pytest.fixture(autouse=True)
    def _ledger(self, fresh_ledger: str) -> Iterator[None]:
        with LedgerDatastore(fresh_ledger) as self.datastore:
            yield

    def create_recorder(self) -> LedgerRecorder:
        return AnyBytes(self.datastore)

    def new_originator_id(self) -> str:
        return f"table:{uuid4()}"

    def test_insert_subscribe(self) -> None:
        self.optional_test_insert_subscribe()


class ChipsBought(PostgresTrackingRecorder):
    """A view in the library's sense: chips bought, in cents, and how far it has read."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.seen: list[tuple[int, str]] = []
        self.cents = 0


class BuyIns(Projection[ChipsBought]):
    """Adds up the buy-ins."""

    def process_event(self, domain_event: Any, tracking: Tracking) -> None:
        self.view.seen.append((tracking.notification_id, domain_event.name))
        self.view.cents += getattr(domain_event.event, "amount", 0)
        self.view.insert_tracking(tracking)


def runner(url: str) -> ProjectionRunner[Casino, ChipsBought]:
    env = {LEDGER_URL: url, "PERSISTENCE_MODULE": "ledger.recorder:LedgerFactory"}
    return ProjectionRunner(
        application_class=Casino, projection_class=BuyIns, view_class=ChipsBought, env=env
    )


def test_a_projection_of_the_library_follows_our_log_and_resumes_where_it_stopped(fresh_ledger: str) -> None:
    with Casino.open(fresh_ledger) as casino:
        casino.handle([opened(), buy_in("c1")])
        with runner(fresh_ledger) as running:
            running.wait(2, timeout=20)
            casino.handle([buy_in("c2", amount=500)])
            running.wait(3, timeout=20)
            names = ["TableOpened", "BuyInAccepted", "BuyInAccepted"]
            assert running.view.seen == list(enumerate(names, 1))
            assert running.view.cents == 10_500
        casino.handle([buy_in("c3", amount=700)])
        with runner(fresh_ledger) as running:
            running.wait(4, timeout=20)
            assert running.view.seen == [(4, "BuyInAccepted")]


def test_a_subscription_that_wants_few_events_still_moves_past_the_others(fresh_ledger: str) -> None:
    with recording(fresh_ledger) as recorder:
        recorder.append(chain([f"c{n}" for n in range(40)]))
        with recorder.subscribe(gt=5, topics=["TableClosed"]) as subscription:
            assert isinstance(subscription, LogSubscription)
            subscription._stopped.wait = _stop(subscription)  # type: ignore[method-assign]
            assert list(subscription) == []
            assert subscription._last_notification_id == 40


def _stop(subscription: Subscription[Any]) -> Any:
    return lambda _seconds: subscription.stop()


def test_saving_through_the_library_stores_the_same_event(fresh_ledger: str) -> None:
    with Casino.open(fresh_ledger) as casino:
        records = chain(["c1", "c2"])
        saved = casino.save(*records)
        assert [recording.notification.id for recording in saved] == [1, 2]
        assert list(casino.events.get("table:CR01:2026-11-28")) == records
        assert list(casino.events.get("table:CR01:2026-11-28", gt=1)) == records[1:]
        assert list(casino.events.get("table:CR01:2026-11-28", lte=1)) == records[:1]
        assert list(casino.events.get("table:CR01:2026-11-28", desc=True, limit=1)) == records[1:]
        assert [n.id for n in casino.notification_log["1,10"].items] == [1, 2]


def test_an_append_is_whole_or_absent(fresh_ledger: str) -> None:
    with recording(fresh_ledger) as recorder:
        records = chain(["c1", "c2", "c3"])
        recorder.append(records[1:2])
        with pytest.raises(IntegrityError):
            recorder.append(records)
        with pytest.raises(IntegrityError):
            recorder.append([*records[2:], *sealed("c1", stream="s"), *sealed("c1", stream="t")])
        assert recorder.select_events("table:CR01:2026-11-28") == [stored(records[1])]
        assert recorder.max_notification_id() == 1


CHANGES = (
    "UPDATE pitledger.{} SET property = 'x'",
    "UPDATE pitledger.{} SET property = 'x' WHERE false",
    "DELETE FROM pitledger.{}",
    "DELETE FROM pitledger.{} WHERE false",
    "TRUNCATE pitledger.{}",
)


def test_nothing_stored_can_be_changed_or_removed(fresh_ledger: str) -> None:
    with recording(fresh_ledger) as recorder, psycopg.connect(fresh_ledger, autocommit=True) as conn:
        recorder.append(chain(["c1"]))
        assert recorder.max_notification_id() == 1
        for role, table, change in product(("origin", "replica"), ("events", "log"), CHANGES):
            conn.execute(f"SET session_replication_role = {role}".encode())
            with pytest.raises(psycopg.errors.RaiseException, match=f"pitledger.{table} is append-only"):
                conn.execute(change.format(table).encode())
