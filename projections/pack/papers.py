"""The day's papers: slips, inventory counts, box counts, corrections and exceptions, as rows of the pack."""

from collections.abc import Callable, Iterator
from typing import Any

from domain import events as e
from projections.day_events import DayEvent
from projections.pack.sheet import Row, Sheet, decimal, fields

_SLIP = fields(
    text_1="number type table gaming_day",
    money="amount",
    text_2="denominations status requested_by requested_at dispatched_by dispatched_at carried_by "
    "received_by received_at voided_by voided_at void_reason",
    whole="first_event last_event",
)
_INVENTORY = fields(
    text_1="table gaming_day count at denomination",
    money="value counted book variance",
    text_2="signed_by signed_as witness",
    whole="position",
)
_DROP_COUNT = fields(
    text_1="table box gaming_day",
    whole_1="pass",
    text_2="component denomination",
    money="amount",
    text_3="counted_by seen_by stands",
    whole_2="position",
)
_CORRECTION = fields(
    whole="event_id",
    text_1="kind table corrects reason",
    money="before after",
    text_2="proposer proposer_role approver approver_role original_by day_affected day_booked after_seal "
    "called_before called_after denominations was_denominations",
)
_EXCEPTION = fields(
    text_1="exception kind subject table",
    money="amount",
    text_2="opened owner text status disposition dispositioned_by dispositioned_at",
    whole="position",
    text_3="disposition_after_seal",
)


class Papers:
    """What was written and signed on one gaming day, in ledger order."""

    def __init__(self) -> None:
        self.slips: dict[str, Row] = {}
        self.counts: list[Row] = []
        self.boxes: list[Row] = []
        self.corrections: list[Row] = []
        self.exceptions: dict[str, Row] = {}

    def take(self, said: DayEvent, event: e.Happened) -> None:
        """Keep what an event of KEPT says."""
        _KEEP[type(event)](self, said, event)

    def sheets(self, day: str) -> Iterator[Sheet]:
        """The papers as sheets, each in the order of its key."""
        stand = {(row["table"], row["box"]): row["pass"] for row in self.boxes}  # the last pass of each box
        for row in self.boxes:
            row["stands"] = "yes" if stand[row["table"], row["box"]] == row["pass"] else "no"
        slips = [self.slips[number] for number in sorted(self.slips)]
        of = {"gaming_day": day}
        yield Sheet("slips", _SLIP, [{**row, **of} for row in slips])
        yield Sheet("inventory", _INVENTORY, [{**row, **of} for row in self.counts])
        yield Sheet("drop_count", _DROP_COUNT, [{**row, **of} for row in self.boxes])
        yield Sheet("corrections", _CORRECTION, [{**row, "day_affected": day} for row in self.corrections])
        yield Sheet("exceptions", _EXCEPTION, [self.exceptions[name] for name in sorted(self.exceptions)])


# ------------------------------------------------------------------------------------- slips


def _slip(papers: Papers, said: DayEvent, number: str, kind: str) -> Row:
    blank: Row = dict.fromkeys(field.name for field in _SLIP)
    blank.update(number=number, type=kind, table=said.table, first_event=said.position)
    row = papers.slips.setdefault(number, blank)
    row["type"] = row["type"] or kind
    row["last_event"] = said.position
    return row


def _requested(papers: Papers, said: DayEvent, event: e.FillRequested | e.CreditRequested) -> None:
    kind = "fill" if isinstance(event, e.FillRequested) else "credit"
    row = _slip(papers, said, event.slip, kind)
    row.update(amount=event.amount, denominations=event.denominations, status="requested")
    row.update(requested_by=event.requested_by, requested_at=said.occurred_at.isoformat())


def _dispatched(papers: Papers, said: DayEvent, event: e.FillDispatched | e.CreditDispatched) -> None:
    row = _slip(papers, said, event.slip, "fill" if isinstance(event, e.FillDispatched) else "credit")
    in_one_step = event.dispatched_by is None
    row.update(status="done" if in_one_step else "in transit", carried_by=event.carried_by)
    row.update(dispatched_by=event.dispatched_by or said.badge, dispatched_at=said.occurred_at.isoformat())
    if isinstance(event, e.FillDispatched):
        row.update(amount=event.amount, denominations=event.denominations)


def _received(papers: Papers, said: DayEvent, event: e.FillDelivered | e.CreditReceived) -> None:
    row = _slip(papers, said, event.slip, "fill" if isinstance(event, e.FillDelivered) else "credit")
    row.update(status="done", received_by=event.received_by or said.badge)
    row["received_at"] = said.occurred_at.isoformat()
    if isinstance(event, e.CreditReceived):
        row.update(amount=event.amount, denominations=event.denominations)


def _voided(papers: Papers, said: DayEvent, event: e.FillVoided | e.CreditVoided | e.BlankSlipVoided) -> None:
    kind = {e.FillVoided: "fill", e.CreditVoided: "credit"}.get(type(event), "blank")
    row = _slip(papers, said, event.slip, kind)
    row.update(status="void", voided_by=event.approved_by, void_reason=event.reason)
    row["voided_at"] = said.occurred_at.isoformat()


# ------------------------------------------------------------------------------------- counts


