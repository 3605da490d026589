"""Tell a table's story as a log, and see what the domain makes of it: no database, no clock."""

from dataclasses import dataclass, field
from typing import Any

import orjson

from domain import events as e
from domain.commands import COMMAND
from domain.decide import decide
from domain.events import Happened
from domain.refusals import Refusal
from domain.table import Table


@dataclass
class Story:
    """A table, everything that happened there, and the money that came and went."""

    table: Table = field(default_factory=Table)
    events: list[Happened] = field(default_factory=list)

    def tell(self, line: dict[str, Any]) -> list[Happened] | Refusal:
        """One command reaches the table: its events, or why not."""
        try:
            events = decide(COMMAND.validate_json(orjson.dumps(line)), self.table)
        except Refusal as refusal:
            return refusal
        for event in events:
            self.table.apply(event)
        self.events += events
        return events


def table_win(events: list[Happened]) -> int:
    """What the house holds of the players' money: lost and commission less winnings, mispays, adjustments."""
    win = 0
    for event in events:
        if isinstance(event, e.WagerSettled):
            win -= event.net
        elif isinstance(event, e.SettlementReversed):
            win += event.net
        elif isinstance(event, e.CommissionCollected):
            win += event.amount
        elif isinstance(event, e.CommissionRefunded | e.AdjustmentMade):
            win -= event.amount
        elif isinstance(event, e.MispayFound):
            win -= event.difference
    return win
