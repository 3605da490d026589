"""What comes of a disputed roll: opened on a held video, ruled on by rank, settled once, closed.

A higher rank may overrule a lower one's ruling, never the reverse, never its equal's and never one's own;
the regulator overrules the house, and no one at the house overrules him. Whoever ruled approves no payment
under that ruling, and nobody approves what he pays himself. No dispute touches the layout or a rail: what
is paid, the patron has in his hands.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from domain import commands as c
from domain import events as e
from domain.commands import RANK, Role
from domain.dispute import Dispute, Ruled
from domain.events import Happened
from domain.money import dollars
from domain.policy.disputes import DisputePolicy, policies, policy_for
from domain.refusals import Reason, Refusal
from domain.subject import Elsewhere, Look, table_stream
from domain.table import Table

LEVEL = {**RANK, Role.REGULATOR: max(RANK.values()) + 1}
"""Who may rule, and over whom."""

Events = list[Happened | Elsewhere]


def dispute(command: c.Dispute, known: Dispute, look: Look) -> Events:
    """A dispute is opened; the video is held at once, and notice given where the amount asks for it."""
    if known.opened is not None:
        raise Refusal(
            Reason.DUPLICATE_DISPUTE, f"there is a dispute {command.dispute} already; use another id"
        )
    if command.amount == 0:
        raise Refusal(Reason.BAD_AMOUNT, "a dispute over nothing is none")
    table = _table_of(command, look)
    assert table.house is not None, command
    day = table.house.gaming_day
    policy = policy_for(table.house.rules, day)
    opened = e.DisputeOpened(
        table=command.table,
        gaming_day=day,
        roll=command.roll,
        player=command.player,
        claim=command.claim,
        amount=command.amount,
        wager=command.wager,
        policy=policy.id,
        rule_by=command.at + timedelta(days=policy.rule_days),
        complain_by=policy.complain_by(day),
    )
    return [opened, _held(command, table, policy, look), *_notice(opened, policy)]


def _table_of(command: c.Dispute, look: Look) -> Table:
    """The table as it stands that the roll was thrown at."""
    table = look(table_stream(command.table, command.gaming_day))
    assert isinstance(table, Table), command
    if table.house is None:
        on = f" on {command.gaming_day}" if command.gaming_day else ""
        raise Refusal(Reason.TABLE_NOT_OPEN, f"table {command.table} was not open{on}")
    where = f"at {command.table} on {table.gaming_day}"
    if command.roll > table.rolls:
        raise Refusal(
            Reason.NO_SUCH_ROLL, f"there is no roll {command.roll} {where}; the last is {table.rolls}"
        )
    if command.player not in table.rails:
        raise Refusal(Reason.NO_SUCH_PLAYER, f"{command.player} had no chips {where}")
    if command.wager is not None and command.wager not in table.used:
        raise Refusal(Reason.NO_SUCH_WAGER, f"there was no wager {command.wager} {where}")
    return table


def _held(command: c.Dispute, table: Table, policy: DisputePolicy, look: Look) -> e.VideoHoldPlaced:
    """The video around the roll, unless other times were given; on the clock of whoever opens the dispute."""
    assert table.gaming_day is not None, command
    stream = table_stream(command.table, table.gaming_day)
    called_at = look.when(stream, table.calls[command.roll - 1]).astimezone(command.at.tzinfo)
    since, until = policy.video_around(called_at)
    return e.VideoHoldPlaced(
        camera=command.camera, since=command.video_from or since, until=command.video_until or until
    )


def _notice(opened: e.DisputeOpened, policy: DisputePolicy) -> list[e.RegulatorNotified]:
    if abs(opened.amount) < policy.notify_from:
        return []
    return [
        e.RegulatorNotified(
            cause="threshold",
            amount=opened.amount,
            threshold=policy.notify_from,
            reference=None,
            reason=None,
            section=policy.notify_section,
        )
    ]


def _open(command: Any, known: Dispute) -> e.DisputeOpened:
    """The dispute a command speaks of, which must be there, at that table, and not closed."""
    if known.opened is None:
        raise Refusal(Reason.NO_SUCH_DISPUTE, f"there is no dispute {command.dispute}")
    if command.table != known.opened.table:
        raise Refusal(
            Reason.NO_SUCH_DISPUTE,
            f"dispute {command.dispute} is about table {known.opened.table}, not {command.table}",
        )
    if known.closed:
        raise Refusal(
            Reason.DISPUTE_CLOSED, f"dispute {command.dispute} is closed; what comes up now is a new one"
        )
    return known.opened


def evidence(command: c.Evidence, known: Dispute, look: Look) -> Events:
    """A file, a statement, a note; or what surveillance saw."""
    _open(command, known)
    if command.kind != "surveillance_review":
        return [
            e.EvidenceAttached(
                kind=command.kind, reference=command.reference, sha256=command.sha256, note=command.note
            )
        ]
    if command.by.role != Role.SURVEILLANCE:
        raise Refusal(
            Reason.NO_AUTHORITY, f"recordings are reviewed by surveillance, not by {command.by.role}"
        )
    assert command.sha256 is not None, command
    assert command.note is not None, command
    return [e.SurveillanceReviewed(reference=command.reference, sha256=command.sha256, finding=command.note)]


def ruling(command: c.Ruling, known: Dispute, look: Look) -> Events:
    """A first ruling, or one that a higher rank puts in the place of the one that stands."""
    opened = _open(command, known)
    _may_rule(command, known.stands)
    gives = _given(command, opened.amount)
    made = e.RulingMade(
        ruling=command.ruling,
        amount=gives,
        badge=command.by.badge,
        role=command.by.role,
        reason=command.reason,
        settle_by=None if gives == known.paid else command.at + timedelta(days=_policy(opened).settle_days),
    )
    if known.stands is None:
        return [made]
    was = known.stands
    return [e.RulingOverruled(ruling=was.ruling, amount=was.amount, badge=was.badge, role=was.role), made]


def _may_rule(command: c.Ruling, stands: Ruled | None) -> None:
    role = command.by.role
    if LEVEL.get(role, 0) < LEVEL[Role.BOXMAN]:
        raise Refusal(Reason.NO_AUTHORITY, f"a ruling takes a supervisor or the regulator, not {role}")
    if stands is None:
        return
    if stands.badge == command.by.badge:
        raise Refusal(Reason.NO_AUTHORITY, f"{stands.badge} may not overrule his own ruling")
    # The regulator's instances decide among themselves whose decision is the later one.
    if LEVEL[role] <= LEVEL[Role(stands.role)] and role != Role.REGULATOR:
        raise Refusal(Reason.NO_AUTHORITY, f"{role} may not overrule a ruling by {stands.role}")


def _given(command: c.Ruling, claimed: int) -> int:
    """What a ruling gives the player, in cents."""
    if command.ruling != "settled_in_part":
        return claimed if command.ruling == "upheld" else 0
    assert command.amount is not None, command
    if not _within(command.amount, claimed) or command.amount == claimed:
        raise Refusal(
            Reason.BAD_AMOUNT, f"{dollars(command.amount)} is no part of the {dollars(claimed)} claimed"
        )
    return command.amount


def _within(amount: int, limit: int) -> bool:
    """Whether an amount is more than nothing, and goes as far as `limit` in its direction at most."""
    return 0 < amount <= limit or limit <= amount < 0


def settle_dispute(command: c.SettleDispute, known: Dispute, look: Look) -> Events:
    """Money moves under the ruling that stands: once, not more than it gives, approved by somebody else.

    Chips come from the table's rack while it is open for the day of the roll; cash, and chips later on,
    from the cage, because that rack has been counted.
    """
    opened = _open(command, known)
    if known.stands is None:
        raise Refusal(Reason.NO_RULING, f"dispute {command.dispute} has no ruling to settle under")
    approver = command.approved_by if isinstance(command.approved_by, str) else command.approved_by.badge
    _may_approve(approver, command.by.badge, known.stands.badge)
    _may_be_paid(command.amount, known)
    at = table_stream(opened.table, opened.gaming_day)
    table = look(at)
    assert isinstance(table, Table), opened
    at_table = table.is_open and command.tender == "chips"
    settled = e.DisputeSettled(
        player=opened.player,
        roll=opened.roll,
        amount=command.amount,
        tender=command.tender,
        paid_from="rack" if at_table else "cage",
        approved_by=approver,
    )
    if not at_table:
        return [settled]
    paid = e.DisputePaidFromRack(dispute=command.dispute, player=opened.player, amount=command.amount)
    return [settled, Elsewhere(at, paid)]


def _may_approve(approver: str, payer: str, ruler: str) -> None:
    if approver == payer:
        raise Refusal(Reason.NO_AUTHORITY, f"{approver} cannot approve what he settles himself")
    if approver == ruler:
        raise Refusal(Reason.NO_AUTHORITY, f"{approver} made the ruling and cannot approve its settlement")


def _may_be_paid(amount: int, known: Dispute) -> None:
    if known.due == 0:
        raise Refusal(Reason.ALREADY_SETTLED, "nothing is due under the ruling that stands")
    if known.is_settled:
        raise Refusal(
            Reason.ALREADY_SETTLED, "the ruling that stands has been settled under; it is done once"
        )
    if not _within(amount, known.due):
        raise Refusal(
            Reason.BAD_AMOUNT, f"{dollars(amount)} is not within the {dollars(known.due)} that is due"
        )


def notify_regulator(command: c.NotifyRegulator, known: Dispute, look: Look) -> Events:
    """Somebody gave the regulator notice, or was given his number for it."""
    opened = _open(command, known)
    return [
        e.RegulatorNotified(
            cause="notice",
            amount=opened.amount,
            threshold=None,
            reference=command.reference,
            reason=command.reason,
            section=None,
        )
    ]


def close_dispute(command: c.CloseDispute, known: Dispute, look: Look) -> Events:
    """The end: what was ruled has been settled, or the patron withdrew before a ruling."""
    opened = _open(command, known)
    stands = known.stands
    if command.withdrawn and stands is not None:
        raise Refusal(
            Reason.WRONG_PHASE, f"dispute {command.dispute} has been ruled on; it cannot be withdrawn"
        )
    if not command.withdrawn and stands is None:
        raise Refusal(
            Reason.NO_RULING, f"dispute {command.dispute} has no ruling; rule, or close it withdrawn"
        )
    if not known.is_settled:
        raise Refusal(Reason.NOT_SETTLED, f"{dollars(known.due)} is due under the ruling; settle it first")
    return [
        e.DisputeClosed(
            outcome="withdrawn" if stands is None else stands.ruling,
            paid=known.paid,
            reason=command.reason,
            video_until=command.at.date() + timedelta(days=_policy(opened).keep_video_days),
        )
    ]


def _policy(opened: e.DisputeOpened) -> DisputePolicy:
    """The policy a dispute was opened under. Raises LookupError where this program does not carry it."""
    for policy in policies():
        if policy.id == opened.policy:
            return policy
    raise LookupError(f"this program has no dispute policy {opened.policy}")


DECIDE: dict[type[Any], Callable[[Any, Dispute, Look], Events]] = {
    c.Dispute: dispute,
    c.Evidence: evidence,
    c.Ruling: ruling,
    c.SettleDispute: settle_dispute,
    c.NotifyRegulator: notify_regulator,
    c.CloseDispute: close_dispute,
}
