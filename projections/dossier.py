"""Everything that is known of a disputed roll, as one plain object: the file for a hearing.

The parties, the claim, the rolls around it as `projections.replay` tells them, the rulings and the money,
what each other call would have changed down to the end of the day, the evidence, and which events all of it
rests on, with their hashes. Read from the ledger, so the same ledger gives the same file. Cents.
"""

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from typing import Any, NamedTuple

import orjson
from psycopg import Connection

from domain import commands as c
from domain.decide import decide
from domain.policy.disputes import policies
from domain.refusals import Refusal
from domain.rules.shelf import pinned
from domain.rules.words import offers
from domain.table import Table
from ledger.errors import LedgerError
from ledger.log import LogRow, bring_up_to_date, event_of, read_stream
from ledger.migrations import Property
from projections import disputes, replay
from projections.history import History, read
from projections.rows import Row, find, select
from projections.telling import called, faces, money_in, tell
from projections.whatif import Progress, Question, answers, in_silence

FORMAT = 2  # grows when a field is added
AROUND = 4  # rolls before and after the disputed one
THROWS = [(left, right) for left in range(1, 7) for right in range(left, 7)]
_TOTALS = dict(enumerate("two three four five six seven eight nine ten eleven twelve".split(), 2))


def facts(conn: Connection[Any], dispute: str, around: int = AROUND, progress: Progress = in_silence) -> Row:
    """The file of a dispute. Raises LedgerError where there is none of that name.

    The projections must have been brought up to date before.
    """
    head = bring_up_to_date(conn)
    known = _known(conn, dispute)
    history = read(conn, known["table"], date.fromisoformat(known["gaming_day"]))
    number = known["roll"]
    first, last = max(1, number - around), min(history.rolls, number + around)
    said = _said(conn, dispute, history.house)
    day = f"table:{history.table}:{history.gaming_day}"
    told = replay.document(history, first, last)
    return {
        "dossier": FORMAT,
        "as_of_position": head,
        **{name: told[name] for name in ("property", "currency", "table", "gaming_day", "last_roll")},
        "rules": _rules(told),
        "dispute": known,
        "policy": _policy(known["policy"]),
        "parties": _parties(known, told["rolls"], said),
        "history": said,
        "evidence": [fact for fact in said if fact["event"] in ("EvidenceAttached", "SurveillanceReviewed")],
        "rulings": [fact for fact in said if fact["event"] in ("RulingMade", "RulingOverruled")],
        "settlements": [fact for fact in said if fact["event"] == "DisputeSettled"],
        "roll": number,
        "rolls": told["rolls"],
        "whatif": list(_other_calls(history, number, progress)),
        "rests_on": _rests_on(conn, day, dispute, told["rolls"], number),
        "chains": [_chain(conn, stream) for stream in (day, f"dispute:{dispute}")],
    }


def _known(conn: Connection[Any], dispute: str) -> Row:
    known = disputes.rows(conn, datetime.now(UTC))
    for row in known:
        if row["dispute"] == dispute:
            return {name: value for name, value in row.items() if name not in ("overdue", "due_by")}
    there = ", ".join(row["dispute"] for row in known[-12:])
    raise LedgerError(f"there is no dispute {dispute}: {f'there is {there}' if there else 'none was opened'}")


def _rules(told: Row) -> Row:
    """The rule set, and in our words its rule for every wager that lay on the layout in these rolls."""
    named = {"id": told["rules"], "version": told["rules_version"]}
    try:
        pack = pinned(told["rules"], told["rules_version"])
    except LookupError:  # a set this program no longer carries; every settlement cites it all the same
        return {**named, "title": None, "wagers": []}
    lay = {wager for roll in told["rolls"] for wager in _rules_asked(roll["before"]["wagers"])}
    asked = ("wager", "name", "made", "decided", "pays", "section", "pays_section")
    ours = [{name: getattr(offer, name) for name in asked} for offer in offers(pack) if offer.wager in lay]
    return {**named, "title": pack.title, "wagers": ours}


def _rules_asked(wagers: list[Row]) -> Iterator[str]:
    """By which entries of the rules wagers are decided; odds by the one for the wager they support."""
    kinds = {wager["wager"]: wager["kind"] for wager in wagers}
    for wager in wagers:
        base = kinds.get(wager["base"])
        yield f"odds on {base}" if wager["kind"] == "odds" and base else wager["kind"]


