"""Fills and credits: chips between cage and table under four signatures, on numbered forms.

Requested by a supervisor, dispatched by whoever gives the chips away, carried by security, received by
whoever takes them in: four people. Between dispatch and receipt the chips are in transit. A number is used
once, also by the `fill` and `credit` that write a whole movement down in one step.
"""

from collections.abc import Callable
from typing import Any

from domain import commands as c
from domain import events as e
from domain.commands import Actor, Role
from domain.money import dollars
from domain.refusals import Reason, Refusal
from domain.slip import Slip, Status
from domain.subject import Caused, Elsewhere, Look
from domain.table import Table

SUPERVISORS = (Role.BOXMAN, Role.FLOOR, Role.PIT_MANAGER, Role.SHIFT_MANAGER)
AT_TABLE = (Role.DEALER, Role.STICKMAN, Role.BOXMAN)


def stream_of(slip: str) -> str:
    """The stream of one numbered form."""
    return f"slip:{slip}"


def seen(slip: str, look: Look) -> Slip:
    """A slip as it stands."""
    found = look(stream_of(slip))
    assert isinstance(found, Slip), slip
    return found


# ------------------------------------------------------------------------------------- in one step


def fill(command: c.Fill, table: Table, look: Look) -> Caused:
    """Chips from the cage to the rack, written down in one step: the slip is used up."""
    _blank(command.slip, look)
    amount, chips = _some(command.amount)
    received = e.FillReceived(
        slip=command.slip,
        amount=amount,
        denominations=chips,
        signed_by=command.by.badge,
        signed_as=command.by.role,
    )
    dispatched = e.FillDispatched(
        slip=command.slip,
        table=command.table,
        gaming_day=table.gaming_day,
        amount=amount,
        denominations=chips,
        dispatched_by=None,
        carried_by=None,
    )
    return [received, Elsewhere(stream_of(command.slip), dispatched)]


def credit(command: c.Credit, table: Table, look: Look) -> Caused:
    """Chips from the rack to the cage, written down in one step: the slip is used up."""
    _blank(command.slip, look)
    amount, chips = _some(command.amount)
    sent = e.CreditSent(
        slip=command.slip,
        amount=amount,
        denominations=chips,
        signed_by=command.by.badge,
        signed_as=command.by.role,
    )
    received = e.CreditReceived(
        slip=command.slip,
        table=command.table,
        gaming_day=table.gaming_day,
        amount=amount,
        denominations=chips,
        received_by=None,
    )
    return [sent, Elsewhere(stream_of(command.slip), received)]


# ------------------------------------------------------------------------------------- four signatures


def request_fill(command: c.RequestFill, table: Table, look: Look) -> Caused:
    """A supervisor asks the cage for chips."""
    return _request(e.FillRequested, command, table, look)


def request_credit(command: c.RequestCredit, table: Table, look: Look) -> Caused:
    """A supervisor asks to send chips to the cage."""
    return _request(e.CreditRequested, command, table, look)


def _request(
    event: type[e.FillRequested] | type[e.CreditRequested],
    command: c.RequestFill | c.RequestCredit,
    table: Table,
    look: Look,
) -> Caused:
    _signs(command.by, SUPERVISORS, "asks for a fill or credit")
    _blank(command.slip, look)
    amount, chips = _some(command.amount)
    assert table.gaming_day is not None, command
    requested = event(
        slip=command.slip,
        table=command.table,
        gaming_day=table.gaming_day,
        amount=amount,
        denominations=chips,
        requested_by=command.by.badge,
    )
    return [Elsewhere(stream_of(command.slip), requested), _listed(command.slip, command.table, table)]


def dispatch_fill(command: c.DispatchFill, slip: Slip, look: Look) -> Caused:
    """The cage gives the chips of a fill to the carrier."""
    _expect(slip, "fill", "requested", command.slip)
    _signs(command.by, (Role.CAGE,), "dispatches a fill", slip)
    _carries(command, slip)
    return [
        e.FillDispatched(
            slip=command.slip,
            table=slip.table or "",
            gaming_day=slip.gaming_day,
            amount=slip.amount,
            denominations=slip.denominations,
            dispatched_by=command.by.badge,
            carried_by=command.carrier.badge,
        )
    ]


def receive_fill(command: c.ReceiveFill, table: Table, look: Look) -> Caused:
    """The chips of a fill are counted into the rack of the table they were asked for."""
    slip = seen(command.slip, look)
    _expect(slip, "fill", "in_transit", command.slip)
    _meant_for(command.table, slip, command.slip)
    _signs(command.by, AT_TABLE, "receives a fill", slip)
    received = e.FillReceived(
        slip=command.slip,
        amount=slip.amount,
        denominations=slip.denominations,
        signed_by=command.by.badge,
        signed_as=command.by.role,
    )
    delivered = e.FillDelivered(slip=command.slip, received_by=command.by.badge)
    return [received, Elsewhere(stream_of(command.slip), delivered)]


