"""Gaming days in the ledger: what a command causes beside its table, and days that are closed."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from typing import Any

import pytest

from ledger.casino import Casino
from ledger.database import connect
from ledger.log import LogRow, bring_up_to_date, read_log
from ledger.proofs import faults
from tests.ledger.said import buy_in, closed, opened, said, walk

AUDIT = {"badge": "A-1", "role": "audit"}
CAGE = {"badge": "C-1", "role": "cage"}
COUNT = {"badge": "K-1", "role": "count"}
DAY = "2026-11-28"


@pytest.fixture
def casino(fresh_ledger: str) -> Iterator[Casino]:
    """A casino whose table CR01 is open."""
    with Casino.open(fresh_ledger) as casino:
        casino.handle([opened()])
        yield casino


def log_of(url: str) -> list[LogRow]:
    with connect(url) as conn:
        assert not list(faults(conn))
        return read_log(conn, 0, bring_up_to_date(conn))


def reason(casino: Casino, *fields: Any, **more: Any) -> str | None:
    return casino.handle([said(*fields, **more)])[0].reason


def sealed(casino: Casino) -> Casino:
    counted = said("k", "count_drop", by=COUNT, box="17", cash=0)
    answers = casino.handle([closed("x"), counted, said("day", "day_close", by=AUDIT, gaming_day=DAY)])
    assert [answer.reason for answer in answers] == [None] * 3
    return casino


def test_what_a_table_causes_elsewhere_belongs_to_the_tables_day_whatever_the_clock_says(
    casino: Casino, fresh_ledger: str
) -> None:
    morning = "2026-11-29T07:30:00-06:00"  # the calendar's next gaming day; the table is still in its own
    casino.handle([said("m", "buy_in", at=morning, player="Abel", amount=500, tender="marker", marker="M-1")])
    stored = [(row.stream, row.name, row.gaming_day, row.step) for row in log_of(fresh_ledger)[1:]]
    assert stored == [
        ("table:CR01:2026-11-28", "BuyInAccepted", date(2026, 11, 28), 0),
        ("patron:Abel", "MarkerIssued", date(2026, 11, 28), 1),
    ]


def test_the_cages_own_business_belongs_to_the_day_of_the_clock(casino: Casino, fresh_ledger: str) -> None:
    for number, at in enumerate(("2026-11-29T05:59:00-06:00", "2026-11-29T06:01:00-06:00")):
        casino.handle([said(f"c{number}", "sell_chips", by=CAGE, at=at, player="Abel", amount=100)])
    assert [row.gaming_day for row in log_of(fresh_ledger)[1:]] == [date(2026, 11, 28), date(2026, 11, 29)]


def test_a_slip_knows_its_table_and_day_where_the_cage_says_neither(
    casino: Casino, fresh_ledger: str
) -> None:
    runner = {"badge": "S-1", "role": "security"}
    casino.handle([said("r", "request_fill", slip="F-1", amount=500)])
    away: dict[str, Any] = {"at": "2026-11-29T07:30:00-06:00", "by": CAGE, "table": None}
    casino.handle([said("d", "dispatch_fill", slip="F-1", carrier=runner, **away)])
    last = log_of(fresh_ledger)[-1]
    assert (last.stream, last.table, last.gaming_day) == ("slip:F-1", "CR01", date(2026, 11, 28))


def test_what_keeps_a_day_open_can_be_asked_without_storing_anything(
    casino: Casino, fresh_ledger: str
) -> None:
    before = log_of(fresh_ledger)
    assert [one.text for one in casino.missing(date(2026, 11, 28))] == ["table CR01 is open"]
    assert log_of(fresh_ledger) == before
    casino.handle([buy_in("c1"), walk("c2")])
    assert len(log_of(fresh_ledger)) == len(before) + 2


def test_a_closed_day_opens_no_table_and_no_window(casino: Casino) -> None:
    sealed(casino)
    assert casino.handle([opened("o2", "CR02")])[0].reason == "DAY_SEALED"
    assert casino.handle([opened("o1")])[0].reason == "DAY_SEALED"
    late = {"by": CAGE, "player": "Abel", "amount": 100}
    assert reason(casino, "s1", "sell_chips", **late) == "DAY_SEALED"
    assert reason(casino, "s2", "sell_chips", at="2026-11-29T06:01:00-06:00", **late) is None
    assert casino.handle([opened("o3", "CR02", "2026-11-29")])[0].reason is None


def test_a_day_is_closed_for_every_process(casino: Casino, fresh_ledger: str) -> None:
    with Casino.open(fresh_ledger) as other:
        other.handle([buy_in("c1")])
        assert reason(casino, "c2", "day_close", by=AUDIT, gaming_day=DAY) == "DAY_NOT_READY"
        other.handle([walk("c3"), said("c4", "close", closer=9_990_000)])
        casino.handle([said("k", "count_drop", by=COUNT, box="17", cash=10_000)])
        assert reason(casino, "c5", "day_close", by=AUDIT, gaming_day=DAY) is None
        assert reason(other, "c6", "adjust", player="Abel", amount=1, reason="x", approved_by="M") == (
            "DAY_SEALED"
        )


def test_a_table_opening_while_its_day_closes_is_in_the_day_or_not_opened(
    casino: Casino, fresh_ledger: str
) -> None:
    counted = said("k", "count_drop", by=COUNT, box="17", cash=0)
    casino.handle([closed("x"), counted])
    with Casino.open(fresh_ledger) as other, ThreadPoolExecutor() as pool:
        opening = pool.submit(other.handle, [opened("o2", "CR02")])
        closing = pool.submit(casino.handle, [said("day", "day_close", by=AUDIT, gaming_day=DAY)])
        reasons = opening.result()[0].reason, closing.result()[0].reason
    assert reasons in {("DAY_SEALED", None), (None, "DAY_NOT_READY")}


def test_a_deposit_is_drawn_once_by_whichever_table_comes_first(casino: Casino, fresh_ledger: str) -> None:
    casino.handle([opened("o2", "CR02")])
    casino.handle([said("d", "deposit_front_money", by=CAGE, player="Abel", amount=100)])
    draw = {"player": "Abel", "amount": 100, "tender": "front_money"}
    with Casino.open(fresh_ledger) as other, ThreadPoolExecutor() as pool:
        one = pool.submit(casino.handle, [said("b1", "buy_in", "CR01", **draw)])
        two = pool.submit(other.handle, [said("b2", "buy_in", "CR02", **draw)])
        reasons = {one.result()[0].reason, two.result()[0].reason}
    assert reasons == {None, "INSUFFICIENT_FUNDS"}
    assert len([row for row in log_of(fresh_ledger) if row.name == "FrontMoneyWithdrawn"]) == 1
