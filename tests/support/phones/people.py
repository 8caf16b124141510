"""Simulated people at a guided table: their tiles, what cameras over them see, and their fingers on the keys of a real page.

World, cameras and players are the processes of ``twinwall table simulate``. The world reads and writes a panel's file as in a demo; here
its keys are touched on the page of a tablet, and its lamps are those that this page was told.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page

import config
from cli.demo.supervisor import answers
from simulator.mechanics import FaultPlan, MechanicsSettings
from simulator.panel.fake import lgpio
from simulator.settings import CamerasSection, CamerasSettings, PlayersSection, PlayersSettings, WorldSection, WorldSettings
from tests.support.children import ends_with_parent
from tests.support.phones.seen_cameras import seen_cameras
from tests.support.wire.brokers import eventually, free_port
from twinwall.wire.shapes.panel import KEYS, Key, PanelPins

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
    script = (Path(__file__).parent / "fake_camera.js").read_text(encoding="utf-8")
    context.add_init_script(f"window.seenCamera = {json.dumps(address)}; window.tellsTime = true;\n{script}")


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
