"""docs/tutorial/phones-evening.md, done as it says: phones in a real browser are cameras and keys of tables that have no computer.

Simulated people build the walls as the stations' screens say and play, with tiles that are rendered before the phones' cameras. One set of
one table is enrolled before, by a tile of each kind in place of all four; the reader knows the other sets without a profile. With
TWINWALL_PICTURES the tutorial's pictures go into that folder.
"""

import json
import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from flask import Response
from playwright.sync_api import Browser, BrowserContext, FilePayload, Page, ViewportSize, expect
from werkzeug.exceptions import ServiceUnavailable

import config
from cli.demo.supervisor import answers
from simulator.cameras.server import CameraServer, TableScenes, WorldSilentError
from simulator.mechanics import FaultPlan, MechanicsSettings
from simulator.panel.fake import lgpio
from simulator.scene import GateScene, TableScene, WindowTile
from simulator.settings import CamerasSection, CamerasSettings, PlayersSection, PlayersSettings, WorldSection, WorldSettings
from tests.support.answering import served
from tests.support.children import ends_with_parent
from tests.support.dashboard.setup import TEAM_LIST
from tests.support.demo.tutorials import PATIENCE_S, Tutorial, TutorialDirector, served_hall
from tests.support.phones.fake_camera import FAKE_CAMERA
from tests.support.wire.brokers import eventually, free_port
from twinwall.game.tiles import ALL_TILES, Tile
from twinwall.web.http_server import json_app
from twinwall.wire.shapes.panel import KEYS, Key, PanelPins

_PATIENCE_S = 10.0


@contextmanager
def seen_cameras(cameras_url: str) -> Iterator[str]:
    """The address at which pages find what is at ``cameras_url``."""
    app = json_app("seen cameras", most_bytes=0)

    @app.get("/<path:path>")
    def picture(path: str) -> Response:
        try:
            with urlopen(f"{cameras_url}/{path}", timeout=_PATIENCE_S) as answer:
                return Response(answer.read(), mimetype="image/jpeg", headers={"Access-Control-Allow-Origin": "*"})
        except (URLError, TimeoutError) as problem:
            raise ServiceUnavailable(str(problem)) from None

    with served(app) as url:
        yield url


_SHOWN_LAMPS = """
const Native = window.WebSocket;
window.shownLamps = null;
window.WebSocket = class extends Native {
  constructor(...words) {
    super(...words);
    this.addEventListener("message", ({ data }) => {
      const message = typeof data === "string" ? JSON.parse(data) : {};
      if (message.type === "shown") window.shownLamps = message;
    });
  }
};
"""
"""Keeps what the tablet was told last: its page shows one lamp of each place, and people at a panel see all of them."""
_TOUCHED_TWICE = (Key.WIN, Key.RIICHI, Key.REFEREE)
_NOT_HEARD, _SURE_S = "was not heard", 2.0
_LOOKS = 8
"""So often a simulated key has to be seen closed to count as held."""


@dataclass(frozen=True, slots=True)
class PeopleAtTable:
    """Four players and a builder at one table, with their pace: ``speed`` divides their pauses."""

    table: str
    station_url: str
    speed: float = 1.0
    seed: int = 1


class SimulatedPeople:
    """What runs for the people of one table; ``cameras`` is where a browser finds what their phones see."""

    def __init__(self, people: PeopleAtTable, folder: Path, cameras: str) -> None:
        self.table, self.cameras, self.panel = people.table, cameras, folder / "panel"

    def sees(self, context: BrowserContext, camera: str) -> None:
        """Have a phone of this context look at the table with one of its cameras, ``gate`` or ``table``."""
        look_at(context, f"{self.cameras}/{self.table}/{camera}.jpg")


def look_at(context: BrowserContext, address: str) -> None:
    """Have the browser's camera show the pictures of an address; the context is one without the page's own rules for addresses."""
    context.add_init_script(f"window.seenCamera = {json.dumps(address)}; window.tellsTime = true;\n{FAKE_CAMERA}")


