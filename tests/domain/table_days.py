"""Random days at one table, played with real chips: what the books say must be what lies there.

Chips are held by denomination: the rack, and everybody else's together (`public`). Play moves values; which
chips go across the layout is made up here, with change given, and the ledger is never told.
"""

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

from domain.postings import part
from domain.refusals import Refusal
from domain.table import Table
from tests.domain.house import DAY, House

Stack = Counter[str]
OPENER = {"100": 3_000_000, "500": 2_000_000, "2500": 5_000_000, "10000": 10_000_000}
STOCK = {denomination: 20 * cents for denomination, cents in OPENER.items()}
PLAYERS = ("P1", "P2", "P3", "P4")
RULES = ("ia-prairie-meadows", "pa-crapless")
OF_CHIPS = ("opener", "closer", "inventory", "fill", "credit")
KINDS: tuple[dict[str, Any], ...] = (
    *({"kind": kind} for kind in ("pass", "dont_pass", "come", "field", "any_craps", "any_seven", "horn")),
    *({"kind": "place", "number": number} for number in (4, 6, 8)),
    *({"kind": "buy", "number": number} for number in (4, 10)),
    *({"kind": "lay", "number": number} for number in (4, 10)),
    *({"kind": "hard", "number": number} for number in (4, 6)),
)
SUPERVISOR = {"badge": "F-2", "role": "floor"}
RUNNER = {"badge": "S-1", "role": "security"}


def value(stack: Stack) -> int:
    """What chips are worth, in cents."""
    return sum(stack.values())


def pay(giver: Stack, taker: Stack, amount: int) -> None:
    """Chips worth `amount` go across, with change where it takes any."""
    for denomination in sorted(giver, key=int, reverse=True):
        some = min(giver[denomination], amount) // int(denomination) * int(denomination)
        move(giver, taker, {denomination: some})
        amount -= some
    if amount:
        piece = min((name for name in giver if giver[name] and int(name) > amount), key=int)
        move(giver, taker, {piece: int(piece)})
        pay(taker, giver, int(piece) - amount)


def move(giver: Stack, taker: Stack, chips: dict[str, int]) -> None:
    """These very chips go across."""
    giver.subtract(chips)
    taker.update(chips)
    assert all(cents >= 0 for cents in giver.values()), (giver, chips)


def by_play(table: Table) -> int:
    """What the rack has gained by all but slips, in cents."""
    slips = table.flows.get("filled", 0) - table.flows.get("credited", 0)
    return table.moved_rack - table.opener - slips if table.house else 0


