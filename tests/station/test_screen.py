"""The station's screen in a real browser: what it says, in which language, and by which tones and voice."""

from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict

import pytest
from playwright.sync_api import Browser, Page, expect

from firmware_bridge.electrics.wired_machine import BY_HAND, capabilities_of
from tableside.station.screen_server import ScreenServer, ShownSeat
from tableside.station.station import Station
from tableside.station.tasks import Unread, spoken_place
from tests.station.test_watch import seen
from tests.support.station.served import HEARD, ServedStation, served_page, served_station
from tests.support.tiers import one_in
from twinwall.catalogues import LANGUAGES


def test_a_tile_put_wrongly_is_on_the_screen_until_it_is_moved_or_said_to_lie_right(
    browser: Browser, station: Station, page: ScreenServer
) -> None:
    screen = browser.new_page()
    screen.goto(page.url)
    expect(screen.locator("#aside")).to_have_text("No camera sees the walls: mind the place")
    station.saw_walls(seen())
    expect(screen.locator("#aside")).to_be_hidden()
    for _ in range(2):
        station.saw_walls(seen((1, 17)))
    expect(screen.locator("#task")).to_have_text("A tile lies at South, upper row, place 3, where none belongs")
    screen.select_option("#language", "ja")
    expect(screen.locator("#task")).to_have_text("南 上段 3 番 に余分な牌があります")
    screen.click("#right")
    expect(screen.locator("#task")).to_have_text("お待ちください …")
    screen.close()


def test_the_screen_shows_who_sits_wrong_and_the_start_code_below_in_the_chosen_language(browser: Browser, station: Station) -> None:
    asked: list[ShownSeat] = [{"seat": place, "player": str(11 + place), "says": says} for place, says in enumerate(("11", "14", "", ""))]
    code, screen, south = "5PHC-HMHS-VS5A-JBJQ-S7FW-EC9W-ZR06-KA92", browser.new_page(), "✕ South: player 14 sits wrong, it is 12's"
    with served_page(station, start=lambda: code, seats=lambda: asked) as page:
        screen.goto(page.url)
        expect(screen.locator("#seats")).to_have_text(f"Who sits where? {south} · … West: player 13 · … North: player 14")
        expect(screen.locator("#start-code")).to_have_text(f"Start of the event: {code}")
        screen.select_option("#language", "zh-Hans")
        expect(screen.locator("#start-code")).to_have_text(f"赛事起始码：{code}")
        screen.close()


def test_while_the_table_asks_for_its_key_the_screen_shows_the_code_and_the_digits(browser: Browser, station: Station) -> None:
    asked = {"digits": "1f3a 90c2 77e0 5b1d", "picture": "data:image/gif;base64,R0lGODlhAQABAAAAACw="}
    screen = browser.new_page()
    with served_page(station, asks=lambda: asked) as page:
        screen.goto(page.url)
        expect(screen.locator("#task")).to_contain_text("This table has lost power")
        expect(screen.locator("#task")).to_contain_text("1f3a 90c2 77e0 5b1d")
        expect(screen.locator("#request")).to_have_attribute("src", asked["picture"])
        screen.close()


MACHINES = """async (all) => {
  const { Sentences } = await import("/sentences.js"), { texts } = await import("/screen-texts.js");
  return all.map((task) => new Sentences(texts.en).task(task, { machine: true }));
}"""


def test_where_a_machine_brings_the_tiles_the_screen_speaks_of_it(browser: Browser, page: ScreenServer) -> None:
    screen = browser.new_page()
    screen.goto(page.url)
    tasks = [
        {"do": "reading"},
        {"do": "recover", "seat": 0, "row": "hand", "count": 3},
        {"do": "raise"},
        {"do": "machine-empty-lane", "seat": 2, "row": "lower", "count": 4},
    ]
    assert screen.evaluate(MACHINES, tasks) == [
        "The machine brings the next tile …",
        "Put the tiles from the lanes and from your hand into the well (East, hand, place 3)",
        "Set the four walls before the players",
        "West: take the tile out of the lane, or free its switch. "
        "Lay it aside for the well, unless its place is free (West, lower row, place 4)",
    ]
    screen.close()


