"""The cage: chips sold and bought back, front money, markers, and the stock of chips and cash itself.

A patron's account keeps what he must not overdraw. Front money drawn and markers signed at a table reach it
from there. A log that never told the ledger of a deposit may draw front money all the same: the deposit was
made where the ledger does not look; from the first deposit on, the account is the limit.
"""

from collections.abc import Callable
from typing import Any

from domain import commands as c
from domain import events as e
from domain.commands import RANK, Actor, Role
from domain.gaming_day import GamingDay
from domain.money import dollars
from domain.patron import Patron
from domain.refusals import Reason, Refusal
from domain.subject import Caused, Elsewhere, Look

MAY_GIVE_UP = (Role.SHIFT_MANAGER, Role.AUDIT)


def account_of(player: str, look: Look) -> Patron:
    """A patron's account as it stands."""
    found = look(f"patron:{player}")
    assert isinstance(found, Patron), player
    return found


# ------------------------------------------------------------------------------------- what a table did


def bought_in(command: c.BuyIn, look: Look) -> Caused:
    """What a buy-in at a table writes in the player's account."""
    here, player, amount = f"patron:{command.player}", command.player, command.amount
    if command.tender == "front_money":
        _covered(account_of(player, look), player, amount)
        drawn = e.FrontMoneyWithdrawn(player=player, amount=amount, at="table", tender="chips")
        return [Elsewhere(here, drawn)]
    if command.tender == "marker":
        return [Elsewhere(here, _signed(command, account_of(player, look)))]
    return []


def redeemed(command: c.RedeemMarker, look: Look) -> Caused:
    """What a marker bought back at a table writes in the player's account."""
    if command.marker is not None:
        _unpaid(command.marker, command.amount, account_of(command.player, look))
    paid = e.MarkerPaid(
        player=command.player,
        marker=command.marker,
        amount=command.amount,
        at="table",
        tender=command.tender,
    )
    return [Elsewhere(f"patron:{command.player}", paid)]


def rim_settled(command: c.SettleRim, look: Look) -> Caused:
    """What rim credit that is put on a marker writes in the player's account."""
    if command.tender != "marker":
        return []
    signed = _signed(command, account_of(command.player, look))
    return [Elsewhere(f"patron:{command.player}", signed)]


def _signed(command: c.BuyIn | c.SettleRim | c.IssueMarker, patron: Patron) -> e.MarkerIssued:
    """A marker, whose number is new, within the patron's credit limit or approved beyond it."""
    amount, chips = _chips(command.amount)
    _unused(command.marker, patron)
    limit = patron.credit_limit
    over = 0 if limit is None else max(patron.owed + amount - limit, 0)
    if over:
        _approved_over_limit(command, patron, amount)
    return e.MarkerIssued(
        player=command.player,
        marker=command.marker,
        amount=amount,
        at="cage" if isinstance(command, c.IssueMarker) else "table",
        denominations=chips,
        over_limit=over,
        approved_by=command.approved_by.badge if over and command.approved_by else None,
    )


def _approved_over_limit(command: c.BuyIn | c.SettleRim | c.IssueMarker, patron: Patron, amount: int) -> None:
    """Refuses what nobody who may has approved (Nevada MICS, table games, credit)."""
    approver = command.approved_by
    if approver is None:
        owes = f"{dollars(patron.owed)} of a credit limit of {dollars(patron.credit_limit or 0)}"
        needs = f'{dollars(amount)} more takes a manager\'s approval, "approved_by"'
        raise Refusal(Reason.CREDIT_LIMIT, f"{command.player} owes {owes}; {needs}")
    if RANK.get(approver.role, 0) < RANK[Role.PIT_MANAGER] or approver.badge == command.by.badge:
        raise Refusal(
            Reason.NO_AUTHORITY,
            f"a pit or shift manager other than {command.by.badge} approves a marker over the limit",
        )


# ------------------------------------------------------------------------------------- at the window


def deposit_front_money(command: c.DepositFrontMoney, patron: Patron, look: Look) -> Caused:
    """A patron leaves cash with the cage."""
    _cage(command.by)
    return [e.FrontMoneyDeposited(player=command.player, amount=command.amount)]