def dispatch_credit(command: c.DispatchCredit, table: Table, look: Look) -> Caused:
    """The chips of a credit leave the rack with the carrier."""
    slip = seen(command.slip, look)
    _expect(slip, "credit", "requested", command.slip)
    _meant_for(command.table, slip, command.slip)
    _signs(command.by, AT_TABLE, "gives chips out of the rack", slip)
    _carries(command, slip)
    sent = e.CreditSent(
        slip=command.slip,
        amount=slip.amount,
        denominations=slip.denominations,
        signed_by=command.by.badge,
        signed_as=command.by.role,
    )
    dispatched = e.CreditDispatched(
        slip=command.slip, dispatched_by=command.by.badge, carried_by=command.carrier.badge
    )
    return [sent, Elsewhere(stream_of(command.slip), dispatched)]


def receive_credit(command: c.ReceiveCredit, slip: Slip, look: Look) -> Caused:
    """The cage receives the chips of a credit."""
    _expect(slip, "credit", "in_transit", command.slip)
    _signs(command.by, (Role.CAGE,), "receives a credit", slip)
    return [
        e.CreditReceived(
            slip=command.slip,
            table=slip.table or "",
            gaming_day=slip.gaming_day,
            amount=slip.amount,
            denominations=slip.denominations,
            received_by=command.by.badge,
        )
    ]


def void_slip(command: c.VoidSlip, slip: Slip, look: Look) -> Caused:
    """A slip is voided: chips in transit to a table go back to the cage; a credit's have to be received."""
    approver = command.approved_by
    _signs(approver, (*SUPERVISORS, Role.CAGE), "approves a void")
    if approver.badge == command.by.badge:
        raise Refusal(Reason.NO_AUTHORITY, f"{approver.badge} cannot approve their own void")
    said = {"slip": command.slip, "reason": command.reason, "approved_by": approver.badge}
    if slip.status == "blank":
        return [e.BlankSlipVoided(**said)]
    if slip.status not in ("requested", "in_transit") or (slip.kind, slip.status) == ("credit", "in_transit"):
        raise Refusal(Reason.WRONG_PHASE, f"slip {command.slip} is {_words(slip)}: nothing is left to void")
    if slip.kind == "credit":
        return [e.CreditVoided(**said)]
    back = slip.amount if slip.status == "in_transit" else 0
    return [e.FillVoided(returned=back, denominations=slip.denominations if back else None, **said)]


# ------------------------------------------------------------------------------------- who, what, when


def _signs(who: Actor, roles: tuple[Role, ...], what: str, slip: Slip | None = None) -> None:
    if who.role not in roles:
        raise Refusal(Reason.NO_AUTHORITY, f"{_one_of(roles)} {what}, not {who.role}")
    if slip is not None and who.badge in slip.signers:
        raise Refusal(Reason.NO_AUTHORITY, f"{who.badge} has signed this slip already: it takes another")


def _carries(command: c.DispatchFill | c.DispatchCredit, slip: Slip) -> None:
    _signs(command.carrier, (Role.SECURITY,), "carries chips", slip)
    if command.carrier.badge == command.by.badge:
        raise Refusal(Reason.NO_AUTHORITY, f"{command.by.badge} cannot carry what they dispatch")


def _one_of(roles: tuple[Role, ...]) -> str:
    return " or ".join(roles)


def _blank(number: str, look: Look) -> None:
    if seen(number, look).status != "blank":
        raise Refusal(Reason.DUPLICATE_SLIP, f"slip {number} has been used; every number is used once")


def _expect(slip: Slip, kind: str, status: Status, number: str) -> None:
    if slip.status == "blank":
        raise Refusal(Reason.NO_SUCH_SLIP, f"nobody has written on slip {number}")
    if (slip.kind, slip.status) != (kind, status):
        raise Refusal(Reason.WRONG_PHASE, f"slip {number} is {_words(slip)}")


def _words(slip: Slip) -> str:
    return f"a {slip.kind}, {slip.status.replace('_', ' ')}"


def _meant_for(table: str, slip: Slip, number: str) -> None:
    if slip.table != table:
        raise Refusal(Reason.NO_SUCH_SLIP, f"slip {number} is for table {slip.table}, not {table}")


def _some(chips: c.Chips) -> tuple[int, dict[str, int] | None]:
    amount = c.total(chips)
    if amount <= 0:
        raise Refusal(Reason.BAD_AMOUNT, f"{dollars(amount)} is no amount; it must be more than nothing")
    return amount, None if isinstance(chips, int) else dict(chips)


def _listed(slip: str, name: str, table: Table) -> Elsewhere:
    item: dict[str, Any] = {"kind": "slip", "item": slip, "table": name, "gaming_day": table.gaming_day}
    return Elsewhere(f"day:{table.gaming_day}", e.DayItemListed(**item))


AT_A_TABLE: dict[type[Any], Callable[[Any, Any, Look], Caused]] = {
    c.Fill: fill,
    c.Credit: credit,
    c.RequestFill: request_fill,
    c.RequestCredit: request_credit,
    c.ReceiveFill: receive_fill,
    c.DispatchCredit: dispatch_credit,
}
ON_SLIP: dict[type[Any], Callable[[Any, Any, Look], Caused]] = {
    c.DispatchFill: dispatch_fill,
    c.ReceiveCredit: receive_credit,
    c.VoidSlip: void_slip,
}
