"""Commands in, events out: once, in order, at the right table, whoever else is at work."""

import multiprocessing
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing.synchronize import Barrier as ProcessBarrier
from threading import Barrier
from typing import Any

import psycopg
import pytest

import ledger.casino
from domain.events import BuyInAccepted, CommandRefused, VideoHoldPlaced
from domain.table import Table
from ledger.casino import Answer, Casino, Submitted, second_use
from ledger.database import connect
from ledger.envelope import Recorded
from ledger.errors import LedgerError
from ledger.log import LogRow, bring_up_to_date, event_of, read_log
from ledger.proofs import faults
from ledger.recorder import Conflict
from tests.ledger.cut_line import cut_line
from tests.ledger.said import buy_in, closed, opened, recording, said, sealed, walk

STREAM = "table:CR01:2026-11-28"


@pytest.fixture
def casino(fresh_ledger: str) -> Iterator[Casino]:
    """A casino with an empty ledger."""
    with Casino.open(fresh_ledger) as casino:
        yield casino


@pytest.fixture
def open_casino(casino: Casino) -> Casino:
    """A casino whose table CR01 is open."""
    assert casino.handle([opened()]) == [accepted()]
    return casino


def accepted(events: int = 1) -> Answer:
    return Answer("accepted", False, None, None, events)


def log_of(url: str) -> list[LogRow]:
    with connect(url) as conn:
        return read_log(conn, 0, max(1, bring_up_to_date(conn)))


def commands(url: str) -> list[str]:
    return [row.command for row in log_of(url)]


def table_of(url: str, stream: str = STREAM) -> Table:
    table = Table()
    for row in log_of(url):
        if row.stream == stream:
            table.apply(event_of(row))
    return table


def no_faults(url: str) -> None:
    with connect(url) as conn:
        assert list(faults(conn)) == []


# ------------------------------------------------------------------------------------------ at the table


def test_chips_left_on_a_rail_over_night_are_there_when_the_table_opens_again(
    open_casino: Casino, fresh_ledger: str
) -> None:
    open_casino.handle([buy_in("c1"), closed("c2")])
    assert open_casino.handle([opened("c3", gaming_day="2026-11-29")]) == [accepted(events=3)]
    assert table_of(fresh_ledger).rails == {"Abel": 0}
    assert table_of(fresh_ledger, "table:CR01:2026-11-29").rails == {"Abel": 10_000}
    assert open_casino.handle([walk("c4", amount=10_000)]) == [accepted()]
    opening = [(row.stream[-2:], row.name, row.step) for row in log_of(fresh_ledger) if row.command == "c3"]
    assert opening == [("29", "TableOpened", 0), ("28", "PlayerWalked", 1), ("29", "BuyInAccepted", 2)]
    no_faults(fresh_ledger)


def test_a_box_counted_the_next_day_goes_into_the_books_of_the_day_it_names(
    open_casino: Casino, fresh_ledger: str
) -> None:
    open_casino.handle([closed("c1"), opened("c2", gaming_day="2026-11-29")])
    count: dict[str, Any] = {"by": {"badge": "C-7", "role": "count"}, "box": "17", "cash": 0}
    assert open_casino.handle([said("c3", "count_drop", gaming_day="2026-11-28", **count)]) == [accepted()]
    assert log_of(fresh_ledger)[-1].stream == STREAM


# ------------------------------------------------------------------------------------------ beside the table

CLAIM = {"dispute": "D-1", "roll": 1, "player": "Abel", "claim": "a seven", "amount": 1000}
IN_DISPUTE = "dispute:D-1"


def rolled(id_: str = "r1") -> Submitted:
    return said(id_, "roll", dice=[3, 4], at="2026-11-28T21:00:00-06:00")


def disputed(id_: str = "d1", **fields: Any) -> Submitted:
    return said(id_, "dispute", at="2026-11-30T10:00:00-06:00", **{**CLAIM, **fields})


def test_a_dispute_has_a_stream_of_its_own_and_belongs_to_the_day_of_its_roll(
    open_casino: Casino, fresh_ledger: str
) -> None:
    open_casino.handle([buy_in("c1"), rolled(), closed("c2"), opened("c3", gaming_day="2026-11-29")])
    assert open_casino.handle([disputed(gaming_day="2026-11-28")]) == [accepted(events=2)]
    note = {"kind": "note", "reference": "-", "note": "he wrote", "dispute": "D-1"}
    assert open_casino.handle([said("d2", "evidence", **note)]) == [accepted()]
    rows = [row for row in log_of(fresh_ledger) if row.stream == IN_DISPUTE]
    assert [(row.name, row.version) for row in rows] == [
        ("DisputeOpened", 1),
        ("VideoHoldPlaced", 2),
        ("EvidenceAttached", 3),
    ]
    assert {(row.table, str(row.gaming_day)) for row in rows} == {("CR01", "2026-11-28")}
    no_faults(fresh_ledger)


