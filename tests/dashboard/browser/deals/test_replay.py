"""The replay in a real browser (statements 10 and 11), and the law that its script makes the table that the rules make."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.dashboard.browser.conftest import Site, new_page
from tests.dashboard.browser.deals.test_worked_deal import played
from tests.support.dashboard.desks import MemoryDesk, teams_of_four
from tests.support.game.random_hands import mcr, seigo, sichuan, yangzhou
from tests.support.game.tables import RandomTable
from tests.support.narrowed import present
from tests.support.tiers import one_in, some
from twinwall.event.replay.replay_form import ReplayNote, ReplayShow
from twinwall.event.replay.steps import replay_document, seen_document
from twinwall.game.play import SeatState
from twinwall.game.play_events import ClaimsPassed
from twinwall.game.replay import HandReplayer
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS, Tile

SCRIPT = Path(__file__).parents[4] / "dashboard" / "static" / "replay" / "replay_table.js"
TABLES = """({walls, steps}) => {
  const of = ([name, seat]) => [name, ReplayTable.held(seat), seat.wall.length, river(seat), seat.melds.map(({tiles}) => tiles)];
  const river = (seat) => seat.river.map(({tile, claimed}) => [tile, claimed]);
  return ReplayTable.moments(walls, steps).map(({seats}) => Object.entries(seats).map(of));
}"""
WINNING_TURN = "table=2&at=38&view=S"
"""West's fifth discard at table 2, the South wind."""


@pytest.fixture(scope="module")
def released() -> Iterator[Site]:
    field = teams_of_four()
    site = Site(desk=MemoryDesk(field))
    for group in field.groups:
        for table in group.tables:
            site.feed(played(table), table)
    site.release()
    yield site
    site.off()


@pytest.fixture
def page(browser: Browser, released: Site) -> Iterator[Page]:
    opened = new_page(browser, released)
    yield opened
    opened.context.close()


def at_moment(page: Page, site: Site, moment: str = WINNING_TURN) -> None:
    page.goto(f"{site.address}/deal/1/replay?{moment}")
    expect(page.locator("#replay-now")).not_to_be_empty()


def moment(page: Page) -> str:
    return str(page.evaluate("location.search"))