def _policy(name: str) -> Row:
    return next((policy.model_dump(mode="json") for policy in policies() if policy.id == name), {"id": name})


# ------------------------------------------------------------------------------------- what was said of it


def _said(conn: Connection[Any], dispute: str, house: Property) -> list[Row]:
    """Everything in the dispute's stream, refusals too, each in a sentence."""
    money = money_in(house.currency)
    return [_told(row, money) for row in _on_the_clock(conn, f"dispute:{dispute}")]


def _on_the_clock(conn: Connection[Any], stream: str) -> list[LogRow]:
    with conn.transaction():
        conn.execute("SELECT set_config('TimeZone', time_zone, true) FROM pitledger.property")
        return read_stream(conn, stream)


def _told(row: LogRow, money: Callable[[int], str]) -> Row:
    return {
        "event": row.name,
        "text": tell(event_of(row), "", money),
        "version": row.version,
        "position": row.position,
        "at": row.occurred_at.isoformat(),
        "recorded_at": row.recorded_at.isoformat(),
        "by": row.badge,
        "role": row.role,
        "command": row.command,
        "data": orjson.loads(row.data),
    }


_DID = {
    "DisputeOpened": "opened the dispute",
    "EvidenceAttached": "attached evidence",
    "SurveillanceReviewed": "reviewed the recording",
    "RulingMade": "ruled",
    "DisputeSettled": "settled it",
    "RegulatorNotified": "gave the regulator notice",
    "DisputeClosed": "closed the dispute",
}
_CALLED = {"roll": "called the roll", "no_roll": "called No Roll", "overrule": "overruled the call"}


def _parties(known: Row, rolls: list[Row], said: list[Row]) -> Row:
    """The patron, and everybody of the house who had a hand in it, with what he did."""
    did: dict[tuple[str, str], list[str]] = {}
    for who, role, what in (*_at_the_table(known["roll"], rolls), *_afterwards(said)):
        acts = did.setdefault((who, role), [])
        if what not in acts:
            acts.append(what)
    house = [{"badge": who, "role": role, "did": acts} for (who, role), acts in did.items()]
    return {"patron": known["player"], "house": house}


def _at_the_table(number: int, rolls: list[Row]) -> Iterator[tuple[str, str, str]]:
    disputed = next(roll for roll in rolls if roll["roll"] == number)
    for call in disputed["calls"]:
        yield call["by"], call["role"], _CALLED[call["call"]]
        for fact in call["said"]:
            yield fact["by"], fact["role"], "stood at the table"


def _afterwards(said: list[Row]) -> Iterator[tuple[str, str, str]]:
    for fact in said:
        what = _DID.get(fact["event"])
        if (
            what and fact["data"].get("cause") != "threshold"
        ):  # that notice nobody gave: the house's system did
            yield fact["by"], fact["role"], what
        if approver := fact["data"].get("approved_by"):
            yield approver, "", "approved the settlement"


# ------------------------------------------------------------------------------------- other calls


class _Call(NamedTuple):
    """A call that could have been made; throws that come to the same are one call."""

    question: Question
    throws: list[tuple[int, int]]


def _other_calls(history: History, number: int, progress: Progress) -> Iterator[Row]:
    """What each other call would have changed by the end of the day."""
    told = replay.roll(history, number)
    calls = _possible(history, number, told)
    shown = [sorted(call["dice"]) for call in told["calls"] if call["dice"]]
    found = answers(history, number, [call.question for call in calls], progress)
    for call, answer in zip(calls, found, strict=True):
        if not isinstance(answer, LedgerError):  # the rules do not allow that call here
            yield _otherwise(call, answer, shown)


def _possible(history: History, number: int, told: Row) -> list[_Call]:
    stands = sorted(told["dice"]) if told["stands"] else None
    calls = [] if stands is None else [_Call(Question(no_roll=True), [])]
    for throws in _alike(history, number):
        if stands not in [list(dice) for dice in throws]:
            calls.append(_Call(Question(dice=throws[0]), throws))
    return calls


def _alike(history: History, number: int) -> Iterator[list[tuple[int, int]]]:
    """The throws, those together that decide and move the same to the cent; the total stays what it is."""
    call = history.call_of(number)
    lay = history.fold(history.begins(call))
    groups: dict[tuple[int, str], list[tuple[int, int]]] = {}
    for dice in sorted(THROWS, key=sum):
        groups.setdefault((sum(dice), _consequences(history, call, lay, dice)), []).append(dice)
    yield from groups.values()