def withdraw_front_money(command: c.WithdrawFrontMoney, patron: Patron, look: Look) -> Caused:
    """A patron takes front money out, no more than lies there."""
    _cage(command.by)
    amount, chips = _chips(command.amount)
    if not patron.has_deposited:
        raise Refusal(Reason.INSUFFICIENT_FUNDS, f"{command.player} has never deposited front money")
    _covered(patron, command.player, amount)
    return [
        e.FrontMoneyWithdrawn(
            player=command.player, amount=amount, at="cage", tender=command.tender, denominations=chips
        )
    ]


def issue_marker(command: c.IssueMarker, patron: Patron, look: Look) -> Caused:
    """The cage gives chips for a patron's marker."""
    _cage(command.by)
    return [_signed(command, patron)]


def credit_limit(command: c.CreditLimit, patron: Patron, look: Look) -> Caused:
    """What a patron may owe, checked by the cage or audit and approved by another."""
    if command.by.role not in (Role.CAGE, Role.AUDIT):
        raise Refusal(
            Reason.NO_AUTHORITY, f"the cage or audit checks a patron's credit, not {command.by.role}"
        )
    _approved(command.approved_by, command.by, "a credit limit")
    return [
        e.CreditLimitSet(
            player=command.player,
            limit=command.limit,
            was=patron.credit_limit,
            approved_by=command.approved_by.badge,
        )
    ]


def pay_marker(command: c.PayMarker, patron: Patron, look: Look) -> Caused:
    """A patron buys a marker back, in cash or in chips."""
    _cage(command.by)
    amount, chips = _chips(command.amount)
    _unpaid(command.marker, amount, patron)
    return [
        e.MarkerPaid(
            player=command.player,
            marker=command.marker,
            amount=amount,
            at="cage",
            tender=command.tender,
            denominations=chips,
        )
    ]


def write_off_marker(command: c.WriteOffMarker, patron: Patron, look: Look) -> Caused:
    """What a patron owes is given up, by two who may."""
    approver = command.approved_by
    _approved(approver, command.by, "writing off a marker")
    _unpaid(command.marker, command.amount, patron)
    return [
        e.MarkerWrittenOff(
            player=command.player,
            marker=command.marker,
            amount=command.amount,
            reason=command.reason,
            approved_by=approver.badge,
        )
    ]


def sell_chips(command: c.SellChips, patron: Patron, look: Look) -> Caused:
    """The cage sells chips for cash: never drop."""
    _cage(command.by)
    amount, chips = _chips(command.amount)
    return [e.ChipsSoldAtCage(player=command.player, amount=amount, denominations=chips)]


def redeem_chips(command: c.RedeemChips, patron: Patron, look: Look) -> Caused:
    """The cage buys chips back for cash."""
    _cage(command.by)
    amount, chips = _chips(command.amount)
    return [e.ChipsRedeemedAtCage(player=command.player, amount=amount, denominations=chips)]


# ------------------------------------------------------------------------------------- the cage's own stock


def place_chips(command: c.PlaceChips, day: GamingDay, look: Look) -> Caused:
    """New chips come into the cage and into service."""
    _stock(command.by, day)
    amount, chips = _chips(command.amount)
    return [e.ChipsPlacedInService(amount=amount, denominations=chips)]


def destroy_chips(command: c.DestroyChips, day: GamingDay, look: Look) -> Caused:
    """Chips leave service, before a witness."""
    _stock(command.by, day)
    if command.witness.badge == command.by.badge:
        raise Refusal(
            Reason.NO_AUTHORITY, f"{command.by.badge} cannot witness their own destruction of chips"
        )
    amount, chips = _chips(command.amount)
    return [e.ChipsDestroyed(amount=amount, denominations=chips, witness=command.witness.badge)]


def recognise_breakage(command: c.RecogniseBreakage, day: GamingDay, look: Look) -> Caused:
    """Audit's estimate of the chips that will never come back, which somebody else may approve."""
    _stock(command.by, day)
    _approved(command.approved_by, command.by, "giving up a chip liability")
    amount, chips = _chips(command.amount)
    return [
        e.ChipBreakageRecognised(
            amount=amount,
            denominations=chips,
            reason=command.reason,
            approved_by=command.approved_by.badge,
        )
    ]