def test_statement_10_keys_buttons_and_the_timeline_move_the_moment(page: Page, released: Site) -> None:
    at_moment(page, released, "table=2&at=0&view=E")
    for key, at in (("End", 41), ("ArrowLeft", 40), ("Home", 0), ("ArrowRight", 1), ("c", 39), ("ArrowLeft", 38)):
        page.keyboard.press(key)
        assert f"at={at}&" in moment(page), key
    box = present(page.locator("#replay-timeline").bounding_box())
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 40)
    assert "at=20&" in moment(page) or "at=21&" in moment(page)
    page.keyboard.press(" ")
    expect(page.locator("#replay-play")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#replay-count")).not_to_have_text("Step 20 of 41")
    page.keyboard.press(" ")
    expect(page.locator("#replay-play")).to_have_attribute("aria-pressed", "false")


@pytest.mark.nightly
def test_statement_10_turning_the_view_and_changing_the_seat_or_table_keep_the_moment(page: Page, released: Site) -> None:
    at_moment(page, released)
    page.keyboard.press("r")
    assert moment(page) == "?table=2&at=38&view=W"
    page.keyboard.press("n")
    assert moment(page) == "?table=2&at=38&view=N&one=1"
    page.keyboard.press("a")
    page.keyboard.press("4")
    expect(page.locator("#replay-now")).to_have_text("West discards East wind")
    page.keyboard.press("2")
    expect(page.locator("#replay-now")).to_have_text("West discards the drawn South wind")


@pytest.mark.nightly
def test_statement_10_the_link_shows_the_same_moment_in_another_browser(browser: Browser, page: Page, released: Site) -> None:
    at_moment(page, released)
    page.keyboard.press("u")
    link = page.locator("#replay-link").input_value()
    other = new_page(browser, released)
    other.goto(link)
    expect(other.locator("#replay-now")).to_have_text(page.locator("#replay-now").inner_text())
    assert moment(other) == moment(page)
    other.context.close()


def test_statement_11_waits_places_and_the_other_tables_at_wests_south_wind(page: Page, released: Site) -> None:
    at_moment(page, released)
    waits = page.locator("#replay-waits")
    expect(waits.locator("h3")).to_have_count(1)
    expect(waits.locator(".wait")).to_have_text(
        [
            "4 left 2 in the wall of South, 1 in the hand of North, 1 in the wall of North",
            "3 left 1 in the hand of East, 1 in the hand of West, 1 in the wall of West, 1 discarded by North",
            "3 left 1 discarded by West, 3 in the hand of North",
        ]
    )
    kinds = waits.locator(".wait .tile").evaluate_all("tiles => tiles.map((tile) => tile.getAttribute('aria-label'))")
    assert kinds == ["5 of characters", "7 of dots", "South wind"]
    expect(page.locator("#replay-chances li").first).to_contain_text("win")
    expect(page.locator("#replay-chances li").first).to_contain_text("played")
    others = page.locator("#replay-others > li")
    expect(others).to_have_count(3)
    expect(others.nth(0)).to_contain_text("East wins by drawing 7 of bamboos turn 8")
    expect(others.nth(1)).to_contain_text("North wins on 6 of dots of East turn 7")
    expect(others.nth(2).locator(".replay-scores")).to_have_text("東 −8南 +48西 −32北 −8")


@pytest.mark.nightly
def test_one_seats_view_hides_the_other_hands_and_what_they_wait_for(page: Page, released: Site) -> None:
    at_moment(page, released, "table=2&at=38&view=E&one=1")
    faces = page.locator("#replay-board [aria-label]").evaluate_all("all => all.map((one) => one.getAttribute('aria-label'))")
    assert "The hand of East" in " ".join(faces) or any("East" in face for face in faces)
    expect(page.locator("#replay-waits h3")).to_have_count(0)
    expect(page.locator("#replay-seats li").nth(1)).not_to_contain_text("waits for")


@pytest.mark.nightly
def test_play_it_again_asks_for_a_discard_and_then_shows_what_every_table_discarded(page: Page, released: Site) -> None:
    at_moment(page, released, "table=2&at=0&view=W")
    page.keyboard.press("p")
    expect(page.locator("#replay-again-body p").first).to_have_text("西Turn 1: which tile do you discard?")
    expect(page.locator("[data-discard]")).to_have_count(14)
    expect(page.locator("#replay-log")).to_be_hidden()
    expect(page.locator("#replay-others")).to_be_hidden()
    page.keyboard.press("ArrowLeft")
    chosen = page.evaluate("document.activeElement.dataset.discard")
    page.keyboard.press("Enter")
    rows = page.locator("#replay-again-body li")
    expect(rows).to_have_count(4)
    done = [row.locator(".tile").get_attribute("aria-label") for row in rows.all()]
    same = [row.locator(".pill").count() for row in rows.all()]
    name = page.evaluate("(kind) => JSON.parse(document.getElementById('replay-words').textContent).tiles[kind]", chosen)
    assert same == [int(tile == name) for tile in done]
    expect(rows.nth(1)).to_contain_text("this table")
    page.keyboard.press("Enter")
    expect(page.locator("#replay-again-body p").first).to_have_text("西Turn 2: which tile do you discard?")
    page.keyboard.press("Escape")
    expect(page.locator("#replay-again")).to_be_hidden()
    expect(page.locator("#replay-log")).to_be_visible()


@pytest.mark.nightly
def test_playing_a_hand_again_to_its_end_counts_the_discards_that_are_those_of_the_table(page: Page, released: Site) -> None:
    at_moment(page, released, "table=2&at=0&view=W")
    page.get_by_role("button", name="Play it again").click()
    for _ in range(5):
        page.evaluate("""() => {
            const { tables } = JSON.parse(document.getElementById("replay-document").textContent);
            const table = tables.find((one) => one.table === "2");
            const at = Number(new URLSearchParams(location.search).get("at"));
            document.querySelector(`[data-discard="${table.steps[at].tile}"]`).click();
        }""")
        page.get_by_role("button", name="Go on").click()
    expect(page.locator("#replay-again-body")).to_have_text("5 of your 5 discards were those of this table.")
    expect(page.locator("#replay-end")).to_be_visible()


@pytest.mark.nightly
def test_the_file_to_send_works_from_disk_without_network(browser: Browser, page: Page, released: Site, tmp_path: Path) -> None:
    at_moment(page, released)
    answer = page.request.get(f"{released.address}/deal/1/replay.html?table=2&lang=ja")
    assert len(answer.body()) <= 400 * 1024
    file = tmp_path / "replay.html"
    file.write_bytes(answer.body())
    context = browser.new_context(offline=True)
    alone = context.new_page()
    troubles: list[str] = []
    alone.on("pageerror", lambda error: troubles.append(str(error)))
    alone.on("requestfailed", lambda request: troubles.append(request.url))
    alone.goto(f"{file.as_uri()}?{WINNING_TURN}")
    expect(alone.locator("#replay-now")).to_have_text("西家が南をツモ切り")
    alone.keyboard.press("End")
    expect(alone.locator("#replay-end")).to_contain_text("七星不靠")
    alone.keyboard.press("u")
    expect(alone.locator("#replay-copied")).not_to_be_empty()
    alone.keyboard.press("Escape")
    alone.keyboard.press("Home")
    expect(alone.locator("#replay-end")).to_be_hidden()
    assert troubles == []
    alone.set_viewport_size({"width": 390, "height": 844})
    assert alone.evaluate("document.documentElement.scrollWidth") == 390, "a phone scrolls it one way only"
    context.close()


@pytest.mark.parametrize("seed", some(range(3), 1))
@pytest.mark.parametrize("play", one_in(2, [lambda seed: mcr(seed, {}, eager=True, with_kongs=True), yangzhou, seigo, sichuan]))
def test_the_script_makes_the_table_that_the_rules_make(browser: Browser, play: Callable[[int], RandomTable], seed: int) -> None:
    record = play(seed).record()
    document = replay_document([record])
    replayer = HandReplayer(rule_set(record.rules, record.options), record)
    expected = [tables_of(replayer)]
    for event in record.events:
        if replayer.judge(event) is None and not isinstance(event, ClaimsPassed):
            expected.append(tables_of(replayer))
    page = browser.new_page()
    page.add_script_tag(path=SCRIPT)
    seen = seen_document(record)
    backs = page.evaluate(TABLES, json.loads(msgspec.json.encode({"walls": seen.walls, "steps": seen.tables[0].steps})))
    steps = [step for step in document.tables[0].steps if not (isinstance(step, ReplayNote) and step.kind == "illegal")]
    made = page.evaluate(TABLES, json.loads(msgspec.json.encode({"walls": document.walls, "steps": steps})))
    page.close()
    assert len(made) == len(expected)
    for seats, wanted in zip(made, expected, strict=True):
        for (name, held, wall, river, melds), (seat, tiles, draws, state) in zip(seats, wanted, strict=True):
            down = [kinds for kinds, meld in zip(melds, state.melds, strict=True) if meld.face_down]
            laid = [[tile.tile.text, "" if tile.claimed_by is None else tile.claimed_by.value] for tile in state.river]
            assert (name, wall, river) == (seat, draws, laid)
            assert Counter(held) + Counter(tile for kinds in down for tile in kinds) == Counter(tile.text for tile in tiles)
            known = [sorted(tile.text for tile in meld.tiles) for meld in state.melds if not meld.face_down]
            assert [sorted(kinds) for kinds in melds if kinds not in down] == known
    winners = {step.seat for step in document.tables[0].steps if isinstance(step, ReplayShow) and step.total}
    for (name, held, _, river, melds), (_, seen_held, _, seen_river, seen_melds) in zip(made[-1], backs[-1], strict=True):
        assert (len(seen_held), seen_river, list(map(len, seen_melds))) == (len(held), river, list(map(len, melds)))
        if ["back"] * 4 not in seen_melds:
            assert Counter(kind for kind in seen_held if kind != "back") <= Counter(held), "what was seen is there"
        assert name not in winners or "back" not in seen_held


def tables_of(replayer: HandReplayer) -> list[tuple[str, tuple[Tile, ...], int, SeatState]]:
    """Each seat's wind, what it holds, how many draws are left to it, and what is seen of it."""
    held = present(replayer.held)
    return [(seat.value, held.of[seat], len(held.draws[seat]), replayer.state.seat(seat)) for seat in SEATS]
