"""What each player holds, has bought, walked with, won and lost: the flows of money, added up by player."""

from typing import Any

from psycopg import Connection

from domain.books import FLOWS, Account, Flow, into
from projections.projection import Batch, Edition, Projection
from projections.rows import Row, add, select

Accounts = dict[tuple[str, str], dict[Flow, int]]


def fold(batch: Batch) -> Accounts:
    """What `batch` adds to each flow of each (player, table), in cents."""
    accounts: Accounts = {}
    for (table, _), part in batch.items():
        for player, flows in part.moved.items():
            if player is not None:
                account = accounts.setdefault((player, table), dict.fromkeys(FLOWS, 0))
                for flow, amount in flows.items():
                    account[flow] += amount
    return accounts


def write(conn: Connection[Any], batch: Batch, new: Edition) -> None:
    """Add what `batch` moved to the accounts of its players."""
    rows = [
        {"player": player, "table_name": table, **flows} for (player, table), flows in fold(batch).items()
    ]
    add(conn, f"accounts{new}", ("player", "table_name"), rows)


PROJECTION = Projection(
    name="balances",
    version=4,
    tables={
        "accounts": f"""
            player text, table_name text, {", ".join(f"{flow} numeric NOT NULL" for flow in FLOWS)},
            PRIMARY KEY (player, table_name)"""
    },
    write=write,
)


def _on(account: Account) -> str:
    """SQL for what the flows of a row leave on `account`."""
    return " ".join(f"{'+-'[into(account, flow) < 0]} {flow}" for flow in FLOWS if into(account, flow))


_SETTLED = "dispute_settled + dispute_settled_at_cage"
_ROWS = f"""
    SELECT player,
        sum({_on("rail")}) AS rail,
        coalesce(json_object_agg(table_name, {_on("rail")} ORDER BY table_name)
            FILTER (WHERE ({_on("rail")}) <> 0), '{{}}') AS rails,
        sum({_on("layout")}) AS on_layout,
        sum(chips_bought + chips_carried_in - chips_redeemed + cash_staked) AS bought_in,
        sum(chips_carried_out + toked + {_SETTLED}) AS walked,
        sum(front_money_dropped) AS front_money,
        sum(markers_dropped) AS markers,
        sum(won) AS won,
        sum(lost + cash_lost) AS lost,
        sum(commission_collected + commission_taken) AS commission,
        sum(won - lost - cash_lost - commission_collected - commission_taken + mispaid + adjusted
            + {_SETTLED}) AS net,
        sum(mispaid + adjusted + {_SETTLED}) AS adjustments,
        sum({_SETTLED}) AS disputes
    FROM pitledger.accounts WHERE {{where}} GROUP BY player ORDER BY player"""


def rows(conn: Connection[Any], player: str | None = None) -> list[Row]:
    """One row a player, in cents; `net` = rail + on_layout + walked - bought_in, always.

    `bought_in` is less the chips given back for markers, `markers` are those not yet redeemed at a table,
    `front_money` what was drawn on it, `adjustments` what mispays, manual adjustments and settled disputes
    gave the player. What a dispute gave him (`disputes`) he has in his hands, so it is in `walked` too, as
    are the tokes he gave away. Money plays count as bought in while they lie, and when they are lost.
    """
    found = select(conn, _ROWS, {"player": player})
    return [{k: v if k in ("player", "rails") else int(v) for k, v in row.items()} for row in found]