def test_the_video_is_held_around_the_call_whether_it_was_stored_before_or_comes_in_the_same_batch(
    open_casino: Casino, fresh_ledger: str
) -> None:
    open_casino.handle([buy_in("c1"), rolled(), disputed()])
    open_casino.handle([disputed("d2", dispute="D-2")])
    holds = [event_of(row) for row in log_of(fresh_ledger) if row.name == "VideoHoldPlaced"]
    assert len(holds) == 2
    assert holds[0] == holds[1]
    assert isinstance(holds[0], VideoHoldPlaced)
    assert holds[0].since.isoformat() == "2026-11-28T20:45:00-06:00"


def test_a_decision_sees_what_another_process_did_at_the_table(
    open_casino: Casino, fresh_ledger: str
) -> None:
    open_casino.handle([buy_in("c1")])
    with Casino.open(fresh_ledger) as tablet:
        tablet.handle([rolled()])
    assert open_casino.handle([disputed()]) == [accepted(events=2)]


def test_a_dispute_refused_and_one_said_again_are_answered_like_any_command(open_casino: Casino) -> None:
    open_casino.handle([buy_in("c1")])
    [refused] = open_casino.handle([disputed()])
    assert (refused.reason, refused.message) == (
        "NO_SUCH_ROLL",
        "there is no roll 1 at CR01 on 2026-11-28; the last is 0",
    )
    assert open_casino.handle([disputed()]) == [refused._replace(known=True, events=0)]
    open_casino.handle([rolled()])
    assert open_casino.handle([disputed("d2")]) == [accepted(events=2)]  # the stream had a refusal in it


def test_of_two_who_rule_at_once_the_second_decides_on_what_the_first_ruled(
    open_casino: Casino, fresh_ledger: str
) -> None:
    open_casino.handle([buy_in("c1"), rolled(), disputed()])
    ruling = {"dispute": "D-1", "ruling": "denied", "reason": "-"}
    with Casino.open(fresh_ledger) as other:
        other.handle([said("d2", "ruling", by={"badge": "F-1", "role": "floor"}, **ruling)])
    [second] = open_casino.handle([said("d3", "ruling", by={"badge": "B-2", "role": "boxman"}, **ruling)])
    assert second.reason == "NO_AUTHORITY"


def test_a_call_is_decided_in_order_and_stored_whole(open_casino: Casino, fresh_ledger: str) -> None:
    bet = said("c2", "bet", player="Abel", wager="w1", kind="pass", amount=1000)
    answers = open_casino.handle([buy_in("c1"), bet, walk("c3", amount=9_000), walk("c4", amount=1)])
    assert answers[:3] == [accepted()] * 3
    assert answers[3].reason == "INSUFFICIENT_FUNDS"
    assert commands(fresh_ledger) == ["open", "c1", "c2", "c3", "c4"]
    no_faults(fresh_ledger)


def test_the_envelope_says_who_when_where_and_by_which_command(
    open_casino: Casino, fresh_ledger: str
) -> None:
    one = buy_in("c1")
    before = time.time()
    open_casino.handle([one])
    row = log_of(fresh_ledger)[-1]
    assert (row.position, row.stream, row.version, row.name) == (2, STREAM, 2, "BuyInAccepted")
    assert (row.badge, row.role, row.command, row.step) == ("F-204", "floor", "c1", 0)
    assert (row.table, str(row.gaming_day), row.occurred_at) == ("CR01", "2026-11-28", one.command.at)
    assert before - 1 < row.recorded_at.timestamp() < time.time() + 1
    with psycopg.connect(fresh_ledger) as conn:
        stored = conn.execute(
            "SELECT command_text::text FROM pitledger.events WHERE command = 'c1'"
        ).fetchone()
    assert stored == (one.text.decode(),)


def test_a_refused_command_is_a_fact_in_the_ledger(open_casino: Casino, fresh_ledger: str) -> None:
    (answer,) = open_casino.handle([walk("c1", amount=500)])
    assert (answer.status, answer.known, answer.reason, answer.events) == (
        "refused",
        False,
        "INSUFFICIENT_FUNDS",
        1,
    )
    event = event_of(log_of(fresh_ledger)[-1])
    assert isinstance(event, CommandRefused)
    assert (event.do, event.reason, event.message, event.amount) == (
        "walk",
        answer.reason,
        answer.message,
        500,
    )


