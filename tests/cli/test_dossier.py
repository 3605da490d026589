"""The file of a dispute, opened in a real browser: it steps, prints, fetches nothing and tells the truth."""

import json
import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import orjson
import pytest
from pypdf import PdfReader

from tests.cli.chromium import PROGRAM, Page, browsing
from tests.cli.conftest import Pitledger, at
from tests.conftest import _scratch
from tests.projections.told import OPEN, bet, buy_in, log, out, overrule, roll

PATRON = "<script>alert(1)</script>"
CLAIM = "It was good </script><script>document.title='owned'</script> & \"mine\""
browser = pytest.mark.skipif(PROGRAM is None, reason="no Chromium here: apt-get install chromium")

DISPUTED = 4
STORY = log(
    OPEN,
    buy_in(PATRON, 50000),
    buy_in("Bea", 50000),
    {"do": "shooter", "player": PATRON},
    bet(PATRON, "line", "pass", 2500),
    bet("Bea", "six", "place", 1200, number=6),
    out(),
    roll(2, 2),
    roll(5, 3),
    overrule(2, dice=[3, 3]),  # roll 2: the floor saw a six
    bet(PATRON, "behind", "odds", 4000, on="line"),
    out(),
    roll(1, 2),
    overrule(3, void=True),  # roll 3: no roll after all
    out(),
    {"do": "no_roll", "reason": "short", "dice": [1, 3], "who": "B-031"},  # roll 4, the disputed one
    bet("Bea", "late", "field", 500),
    out(),
    overrule(DISPUTED, stands=True),  # too late
    roll(3, 4),
    {"do": "close", "closer": 4900000, "who": "B-031"},
    {"do": "open", **{k: v for k, v in OPEN.items() if k != "do"}, "gaming_day": "2026-11-29"},
)


@pytest.fixture(scope="module")
def told(server_url: str, _ledger_template: str) -> Iterator[tuple[Pitledger, str]]:
    """A ledger with the story, its dispute opened two days later on a table closed and opened again."""
    with _scratch(server_url, _ledger_template) as url:
        pitledger = at(url)
        lines = b"".join(orjson.dumps(line) + b"\n" for line in STORY)
        assert pitledger("ingest", "-", stdin=lines).exit_code == 3  # one overrule is too late
        floor, manager = ("--by", "F-204", "--role", "floor"), ("--by", "M-001", "--role", "shift_manager")
        said = ["--player", PATRON, "--amount", "170", "--claim", CLAIM, "--wager", "line", *floor]
        note = ["--kind", "note", "--reference", "desk", "--note", "<b>he</b> wrote", *floor]
        cash = [
            "--amount",
            "170",
            "--tender",
            "cash",
            "--approved-by",
            "M-002",
            "--by",
            "K-4",
            "--role",
            "cage",
        ]
        for words in (
            ["open", "CR01", "--day", "2026-11-28", "--roll", "4", "--dispute", "D-1", *said],
            ["evidence", "D-1", *note],
            ["rule", "D-1", "denied", "--reason", "the box called it", *floor],
            ["rule", "D-1", "upheld", "--reason", "the dice were good", *manager],
            ["settle", "D-1", *cash],
        ):
            result = pitledger("dispute", *words)
            assert result.exit_code == 0, result.stderr
        yield pitledger, url


