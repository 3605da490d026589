"""A disputed roll from the claim to the closed file, as a pit boss would tell it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any

import orjson
import pytest
from pydantic import ValidationError

from domain import events as e
from domain.books import balance, event_win, money
from domain.commands import COMMAND
from domain.counting import here
from domain.decide import decide
from domain.dispute import Dispute
from domain.events import Happened
from domain.policy.disputes import policies, policy_for
from domain.refusals import Refusal
from domain.subject import Elsewhere, Subject
from domain.table import Table
from tests.domain.pit import INDIANA, Pit

CALLED = datetime(2026, 11, 29, 2, 0, tzinfo=UTC)  # eight in the evening at the table
SHA = "ab" * 32
CASE = {"player": "P1", "roll": 2, "claim": "my four was good", "amount": 17000}


@dataclass
class Hearing:
    """A table where two rolls were called, and what is said of one of them afterwards."""

    pit: Pit = field(default_factory=Pit)
    dispute: Dispute = field(default_factory=Dispute)
    events: list[Happened] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.pit.bet("line", "pass", 1000)
        self.pit.roll(2, 2)
        self.pit.must("no_roll", reason="short", dice=[1, 3])

    def __call__(self, stream: str, /) -> Subject:
        """What a decision sees of the table."""
        known = stream in ("table:CR01:2026-11-28", "table:CR01:")
        return self.pit.table if known else Table()

    def when(self, stream: str, version: int) -> datetime:
        """When the roll in question was called."""
        assert (stream, version) == ("table:CR01:2026-11-28", self.pit.table.calls[1])
        return CALLED

    def opened_on(self, gaming_day: date) -> list[str]:
        """Which tables were open: this one."""
        return ["CR01"]

    def next_opening(self, table: str, gaming_day: date) -> str | None:
        """It has not been opened since."""
        return None

    def say(
        self, do: str, role: str = "floor", badge: str = "F-204", **said: Any
    ) -> list[Happened] | Refusal:
        """A command reaches the dispute, two days later."""
        line = {"id": "c", "at": "2026-11-30T20:00:00-06:00", "table": "CR01", "dispute": "D-1", "do": do}
        text = orjson.dumps({**line, "by": {"badge": badge, "role": role}, **said})
        try:
            caused = decide(COMMAND.validate_json(text), self.dispute, self)
        except Refusal as refusal:
            return refusal
        for elsewhere in caused:
            if isinstance(elsewhere, Elsewhere):
                self.pit.table.apply(elsewhere.event)
        events = here(caused)
        for event in events:
            self.dispute.apply(event)
        self.events += events
        return events

    def must(self, do: str, *who: str, **said: Any) -> list[Happened]:
        answer = self.say(do, *who, **said)
        assert not isinstance(answer, Refusal), (do, answer.reason, answer.message)
        return answer

    def refused(self, do: str, *who: str, **said: Any) -> str:
        before = self.dispute.version
        answer = self.say(do, *who, **said)
        assert isinstance(answer, Refusal), (do, said, answer)
        assert self.dispute.version == before
        return answer.reason.value


def opened(**said: Any) -> Hearing:
    hearing = Hearing()
    hearing.must("dispute", **{**CASE, **said})
    return hearing


def ruled(ruling: str = "upheld", role: str = "floor", badge: str = "F-204", **said: Any) -> Hearing:
    hearing = opened()
    hearing.must("ruling", role, badge, ruling=ruling, reason="the video shows it", **said)
    return hearing


def names(events: Iterable[Happened]) -> list[str]:
    return [event.name for event in events]


SETTLE = {"amount": 17000, "tender": "chips", "approved_by": "M-007"}


# ------------------------------------------------------------------------------------- opening


def test_a_dispute_holds_the_video_around_the_roll_at_once_even_two_days_later() -> None:
    claim, hold = opened().events
    assert isinstance(claim, e.DisputeOpened)
    assert isinstance(hold, e.VideoHoldPlaced)
    assert (claim.table, claim.gaming_day, claim.roll) == ("CR01", date(2026, 11, 28), 2)
    assert hold.camera is None  # every camera on the table
    assert hold.since == CALLED - timedelta(minutes=15)
    assert hold.until == CALLED + timedelta(minutes=10)
    assert claim.rule_by == datetime.fromisoformat("2026-12-05T20:00:00-06:00")


def test_the_camera_and_its_times_are_held_where_somebody_names_them() -> None:
    times = {"video_from": "2026-11-28T19:58:00-06:00", "video_until": "2026-11-28T20:03:00-06:00"}
    hold = opened(camera="C-12", **times).events[1]
    assert isinstance(hold, e.VideoHoldPlaced)
    assert (hold.camera, hold.since.isoformat(), hold.until.isoformat()) == ("C-12", *times.values())


def test_a_dispute_can_be_opened_after_the_table_closed() -> None:
    hearing = Hearing()
    hearing.pit.must("close", "boxman", closer=0)
    assert names(hearing.must("dispute", **CASE)) == ["DisputeOpened", "VideoHoldPlaced"]


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({"roll": 3}, "NO_SUCH_ROLL"),
        ({"player": "P9"}, "NO_SUCH_PLAYER"),
        ({"wager": "w9"}, "NO_SUCH_WAGER"),
        ({"amount": 0}, "BAD_AMOUNT"),
        ({"gaming_day": "2026-11-27"}, "TABLE_NOT_OPEN"),
        ({"table": "CR02"}, "TABLE_NOT_OPEN"),
    ],
)
def test_what_never_was_at_the_table_cannot_be_disputed(said: dict[str, Any], reason: str) -> None:
    assert Hearing().refused("dispute", **{**CASE, **said}) == reason


def test_one_id_is_one_dispute() -> None:
    assert opened().refused("dispute", **CASE) == "DUPLICATE_DISPUTE"


@pytest.mark.parametrize(("amount", "noticed"), [(49_999, []), (50_000, [50_000]), (-50_000, [-50_000])])
def test_the_regulator_hears_of_a_dispute_that_reaches_the_threshold(amount: int, noticed: list[int]) -> None:
    notices = [v for v in opened(amount=amount).events if isinstance(v, e.RegulatorNotified)]
    assert [notice.amount for notice in notices] == noticed
    assert all(notice.threshold == 50_000 and notice.cause == "threshold" for notice in notices)


def test_anybody_may_give_the_regulator_notice_of_a_small_one() -> None:
    [notice] = opened().must("notify_regulator", reason="the patron asked for it", reference="GCB-2026-118")
    assert isinstance(notice, e.RegulatorNotified)
    assert (notice.cause, notice.reference, notice.threshold) == ("notice", "GCB-2026-118", None)


def test_indiana_gives_its_patrons_five_business_days_to_complain() -> None:
    hearing = Hearing(Pit(rules=INDIANA, terms={"paytable": "reference"}))
    claim = hearing.must("dispute", **CASE)[0]
    assert isinstance(claim, e.DisputeOpened)
    assert claim.complain_by == date(2026, 12, 4)  # the 28th was a Saturday
    assert claim.policy == "in-68-iac-18"


def test_every_policy_says_where_it_comes_from_and_the_newest_in_force_counts() -> None:
    assert all(policy.source and policy.notify_section for policy in policies())
    assert policy_for("pa-crapless", date(2026, 11, 28)).id == "house-2026"
    assert policy_for("in-68-iac-10-4", date(2026, 11, 28)).id == "in-68-iac-18"


# ------------------------------------------------------------------------------------- evidence


def test_evidence_is_known_by_its_hash() -> None:
    [video] = opened().must("evidence", kind="video", reference="DVR-3/clip 118", sha256=SHA.upper())
    assert video == e.EvidenceAttached(kind="video", reference="DVR-3/clip 118", sha256=SHA, note=None)


def test_only_surveillance_reviews_a_recording() -> None:
    review = {"kind": "surveillance_review", "reference": "clip 118", "sha256": SHA, "note": "1-3, flat"}
    assert opened().refused("evidence", **review) == "NO_AUTHORITY"
    assert names(opened().must("evidence", "surveillance", "V-3", **review)) == ["SurveillanceReviewed"]


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ({"kind": "video"}, "needs its"),
        ({"kind": "video", "sha256": "abc"}, "64 hexadecimal digits"),
        ({"kind": "note"}, "needs a"),
        ({"kind": "surveillance_review", "sha256": SHA}, "needs a"),
    ],
)
def test_evidence_without_what_makes_it_evidence_is_malformed(said: dict[str, Any], wrong: str) -> None:
    with pytest.raises(ValidationError, match=wrong):
        opened().say("evidence", reference="clip 118", **said)


# ------------------------------------------------------------------------------------- rulings


def test_upheld_gives_what_was_claimed_denied_nothing_and_in_part_what_it_says() -> None:
    assert ruled("upheld").dispute.due == 17000
    assert ruled("denied").dispute.due == 0
    assert ruled("settled_in_part", amount=10500).dispute.due == 10500


@pytest.mark.parametrize("amount", [0, -1, 17000, 17001])
def test_a_part_is_less_than_the_whole_and_more_than_nothing(amount: int) -> None:
    assert opened().refused("ruling", ruling="settled_in_part", amount=amount, reason="-") == "BAD_AMOUNT"


@pytest.mark.parametrize(("ruling", "more"), [("settled_in_part", {}), ("upheld", {"amount": 5})])
def test_an_amount_goes_with_a_part_and_only_with_it(ruling: str, more: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="goes with settled_in_part"):
        opened().say("ruling", ruling=ruling, reason="-", **more)


def test_a_shift_manager_reverses_the_floor_and_both_rulings_stay_in_the_file() -> None:
    hearing = ruled("denied")
    overruled, made = hearing.must(
        "ruling", "shift_manager", "M-001", ruling="upheld", reason="the dice were in the air"
    )
    assert overruled == e.RulingOverruled(ruling="denied", amount=0, badge="F-204", role="floor")
    assert isinstance(made, e.RulingMade)
    assert (made.ruling, made.amount, made.badge, made.role) == ("upheld", 17000, "M-001", "shift_manager")
    assert names(hearing.events).count("RulingMade") == 2


RANKS = ["boxman", "floor", "pit_manager", "shift_manager", "regulator"]


@pytest.mark.parametrize("first", RANKS)
@pytest.mark.parametrize("second", RANKS)
def test_only_a_higher_rank_overrules(first: str, second: str) -> None:
    level = {"boxman": 2, "floor": 2, "pit_manager": 3, "shift_manager": 4, "regulator": 5}
    hearing = ruled("denied", first, "A-1")
    answer = hearing.say("ruling", second, "B-2", ruling="upheld", reason="-")
    may = level[second] > level[first] or first == second == "regulator"  # his instances: agent, board, court
    assert isinstance(answer, Refusal) != may
    assert isinstance(answer, list) or answer.reason == "NO_AUTHORITY"


def test_nobody_overrules_himself_whatever_he_has_become() -> None:
    hearing = ruled("denied", "floor", "F-204")
    promoted = {"ruling": "upheld", "reason": "I have thought about it"}
    assert hearing.refused("ruling", "shift_manager", "F-204", **promoted) == "NO_AUTHORITY"


@pytest.mark.parametrize(
    "role", ["dealer", "stickman", "cage", "surveillance", "security", "device", "audit"]
)
def test_a_ruling_takes_a_supervisor(role: str) -> None:
    assert opened().refused("ruling", role, "X-1", ruling="upheld", reason="-") == "NO_AUTHORITY"


# ------------------------------------------------------------------------------------- money


def test_a_settlement_goes_from_the_rack_into_the_patron_s_hands_while_the_table_is_open() -> None:
    hearing = ruled()
    rails = dict(hearing.pit.table.rails)
    [settled] = hearing.must("settle_dispute", "cage", "K-4", **SETTLE)
    assert isinstance(settled, e.DisputeSettled)
    assert settled.paid_from == "rack"
    moved = money(settled)
    assert event_win(moved) == -17000
    assert (balance("rack", moved), balance("outside", moved), balance("rail", moved)) == (-17000, 17000, 0)
    assert hearing.pit.table.rails == rails


def test_the_rack_that_paid_a_dispute_is_counted_as_having_paid_it() -> None:
    hearing = ruled()
    before = hearing.pit.table.book_rack
    hearing.must("settle_dispute", "cage", "K-4", **SETTLE)
    assert hearing.pit.table.book_rack == before - 17000


@pytest.mark.parametrize("tender", ["chips", "cash"])
def test_of_a_table_that_has_closed_it_is_paid_at_the_cage(tender: str) -> None:
    hearing = ruled()
    hearing.pit.must("close", "boxman", closer=0)
    [settled] = hearing.must("settle_dispute", **{**SETTLE, "tender": tender})
    moved = money(settled)
    assert (event_win(moved), balance("rack", moved), balance("cage", moved)) == (-17000, 0, -17000)


def test_cash_comes_from_the_cage_even_while_the_table_is_open() -> None:
    [settled] = ruled().must("settle_dispute", **{**SETTLE, "tender": "cash"})
    assert isinstance(settled, e.DisputeSettled)
    assert settled.paid_from == "cage"


def test_what_a_patron_was_paid_too_much_comes_back_from_him() -> None:
    hearing = opened(amount=-2000)
    hearing.must("ruling", ruling="upheld", reason="paid as if on the six")
    assert hearing.refused("settle_dispute", **{**SETTLE, "amount": 2000}) == "BAD_AMOUNT"
    [settled] = hearing.must("settle_dispute", **{**SETTLE, "amount": -2000})
    assert event_win(money(settled)) == 2000


@pytest.mark.parametrize(
    ("who", "approved_by", "reason"),
    [
        (("cage", "K-4"), "K-4", "NO_AUTHORITY"),  # approves his own payment
        (("cage", "K-4"), "F-204", "NO_AUTHORITY"),  # ruled, and approves the money
        (("cage", "K-4"), {"badge": "F-204", "role": "floor"}, "NO_AUTHORITY"),
    ],
)
def test_ruling_paying_and_approving_are_not_one_hand(who: Any, approved_by: Any, reason: str) -> None:
    assert ruled().refused("settle_dispute", *who, **{**SETTLE, "approved_by": approved_by}) == reason


def test_nothing_moves_before_a_ruling() -> None:
    assert opened().refused("settle_dispute", **SETTLE) == "NO_RULING"


def test_nothing_moves_under_a_ruling_that_denies() -> None:
    assert ruled("denied").refused("settle_dispute", **SETTLE) == "ALREADY_SETTLED"


def test_not_a_cent_more_than_the_ruling_gives() -> None:
    assert ruled().refused("settle_dispute", **{**SETTLE, "amount": 17001}) == "BAD_AMOUNT"


def test_a_ruling_is_settled_under_once_even_if_the_patron_took_less() -> None:
    hearing = ruled()
    hearing.must("settle_dispute", **{**SETTLE, "amount": 10000})
    assert hearing.refused("settle_dispute", **{**SETTLE, "amount": 7000}) == "ALREADY_SETTLED"


def test_a_later_ruling_moves_only_the_difference() -> None:
    hearing = ruled("settled_in_part", amount=10500)
    hearing.must("settle_dispute", **{**SETTLE, "amount": 10500})
    hearing.must("ruling", "regulator", "GCB-17", ruling="upheld", reason="order of the Board")
    assert hearing.dispute.due == 6500
    hearing.must("settle_dispute", **{**SETTLE, "amount": 6500})
    hearing.must("ruling", "regulator", "COURT", ruling="denied", reason="reversed on appeal")
    assert hearing.dispute.due == -17000
    hearing.must("settle_dispute", **{**SETTLE, "amount": -17000})
    assert sum(event_win(money(event)) for event in hearing.events) == 0


# ------------------------------------------------------------------------------------- closing


def test_a_dispute_is_closed_when_nothing_is_due_and_its_video_is_kept_for_a_year() -> None:
    hearing = ruled()
    assert hearing.refused("close_dispute") == "NOT_SETTLED"
    hearing.must("settle_dispute", **SETTLE)
    [closed] = hearing.must("close_dispute", reason="paid and signed")
    assert closed == e.DisputeClosed(
        outcome="upheld", paid=17000, reason="paid and signed", video_until=date(2027, 11, 30)
    )


def test_a_dispute_without_a_ruling_can_only_be_withdrawn() -> None:
    assert opened().refused("close_dispute") == "NO_RULING"
    assert ruled("denied").refused("close_dispute", withdrawn=True) == "WRONG_PHASE"
    [closed] = opened().must("close_dispute", withdrawn=True)
    assert isinstance(closed, e.DisputeClosed)
    assert (closed.outcome, closed.paid) == ("withdrawn", 0)


AFTERWARDS: dict[str, dict[str, Any]] = {
    "evidence": {"kind": "note", "reference": "letter", "note": "he came back"},
    "ruling": {"ruling": "upheld", "reason": "-"},
    "settle_dispute": SETTLE,
    "notify_regulator": {},
    "close_dispute": {"withdrawn": True},
}


@pytest.mark.parametrize("do", AFTERWARDS)
def test_a_closed_dispute_stays_closed(do: str) -> None:
    hearing = opened()
    hearing.must("close_dispute", withdrawn=True)
    assert hearing.refused(do, **AFTERWARDS[do]) == "DISPUTE_CLOSED"


@pytest.mark.parametrize("do", AFTERWARDS)
def test_a_dispute_that_is_not_there_and_one_of_another_table_are_nothing_to_speak_of(do: str) -> None:
    assert Hearing().refused(do, **AFTERWARDS[do]) == "NO_SUCH_DISPUTE"
    assert opened().refused(do, **{**AFTERWARDS[do], "table": "CR02"}) == "NO_SUCH_DISPUTE"


@pytest.mark.parametrize("build", [opened, ruled])
def test_a_refusal_changes_nothing_in_the_dispute(build: Callable[[], Hearing]) -> None:
    hearing = build()
    before = {**vars(hearing.dispute), "version": None}
    hearing.dispute.apply(e.CommandRefused(do="ruling", reason="NO_AUTHORITY", message="-"))
    assert {**vars(hearing.dispute), "version": None} == before
