"""Events come back as they went in, under names that never change, sealed by a hash that SQL gives too."""

import types
from datetime import UTC, date, datetime
from typing import Any, Literal, Union, get_args, get_origin

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.events import BY_NAME, Happened, ShooterAssigned
from domain.money import LARGEST_AMOUNT
from ledger.envelope import Act, canonical, event_from, seal
from ledger.errors import LedgerError
from tests.ledger.said import recording, sealed

FOR_EVER = """
    AdjustmentMade BlankSlipVoided BuyInAccepted CageBankrollFunded CashDeclared CashLaid
    ChipBreakageRecognised ChipsColoredUp ChipsDestroyed ChipsPlacedInService ChipsRedeemedAtCage
    ChipsSoldAtCage CommandRefused CommissionCollected CommissionRefunded CorrectionRecorded
    CounterfeitFound CreditDispatched CreditLimitSet CreditReceived CreditRequested CreditSent
    CreditVoided DayItemListed DaySealed DicePassed DiceSetIssued DiceSetRemoved DiceWentOut
    DieLeftTable DisputeClosed DisputeOpened DisputePaidFromRack DisputeSettled DropBoxInstalled
    DropBoxRemoved DropBoxSecured DropCountResolved DropCounted DropCountsDiffered
    DropTransferredToVault DropVarianceFound EmergencyDropMade EvenExchangeMade EvidenceAttached
    ExceptionAllowed ExceptionDispositioned ExceptionRaised FillDelivered FillDispatched FillReceived
    FillRequested FillVoided FrontMoneyDeposited FrontMoneyWithdrawn GamingDayClosed GamingDayOpened
    GamingTaxAccrued InventoryVarianceFound MarkerIssued MarkerPaid MarkerRedeemed MarkerWrittenOff
    MispayFound NoRollCalled PlayDenied PlayerWalked PuckMoved RegulatorNotified RimCreditExtended
    RimCreditSettled RollCalled RollOverruled RulingMade RulingOverruled SettlementReversed ShiftClosed
    ShiftOpened ShooterAssigned SurveillanceReviewed TableClosed TableCut TableInventoryCounted
    TableOpened TokeReceived TokeReturned UndeclaredCash VideoHoldPlaced WagerMoved WagerPlaced
    WagerPressed WagerReduced WagerRestored WagerSettled WagerTakenDown WagerTurnedOff WagerTurnedOn
""".split()
SIMPLE: dict[Any, st.SearchStrategy[Any]] = {
    int: st.integers(-LARGEST_AMOUNT, LARGEST_AMOUNT),
    bool: st.booleans(),
    str: st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    date: st.dates(),
    datetime: st.datetimes(timezones=st.just(UTC)),
    type(None): st.none(),
}


def values(annotation: Any) -> st.SearchStrategy[Any]:
    """Anything that a field of an event may hold."""
    parts = get_args(annotation)
    kind = get_origin(annotation)
    if kind is None:
        return SIMPLE[annotation]
    if kind in (types.UnionType, Union):
        return st.one_of([values(part) for part in parts])
    if kind is Literal:
        return st.sampled_from(parts)
    if kind is dict:
        return st.dictionaries(values(parts[0]), values(parts[1]), max_size=4)
    assert kind is tuple, annotation
    if parts[-1] is Ellipsis:
        return st.lists(values(parts[0]), max_size=4).map(tuple)
    return st.tuples(*map(values, parts))


def anything_of(event: type[Happened]) -> st.SearchStrategy[Happened]:
    fields = {name: values(field.annotation) for name, field in event.model_fields.items()}
    return st.builds(event, **fields)


one_of_every_event = st.tuples(*map(anything_of, BY_NAME.values()))


def test_names_in_the_ledger_are_for_ever() -> None:
    assert sorted(FOR_EVER) == FOR_EVER
    missing = set(FOR_EVER) - BY_NAME.keys()
    assert not missing, "an event that may be stored somewhere can never be renamed or removed"
    assert sorted(BY_NAME) == FOR_EVER, "a new event belongs in this list"


def test_every_event_is_read_back_as_it_was_written(fresh_ledger: str) -> None:
    written: list[Happened] = []

    @settings(max_examples=12, database=None, deadline=None)
    @given(one_of_every_event)
    def write_down(events: tuple[Happened, ...]) -> None:
        written.extend(events)

    write_down()
    assert {type(event) for event in written} == set(BY_NAME.values())
    with recording(fresh_ledger) as recorder:
        recorder.append(sealed("c1", written))
        stored = recorder.select_events("table:CR01:2026-11-28")
    assert [event_from(one.topic, one.state) for one in stored] == written
    assert [one.state for one in stored] == list(map(canonical, written))