def test_a_tile_that_goes_back_to_the_heap_says_why_in_each_language(browser: Browser, tmp_path: Path) -> None:
    with served_station(tmp_path) as table:
        screen = browser.new_page(locale="en")
        screen.goto(table.page.url)
        table.station.troubled(Unread.GLARE)
        expect(screen.locator("#why")).to_have_text("No clear tile is seen: shade lamps, take hands away, wipe the lens")
        table.station.troubled(None)
        expect(screen.locator("#why")).to_be_hidden()
        table.show(Unread.BLURRED)
        expect(screen.locator("#why")).to_be_hidden()
        table.back_to_the_heap()
        expect(screen.locator("#task")).to_have_text("Back to the heap")
        expect(screen.locator("#why")).to_have_text("The picture was not sharp: wipe the lens, lay the tile down flat")
        screen.select_option("#language", "zh-Hans")
        expect(screen.locator("#why")).to_have_text("画面模糊：请擦镜头，把牌放平")
        table.put(1, 32)
        expect(screen.locator("#why")).to_be_hidden()
        screen.close()


OWN, SERVERS = {"lang": "en-GB", "localService": True}, {"lang": "en-US", "localService": False}
JAPANESE, CHINESE = {"lang": "ja-JP", "localService": True}, {"lang": "zh_CN", "localService": True}


class Heard(TypedDict, total=False):
    words: str
    hz: float
    lang: str
    volume: float


@pytest.fixture
def table(tmp_path: Path) -> Iterator[ServedStation]:
    with served_station(tmp_path) as served:
        yield served


@pytest.fixture
def screen(browser: Browser, table: ServedStation) -> Iterator[Page]:
    page = browser.new_page(locale="en")
    page.add_init_script(HEARD)
    page.goto(table.page.url)
    expect(page.locator("#task")).to_have_text("Show the next blue tile")
    page.mouse.click(5, 5)
    yield page
    page.close()


def heard(screen: Page) -> list[Heard]:
    """What was heard since the last call."""
    since: list[Heard] = screen.evaluate("window.heard.splice(0)")
    return since


def put(screen: Page, table: ServedStation, seat: int, place: int) -> list[Heard]:
    """What is heard when a tile gets its place."""
    table.show()
    expect(screen.locator("#task")).to_have_text("Leave it in the frame …")
    heard(screen)
    table.send(seat, place)
    expect(screen.locator("rect.lit")).to_be_visible()
    return heard(screen)


def choose_voice(screen: Page, *voices: dict[str, object]) -> None:
    screen.evaluate("(voices) => { window.voices = voices; }", list(voices))
    screen.select_option("#sound", "voice")


def test_without_a_choice_every_place_has_the_same_tone_and_nothing_is_spoken(screen: Page, table: ServedStation) -> None:
    screen.evaluate("window.voices = [{ lang: 'en-GB', localService: true }]")
    one, other = put(screen, table, 1, 32), put(screen, table, 3, 12)
    assert [sound.get("hz") for sound in one] == [sound.get("hz") for sound in other] == [880]
    assert not any("words" in sound for sound in one + other)


def test_the_voice_says_the_place_and_nothing_while_the_tile_is_read(screen: Page, table: ServedStation) -> None:
    choose_voice(screen, OWN)
    expect(screen.locator("#sound-note")).to_contain_text("Only in headphones")
    assert [sound.get("words") for sound in put(screen, table, 1, 32)] == ["South, lower, 10"]
    table.show()
    expect(screen.locator("#task")).to_have_text("Leave it in the frame …")
    assert heard(screen) == []


