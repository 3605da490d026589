"""Currency on the layout of which nobody has said what it is for: it lies, but does it play?

It is the patron's, and no wager, until somebody says so before the dice are out. Dice that go out over it
say that it was there; what it would have made is a question for `whatif`, and the money of a dispute.
"""

from domain import events as e
from domain.commands import Bet, BuyIn, DeclareCash, LayCash
from domain.events import Happened, Intent
from domain.rail import buy_in, may_play, positive
from domain.refusals import Reason, Refusal
from domain.table import Table
from domain.wager import bet


def lay(command: LayCash, table: Table) -> list[Happened]:
    """Currency is put down, which the crew sees before the dice are out."""
    may_play(command.player, table)
    if table.dice_out:
        raise Refusal(Reason.DICE_OUT, "the dice are out; nothing is laid until the call")
    positive(command.amount)
    if command.wager in table.used or command.wager in table.undeclared:
        raise Refusal(Reason.DUPLICATE_WAGER, f"{command.wager} has been laid at this table today")
    where = command.model_dump(include={"wager", "player", "amount", "kind", "number", "combo", "high"})
    return [e.CashLaid(**where, base=command.on)]


def declare(command: DeclareCash, table: Table) -> list[Happened]:
    """Somebody says what it is for. It cannot come to play while the dice are out."""
    laid = table.undeclared.get(command.wager)
    if laid is None:
        raise Refusal(Reason.NO_SUCH_WAGER, f"no undeclared cash {command.wager} lies on the layout")
    declared = _declared(laid, command.intent)
    if command.intent == "plays":
        return [declared, *bet(_wager(command, laid), table)]
    if command.intent == "change_only":
        return [declared, *buy_in(_exchange(command, laid), table)]
    return [declared]


def handed_back(table: Table, player: str | None = None) -> list[Happened]:
    """All that lies undeclared, or all of one player's, goes back to whose it is."""
    ours = (laid for laid in table.undeclared.values() if player in (None, laid.player))
    return [_declared(laid, "returned") for laid in ours]


def seen_undeclared(table: Table) -> list[Happened]:
    """What nobody has said anything of as the dice go out."""
    return [
        e.UndeclaredCash(wager=laid.wager, player=laid.player, amount=laid.amount)
        for laid in table.undeclared.values()
    ]


def _declared(laid: e.CashLaid, intent: Intent) -> e.CashDeclared:
    return e.CashDeclared(wager=laid.wager, player=laid.player, amount=laid.amount, intent=intent)


def _wager(command: DeclareCash, laid: e.CashLaid) -> Bet:
    who = command.model_dump(include={"id", "at", "table"})
    return Bet(**who, by=command.by, do="bet", **laid.model_dump(exclude={"base"}), on=laid.base, cash=True)


def _exchange(command: DeclareCash, laid: e.CashLaid) -> BuyIn:
    who = command.model_dump(include={"id", "at", "table"})
    return BuyIn(**who, by=command.by, do="buy_in", player=laid.player, amount=laid.amount, tender="cash")