def test_a_refusal_does_not_turn_into_a_yes_when_the_log_is_read_again(
    open_casino: Casino, fresh_ledger: str
) -> None:
    (no,) = open_casino.handle([walk("c1", amount=500)])
    open_casino.handle([buy_in("c2")])
    assert open_casino.handle([walk("c1", amount=500)]) == [no._replace(known=True, events=0)]
    assert table_of(fresh_ledger).rails == {"Abel": 10_000}


def test_a_command_for_a_table_that_never_opened_is_refused_on_its_gaming_day(
    casino: Casino, fresh_ledger: str
) -> None:
    early = said("c1", "walk", player="Abel", at="2026-11-29T05:59:00-06:00")
    late = said("c2", "walk", player="Abel", at="2026-11-29T06:00:00-06:00")
    assert [answer.reason for answer in casino.handle([early, late])] == ["TABLE_NOT_OPEN"] * 2
    assert [row.stream for row in log_of(fresh_ledger)] == [STREAM, "table:CR01:2026-11-29"]


def test_a_table_open_now_cannot_be_opened_for_another_day(open_casino: Casino, fresh_ledger: str) -> None:
    (answer,) = open_casino.handle([opened("again", gaming_day="2026-11-29")])
    assert answer.reason == "TABLE_ALREADY_OPEN"
    assert [row.stream for row in log_of(fresh_ledger)] == [STREAM] * 2


def test_commands_follow_the_table_into_its_next_gaming_day(casino: Casino, fresh_ledger: str) -> None:
    day = [opened("o1"), closed("x1"), opened("o2", gaming_day="2026-11-29"), buy_in("c1")]
    assert casino.handle(day) == [accepted()] * 4
    assert casino.handle([buy_in("c2")]) == [accepted()]
    streams = [row.stream.removeprefix("table:CR01:") for row in log_of(fresh_ledger)]
    assert streams == ["2026-11-28", "2026-11-28", "2026-11-29", "2026-11-29", "2026-11-29"]


def test_a_table_closed_and_opened_by_someone_else_is_found_again(
    open_casino: Casino, fresh_ledger: str
) -> None:
    with Casino.open(fresh_ledger) as other:
        other.handle([closed("x1"), opened("o2", gaming_day="2026-11-29")])
    assert open_casino.handle([buy_in("c1")]) == [accepted()]
    assert log_of(fresh_ledger)[-1].stream == "table:CR01:2026-11-29"


def test_a_table_opened_again_by_someone_else_does_not_open_for_another_day(
    open_casino: Casino, fresh_ledger: str
) -> None:
    open_casino.handle([closed("x1")])
    with Casino.open(fresh_ledger) as other:
        assert other.handle([opened("o2")]) == [accepted()]
    (answer,) = open_casino.handle([opened("o3", gaming_day="2026-11-29")])
    assert answer.reason == "TABLE_ALREADY_OPEN"


def test_what_is_kept_warm_is_what_the_stream_says(
    casino: Casino, fresh_ledger: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger.casino, "TABLES_KEPT_WARM", 2)
    tables = [f"CR0{n}" for n in range(1, 6)]
    casino.handle([opened(f"o{table}", table) for table in tables])
    for turn in range(3):
        casino.handle([buy_in(f"c{turn}:{table}", table=table) for table in tables])
    assert table_of(fresh_ledger, "table:CR03:2026-11-28").rails == {"Abel": 30_000}
    no_faults(fresh_ledger)


# ------------------------------------------------------------------------------------------ said twice


def test_a_command_sent_again_changes_nothing_and_is_answered_as_before(
    open_casino: Casino, fresh_ledger: str
) -> None:
    open_casino.handle([buy_in("c1")])
    known = Answer("accepted", True, None, None, 0)
    assert open_casino.handle([buy_in("c1"), buy_in("c1")]) == [known] * 2
    with Casino.open(fresh_ledger) as other:
        assert other.handle([opened(), buy_in("c1")]) == [known] * 2
    assert commands(fresh_ledger) == ["open", "c1"]


def test_a_command_twice_in_one_call_is_decided_once(open_casino: Casino, fresh_ledger: str) -> None:
    known = Answer("accepted", True, None, None, 0)
    assert open_casino.handle([buy_in("c1"), buy_in("c1")]) == [accepted(), known]
    assert commands(fresh_ledger) == ["open", "c1"]


