"""The station's screen in a real browser: what it says, and in which language."""

from pathlib import Path

from playwright.sync_api import Browser, expect

from tableside.station.screen_server import ScreenServer, ShownSeat
from tableside.station.station import Station
from tableside.station.tasks import Unread
from tests.station.test_watch import seen
from tests.support.station.served import served_page, served_station


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


def test_the_screen_shows_the_start_code_below_in_the_chosen_language(browser: Browser, station: Station) -> None:
    code, screen = "5PHC-HMHS-VS5A-JBJQ-S7FW-EC9W-ZR06-KA92", browser.new_page()
    with served_page(station, start=lambda: code) as page:
        screen.goto(page.url)
        expect(screen.locator("#start-code")).to_have_text(f"Start of the event: {code}")
        screen.select_option("#language", "zh-Hans")
        expect(screen.locator("#start-code")).to_have_text(f"赛事起始码：{code}")
        screen.close()


def test_the_screen_shows_who_is_missing_and_who_sits_wrong_until_all_sit_right(browser: Browser, station: Station) -> None:
    asked: list[ShownSeat] = [{"seat": place, "player": str(11 + place), "says": says} for place, says in enumerate(("11", "14", "", ""))]
    screen, south = browser.new_page(), "✕ South: player 14 sits wrong, it is 12's"
    with served_page(station, seats=lambda: asked) as page:
        screen.goto(page.url)
        expect(screen.locator("#seats")).to_have_text(f"Who sits where? {south} · … West: player 13 · … North: player 14")
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
