"""A pit in few words for the tests: an open table, players who bought in, commands by what they say."""

from copy import copy
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from domain import events as e
from domain.events import Happened
from domain.refusals import Refusal
from tests.domain.story import Story, table_win

IOWA, PENNSYLVANIA, INDIANA, PARTY = "ia-prairie-meadows", "pa-crapless", "in-68-iac-10-4", "casino-party"
BANKROLL = 10_000_000


@dataclass
class Pit(Story):
    """An open table. `terms` are posted over the usual ones: $5 to $5,000, $1 chips, paid to the cent."""

    rules: str = IOWA
    terms: dict[str, Any] = field(default_factory=dict)
    players: tuple[str, ...] = ("P1", "P2")
    _ids: Any = field(default_factory=lambda: count(1))

    def __post_init__(self) -> None:
        usual = {"min": 500, "max": 500_000, "chip": 100, "payout_unit": 1, "opener": 10_000_000}
        posted = {"gaming_day": "2026-11-28", "rules": self.rules, **usual, **self.terms}
        self.must("open", "boxman", **posted)
        for player in self.players:
            self.must("buy_in", player=player, amount=BANKROLL, tender="cash")

    def fork(self) -> "Pit":
        """The same table, to go on from here another way."""
        other = copy(self)
        other.table, other.events = self.table.then([]), self.events.copy()
        return other

    def say(self, do: str, role: str = "dealer", badge: str = "B-1", **said: Any) -> list[Happened] | Refusal:
        """A command reaches the table."""
        line = {"id": f"c{next(self._ids)}", "at": "2026-11-28T20:00:00-06:00", "table": "CR01", "do": do}
        return self.tell({**line, "by": {"badge": badge, "role": role}, **said})

    def must(self, do: str, role: str = "dealer", **said: Any) -> list[Happened]:
        """A command that the house takes: what came of it."""
        answer = self.say(do, role, **said)
        assert not isinstance(answer, Refusal), (do, said, answer.reason, answer.message)
        return answer

    def refused(self, do: str, role: str = "dealer", **said: Any) -> str:
        """A command that the house refuses: the reason."""
        before = len(self.events)
        answer = self.say(do, role, **said)
        assert isinstance(answer, Refusal), (do, said, answer)
        assert len(self.events) == before
        return answer.reason.value

    def bet(self, wager: str, kind: str, amount: int, player: str = "P1", **said: Any) -> list[Happened]:
        """A wager that the house takes."""
        return self.must("bet", wager=wager, kind=kind, amount=amount, player=player, **said)

    def no_bet(self, kind: str, amount: int, player: str = "P1", role: str = "dealer", **said: Any) -> str:
        """A wager that the house refuses: the reason."""
        wager = f"no{next(self._ids)}"
        return self.refused("bet", role, wager=wager, kind=kind, amount=amount, player=player, **said)

    def roll(self, left: int, right: int) -> dict[str, tuple[str, int, int]]:
        """A called roll: every wager it decided, with its outcome, net and credit."""
        return decided(self.must("roll", dice=[left, right]))

    def overrule(self, role: str = "boxman", **said: Any) -> dict[str, tuple[str, int, int]]:
        """The last call overruled: every wager decided by the one that stands."""
        return decided(self.must("overrule", role, roll=self.table.rolls, reason="review", **said))

    def layout(self) -> dict[str, int]:
        """What lies on the layout, in cents by wager."""
        return {wager.wager: wager.amount for wager in self.table.wagers.values()}

    def won(self, player: str = "P1") -> int:
        """What a player is ahead of his buy-in, layout included, in cents."""
        lies = sum(w.amount for w in self.table.wagers.values() if w.player == player)
        return self.table.rails[player] + lies - BANKROLL

    def win(self) -> int:
        """The table's win so far, in cents."""
        return table_win(self.events)


def decided(events: list[Happened]) -> dict[str, tuple[str, int, int]]:
    """The settlements among `events`: outcome, net and credit of each wager; none is decided twice."""
    settled = [event for event in events if isinstance(event, e.WagerSettled)]
    found: dict[str, tuple[str, int, int]] = {s.wager: (s.outcome, s.net, s.credit) for s in settled}
    assert len(found) == len(settled), settled
    return found


def only(events: list[Happened], kind: type[Any]) -> list[Any]:
    """The events of one kind among `events`."""
    return [event for event in events if isinstance(event, kind)]