def _rack(
    papers: Papers, said: DayEvent, count: str, cents: int, book: int | None, witness: str | None
) -> None:
    event: Any = said.event
    row: Row = {
        "table": said.table,
        "count": count,
        "at": said.occurred_at.isoformat(),
        "counted": cents,
        "book": book,
        "variance": None if book is None else cents - book,
        "signed_by": event.signed_by or said.badge,
        "signed_as": event.signed_as or said.role,
        "witness": witness,
        "position": said.position,
    }
    chips = event.denominations or {None: cents}
    for denomination in sorted(chips, key=lambda cents: int(cents or 0)):
        said_as = denomination and decimal(int(denomination))
        papers.counts.append({**row, "denomination": said_as, "value": chips[denomination]})


def _opened(papers: Papers, said: DayEvent, event: e.TableOpened) -> None:
    _rack(papers, said, "opener", event.opener, event.preceding_closer, None)


def _closed(papers: Papers, said: DayEvent, event: e.TableClosed) -> None:
    _rack(papers, said, "closer", event.closer, event.book, None)


def _counted(papers: Papers, said: DayEvent, event: e.TableInventoryCounted) -> None:
    _rack(papers, said, event.count, event.counted, event.book, event.witness)


def _drop_counted(papers: Papers, said: DayEvent, event: e.DropCounted) -> None:
    row: Row = {
        "table": said.table,
        "box": event.box,
        "pass": event.count_pass,
        "counted_by": event.signed_by or said.badge,
        "seen_by": " ".join(event.seen_by) or None,
        "position": said.position,
    }
    cash: dict[Any, int] = event.denominations or {None: event.cash}
    for denomination in sorted(cash, key=lambda cents: int(cents or 0)):
        name = denomination and decimal(int(denomination))
        papers.boxes.append({**row, "component": "cash", "denomination": name, "amount": cash[denomination]})
    for component, amount in (("markers", event.markers), ("slips", event.slips)):
        papers.boxes.append({**row, "component": component, "denomination": None, "amount": amount})


# ------------------------------------------------------------------------------------- corrections


def _correction(papers: Papers, said: DayEvent, kind: str, **told: Any) -> None:
    row: Row = dict.fromkeys(field.name for field in _CORRECTION)
    row.update(event_id=said.position, kind=kind, table=said.table, proposer=said.badge)
    row.update(proposer_role=said.role, day_booked=said.occurred_at.date().isoformat(), **told)
    papers.corrections.append(row)


def _corrected(papers: Papers, said: DayEvent, event: e.CorrectionRecorded) -> None:
    _correction(
        papers,
        said,
        "figure",
        corrects=f"{event.what} {event.item or ''}".strip(),
        reason=event.reason,
        before=event.before,
        after=event.after,
        approver=event.approved_by,
        approver_role=event.approved_as,
        original_by=event.original_by,
        after_seal="yes" if event.sealed else "no",
        denominations=event.denominations,
        was_denominations=event.was_denominations,
    )


def _overruled(papers: Papers, said: DayEvent, event: e.RollOverruled) -> None:
    faces = (dice and "-".join(map(str, dice)) for dice in (event.was, event.dice))
    before, after = (call or "no roll" for call in faces)
    called = {"called_before": before, "called_after": after}
    _correction(papers, said, "call", corrects=f"roll {event.roll}", reason=event.reason, **called)


def _adjusted(papers: Papers, said: DayEvent, event: e.AdjustmentMade) -> None:
    told = {"before": 0, "after": event.amount, "approver": event.approved_by}
    _correction(papers, said, "adjustment", corrects="rail", reason=event.reason, **told)


# ------------------------------------------------------------------------------------- exceptions


def _raised(papers: Papers, said: DayEvent, event: e.ExceptionRaised) -> None:
    before = papers.exceptions.get(event.exception)
    amount = event.amount
    if before is not None and before["amount"] is not None and amount is not None:
        amount += before["amount"]
    row: Row = dict.fromkeys(field.name for field in _EXCEPTION)
    row.update(exception=event.exception, kind=event.kind, subject=event.subject, table=event.table)
    row.update(amount=amount, opened=said.occurred_at.isoformat(), owner=event.raised_by, text=event.text)
    row.update(status="cleared" if amount == 0 else "open", position=said.position)
    papers.exceptions[event.exception] = row


def _dispositioned(papers: Papers, said: DayEvent, event: e.ExceptionDispositioned) -> None:
    row = papers.exceptions[event.exception]
    row.update(status="dispositioned", disposition=event.text, dispositioned_by=event.dispositioned_by)
    row["dispositioned_at"] = said.occurred_at.isoformat()
    row["disposition_after_seal"] = "yes" if event.sealed else "no"


_KEEP: dict[type[e.Happened], Callable[[Papers, DayEvent, Any], None]] = {
    e.FillRequested: _requested,
    e.CreditRequested: _requested,
    e.FillDispatched: _dispatched,
    e.CreditDispatched: _dispatched,
    e.FillDelivered: _received,
    e.CreditReceived: _received,
    e.FillVoided: _voided,
    e.CreditVoided: _voided,
    e.BlankSlipVoided: _voided,
    e.TableOpened: _opened,
    e.TableClosed: _closed,
    e.TableInventoryCounted: _counted,
    e.DropCounted: _drop_counted,
    e.CorrectionRecorded: _corrected,
    e.RollOverruled: _overruled,
    e.AdjustmentMade: _adjusted,
    e.ExceptionRaised: _raised,
    e.ExceptionDispositioned: _dispositioned,
}
KEPT = frozenset(kind.name for kind in _KEEP)
"""The names of the events that are papers."""
