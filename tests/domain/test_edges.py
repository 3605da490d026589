"""Exact house edges, against published mathematics worked out by another program from the same documents."""

import csv
import random
import re
from collections import Counter
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from domain import events as e
from domain.rules.check import read
from domain.rules.edges import Edge, edges, percent
from domain.rules.shelf import packs
from tests.domain.pit import Pit, only

DATA = Path(__file__).parents[1] / "data"
PUBLISHED = list(csv.DictReader((DATA / "edges.csv").read_text(encoding="utf-8").splitlines()))
TWENTIETH = Fraction(1, 20)

# The one-page sheet read to the letter (readings C-2, C-4): an 11 pays any craps, and a Don't Come bet that
# has moved is paid on its number and collected on 7. Nobody is to play by it.
TO_THE_LETTER = """
id = "casino-party-to-the-letter"
version = 1
title = "Casino Party, to the letter"
authority = "nobody"
cite = "Casino Party, "
checked_on = 2026-11-30
points = [4, 5, 6, 8, 9, 10]
off_on_come_out = []
limits = {}
sections = { sleep = "Come-out", removal = "Come-out" }

[[wager]]
kind = "any_craps"
name = "Any Craps"
mechanism = "one_roll"
made = "any_time"
legs = [{ pays = { 2 = "8 to 1", 3 = "8 to 1", 11 = "8 to 1", 12 = "8 to 1" } }]
section = "11: Winner"
pays_section = "11: Winner"

[[wager]]
kind = "dont_come"
name = "Don't Come"
mechanism = "line"
made = "any_time"
side = "right"
wins = [2, 3]
loses = [7, 11]
pushes = [12]
pays = "1 to 1"
section = "4: Point"
pays_section = "4: Point"
"""

ANSWERS = {  # what the published table calls a rule set and its reading -> our pack, as posted
    "IA_PM": lambda: packs()["ia-prairie-meadows"],
    "PA_CRAPLESS": lambda: packs()["pa-crapless"],
    "IN_REF": lambda: packs()["in-68-iac-10-4"],
    "PARTY": lambda: packs()["casino-party"],
    "PARTY_FOR1": lambda: packs()["casino-party"].as_posted("for"),
    "PARTY_LITERAL": lambda: read(TO_THE_LETTER, "to-the-letter.toml"),
}
KINDS = {  # where the published table has another word for a wager
    "put": ("put_pass", "put_come"),
    "hop_hard": ("hop",),
    "hop_easy": ("hop",),
    "odds_take": ("odds",),
    "odds_lay": ("odds",),
}
NUMBERED = ("pass", "put", "place", "buy", "lay", "hard", "horn_high", "odds_take", "odds_lay")
LAID = ("dont_pass", "dont_come")


@cache
def computed(rule_set: str) -> list[Edge]:
    return list(edges(ANSWERS[rule_set](), TWENTIETH))


def meant(row: dict[str, str]) -> list[Edge]:
    """Our rows for a row of the published table; several where it takes two wagers as one (put, odds)."""
    number = re.search(r"\d+", row["variant"]) if row["wager"] in NUMBERED else None
    faces = row["variant"] if row["wager"].startswith("hop") else ""
    return [
        edge
        for edge in computed(row["rule_set"])
        if edge.kind in KINDS.get(row["wager"], (row["wager"],))
        and (edge.number or edge.high) == (int(number[0]) if number else None)
        and "-".join(map(str, edge.combo or ())) == faces
        and (edge.commission == "on_win") == ("on win only" in row["variant"])
        and (edge.base in LAID) == (row["wager"] == "odds_lay")
    ]