def test_an_id_used_again_with_other_content_is_refused_and_that_once(
    open_casino: Casino, fresh_ledger: str
) -> None:
    first, other, third = buy_in("c1"), buy_in("c1", amount=999), buy_in("c1", amount=111)
    open_casino.handle([first])
    (no,) = open_casino.handle([other])
    assert (no.status, no.known, no.reason, no.events) == ("refused", False, "ID_REUSED", 1)
    assert open_casino.handle([other, first, third, third]) == [
        no._replace(known=True, events=0),
        Answer("accepted", True, None, None, 0),
        no,
        no._replace(known=True, events=0),
    ]
    assert commands(fresh_ledger) == ["open", "c1", second_use(other), second_use(third)]
    assert table_of(fresh_ledger).rails == {"Abel": 10_000}


def test_two_contents_under_one_id_in_one_call_are_told_apart(open_casino: Casino, fresh_ledger: str) -> None:
    told = open_casino.handle([buy_in("c1"), buy_in("c1", amount=999)])
    assert [answer.reason for answer in told] == [None, "ID_REUSED"]
    again = open_casino.handle([buy_in("c1"), buy_in("c1", amount=999)])
    assert again == [answer._replace(known=True, events=0) for answer in told]
    assert len(commands(fresh_ledger)) == 3


def test_the_same_command_from_eight_sides_at_once_is_stored_once(
    open_casino: Casino, fresh_ledger: str
) -> None:
    ready = Barrier(8)

    def send(_: int) -> list[Answer]:
        with Casino.open(fresh_ledger) as side:
            side.handle([opened()])
            ready.wait(30)
            return side.handle([buy_in("c1"), walk("c2", "Bea", amount=1)])

    with ThreadPoolExecutor(8) as sides:
        answers = list(sides.map(send, range(8)))
    assert sorted(commands(fresh_ledger)) == ["c1", "c2", "open"]
    assert sorted(yes.known for yes, _ in answers) == [False] + [True] * 7
    assert {yes.status for yes, _ in answers} == {"accepted"}
    assert len({(no.reason, no.message) for _, no in answers}) == 1


# ------------------------------------------------------------------------------------------ lost lines


def test_a_command_whose_answer_was_lost_at_commit_is_recognised_as_ones_own(fresh_ledger: str) -> None:
    with cut_line(fresh_ledger) as line, Casino.open(line.url) as casino:
        casino.handle([opened()])
        line.cut_after(b"BuyInAccepted")
        answers = casino.handle(
            [buy_in("c1"), walk("c2", "Bea", amount=1), buy_in("c1"), buy_in("c1", amount=1)]
        )
        assert line.cuts == 1
        assert [(one.status, one.known, one.reason, one.events) for one in answers] == [
            ("accepted", False, None, 1),
            ("refused", False, "INSUFFICIENT_FUNDS", 1),
            ("accepted", True, None, 0),
            ("refused", False, "ID_REUSED", 1),
        ]
        assert casino.handle([buy_in("c3")]) == [accepted()]
    assert commands(fresh_ledger) == ["open", "c1", "c2", second_use(buy_in("c1", amount=1)), "c3"]
    no_faults(fresh_ledger)


def test_a_server_that_throws_everybody_out_between_two_calls_loses_nothing(
    open_casino: Casino, fresh_ledger: str
) -> None:
    with psycopg.connect(fresh_ledger, autocommit=True) as conn:
        conn.execute(
            """SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid()"""
        )
    assert open_casino.handle([buy_in("c1")]) == [accepted()]
    assert commands(fresh_ledger) == ["open", "c1"]