@contextmanager
def simulated_people(people: PeopleAtTable, folder: Path) -> Iterator[SimulatedPeople]:
    """Start tiles, cameras and players of a table whose station answers already."""
    folder.mkdir()
    world_port, cameras_port = free_port(), free_port()
    worlds = (f"{people.table} http://127.0.0.1:{world_port}",)
    world = WorldSection(people.table, folder / "panel", folder / "feeder", people.seed, world_port, station=people.station_url)
    settings: Mapping[str, object] = {
        "world": WorldSettings(world, MechanicsSettings(speed=people.speed), FaultPlan(unread=0.0)),
        "cameras": CamerasSettings(CamerasSection(worlds, people.seed, cameras_port)),
        "players": PlayersSettings(PlayersSection(worlds, seed=people.seed, speed=people.speed)),
    }
    with ExitStack() as running:
        for name, each in settings.items():
            config.write(folder / f"{name}.toml", each)
            running.enter_context(_process(name, folder))
            if name != "players":
                eventually(answers(world_port if name == "world" else cameras_port), f"the simulated {name} answers")
        yield SimulatedPeople(people, folder, running.enter_context(seen_cameras(f"http://127.0.0.1:{cameras_port}")))


@contextmanager
def _process(name: str, folder: Path) -> Iterator[None]:
    words = [sys.executable, "-m", "cli", "table", "simulate", name, "--settings", str(folder / f"{name}.toml")]
    with (folder / f"{name}.log").open("wb") as log, subprocess.Popen(ends_with_parent(words), stdout=log, stderr=log) as process:
        try:
            yield
        finally:
            process.terminate()