def accrue_tax(command: c.AccrueTax, day: GamingDay, look: Look) -> Caused:
    """What audit's worksheet comes to."""
    _stock(command.by, day)
    if command.by.role != Role.AUDIT:
        raise Refusal(Reason.NO_AUTHORITY, f"audit reckons the gaming tax, not {command.by.role}")
    if command.amount == 0:
        raise Refusal(Reason.BAD_AMOUNT, "no tax is nothing to accrue")
    said = {"jurisdiction": command.jurisdiction, "reason": command.reason}
    return [e.GamingTaxAccrued(amount=command.amount, **said)]


def fund_cage(command: c.FundCage, day: GamingDay, look: Look) -> Caused:
    """The house puts cash into the cage, or takes it out."""
    _stock(command.by, day)
    if command.amount == 0:
        raise Refusal(Reason.BAD_AMOUNT, "nothing funds nothing")
    return [e.CageBankrollFunded(amount=command.amount)]


# ------------------------------------------------------------------------------------- who may, and how much


def _cage(who: Actor) -> None:
    if who.role != Role.CAGE:
        raise Refusal(Reason.NO_AUTHORITY, f"the cage's window is the cage's, not {who.role}'s")


def _approved(approver: Actor, who: Actor, what: str) -> None:
    if approver.role not in MAY_GIVE_UP or approver.badge == who.badge:
        raise Refusal(Reason.NO_AUTHORITY, f"a shift manager or audit other than {who.badge} approves {what}")


def _stock(who: Actor, day: GamingDay) -> None:
    if who.role in RANK or who.role not in (Role.CAGE, Role.AUDIT):
        raise Refusal(
            Reason.NO_AUTHORITY, f"the stock of the cage is the cage's or audit's, not {who.role}'s"
        )
    if day.is_sealed:
        raise Refusal(Reason.DAY_SEALED, f"gaming day {day.gaming_day} is closed")


def _chips(amount: int | dict[str, int]) -> tuple[int, dict[str, int] | None]:
    cents = c.total(amount)
    if cents <= 0:
        raise Refusal(Reason.BAD_AMOUNT, f"{dollars(cents)} is no amount; it must be more than nothing")
    return cents, None if isinstance(amount, int) else dict(amount)


def _covered(patron: Patron, player: str, amount: int) -> None:
    if patron.has_deposited and amount > patron.front_money:
        raise Refusal(
            Reason.INSUFFICIENT_FUNDS,
            f"{player} has {dollars(patron.front_money)} of front money, not {dollars(amount)}",
        )


def _unused(marker: str | None, patron: Patron) -> None:
    if marker is not None and marker in patron.markers:
        raise Refusal(Reason.DUPLICATE_SLIP, f"marker {marker} has been issued; every number is used once")


def _unpaid(marker: str | None, amount: int, patron: Patron) -> None:
    if marker is not None and marker not in patron.markers:
        raise Refusal(Reason.NO_SUCH_MARKER, f"this patron has signed no marker {marker}")
    unpaid = patron.owed if marker is None else patron.markers[marker]
    if amount > unpaid:
        raise Refusal(Reason.INSUFFICIENT_FUNDS, f"{dollars(unpaid)} is unpaid, not {dollars(amount)}")


DECIDE: dict[type[Any], Callable[[Any, Any, Look], Caused]] = {
    c.DepositFrontMoney: deposit_front_money,
    c.WithdrawFrontMoney: withdraw_front_money,
    c.IssueMarker: issue_marker,
    c.CreditLimit: credit_limit,
    c.PayMarker: pay_marker,
    c.WriteOffMarker: write_off_marker,
    c.SellChips: sell_chips,
    c.RedeemChips: redeem_chips,
    c.PlaceChips: place_chips,
    c.DestroyChips: destroy_chips,
    c.RecogniseBreakage: recognise_breakage,
    c.AccrueTax: accrue_tax,
    c.FundCage: fund_cage,
}