def test_a_call_gives_up_after_a_while_and_says_so(
    open_casino: Casino, fresh_ledger: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def always_late(_: Any) -> int:
        raise Conflict("someone was first")

    with monkeypatch.context() as patched:
        patched.setattr(ledger.casino, "PATIENCE", 0.1)
        patched.setattr(open_casino.recorder, "append", always_late)
        with pytest.raises(
            LedgerError, match=r"after \d+ tries \(someone was first\): send the same commands"
        ):
            open_casino.handle([buy_in("c1")])
    assert open_casino.handle([buy_in("c1")]) == [accepted()]
    assert commands(fresh_ledger) == ["open", "c1"]


def test_a_decision_that_fails_stores_nothing_and_remembers_nothing(
    open_casino: Casino, fresh_ledger: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(ledger.casino, "refused", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            open_casino.handle([buy_in("c1"), walk("c2", "Bea", amount=1)])
    assert open_casino.handle([walk("c3", amount=1)])[0].reason == "INSUFFICIENT_FUNDS"
    assert commands(fresh_ledger) == ["open", "c3"]


def test_a_casino_that_cannot_be_reached_says_so_in_one_line() -> None:
    with pytest.raises(LedgerError, match=r"127\.0\.0\.1:1"):
        Casino.open("postgresql://nobody@127.0.0.1:1/nothing?connect_timeout=2")


# ------------------------------------------------------------------------------------------ two at a table


def test_a_loser_of_the_race_decides_again_on_what_the_winner_left(
    open_casino: Casino, fresh_ledger: str
) -> None:
    open_casino.handle([buy_in("c1", amount=1_000)])
    with Casino.open(fresh_ledger) as other:
        assert other.handle([walk("w1")]) == [accepted()]
        (no,) = open_casino.handle([walk("w2", amount=1_000)])
        assert no.reason == "INSUFFICIENT_FUNDS", "the chips were gone, though this process had not seen it"
    assert table_of(fresh_ledger).rails == {"Abel": 0}


def deal(url: str, dealer: str, ready: ProcessBarrier) -> None:
    """Sixty buy-ins of one's own and thirty commands that both dealers send, three at a time."""
    with Casino.open(url) as casino:
        casino.handle([opened()])
        ready.wait(60)
        for turn in range(30):
            own = [buy_in(f"{dealer}:{turn}:{n}", dealer, 100) for n in range(2)]
            casino.handle([own[0], buy_in(f"both:{turn}", "Both", 100), own[1]])


def test_two_processes_at_one_table_lose_nothing_and_duplicate_nothing(
    open_casino: Casino, fresh_ledger: str
) -> None:
    context = multiprocessing.get_context("spawn")
    ready = context.Barrier(2)
    dealers = [context.Process(target=deal, args=(fresh_ledger, dealer, ready)) for dealer in ("Ann", "Bob")]
    for dealer in dealers:
        dealer.start()
    for dealer in dealers:
        dealer.join(120)
        assert dealer.exitcode == 0
    own = [f"{dealer}:{turn}:{n}" for dealer in ("Ann", "Bob") for turn in range(30) for n in range(2)]
    assert sorted(commands(fresh_ledger)) == sorted(["open", *own, *(f"both:{turn}" for turn in range(30))])
    assert table_of(fresh_ledger).rails == {"Ann": 6_000, "Bob": 6_000, "Both": 3_000}
    no_faults(fresh_ledger)
    assert open_casino.handle([walk("w", "Both", amount=3_000)]) == [accepted()]


def test_a_table_opened_for_two_days_at_once_opens_for_one(casino: Casino, fresh_ledger: str) -> None:
    ready = Barrier(2)

    def open_for(day: str) -> list[Answer]:
        answers = []
        with Casino.open(fresh_ledger) as side:
            for n in range(12):
                ready.wait(30)
                answers += side.handle([opened(f"{day}:{n}", f"CR{n}", day)])
        return answers

    with ThreadPoolExecutor(2) as sides:
        one, two = sides.map(open_for, ["2026-11-28", "2026-11-29"])
    for pair in zip(one, two, strict=True):
        assert sorted(answer.status for answer in pair) == ["accepted", "refused"]
        assert {answer.reason for answer in pair} == {None, "TABLE_ALREADY_OPEN"}


@contextmanager
def somebody_else(url: str) -> Iterator[Any]:
    """Someone who writes to the stream by hand, whatever its last event is."""
    with recording(url) as recorder:

        def interfere(number: int) -> None:
            (last,) = recorder.select_events(STREAM, desc=True, limit=1)
            event = BuyInAccepted(player="Eve", amount=number, tender="cash")
            recorder.append(sealed(f"eve:{number}", [event], STREAM, last.recorded))

        yield interfere


def test_after_losing_again_and_again_only_what_is_new_is_read(
    open_casino: Casino, fresh_ledger: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    lost = 0
    append, history = open_casino.recorder.append, open_casino.recorder.history
    with somebody_else(fresh_ledger) as interfere:

        def beaten_four_times(records: Any) -> int:
            nonlocal lost
            if lost < 4:
                lost += 1
                interfere(lost)
            return append(records)

        def noted(stream: str, after: int) -> Any:
            asked.append(after)
            return history(stream, after)

        monkeypatch.setattr(open_casino.recorder, "append", beaten_four_times)
        monkeypatch.setattr(open_casino.recorder, "history", noted)
        assert open_casino.handle([buy_in("c1"), buy_in("c2")]) == [accepted()] * 2
    assert asked == [0, 2, 3, 4]
    assert table_of(fresh_ledger).rails == {"Eve": 1 + 2 + 3 + 4, "Abel": 20_000}
    no_faults(fresh_ledger)


def test_nothing_said_is_nothing_done(casino: Casino, fresh_ledger: str) -> None:
    assert casino.handle([]) == []
    assert log_of(fresh_ledger) == []


def test_settings_of_the_process_do_not_reach_the_casino(
    fresh_ledger: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PERSISTENCE_MODULE", "eventsourcing.popo")
    monkeypatch.setenv("CASINO_LEDGER_URL", "postgresql://elsewhere")
    with Casino.open(fresh_ledger) as casino:
        assert casino.handle([opened()]) == [accepted()]
    assert commands(fresh_ledger) == ["open"]


# ------------------------------------------------------------------------------------------ call after call


CALLS = [[opened()], [buy_in("c1"), buy_in("c2", "Ida")], [], [walk("c3")], [buy_in("c4"), walk("c5", "Ida")]]


def test_calls_handled_all_at_once_are_answered_in_order_as_if_one_after_another(
    casino: Casino, fresh_ledger: str
) -> None:
    assert list(casino.handle_all(CALLS)) == [[accepted() for _ in call] for call in CALLS]
    assert commands(fresh_ledger) == ["open", "c1", "c2", "c3", "c4", "c5"]
    no_faults(fresh_ledger)


def test_an_answer_given_ahead_is_durable_when_it_comes(casino: Casino, fresh_ledger: str) -> None:
    for call, _ in zip(CALLS, casino.handle_all(CALLS), strict=True):
        assert {one.command.id for one in call} <= {*commands(fresh_ledger)}


def test_a_command_that_comes_again_in_the_next_call_is_known_though_it_was_still_being_stored(
    casino: Casino, fresh_ledger: str
) -> None:
    calls = [[opened()], [buy_in("c1")], [buy_in("c1"), buy_in("c2")], [buy_in("c1", amount=500)]]
    *_, again, other = casino.handle_all(calls)
    assert [(answer.status, answer.known) for answer in again] == [("accepted", True), ("accepted", False)]
    assert other[0].reason == "ID_REUSED"
    assert commands(fresh_ledger) == ["open", "c1", "c2", second_use(buy_in("c1", amount=500))]


def test_what_was_decided_ahead_is_decided_again_where_somebody_else_was_first(
    casino: Casino, fresh_ledger: str
) -> None:
    casino.handle([opened(), buy_in("c0", amount=1_000)])

    def calls() -> Iterator[list[Submitted]]:
        yield [buy_in("c1", amount=1_000)]
        with Casino.open(fresh_ledger) as other:
            other.handle([walk("c2")])
        yield [buy_in("c3", amount=500)]
        with Casino.open(fresh_ledger) as other:
            other.handle([walk("c4")])
        yield [walk("c5", amount=2_000)]

    *_, last = casino.handle_all(calls())
    assert last[0].reason == "INSUFFICIENT_FUNDS"
    assert commands(fresh_ledger)[:4] == ["open", "c0", "c1", "c2"]
    assert sorted(commands(fresh_ledger)[4:]) == ["c3", "c4", "c5"]  # c4 may have come before c3 was stored
    assert table_of(fresh_ledger).rails["Abel"] in (0, 500)
    no_faults(fresh_ledger)


def test_a_call_that_got_lost_on_its_way_is_decided_again_and_so_is_the_one_after_it(
    casino: Casino, fresh_ledger: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    append, lost = casino.recorder.append, iter([False, True, False, True])

    def unsteady(records: Sequence[Recorded]) -> int:
        if next(lost, False):
            raise Conflict("somebody else was first")
        return append(records)

    monkeypatch.setattr(casino.recorder, "append", unsteady)
    calls = [[opened()], *([buy_in(f"c{n}", amount=100)] for n in range(1, 6))]
    assert list(casino.handle_all(calls)) == [[accepted()]] * 6
    assert commands(fresh_ledger) == ["open", "c1", "c2", "c3", "c4", "c5"]
    assert table_of(fresh_ledger).rails == {"Abel": 500}
    assert casino.handle([walk("c6", amount=501)])[0].reason == "INSUFFICIENT_FUNDS"
    no_faults(fresh_ledger)
