"""Chips for money: what goes to a player's rail, and who may have any."""

from domain import events as e
from domain.commands import BuyIn
from domain.events import Happened
from domain.money import dollars
from domain.refusals import Reason, Refusal
from domain.table import Table


def buy_in(command: BuyIn, table: Table) -> list[Happened]:
    """Chips to the rail against money, paper, or chips carried in from elsewhere."""
    may_play(command.player, table)
    positive(command.amount)
    recycled = 0 if command.tender == "chips" else min(command.amount, table.unlost(command.player))
    return [
        e.BuyInAccepted(
            player=command.player,
            amount=command.amount,
            tender=command.tender,
            marker=command.marker,
            recycled=recycled,
        )
    ]


def positive(amount: int) -> None:
    """Refuses an amount that is nothing or less."""
    if amount <= 0:
        raise Refusal(Reason.BAD_AMOUNT, f"{dollars(amount)} is no amount; it must be more than nothing")


def may_play(player: str, table: Table) -> None:
    """Refuses whoever was denied play here."""
    if player in table.denied:
        raise Refusal(Reason.PLAY_DENIED, f"{player} may not play on at this table")