@pytest.mark.parametrize(
    ("language", "voice", "words"), one_in(2, [("ja", JAPANESE, "ナン、した、10"), ("zh-Hans", CHINESE, "南，下层，10")])
)
def test_the_voice_speaks_the_language_of_the_screen(
    screen: Page, table: ServedStation, language: str, voice: dict[str, object], words: str
) -> None:
    choose_voice(screen, OWN, voice)
    screen.select_option("#language", language)
    table.put(1, 32)
    expect(screen.locator("rect.lit")).to_be_visible()
    (sound,) = heard(screen)
    assert (sound["words"], sound["lang"]) == (words, voice["lang"])


@pytest.mark.parametrize("voices", one_in(3, [(SERVERS,), (), (JAPANESE,)]))
def test_without_a_voice_of_this_device_the_place_is_told_by_tones(
    screen: Page, table: ServedStation, voices: tuple[dict[str, object], ...]
) -> None:
    choose_voice(screen, *voices)
    assert [sound.get("hz") for sound in put(screen, table, 1, 32)] == [440, 440, 550, 550]


def test_what_went_wrong_is_said_in_the_same_way(screen: Page, table: ServedStation) -> None:
    choose_voice(screen, OWN)
    table.station.saw_walls(seen())
    for _ in range(2):
        table.station.saw_walls(seen((1, 17)))
    expect(screen.locator("#right")).to_be_visible()
    assert [sound.get("words") for sound in heard(screen)] == ["A tile lies at South, upper row, place 3, where none belongs"]


@pytest.mark.nightly
def test_a_station_that_does_not_answer_is_heard_once(screen: Page) -> None:
    choose_voice(screen, OWN)
    screen.route("**/now*", lambda route: route.abort())
    expect(screen.locator("#task")).to_have_text("The table does not answer: wait", timeout=30_000)
    assert [sound.get("words") for sound in heard(screen)] == ["The table does not answer: wait"]


@pytest.mark.nightly
def test_the_voice_ends_when_a_headphone_comes_or_goes_and_with_a_reload_and_off_stays_off(screen: Page, table: ServedStation) -> None:
    choose_voice(screen, OWN)
    screen.evaluate("navigator.mediaDevices.dispatchEvent(new Event('devicechange'))")
    expect(screen.locator("#sound")).to_have_value("tones")
    assert not any("words" in sound for sound in put(screen, table, 1, 32))
    choose_voice(screen, OWN)
    screen.reload()
    expect(screen.locator("#sound")).to_have_value("tones")
    screen.select_option("#sound", "off")
    assert put(screen, table, 1, 33) == []
    screen.reload()
    expect(screen.locator("#sound")).to_have_value("off")


def test_the_button_plays_an_example_at_the_chosen_volume(screen: Page) -> None:
    choose_voice(screen, OWN)
    heard(screen)
    screen.locator("#volume").fill("0.2")
    screen.click("#try")
    (sound,) = heard(screen)
    assert (sound["words"], sound["volume"]) == ("This is how a place is said: East, hand, 1", 0.2)


EVERY_PLACE = """async ([places, languages]) => {
  const { Sentences, placeTones } = await import("/sentences.js"), { texts } = await import("/screen-texts.js");
  const said = (language, place) => new Sentences(texts[language]).spoken(put(place));
  const put = (place) => ({ task: { do: "put", ...place }, misplaced: null, blind: false, set: "" });
  return {
    tones: places.map((place) => JSON.stringify(placeTones(place))),
    ...Object.fromEntries(languages.map((language) => [language, places.map((place) => said(language, place))])),
  };
}"""


def test_no_two_places_are_said_alike_in_any_language_or_by_tones(screen: Page) -> None:
    spots = [spoken_place(place, capabilities_of(BY_HAND)) for place in range(BY_HAND.tray_places)]
    places = [{"seat": seat, "row": spot.row, "count": spot.count} for seat in range(4) for spot in spots]
    spoken: dict[str, list[str]] = screen.evaluate(EVERY_PLACE, [places, list(LANGUAGES)])
    assert set(spoken) == {"tones", *LANGUAGES}
    assert {name: len(set(sentences)) for name, sentences in spoken.items()} == dict.fromkeys(spoken, len(places))