@pytest.fixture(scope="module")
def facts(told: tuple[Pitledger, str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(told[0]("dossier", "D-1", "--json").stdout)
    return found


@pytest.fixture(scope="module")
def path(told: tuple[Pitledger, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The dossier as a file."""
    path = tmp_path_factory.mktemp("dossier") / "D-1.html"
    result = told[0]("dossier", "D-1", "-o", str(path))
    assert result.exit_code == 0
    assert "dispute D-1, 5 rolls" in result.stdout
    return path


@pytest.fixture(scope="module")
def opened(path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """The dossier in a browser."""
    with browsing(tmp_path_factory.mktemp("profile")) as page:
        page.open(path)
        yield page


# ------------------------------------------------------------------------------------- the facts


def test_every_roll_is_told_rightly(facts: dict[str, Any]) -> None:
    calls = {
        roll["roll"]: [(call["call"], call["dice"]) for call in roll["calls"]] for roll in facts["rolls"]
    }
    assert calls == {
        1: [("roll", [2, 2])],
        2: [("roll", [5, 3]), ("overrule", [3, 3])],
        3: [("roll", [1, 2]), ("overrule", None)],
        4: [("no_roll", [1, 3])],
        5: [("roll", [3, 4])],
    }
    resettled = facts["rolls"][1]["calls"][1]["fates"]
    assert [(fate["wager"], fate["fate"], fate["net"]) for fate in resettled if fate["fate"] == "won"] == [
        ("six", "won", 1400)
    ]


def test_what_came_too_late_is_told_where_it_was_tried(facts: dict[str, Any]) -> None:
    disputed = facts["rolls"][DISPUTED - 1]
    refused, *dispute = disputed["later"]
    assert refused["reason"] == "TOO_LATE"
    assert {later["dispute"] for later in dispute} == {"D-1"}


def test_the_rulings_stand_in_order_and_the_money_is_what_the_ledger_says(
    facts: dict[str, Any], told: tuple[Pitledger, str]
) -> None:
    assert [(fact["event"], fact["by"]) for fact in facts["rulings"]] == [
        ("RulingMade", "F-204"),
        ("RulingOverruled", "M-001"),
        ("RulingMade", "M-001"),
    ]
    [row] = json.loads(told[0]("balances", "--player", PATRON, "--json").stdout)
    assert facts["dispute"]["paid"] == row["disputes"] == 17000
    assert row["net"] == -6500 + 17000


def test_every_other_call_is_what_whatif_answers(facts: dict[str, Any], told: tuple[Pitledger, str]) -> None:
    [shown] = [other for other in facts["whatif"] if other["as_shown"]]
    assert [1, 3] in shown["throws"]
    words = ["whatif", "CR01", "--day", "2026-11-28", "--roll", "4", "--dice", "1,3", "--json"]
    asked = json.loads(told[0](*words).stdout)
    assert shown["house"] == asked["house"]
    assert shown["players"] == [player for player in asked["players"] if player["difference"]]
    assert shown["house"]["difference"] == -17000
    throws = [tuple(throw) for other in facts["whatif"] for throw in other["throws"]]
    assert len(set(throws)) == len(throws) == 21


def test_it_names_the_events_it_rests_on_and_their_hashes(
    facts: dict[str, Any], told: tuple[Pitledger, str]
) -> None:
    lines = told[0]("audit", "--jsonl").stdout.splitlines()
    audit = {row["position"]: row for row in map(json.loads, lines)}
    assert facts["rests_on"]
    for one in facts["rests_on"]:
        row = audit[one["position"]]
        assert (one["stream"], one["version"], one["event"]) == (row["stream"], row["version"], row["event"])
        assert re.fullmatch("[0-9a-f]{64}", one["hash"])
    cited = {one["position"] for one in facts["rests_on"]}
    told_of = {fact["position"] for fact in facts["history"]}
    told_of |= {fate["position"] for roll in facts["rolls"] for fate in roll["fates"] if "position" in fate}
    assert told_of <= cited
    assert [chain["broken"] for chain in facts["chains"]] == [0, 0]


def test_parties_are_the_patron_and_everybody_who_had_a_hand_in_it(facts: dict[str, Any]) -> None:
    assert facts["parties"]["patron"] == PATRON
    did = {one["badge"]: one["did"] for one in facts["parties"]["house"]}
    assert did["B-031"] == ["called No Roll"]
    assert did["M-001"] == ["ruled"]
    assert did["M-002"] == ["approved the settlement"]


def test_the_same_ledger_gives_the_same_file(told: tuple[Pitledger, str], path: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.html"
    told[0]("dossier", "D-1", "-o", str(again))
    assert again.read_bytes() == path.read_bytes()


def test_a_dispute_that_is_not_there_is_said_in_one_line(told: tuple[Pitledger, str]) -> None:
    result = told[0]("dossier", "D-9")
    assert (result.exit_code, result.stderr) == (1, "Error: there is no dispute D-9: there is D-1\n")


# ------------------------------------------------------------------------------------- the page as text


def test_nothing_that_came_from_outside_is_markup(path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    assert page.count("<script") == 2  # the facts and the steps
    assert page.count("</script>") == 2
    assert "<b>he</b>" not in page
    assert "&lt;b&gt;he&lt;/b&gt; wrote" in page


def test_the_page_names_no_address(path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    assert not re.search(r"(?:https?:)?//[a-z]|\bsrc=|url\(|@import|<link|<img", page)


# ------------------------------------------------------------------------------------- in the browser


@browser
def test_it_opens_on_the_disputed_roll_and_steps_with_slider_buttons_and_keys(opened: Page) -> None:
    shown = (
        "[...document.querySelectorAll('.roll')].filter(r => r.offsetParent).map(r => r.dataset.roll).join()"
    )
    assert opened.ask(shown) == "4"
    opened.press("ArrowLeft")
    assert opened.ask(shown) == "3"
    opened.press("ArrowRight")
    opened.press("ArrowRight")
    opened.press("ArrowRight")  # the last one stays
    assert opened.ask(shown) == "5"
    opened.ask("document.getElementById('back').click()")
    assert opened.ask(shown) == "4"
    opened.ask("step.value = 0; step.dispatchEvent(new Event('input'))")
    assert opened.ask(shown) == "1"
    assert opened.ask("document.getElementById('which').textContent") == "Roll 1"
    opened.ask("step.value = 3; step.dispatchEvent(new Event('input'))")


@browser
def test_figures_on_the_page_are_the_ledger_s(opened: Page, facts: dict[str, Any]) -> None:
    figures = (
        "[...document.querySelectorAll('{} data')].map(d => [d.dataset.figure, +d.value, d.textContent])"
    )
    head = {name: (cents, said) for name, cents, said in opened.ask(figures.format("header"))}
    assert head == dict.fromkeys(("claim", "gives", "paid"), (17000, "$170.00"))
    nets = [cents for _, cents, _ in opened.ask(figures.format("#rolls"))]
    settled = [
        fate["net"]
        for roll in facts["rolls"]
        for call in roll["calls"]
        for fate in call["fates"]
        if "net" in fate
    ]
    assert nets == settled
    house = [cents for name, cents, _ in opened.ask(figures.format("#whatif")) if name == "house"]
    assert house == [other["house"]["difference"] for other in facts["whatif"]]


@browser
def test_the_drawn_layout_has_the_chips_that_lay_there(opened: Page, facts: dict[str, Any]) -> None:
    for told_roll in facts["rolls"]:
        lays = f"[...document.querySelectorAll('#roll-{told_roll['roll']} .lay')]"
        drawn = opened.ask(f"{lays}.map(lay => lay.querySelectorAll('.chip').length)")
        assert drawn == [len(told_roll[lay]["wagers"]) for lay in ("before", "after")]
    assert opened.ask("document.querySelector('#roll-4 .puck').textContent") == "ON"
    chips = "[...document.querySelectorAll('#roll-4 .lay:first-child .chip > text:not(.mark)')]"
    assert opened.ask(f"{chips}.map(chip => chip.textContent).sort().join()") == "25,40"  # line and odds


@browser
def test_chips_and_puck_lie_on_the_felt(opened: Page) -> None:
    outside = """
        [...document.querySelectorAll('.lay svg')].filter(svg => svg.getBoundingClientRect().width)
            .flatMap(svg => {
                const felt = svg.getBoundingClientRect();
                return [...svg.querySelectorAll('.chip, .puck')].filter(chip => {
                    const at = chip.getBoundingClientRect();
                    return at.left < felt.left || at.right > felt.right
                        || at.top < felt.top || at.bottom > felt.bottom;
                });
            }).length"""
    assert opened.ask(outside) == 0


@browser
def test_a_patron_named_script_stays_text(opened: Page) -> None:
    assert opened.ask("document.querySelector('.summary dd').textContent") == PATRON
    assert opened.ask("document.querySelector('blockquote').textContent") == CLAIM
    assert opened.ask("document.title").startswith("Dispute D-1")
    assert opened.ask("document.scripts.length") == 2
    assert not opened.complaints


@browser
def test_the_facts_travel_with_the_page(opened: Page, facts: dict[str, Any]) -> None:
    assert json.loads(opened.ask("document.getElementById('facts').textContent")) == facts


@browser
def test_nothing_is_fetched_and_nothing_could_be(opened: Page, path: Path) -> None:
    assert opened.asked_for == [path.as_uri()]
    refused = "fetch('data:,x').then(() => 'fetched', () => 'refused')"
    assert opened.ask(refused) == "refused"
    injected = "(() => { const s = document.createElement('script'); s.textContent = 'window.ran = 1'; "
    assert opened.ask(injected + "document.body.append(s); s.remove(); return window.ran === undefined })()")
    opened.complaints.clear()


@browser
@pytest.mark.parametrize("width", [320, 390, 1280])
def test_it_is_as_wide_as_the_screen_on_a_phone_and_on_a_desk(opened: Page, width: int) -> None:
    opened.size(width, 800)
    assert opened.ask("document.documentElement.scrollWidth") <= width


@browser
def test_it_prints_the_disputed_roll_on_a_few_sane_pages(opened: Page) -> None:
    pages = PdfReader(BytesIO(opened.print())).pages
    assert 1 <= len(pages) <= 5
    text = "\n".join(page.extract_text() for page in pages)
    for said in ("Dispute D-1", "No Roll: short", "$170.00", "the dice were good", "If it had been called"):
        assert said in text
    assert "Roll 5" not in text
    assert all(page.extract_text().strip() for page in pages)
    assert {(round(page.mediabox.width), round(page.mediabox.height)) for page in pages} == {(595, 842)}
