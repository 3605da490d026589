"""Chips for money: what goes to a player's rail, and who may have any."""

from domain import events as e
from domain.commands import RANK, BuyIn, RimCredit, Role, SettleRim
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


def extend_rim(command: RimCredit, table: Table) -> list[Happened]:
    """Chips on a supervisor's word, which are settled before the rack is counted (25 CFR 542.2)."""
    may_play(command.player, table)
    if RANK.get(command.by.role, 0) < RANK[Role.BOXMAN]:
        raise Refusal(Reason.NO_AUTHORITY, f"rim credit takes a supervisor, not {command.by.role}")
    return [e.RimCreditExtended(player=command.player, amount=command.amount)]


def settle_rim(command: SettleRim, table: Table) -> list[Happened]:
    """No more than is owed."""
    owed = table.rim.get(command.player, 0)
    if command.amount > owed:
        raise Refusal(
            Reason.INSUFFICIENT_FUNDS,
            f"{command.player} owes {dollars(owed)} on the rim, not {dollars(command.amount)}",
        )
    if command.tender == "chips":
        on_rail(command.player, command.amount, table)
    what = command.model_dump(include={"player", "amount", "tender", "marker"})
    return [e.RimCreditSettled(**what)]


def no_rim_credit(table: Table, to_do: str) -> None:
    """Refuses to count a rack that is short of chips for which nothing lies in the box."""
    if table.rim:
        owed = ", ".join(f"{player} {dollars(cents)}" for player, cents in table.rim.items())
        raise Refusal(
            Reason.WRONG_PHASE, f"rim credit is open ({owed}): settle it or put it on a marker, then {to_do}"
        )


def on_rail(player: str, amount: int, table: Table) -> None:
    """Refuses what a player does not have in front of him."""
    rail = table.rails.get(player, 0)
    if amount > rail:
        raise Refusal(
            Reason.INSUFFICIENT_FUNDS, f"{player} has {dollars(rail)} on the rail, not {dollars(amount)}"
        )


def positive(amount: int) -> None:
    """Refuses an amount that is nothing or less."""
    if amount <= 0:
        raise Refusal(Reason.BAD_AMOUNT, f"{dollars(amount)} is no amount; it must be more than nothing")


def may_play(player: str, table: Table) -> None:
    """Refuses whoever was denied play here."""
    if player in table.denied:
        raise Refusal(Reason.PLAY_DENIED, f"{player} may not play on at this table")