class DiceChalked(Happened):
    """An event of no ledger, so that it never grows a field."""

    player: str
    dice: tuple[int, int]
    day: date
    chips: dict[str, int] | None = None


CHALKED = DiceChalked(player="Zoë", dice=(3, 4), day=date(2026, 11, 28), chips={"500": 1, "2500": 2})


def test_what_is_stored_is_the_text_that_was_hashed_keys_sorted_and_without_spaces() -> None:
    assert canonical(CHALKED).decode() == (
        '{"chips":{"2500":2,"500":1},"day":"2026-11-28","dice":[3,4],"player":"Zoë"}'
    )


@pytest.mark.parametrize(
    ("name", "data"), [("ShooterAbducted", "{}"), ("ShooterAssigned", '{"player":"Abel","by":"aliens"}')]
)
def test_an_event_of_a_newer_program_is_not_guessed_at(name: str, data: str) -> None:
    with pytest.raises(LedgerError, match=r"cannot read a stored .*: use a newer pitledger"):
        event_from(name, data)


MOMENT = datetime(2026, 11, 28, 18, 0, 3, 250_000, tzinfo=UTC)
ACT = Act("demo", "table:CR01:2026-11-28", "CR01", date(2026, 11, 28), MOMENT, MOMENT, "F-204", "floor", "c1")


def test_the_hash_of_an_event_stays_the_same_for_ever() -> None:
    first, second = seal([CHALKED, CHALKED], ACT, b'{"do":"chalk"}', 0, None)
    assert first.hash.hex() == "232ee453e6639b990aa11eb8988120a3a7df83705946e02d663b91d6bb8aca7c"
    assert second.hash.hex() == "fb8e88254e8b2c15770436b4e78fd91ac7369f38d7a13c942c14072941e71dc0"


@pytest.mark.parametrize(
    "other",
    [
        ACT._replace(property="other"),
        ACT._replace(stream="table:CR02:2026-11-28"),
        ACT._replace(table="CR02"),
        ACT._replace(table=None),
        ACT._replace(table=""),
        ACT._replace(gaming_day=None),
        ACT._replace(occurred_at=MOMENT.replace(microsecond=250_001)),
        ACT._replace(recorded_at=MOMENT.replace(microsecond=250_001)),
        ACT._replace(badge="F-205"),
        ACT._replace(role="dealer"),
        ACT._replace(command="c2"),
        ACT._replace(badge="F-204,5:floor", role=""),
    ],
)
def test_no_part_of_the_envelope_can_change_without_the_hash(other: Act) -> None:
    events = [ShooterAssigned(player="Abel")]
    (one,), (two,) = seal(events, ACT, b"{}", 0, None), seal(events, other, b"{}", 0, None)
    assert one.hash != two.hash


def test_the_same_moment_in_another_zone_is_the_same_moment() -> None:
    events = [ShooterAssigned(player="Abel")]
    elsewhere = ACT._replace(occurred_at=datetime.fromisoformat("2026-11-28T12:00:03.25-06:00"))
    assert seal(events, elsewhere, b"{}", 0, None)[0].hash == seal(events, ACT, b"{}", 0, None)[0].hash


def test_plain_sql_gives_the_same_hashes(fresh_ledger: str) -> None:
    first = sealed("Zoë", [ShooterAssigned(player='Å "b" \\ \n🎲'), ShooterAssigned(player="")])
    other = [r._replace(table=None, gaming_day=None) for r in sealed("c2", stream="day:x")]
    act = other[0].act("demo")
    with recording(fresh_ledger) as recorder, psycopg.connect(fresh_ledger, autocommit=True) as conn:
        recorder.append([*first, *seal([ShooterAssigned(player="x")], act, b'{"a":"\\u0000"}', 0, None)])
        for zone, style in (
            ("UTC", "ISO, YMD"),
            ("Asia/Kolkata", "German"),
            ("America/St_Johns", "SQL, DMY"),
        ):
            conn.execute(b"SET timezone = '%b'; SET datestyle = '%b'" % (zone.encode(), style.encode()))
            assert conn.execute("SELECT * FROM pitledger.broken_links").fetchall() == []
        (recomputed,) = conn.execute(
            "SELECT pitledger.event_hash(%s, e) FROM pitledger.events e WHERE step = 1", (first[0].hash,)
        ).fetchone() or (None,)
    assert recomputed == first[1].hash