class TableDay:
    """One table's gaming day, from its box to the count, each step drawn from `rng`."""

    def __init__(self, house: House, rng: Random, name: str = "CR01") -> None:
        self.house, self.rng, self.name = house, rng, name
        self.rack: Stack = Counter(OPENER)
        self.public: Stack = Counter()
        self.moved = self.wagers = self.slips = 0
        self.missing_box = rng.random() < 0.1
        self.wrong_drop = rng.choice((0, 0, 0, 500, -1_000, 10_000))
        self.steps: tuple[Callable[[], None], ...] = (
            *(self.bet,) * 8,
            *(self.roll,) * 8,
            *(self.buy_in,) * 3,
            *(self.change_wager, self.walk, self.redeem_marker, self.slip, self.pay_otherwise),
            *(self.money_plays, self.toke, self.colour_up, self.count_rack, self.adjust, self.overrule),
            *(self.at_the_window, self.unrecorded, self.dispute, self.come_back),
            *(self.rim_credit, self.settle_rim, self.lay_cash),
        )

    def play(self, steps: int) -> "TableDay":
        """The whole day."""
        if not self.house.chips.issued:
            self.house.must("place_chips", "C-1", gaming_day=DAY, amount=STOCK)
        box = {"gaming_day": DAY, "box": f"{self.name}-box"}
        self.house.must("install_box", "S-1", table=self.name, **box)
        self.house.opened(self.name, opener=OPENER, rules=self.rng.choice(RULES))
        for player in PLAYERS:
            self.say("buy_in", player=player, amount=self.dollars(200, 2_000), tender="cash")
        for _ in range(steps):
            self.rng.choice(self.steps)()
        self.close()
        self.take_off_box()
        if not self.missing_box:
            self.count_box()
        return self

    def say(self, do: str, by: str = "D-1", **said: Any) -> bool:
        """A command at the table, taken or not; the chips follow the value that it moved."""
        taken = not isinstance(self.house.say(do, by, table=self.name, **said), Refusal)
        moved = by_play(self.table)
        if moved > self.moved:
            pay(self.public, self.rack, moved - self.moved)
        elif moved < self.moved:
            pay(self.rack, self.public, self.moved - moved)
        self.moved = moved
        return taken

    @property
    def table(self) -> Table:
        """The table as the ledger has it."""
        return self.house.table(self.name)

    def counted(self) -> dict[str, int]:
        """The rack as whoever counts it finds it."""
        return {denomination: cents for denomination, cents in self.rack.items() if cents}

    def dollars(self, least: int, most: int) -> int:
        """Some whole dollars, in cents."""
        return 100 * self.rng.randint(least, most)

    def pockets(self) -> int:
        """Chips of the public that are not before anybody at this table, in cents."""
        layout = sum(wager.amount for wager in self.table.wagers.values() if not wager.cash)
        return value(self.public) - sum(self.table.rails.values()) - layout - self.table.flows.get("toked", 0)

    # ------------------------------------------------------------------ what may happen

    def bet(self) -> None:
        self.wagers += 1
        of = self.rng.choice(KINDS)
        amount = 4_000 * self.rng.randint(1, 3)  # whose commission is whole dollars, too
        dealers = self.rng.random() < 0.1
        who = self.rng.choice(PLAYERS)
        self.say("bet", player=who, wager=f"w{self.wagers}", amount=amount, for_dealers=dealers, **of)

    def money_plays(self) -> None:
        self.wagers += 1
        of = self.rng.choice(KINDS)
        self.say("bet", player="P5", wager=f"w{self.wagers}", amount=4_000, cash=True, **of)

    def change_wager(self) -> None:
        if self.table.wagers:
            wager = self.rng.choice(list(self.table.wagers))
            do, to = self.rng.choice((("press", 24_000), ("reduce", 4_000), ("take_down", None)))
            said: dict[str, Any] = {} if to is None else {"to": to}
            self.say(do, wager=wager, **said)

    def roll(self) -> None:
        self.say("roll", "D-1", dice=[self.rng.randint(1, 6), self.rng.randint(1, 6)])

    def overrule(self) -> None:
        call = {"void": True} if self.rng.random() < 0.5 else {"dice": [self.rng.randint(1, 6), 3]}
        self.say("overrule", "B-1", roll=max(self.table.rolls, 1), reason="review", **call)

    def buy_in(self) -> None:
        tender = self.rng.choice(("cash", "cash", "marker", "front_money", "coupon"))
        self.say("buy_in", player=self.rng.choice(PLAYERS), amount=self.dollars(20, 1_000), tender=tender)

    def come_back(self) -> None:
        if (most := self.pockets() // 100) > 0:
            self.say("buy_in", player="P6", amount=self.dollars(1, most), tender="chips")

    def walk(self) -> None:
        self.say("walk", player=self.rng.choice(PLAYERS))

    def redeem_marker(self) -> None:
        who, tender = self.rng.choice(PLAYERS), self.rng.choice(("chips", "cash"))
        if (owed := self.table.markers.get(who, 0)) >= 100:
            self.say("redeem_marker", player=who, amount=self.dollars(1, owed // 100), tender=tender)

    def rim_credit(self) -> None:
        self.say("rim_credit", "F-2", player=self.rng.choice(PLAYERS), amount=self.dollars(50, 500))

    def settle_rim(self) -> None:
        for player, owed in dict(self.table.rim).items():
            tender = self.rng.choice(("chips", "marker"))
            self.say("settle_rim", player=player, amount=min(owed, self.dollars(10, 500)), tender=tender)

    def lay_cash(self) -> None:
        self.wagers += 1
        laid = {"player": "P5", "wager": f"w{self.wagers}", "amount": 4_000, **self.rng.choice(KINDS)}
        self.say("lay_cash", **laid)
        intent = self.rng.choice(("plays", "change_only", "returned", None))
        if intent:
            self.say("declare_cash", wager=laid["wager"], intent=intent)

    def slip(self) -> None:
        self.slips += 1
        number, chips = f"{self.name}-{self.slips:04}", {"2500": 250_000, "100": self.dollars(1, 50)}
        if self.rng.random() < 0.5 or any(self.rack[name] < cents for name, cents in chips.items()):
            if self._filled(number, chips):
                self.rack.update(chips)
        elif self._credited(number, chips):
            self.rack.subtract(chips)

    def _filled(self, number: str, chips: dict[str, int]) -> bool:
        if self.rng.random() < 0.5:
            return self.say("fill", "F-1", slip=number, amount=chips)
        self.say("request_fill", "F-1", slip=number, amount=chips)
        self.say("dispatch_fill", "C-1", slip=number, carrier=RUNNER)
        if self.rng.random() < 0.2:
            self.say("void_slip", "C-2", slip=number, reason="not wanted", approved_by=SUPERVISOR)
            return False
        return self.say("receive_fill", "D-1", slip=number)

    def _credited(self, number: str, chips: dict[str, int]) -> bool:
        if self.rng.random() < 0.5:
            return self.say("credit", "F-1", slip=number, amount=chips)
        self.say("request_credit", "F-1", slip=number, amount=chips)
        gone = self.say("dispatch_credit", "D-1", slip=number, carrier=RUNNER)
        self.say("receive_credit", "C-1", slip=number)
        return gone

    def pay_otherwise(self) -> None:
        if self.table.decided:
            wager = self.rng.choice(list(self.table.decided))
            owed = self.table.decided[wager].owed
            self.say("pay", wager=wager, paid=max(owed + 100 * self.rng.choice((-5, 5, 20)), 0))

    def adjust(self) -> None:
        amount = 100 * self.rng.choice((-20, 35, 105))
        ruled = {"reason": "ruling", "approved_by": "M-1"}
        self.say("adjust", "F-1", player=self.rng.choice(PLAYERS), amount=amount, **ruled)

    def dispute(self) -> None:
        self.wagers += 1
        case, tender = {"dispute": f"{part(self.name)}-{self.wagers}"}, self.rng.choice(("chips", "cash"))
        claim = {"roll": max(self.table.rolls, 1), "player": "P1", "claim": "mine", "amount": 2_500}
        if self.say("dispute", "F-1", gaming_day=DAY, **case, **claim):
            self.say("ruling", "F-1", ruling="upheld", reason="video", **case)
            self.say("settle_dispute", "C-1", amount=2_500, tender=tender, approved_by="M-1", **case)

    def toke(self) -> None:
        self.say("toke", player=self.rng.choice(PLAYERS), amount=500)

    def colour_up(self) -> None:
        if self.public["500"] >= 2_500 and self.rack["2500"] >= 2_500:
            chips: dict[str, Any] = {"taken": {"500": 2_500}, "given": {"2500": 2_500}}
            if self.say("exchange", player=self.rng.choice(PLAYERS), **chips):
                move(self.public, self.rack, chips["taken"])
                move(self.rack, self.public, chips["given"])

    def count_rack(self) -> None:
        do, said = self.rng.choice([("inventory", {"count": "surprise"}), ("table_cut", {})])
        self.say(do, "B-1", counted=self.counted(), witness=SUPERVISOR, **said)

    def at_the_window(self) -> None:
        if self.rng.random() < 0.5:
            chips = {"500": 500 * self.rng.randint(1, 50)}
            if self.say("sell_chips", "C-1", player="P6", amount=chips):
                self.public.update(chips)
        elif self.pockets() >= 500 and self.public["500"] >= 500:
            self.say("redeem_chips", "C-1", player="P6", amount={"500": 500})
            self.public.subtract({"500": 500})

    def unrecorded(self) -> None:
        """A chip changes hands and nobody writes it down: it will be missing, or over, in the count."""
        if self.rng.random() < 0.3:
            pay(self.rack, self.public, 2_500)
        elif self.rng.random() < 0.3 and self.pockets() >= 500:
            pay(self.public, self.rack, 500)

    # ------------------------------------------------------------------ the count

    def take_off_box(self) -> None:
        """The box that hung all day."""
        self.house.must("remove_box", "S-1", gaming_day=DAY, box=f"{self.name}-box")

    def close(self) -> None:
        """Before the count rim credit goes on markers, and commission on wagers that come down goes back."""
        for player, owed in dict(self.table.rim).items():
            self.say("settle_rim", player=player, amount=owed, tender="marker")
        held = sum(wager.commission for wager in self.table.wagers.values())
        pay(self.rack, self.public, held)
        self.moved -= held
        self.say("close", "B-1", closer=self.counted())

    def count_box(self) -> None:
        cash, markers, slips = self.table.book_drop
        box = {"box": f"{self.name}-box", "markers": max(markers, 0), "slips": slips}
        for number, counter in ((1, "K-1"), (2, "K-2")):
            assert self.say(
                "count_drop", counter, cash=max(cash + self.wrong_drop, 0), **box, **{"pass": number}
            )


class CorrectedDay(TableDay):
    """A day whose figures audit puts right, before its table closes and after, by denomination or bare."""

    def __init__(self, house: House, rng: Random, name: str = "CR01") -> None:
        super().__init__(house, rng, name)
        self.steps += (*(self.put_right,) * 6, *(self.slip,) * 3)

    def play(self, steps: int) -> "CorrectedDay":
        """The whole day, and what is found about it afterwards."""
        super().play(steps)
        for _ in range(self.rng.randint(1, 8)):
            self.put_right()
        return self

    def put_right(self) -> None:
        figures = {about: one for about, one in self.table.figures.items() if about[0] in OF_CHIPS}
        (what, item), figure = self.rng.choice(list(figures.items()))
        after: int | dict[str, int] = max(figure.cents + self.dollars(-50, 50), 0)
        if self.rng.random() < 0.5:
            after = {
                **OPENER,
                "2500": 2_500 * self.rng.randint(0, 3_000),
                "500": 500 * self.rng.randint(0, 9),
            }
        said = {"what": what, "item": item, "before": figure.cents, "after": after, "reason": "recounted"}
        approves = {"badge": "V-1", "role": "surveillance"}
        self.say("correct", "A-1", approved_by=approves, **said)