@pytest.mark.parametrize(
    "row", PUBLISHED, ids=lambda row: f"{row['rule_set']} {row['wager']} {row['variant']}"
)
def test_a_published_edge_is_what_the_table_pays(row: dict[str, str]) -> None:
    ours = meant(row)
    assert ours
    for edge in ours:
        exact = edge.figures
        assert {
            "p_win": str(exact.won),
            "p_push": str(exact.pushed),
            "p_lose": str(1 - exact.won - exact.pushed),
            "edge_per_bet": str(exact.per_bet),
            "edge_resolved": str(exact.resolved),
            "edge_on_outlay": str(exact.on_outlay),
            "working_rolls": str(exact.rolls),
            "edge_per_roll": str(exact.per_roll),
            "edge_per_bet_pct": percent(exact.per_bet),
            "edge_resolved_pct": percent(exact.resolved),
            "edge_on_outlay_pct": percent(exact.on_outlay),
            "edge_per_roll_pct": percent(exact.per_roll),
        } == {name: row[name] for name in row if name.startswith(("p_", "edge_", "working"))}


def test_all_215_published_edges_are_there_and_none_of_ours_is_left_out() -> None:
    assert len(PUBLISHED) == 215
    for rule_set in ("IA_PM", "PA_CRAPLESS", "IN_REF", "PARTY"):
        found = Counter(edge for row in PUBLISHED if row["rule_set"] == rule_set for edge in meant(row))
        assert found == Counter(dict.fromkeys(computed(rule_set), 1)), rule_set


# ------------------------------------------------------------------------------------------ at the table

LINES = ("pass", "dont_pass", "put_pass", "come", "dont_come", "put_come")
BEHIND_THE_PUCK = ("pass", "put_pass")  # take their point from the puck
Bet = tuple[str, int | None, tuple[int, int] | None, int | None, str | None]


def lies(row: Edge, pit: Pit) -> bool:
    """Whether a wager like this one lies on the layout."""
    return any((w.kind, w.number) == (row.kind, row.number) for w in pit.table.wagers.values())


def make(row: Edge, wager: str, pit: Pit) -> None:
    """Make a wager if it may be made now; odds behind the first base that carries them at that point."""
    named: dict[str, Any] = {"number": row.number, "combo": row.combo, "high": row.high}
    if row.kind == "odds":
        bases = [w for w in pit.table.in_order() if (w.kind, pit.table.point_of(w)) == (row.base, row.number)]
        named = {"on": bases[0].wager if bases else "none"}
    if row.kind in BEHIND_THE_PUCK:
        named = {}
    given = {name: value for name, value in named.items() if value}
    pit.say("bet", player="P1", wager=wager, kind=row.kind, amount=6000, **given)


def bet_of(settled: e.WagerSettled, made: dict[str, e.WagerPlaced]) -> Bet:
    """What was bet: a line wager by the number it was made with, odds by their base and its point."""
    number = settled.number if settled.kind == "odds" else made[settled.wager].number
    base = made[settled.base].kind if settled.base else None
    return settled.kind, number, settled.combo, settled.high, base


@pytest.mark.parametrize(
    ("rules", "paid"), [(rules, "up_front") for rules in sorted(packs())] + [("pa-crapless", "on_win")]
)
def test_every_settlement_carries_the_edge_of_its_wager(rules: str, paid: str) -> None:
    pack = packs()[rules]
    every = [row for row in edges(pack, TWENTIETH) if row.commission in (None, paid)]
    rows: dict[Bet, Edge] = {(row.kind, row.number, row.combo, row.high, row.base): row for row in every}
    vig = {"rate": "1/20", "on_win": pack.points if paid == "on_win" else []}
    pit = Pit(rules=rules, terms={"vig": vig, "paytable": "reference"}, players=("P1",) * 100)
    dice, unseen = random.Random(623), set(rows)
    while unseen:
        assert pit.table.rolls < 1000, unseen
        for bet, row in rows.items():
            if bet in unseen or (row.kind in LINES and not lies(row, pit)):
                make(row, f"w{len(pit.events)}", pit)
        made = {event.wager: event for event in only(pit.events, e.WagerPlaced)}
        rolled = pit.must("roll", dice=[dice.randint(1, 6), dice.randint(1, 6)])
        for event in only(rolled, e.WagerSettled):
            if event.outcome != "returned":
                bet = bet_of(event, made)
                assert event.edge == str(rows[bet].figures.per_bet), bet
                unseen.discard(bet)
