"""What is disputed, by when it is due, and what a settlement does to everybody's figures."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import orjson
import pytest
from psycopg import Connection

from cli.log_lines import Line as LogLine
from cli.parsing import submitted
from ledger.casino import Casino
from projections import balances, disputes, win
from projections.follow import follow, rebuild
from projections.rows import Row
from tests.projections.night import Line
from tests.projections.told import NO_ROLL_CALLED_ON_A_WINNER, buy_in, log

NOW = datetime(2026, 12, 1, tzinfo=UTC)
LATER = datetime(2026, 12, 9, tzinfo=UTC)
MONDAY = "2026-11-30T10:00:00-06:00"
CLOSE: Line = {"do": "close", "closer": 4950000 + 6500, "who": "B-031"}
COUNT: Line = {"do": "count_drop", "box": "CR01", "cash": 50000, "by": {"badge": "Z-1", "role": "count"}}
CLAIM: Line = {"do": "dispute", "roll": 2, "player": "Nat", "claim": "a four is a four", "amount": 17000}
UPHELD: Line = {"do": "ruling", "ruling": "upheld", "reason": "the video", "who": "F-204"}
PAID: Line = {"do": "settle_dispute", "amount": 17000, "tender": "chips", "approved_by": "M-002"}
END: Line = {"do": "close_dispute"}


def of(dispute: str, *said: Line, at: str = MONDAY) -> list[Line]:
    """Commands about a dispute, two days after the roll."""
    lines = log(*({"dispute": dispute, "at": at, "who": "F-204", **fields} for fields in said))
    return [{**line, "id": f"{dispute}:{at}:{number}"[:64]} for number, line in enumerate(lines)]


def tell(url: str, *lines: Line) -> None:
    with Casino.open(url) as casino:
        said = [submitted(LogLine(1, orjson.dumps(line), True)) for line in lines]
        refused = [answer for answer in casino.handle(said) if answer.status == "refused"]
    assert not refused, refused


def standing(conn: Connection[Any], as_of: datetime = NOW, **filters: Any) -> list[Row]:
    follow(conn)
    return disputes.rows(conn, as_of, **filters)


def of_nat(conn: Connection[Any]) -> Row:
    follow(conn)
    [nat] = balances.rows(conn, player="Nat")
    assert nat["net"] == nat["rail"] + nat["on_layout"] + nat["walked"] - nat["bought_in"]
    assert nat["net"] == nat["won"] - nat["lost"] - nat["commission"] + nat["adjustments"]
    return nat


@pytest.fixture
def played(fresh_ledger: str) -> str:
    """A ledger in which a winner was called No Roll and lost, and the table is still open."""
    tell(fresh_ledger, *NO_ROLL_CALLED_ON_A_WINNER)
    return fresh_ledger


# ------------------------------------------------------------------------------------- how it stands


def test_a_dispute_goes_from_open_to_closed_and_always_says_what_is_next(
    played: str, conn: Connection[Any]
) -> None:
    seen: list[tuple[object, ...]] = []
    for said in (CLAIM, UPHELD, PAID, END):
        tell(played, *of("D-1", said, at=f"2026-11-30T10:00:0{len(seen)}-06:00"))
        [row] = standing(conn)
        seen.append((row["status"], row["due_by"], row["gives"], row["paid"]))
    assert seen == [
        ("open", "2026-12-05T10:00:00-06:00", None, 0),
        ("to settle", "2026-12-07T10:00:01-06:00", 17000, 0),
        ("to close", None, 17000, 17000),
        ("closed", None, 17000, 17000),
    ]
    assert row["outcome"] == "upheld"
    assert row["gaming_day"] == "2026-11-28"
    assert row["video_since"] == "2026-11-28T19:45:27-06:00"


def test_what_is_late_is_marked_and_what_is_done_is_not(played: str, conn: Connection[Any]) -> None:
    tell(
        played,
        *of("D-1", CLAIM),
        *of("D-2", CLAIM, UPHELD),
        *of("D-3", CLAIM, {**UPHELD, "ruling": "denied"}),
    )
    assert [row["overdue"] for row in standing(conn)] == [False, False, False]
    assert [(row["dispute"], row["overdue"]) for row in standing(conn, LATER)] == [
        ("D-1", True),
        ("D-2", True),
        ("D-3", False),
    ]


def test_disputes_are_found_by_table_by_player_and_by_what_is_still_open(
    played: str, conn: Connection[Any]
) -> None:
    tell(played, *of("D-1", CLAIM, {**UPHELD, "ruling": "denied"}, END), *of("D-2", CLAIM))
    assert [row["dispute"] for row in standing(conn, only_open=True)] == ["D-2"]
    assert len(standing(conn, player="Nat", table="CR01")) == 2
    assert standing(conn, player="Zed") == standing(conn, table="CR09") == []


def test_a_ruling_that_a_shift_manager_reversed_is_no_longer_the_one_that_stands(
    played: str, conn: Connection[Any]
) -> None:
    tell(played, *of("D-1", CLAIM, {**UPHELD, "ruling": "denied"}, {**UPHELD, "who": "M-001"}))
    [row] = standing(conn)
    assert (row["ruling"], row["ruled_by"], row["ruled_role"]) == ("upheld", "M-001", "shift_manager")
    assert (row["rulings"], row["gives"], row["status"]) == (2, 17000, "to settle")


def test_a_rebuild_gives_what_following_live_gave(played: str, conn: Connection[Any]) -> None:
    stories = (CLAIM, {"do": "evidence", "kind": "note", "reference": "-", "note": "-"}, UPHELD, PAID, END)
    for number, said in enumerate(stories):
        tell(played, *of("D-1", said, at=f"2026-11-30T10:00:0{number}-06:00"))
        live = standing(conn)
    tell(played, *of("D-2", {**CLAIM, "amount": 50000}, {"do": "notify_regulator"}))
    live, money = standing(conn), (balances.rows(conn), win.rows(conn))
    rebuild(conn, ["disputes", "balances", "win"])
    assert disputes.rows(conn, NOW) == live
    assert (balances.rows(conn), win.rows(conn)) == money


# ------------------------------------------------------------------------------------- the money


def test_settled_at_the_open_table_it_comes_out_of_the_rack_and_of_the_win(
    played: str, conn: Connection[Any]
) -> None:
    before = of_nat(conn)
    tell(played, *of("D-1", CLAIM, UPHELD, PAID))
    after = of_nat(conn)
    assert (after["net"] - before["net"], after["walked"] - before["walked"]) == (17000, 17000)
    assert (after["rail"], after["disputes"]) == (before["rail"], 17000)
    [day] = win.rows(conn)
    assert (day["event_win"], day["disputes"]) == (6500 - 17000, 17000)
    tell(played, *closing(17000))
    follow(conn)
    [day] = win.rows(conn)
    assert (day["count_win"], day["event_win"], day["residual"]) == (-10500, -10500, 0)


def closing(less: int) -> list[Line]:
    """The table counted and closed, its box counted."""
    lines = log({**CLOSE, "closer": CLOSE["closer"] - less}, COUNT)
    return [{**line, "id": f"end:{number}"} for number, line in enumerate(lines)]


@pytest.mark.parametrize("tender", ["chips", "cash"])
def test_settled_two_days_later_at_the_cage_the_counted_rack_stays_right(
    played: str, conn: Connection[Any], tender: str
) -> None:
    tell(played, *closing(0), *of("D-1", CLAIM, UPHELD, {**PAID, "tender": tender}))
    assert of_nat(conn)["net"] == 10500
    [day] = win.rows(conn)
    assert (day["count_win"], day["event_win"], day["disputes"]) == (6500, -10500, 17000)
    assert day["residual"] == 0
    assert day["book_closer"] == day["closer"]


def test_what_the_house_gets_back_is_the_house_s_win_again(played: str, conn: Connection[Any]) -> None:
    tell(played, *of("D-1", {**CLAIM, "amount": -500}, UPHELD, {**PAID, "amount": -500}))
    assert of_nat(conn)["disputes"] == -500
    [day] = win.rows(conn)
    assert day["event_win"] == 6500 + 500


def test_chips_he_was_paid_can_be_brought_back_to_a_rail(played: str, conn: Connection[Any]) -> None:
    chips = {**buy_in("Nat", 17000), "tender": "chips"}
    tell(played, *of("D-1", CLAIM, UPHELD, PAID), *[{**log(chips)[0], "id": "back"}])
    nat = of_nat(conn)
    assert (nat["rail"], nat["net"]) == (43500 + 17000, 10500)


# ------------------------------------------------------------------------------------- across days


def later_day(lines: Iterable[Line], day: str) -> list[Line]:
    return [
        {**line, "id": f"{day}:{line['id']}", "at": line["at"].replace("2026-11-28", day)}
        | ({"gaming_day": day} if line["do"] == "open" else {})
        for line in lines
    ]


def test_a_dispute_across_a_table_closed_and_reopened_stays_with_its_own_day(
    played: str, conn: Connection[Any]
) -> None:
    sunday = later_day(NO_ROLL_CALLED_ON_A_WINNER[:6], "2026-11-29")
    tell(played, *closing(0), *sunday)
    tell(played, *of("D-1", {**CLAIM, "gaming_day": "2026-11-28"}, UPHELD, PAID))
    [row] = standing(conn)
    assert row["gaming_day"] == "2026-11-28"
    by_day = {day["gaming_day"]: (day["event_win"], day["disputes"]) for day in win.rows(conn)}
    assert by_day["2026-11-28"] == (-10500, 17000)  # from the cage: Saturday's rack is counted
    assert by_day["2026-11-29"][1] == 0
    assert next(d for d in win.rows(conn) if d["gaming_day"] == "2026-11-28")["residual"] == 0


def test_without_a_day_it_is_the_day_the_table_was_last_opened_for(
    played: str, conn: Connection[Any]
) -> None:
    tell(played, *closing(0), *later_day(NO_ROLL_CALLED_ON_A_WINNER[:6], "2026-11-29"))
    tell(played, *of("D-1", {**CLAIM, "roll": 1}))
    [row] = standing(conn)
    assert row["gaming_day"] == "2026-11-29"