def _consequences(history: History, call: int, lay: Table, dice: tuple[int, int]) -> str:
    told = history.told[call]
    caller = c.Actor(badge=told.badge, role=c.Role.BOXMAN)
    roll = c.Roll(id="other", at=told.occurred_at, by=caller, table=history.table, do="roll", dice=dice)
    try:
        events = decide(roll, lay)
    except Refusal as no:
        return no.reason
    return "".join(event.model_dump_json(exclude={"dice", "section", "edge"}) for event in events)


def _otherwise(call: _Call, found: Row, shown: list[list[int]]) -> Row:
    """One line of the table: who would have what, by the end of the day."""
    return {
        "call": _spoken(call.throws),
        "throws": [list(dice) for dice in call.throws],
        "as_shown": any(list(dice) in shown for dice in call.throws),
        "players": [player for player in found["players"] if player["difference"]],
        "house": found["house"],
        "decided_otherwise": len(found["settlements"]),
        "answered_otherwise": len(found["commands"]),
    }


def _spoken(throws: list[tuple[int, int]]) -> str:
    """A call as the stickman makes it.

    >>> _spoken([(2, 2)]), _spoken([(1, 3), (2, 2)]), _spoken([])
    ('2-2, a hard four', '1-3 or 2-2, four', 'No Roll')
    """
    if len(throws) < 2:
        return called(throws[0]) if throws else "No Roll"
    return f"{' or '.join(map(faces, throws))}, {_TOTALS[sum(throws[0])]}"


# ------------------------------------------------------------------------------------- what it rests on

_SEALED = """
    SELECT l.first_position + e.place AS position, e.stream, e.version, e.name AS event, e.occurred_at AS at,
           encode(e.hash, 'hex') AS hash
      FROM pitledger.events e JOIN pitledger.log l ON l.property = e.property AND l.batch = e.batch
     WHERE e.property = (SELECT property FROM pitledger.property)
       AND {where} AND (%(first)s::bigint IS NULL OR e.version BETWEEN %(first)s AND %(last)s)
     ORDER BY e.version"""
_CHAIN = """
    SELECT count(*) AS events, max(version) AS version,
           encode((array_agg(hash ORDER BY version DESC))[1], 'hex') AS hash,
           (SELECT count(*) FROM pitledger.broken_links b
             WHERE b.property = e.property AND b.stream = e.stream) AS broken
      FROM pitledger.events e
     WHERE property = (SELECT property FROM pitledger.property) AND stream = %(stream)s
     GROUP BY property, stream"""


def _rests_on(conn: Connection[Any], day: str, dispute: str, rolls: list[Row], number: int) -> list[Row]:
    """Every event that is told of; `concerns` the dispute, the disputed roll, or the rolls around it."""
    first, last = _versions([roll for roll in rolls if roll["roll"] == number])
    at_the_table = [
        {**row, "concerns": "disputed_roll" if first <= row["version"] <= last else "rolls_around"}
        for row in _sealed(conn, day, _versions(rolls))
    ]
    afterwards = [{**row, "concerns": "dispute"} for row in _sealed(conn, f"dispute:{dispute}", None)]
    return at_the_table + afterwards


def _versions(rolls: list[Row]) -> tuple[int, int]:
    """From which to which version of the table's stream the rolls are told."""
    cited = [
        fact["version"]
        for roll in rolls
        for call in roll["calls"]
        for fact in (call, *call["said"], *call["also"], *(f for f in call["fates"] if "version" in f))
    ]
    return min(cited), max(cited)


def _sealed(conn: Connection[Any], stream: str, versions: tuple[int, int] | None) -> list[Row]:
    """Events with their places and hashes."""
    first, last = versions or (None, None)
    found = select(conn, _SEALED, {"stream": stream}, first=first, last=last)
    return [{**row, "at": row["at"].isoformat()} for row in found]


def _chain(conn: Connection[Any], stream: str) -> Row:
    """A whole stream: how many events, the last hash, and how many hashes are not what they must be."""
    return {"stream": stream, **find(conn, _CHAIN, {"stream": stream})[0]}