class Fingers:
    """Touches on the pages of the keys what people press, and lights the lamps that they see; ``step`` does it once."""

    def __init__(self, pages: Sequence[Page], panel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """``pages`` are the keys of each place, or of all on a tablet, in contexts with ``keeps_lamps``."""
        monkeypatch.setenv("TWINWALL_PANEL", str(panel))
        self.pages, self._chip, self._pins = pages, lgpio.gpiochip_open(0), PanelPins()
        self._held: frozenset[tuple[int, Key]] = frozenset()
        self._touched: dict[tuple[int, Key], float] = {}
        """Keys that were touched just now, and when: a person looks whether the page says that one was not heard."""
        for pin in (*self._pins.turn, *self._pins.call, self._pins.window, self._pins.fault, self._pins.buzzer):
            lgpio.gpio_claim_output(self._chip, pin, 0)
        for pin in self._pins.rows:
            lgpio.gpio_claim_output(self._chip, pin, 1)
        for pin in self._pins.columns:
            lgpio.gpio_claim_input(self._chip, pin, lgpio.SET_PULL_UP)

    def step(self) -> None:
        """Light the lamps, and touch what is pressed since the last step."""
        self._light(self.pages[0].evaluate("window.shownLamps"))
        self._touch_again()
        held = self._closed()
        for place, key in sorted(held - self._held):
            self.touch(place, key)
        self._held = held
        for _ in range(_LOOKS):
            self._closed()

    def _light(self, shown: Mapping[str, Mapping[str, object]] | None) -> None:
        lamps = {} if shown is None else shown["lamps"]
        for name, pins in (("turn", self._pins.turn), ("call", self._pins.call)):
            lit = lamps.get(name) or []
            assert isinstance(lit, list)
            for place, pin in enumerate(pins):
                lgpio.gpio_write(self._chip, pin, int(place in lit))
        for name, pin in (("window", self._pins.window), ("fault", self._pins.fault), ("buzzer", self._pins.buzzer)):
            lgpio.gpio_write(self._chip, pin, int(bool(lamps.get(name))))

    def _closed(self) -> frozenset[tuple[int, Key]]:
        """The keys that are held, as one look at the matrix tells."""
        found = set()
        for place, row in enumerate(self._pins.rows):
            lgpio.gpio_write(self._chip, row, 0)
            found |= {(place, key) for key, pin in zip(KEYS, self._pins.columns, strict=True) if not lgpio.gpio_read(self._chip, pin)}
            lgpio.gpio_write(self._chip, row, 1)
        return frozenset(found)

    def touch(self, place: int, key: Key) -> None:
        """Touch a key, twice where it binds."""
        button = self._page(place).locator(f"[data-place='{place}'] [data-key='{key}']")
        for _ in range(2 if key in _TOUCHED_TWICE else 1):
            button.click()
        self._touched[place, key] = time.monotonic()

    def _page(self, place: int) -> Page:
        return self.pages[place % len(self.pages)]

    def _touch_again(self) -> None:
        for (place, key), at_s in list(self._touched.items()):
            if _NOT_HEARD in self._page(place).locator("#state").inner_text():
                self.touch(place, key)
            elif time.monotonic() - at_s > _SURE_S:
                del self._touched[place, key]


def keeps_lamps(context: BrowserContext) -> None:
    """Have the pages of this context keep what they were told of the lamps."""
    context.add_init_script(_SHOWN_LAMPS)


_AWAY_LOOKS = 4
"""So many pictures show the gate without a tile before the next one is laid: the table's program looks at some of them."""
_AGAIN_LOOKS = 30
"""After so many pictures in which a tile was not counted it is taken away and laid anew, as the page says."""


class TileAtGate:
    """What a person lays before the gate's camera, a little off and askew."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._lies: WindowTile | None = None
        self.looks = 0
        """Pictures since something was laid or taken away."""

    def gate(self) -> GateScene:
        """What lies there now."""
        self.looks += 1
        return GateScene(self._lies)

    def table(self) -> TableScene:
        """Nobody looks at the mat here."""
        raise WorldSilentError("only the gate is shown here")

    def lay(self, tile: Tile) -> None:
        """Lay a tile, either way up."""
        pose = self._random
        turned, off_mm, angle_deg = pose.random() < 0.5, (pose.uniform(-1, 1), pose.uniform(-1, 1)), pose.uniform(-3, 3)
        self._lies = WindowTile(tile.text, turned, off_mm, angle_deg, obscured=False, light_seed=pose.randrange(2**31))
        self.looks = 0

    def take_away(self) -> None:
        self._lies, self.looks = None, 0


@contextmanager
def shown_at_gate(phone: Page, people: PeopleAtTable) -> Iterator[TileAtGate]:
    """Have the phone over a table's gate see what a person lays there, and in the end what it saw before."""
    tile, before = TileAtGate(people.seed), phone.evaluate("window.seenCamera")
    scenes = {people.table: TableScenes(tile.gate, tile.table)}
    look_at = "(address) => { window.seenCamera = address; }"
    with CameraServer(scenes, seed=people.seed) as cameras, seen_cameras(cameras.url) as address:
        phone.evaluate(look_at, f"{address}/{people.table}/gate.jpg")
        yield tile
        phone.evaluate(look_at, before)


def show(tile: Tile, gate: TileAtGate, counted: Callable[[], int], wait: Callable[[float], None]) -> None:
    """Lay a tile until the page has counted one more, and take it away."""
    before = counted()
    while counted() == before:
        gate.lay(tile)
        while counted() == before and gate.looks < _AGAIN_LOOKS:
            wait(0.1)
        gate.take_away()
        while gate.looks < _AWAY_LOOKS:
            wait(0.1)


PATIENCE_MS = 120_000
KEYS_ASLEEP, CAMERA_WORKS = "takes no keys now", "camera works"


def let_in(director: Page, address: str, role: str, phone: BrowserContext, says: str) -> Page:
    """The page of a phone with the role ``TABLE/NAME``, once it says so; ``director`` is a page of somebody who has entered."""
    director.goto(f"{address}/phones")
    with director.expect_navigation():
        director.locator(f"form[action='/phones/{role}/code'] button").click()
    page = phone.new_page()
    page.goto(director.locator(".invitation[role=status] code").inner_text())
    expect(page.locator("#state")).to_contain_text(says, timeout=PATIENCE_MS)
    return page


class Touches:
    """How often people touch the pages of some contexts, typing apart; opening a code's address is a touch too."""

    def __init__(self) -> None:
        self.count = 0

    def watch(self, context: BrowserContext) -> None:
        """Count from now on what is touched in this context."""
        context.expose_function("touchedByHand", self._touched)
        context.add_init_script("addEventListener('click', (event) => event.isTrusted && window.touchedByHand(), true);")

    def _touched(self) -> None:
        self.count += 1


def screens_of(said: Path) -> dict[str, str]:
    """The screens for whoever builds, by table, as ``twinwall hall serve`` says them in its log."""
    return dict(re.findall(r"the builder at table (\S+) looks at (http://127\.0\.0\.1:\d+)/", said.read_text()))


_PATIENCE_MS = 300_000


def prove(director: TutorialDirector, browser: Browser, folder: Path, deals: int) -> Page:
    """Download the bundle of an event of so many deals, and prove each of them; the page that says so."""
    director.go("/trust")
    code = director.page.locator(".trust-code code").inner_text()
    expect(director.page.locator('a[download][href$="/slip.json"]'), "a slip of each deal").to_have_count(deals)
    links = {link.inner_text(): link.get_attribute("href") for link in director.page.locator("a[download]").all()}
    files = {name: director.page.request.get(f"{director.address}{link}").body() for name, link in links.items()}
    (folder / "verify.html").write_bytes(files.pop("verify.html"))
    payloads = [FilePayload(name=name, mimeType="", buffer=content) for name, content in files.items()]
    alone = browser.new_context(offline=True).new_page()
    alone.goto((folder / "verify.html").as_uri())
    alone.set_input_files("#files", payloads)
    alone.fill("#code", code)
    expect(alone.locator(".banner.good")).to_contain_text(f"{deals} of {deals} slips proved", timeout=_PATIENCE_MS)
    return alone


pytestmark = [pytest.mark.nightly, pytest.mark.timeout(7200)]
TABLES = "1234"
SPEED = 4.0
"""How many times as fast as people the simulated ones are; the phones' cameras are what they wait for."""
PHONE, TABLET = ViewportSize(width=390, height=844), ViewportSize(width=1024, height=768)
CALLER = 1
"""The place that calls the referee."""
ENROLLED = "1"
"""The table of which a set is enrolled."""
MOST_TOUCHES = 40
"""From the first page to the first wall that is being built, at one table; typing apart."""


@dataclass(frozen=True, slots=True)
class Evening:
    """The director's page, and the fingers of the players of each table whose keys are phones."""

    browser: Browser
    director: TutorialDirector
    fingers: dict[str, Fingers]
    touches: Touches

    def let_phones_in(self, people: SimulatedPeople, keys: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> Page:
        """Two phones are the cameras of a table, and its keys are on a tablet or on four phones; the page of the gate's camera."""
        cameras = {}
        for camera in ("gate", "table"):
            phone = self.browser.new_context(viewport=PHONE, locale="en", bypass_csp=True)
            self.touches.watch(phone)
            people.sees(phone, camera)
            cameras[camera] = let_in(self.director.page, self.director.address, f"{people.table}/{camera}", phone, CAMERA_WORKS)
        take(cameras["table"], "phone-table")
        pages = []
        for role in keys:
            phone = self.browser.new_context(viewport=TABLET if role == "keys" else PHONE, locale="en")
            keeps_lamps(phone)
            self.touches.watch(phone)
            pages.append(let_in(self.director.page, self.director.address, f"{people.table}/{role}", phone, KEYS_ASLEEP))
        self.fingers[people.table] = Fingers(pages, people.panel, monkeypatch)
        return cameras["gate"]

    def enrol_a_set(self, people: PeopleAtTable, gate: Page) -> None:
        """Show a tile of each kind to the phone over the gate, as the page counts them."""
        director = self.director
        director.go(f"/ready/{people.table}")
        director.press("Enrol this set")
        with shown_at_gate(gate, people) as tiles:
            for tile in ALL_TILES:
                show(tile, tiles, lambda: int(director.page.locator("#taken").inner_text().split()[0]), director.wait)
                if tile is ALL_TILES[len(ALL_TILES) // 2]:
                    take(director.page, "enrolment")
            director.press("No tile is left")
            expect(director.page.locator("main")).to_contain_text("enrolled on", timeout=1000 * PATIENCE_S)

    @property
    def touched(self) -> int:
        """Touches so far: of buttons, of links, and of the phones' codes."""
        scanned = len(self.browser.contexts) - 1
        return self.touches.count + self.director.opened + scanned

    def press(self) -> None:
        """People at all tables press what they want to."""
        for each in self.fingers.values():
            each.step()

    def play_until_somebody_has_the_turn(self, table: str) -> None:
        """After the seats are taken: the walls are built, and somebody is to take the tiles of the hand."""
        lit = self.fingers[table].pages[0].locator(".lamp.turn")
        for begun in (False, True):
            while (lit.count() > 0) is not begun:
                self.director.wait(0.5)


@contextmanager
def evening(browser: Browser, folder: Path, guided: int) -> Iterator[tuple[Evening, Mapping[str, str]]]:
    """A hall of four tables, the first of them guided, with its director before its first page; and the stations' screens."""
    tutorial = Tutorial("club-evening", "phones-evening")
    options = ["--tables", str(len(TABLES)), "--guided", str(guided), "--fast", "--phones-port", str(free_port())]
    with served_hall(folder, options) as (address, link):
        fingers: dict[str, Fingers] = {}
        own, touches = browser.new_context(locale="en"), Touches()
        touches.watch(own)
        director = TutorialDirector(tutorial, own.new_page(), address)
        held = Evening(browser, director, fingers, touches)
        director.meanwhile = held.press
        director.enter(link)
        yield held, screens_of(folder / "hall.log")


@pytest.mark.parametrize(("guided", "hands"), [(1, 1), (2, 2)], ids=["one-table", "two-tables"])
def test_an_evening_is_played_with_phones_and_proved(
    guided: int,
    hands: int,
    browser: Browser,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    record_property: Callable[[str, object], None],
) -> None:
    with evening(browser, tmp_path, guided) as (club, screens), ExitStack() as running:
        director = club.director
        director.begin("Saturday 土曜例会")
        director.page.get_by_label("Teams of four").check()
        director.describe(1, hands)
        director.paste(TEAM_LIST.splitlines(), 16)
        director.save_seats()
        director.make_deals()
        for table, screen in screens.items():
            at_table = PeopleAtTable(table, screen, SPEED, int(table))
            people = running.enter_context(simulated_people(at_table, tmp_path / f"people-{table}"))
            keys = ("keys",) if table == "1" else tuple(f"keys-{place}" for place in range(4))
            gate = club.let_phones_in(people, keys, monkeypatch)
            if table == ENROLLED:
                club.enrol_a_set(at_table, gate)
        director.go("/phones")
        take(director.page, "phones")
        director.simulate(TABLES[guided:])
        director.until("/event/tables", f"text=Ready for a session >> nth={len(TABLES) - 1}")
        director.choose_tables(len(TABLES))
        director.start_session()
        record_property("touches", club.touched)
        assert guided > 1 or club.touched <= MOST_TOUCHES
        director.sit_down()

        club.play_until_somebody_has_the_turn("1")
        club.fingers["1"].touch(CALLER, Key.REFEREE)
        take(club.fingers["1"].pages[0], "tablet-keys")
        director.let_play_go_on("1")
        director.until(f"/deal/{hands}", "text=Verified")
        director.correct_the_first_hand("A tile lay on the floor.", "/table/1" if hands == 1 else "/table/1/hand/1")
        director.end_session()
        director.close_event()
        take(prove(director, browser, tmp_path, hands), "proved")


def take(page: Page, name: str) -> None:
    """A picture for the tutorial, where pictures are asked for; of several tables the last one's stays."""
    folder = os.environ.get("TWINWALL_PICTURES")
    if folder:
        page.screenshot(path=str(Path(folder) / f"{name}.png"))
