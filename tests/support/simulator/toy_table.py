"""Toy table in this process: world and players over HTTP, real pins, the toy controller, and ready walls."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import numpy as np
import pytest

from simulator.mechanics import FaultPlan, MechanicsSettings
from simulator.panel.panel_file import PanelFile
from simulator.physical_tiles import TileSet
from simulator.players.hand_in_memory import HandAsPlayed, play_in_memory
from simulator.players.person import Habits
from simulator.players.process import PlayersProcess, serve
from simulator.settings import WorldSection, WorldSettings
from simulator.world.key_presses import HoldTimes
from simulator.world.service import WorldService
from tests.support.simulator.toy_controller import ToyController
from tests.support.simulator.world_fakes import NO_WALLS, FakeFeeder, Pins, Walls
from twinwall.game.rules import rule_set
from twinwall.game.session import place_of
from twinwall.game.tiles import SEATS
from twinwall.game.walls import SeatWall
from twinwall.wire.shapes.panel import PanelPins

RULES = rule_set("mcr-duplicate")
SPEED = 400.0


def walls_of(seed: int) -> Walls:
    """Four walls of 34 shuffled tiles, by place."""
    order = np.random.default_rng(seed).permutation(len(RULES.tiles))
    tiles = [RULES.tiles[index] for index in order]
    return tuple(tuple(tiles[34 * place : 34 * place + 34]) for place in range(4))


def rehearse(walls: Walls, hand: int = 1, table: str = "1") -> HandAsPlayed:
    """The hand that the strategies of those who sit at a table would play in memory; ``walls`` by place."""
    by_seat = {seat: tuple(walls[place_of(seat, hand)]) for seat in SEATS}
    return play_in_memory(table, {seat: SeatWall(tiles[:13], tiles[13:]) for seat, tiles in by_seat.items()}, hand, seed=1)


@dataclass
class Crew:
    """The players' process, as a thread that can be ended and begun again."""

    settings: PlayersProcess
    restarts: int = 0
    failures: list[BaseException] = field(default_factory=list)
    _stop: threading.Event = field(default_factory=threading.Event)
    _threads: list[threading.Thread] = field(default_factory=list)
    _random: Random = field(default_factory=lambda: Random(1))
    _patience: int = 40

    def start(self) -> None:
        self._stop = threading.Event()
        self._threads.append(threading.Thread(target=self._run, args=(self._stop,)))
        self._threads[-1].start()

    def _run(self, stop: threading.Event) -> None:
        try:
            serve(self.settings, stop)
        except BaseException as problem:
            self.failures.append(problem)

    def stop(self) -> None:
        """As if killed: what has been asked of the world is still done, and nothing after it."""
        self._stop.set()

    def restart(self) -> None:
        """End the players wherever they are, and let others take their chairs."""
        self.stop()
        self.restarts += 1
        self.start()

    def restart_now_and_then(self) -> None:
        """Restart at some of the moments at which this is called."""
        self._patience -= 1
        if self._patience <= 0:
            self._patience = self._random.randrange(30, 120)
            self.restart()

    def wait_until_gone(self) -> None:
        for thread in self._threads:
            thread.join()


@dataclass(frozen=True)
class ToyTable:
    service: WorldService
    feeder: FakeFeeder
    pins: Pins

    def controller(self, *, faints: bool = False, disturb: Callable[[], None] = lambda: None) -> ToyController:
        return ToyController(RULES, self.service, self.feeder, self.pins, faints=faints, disturb=disturb)


@contextmanager
def toy_world(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *, box: TileSet = (), faults: FaultPlan | None = None, first_hand: int = 1
) -> Iterator[ToyTable]:
    """A table at which nobody sits."""
    pins = PanelPins()
    panel = PanelFile(folder / "panel", pins)
    feeder = FakeFeeder(NO_WALLS)
    settings = WorldSettings(
        WorldSection("1", folder / "panel", folder / "feeder", port=0, hand=first_hand),
        mechanics=MechanicsSettings(speed=SPEED),
        faults=faults or FaultPlan(),
    )
    service = WorldService(settings, feeder, panel, box, HoldTimes(scans=3))
    controller_pins = Pins(folder / "panel", pins, monkeypatch)
    service.start()
    yield ToyTable(service, feeder, controller_pins)
    service.stop()
    controller_pins.close()
    panel.close()


@contextmanager
def seated(tables: Mapping[str, ToyTable]) -> Iterator[Crew]:
    """Four people at each of these tables, by their names."""
    crew = Crew(PlayersProcess({name: table.service.url for name, table in tables.items()}, habits=Habits(seed=1, speed=SPEED)))
    crew.start()
    try:
        yield crew
    finally:
        crew.stop()
        for table in tables.values():
            table.service.world.stop()
        crew.wait_until_gone()
    assert not crew.failures, crew.failures


@contextmanager
def toy_table(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *, box: TileSet = (), faults: FaultPlan | None = None, first_hand: int = 1
) -> Iterator[tuple[ToyTable, Crew]]:
    """Table 1 with its players."""
    with (
        toy_world(folder, monkeypatch, box=box, faults=faults, first_hand=first_hand) as table,
        seated({"1": table}) as crew,
    ):
        yield table, crew
