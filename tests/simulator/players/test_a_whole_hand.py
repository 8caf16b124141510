"""Four simulated people, the world over HTTP, real pins: whole hands against a toy controller."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from tests.game.tables import walls_with_kongs
from tests.simulator.players.toy_controller import ToyController
from tests.simulator.world.fakes import FakeFeeder, Pins
from twinwall.game.play import Claimed, KongDeclared, MeldType, PlayEvent, Win
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS, Tile
from twinwall.simulator.mechanics import MechanicsSettings
from twinwall.simulator.panel.file import PanelFile, PanelPins
from twinwall.simulator.players.process import PlayersSettings, serve
from twinwall.simulator.players.rehearsal import Rehearsal, RehearsedHand
from twinwall.simulator.players.strategy import Strategy, taste_of
from twinwall.simulator.world.service import WorldService, WorldSettings
from twinwall.simulator.world.table import Patience

RULES = rule_set("mcr-duplicate")
SPEED = 400.0


def walls_of(seed: int) -> tuple[tuple[Tile, ...], ...]:
    """Four walls of 34 shuffled tiles."""
    order = np.random.default_rng(seed).permutation(len(RULES.tiles))
    tiles = [RULES.tiles[index] for index in order]
    return tuple(tuple(tiles[34 * place : 34 * place + 34]) for place in range(4))


@dataclass(frozen=True)
class Played:
    events: tuple[PlayEvent, ...]
    score: Win | None
    confirmed_by: Sequence[int]


Walls = tuple[tuple[Tile, ...], ...]


def play_hand(folder: Path, monkeypatch: pytest.MonkeyPatch, wall_seed: int, *, faints: bool = False, walls: Walls | None = None) -> Played:
    """One whole hand through every wire that players have."""
    pins = PanelPins()
    panel = PanelFile(folder / "panel", pins)
    feeder = FakeFeeder(walls or walls_of(wall_seed))
    settings = WorldSettings(folder / "panel", folder / "feeder", mechanics=MechanicsSettings(speed=SPEED), patience=Patience(scans=3))
    service = WorldService(settings, feeder, panel)
    controller_pins = Pins(folder / "panel", pins, monkeypatch)
    service.start()
    stop = threading.Event()
    failures: list[BaseException] = []

    def run_players() -> None:
        try:
            serve(PlayersSettings(service.url, seed=1, speed=SPEED), stop)
        except BaseException as problem:
            failures.append(problem)

    players = threading.Thread(target=run_players)
    players.start()
    try:
        controller = ToyController(RULES, service, feeder, controller_pins, faints=faints)
        controller.play()
    finally:
        stop.set()
        service.stop()
        players.join()
        controller_pins.close()
        panel.close()
    assert not failures, failures
    return Played(tuple(controller.events), controller.score, controller.confirmed_by)


@contextmanager
def busy_machine() -> Iterator[None]:
    """Two processes that take whatever time they can get."""
    hogs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        yield
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()


OFF_A_DISCARD, SELF_DRAWN, NOT_WON, SHORT = 30, 31, 10, 20
"""Wall seeds of hands that end in different ways, and of one that is won early."""


def rehearse(walls: Walls) -> RehearsedHand:
    players = {seat: Strategy(RULES, taste_of(1, "1", seat.index)) for seat in SEATS}
    return Rehearsal(RULES, dict(zip(SEATS, walls, strict=True)), players, SEATS[0]).play()


@pytest.mark.parametrize("wall_seed", [OFF_A_DISCARD, SELF_DRAWN, NOT_WON])
def test_four_people_play_the_hand_that_their_strategies_would_play_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wall_seed: int
) -> None:
    played = play_hand(tmp_path, monkeypatch, wall_seed)
    rehearsed = rehearse(walls_of(wall_seed))
    assert played.events == rehearsed.events
    assert played.score == rehearsed.win
    proposer = SEATS[0].index if rehearsed.winner is None else rehearsed.winner.index
    assert played.confirmed_by == [proposer, (proposer + 1) % 4]


@pytest.mark.parametrize(
    ("seed", "made"),
    [
        (61, [MeldType.CONCEALED_KONG, MeldType.ADDED_KONG, MeldType.CONCEALED_KONG, "out-with-replacement-tile"]),
        (68, [MeldType.KONG, MeldType.ADDED_KONG, "robbing-the-kong"]),
    ],
)
def test_kongs_are_made_replaced_robbed_and_turned_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int, made: list[str]) -> None:
    walls = tuple(wall.tiles for wall in walls_with_kongs(seed).values())
    played = play_hand(tmp_path, monkeypatch, seed, walls=walls)
    rehearsed = rehearse(walls)
    assert played.events == rehearsed.events
    kongs = [event.meld.type for event in played.events if isinstance(event, Claimed | KongDeclared) and "kong" in event.meld.type]
    assert kongs == made[:-1]
    assert played.score is not None
    assert made[-1] in {fan.id for fan in played.score.fans}


def test_the_same_seed_gives_the_same_hand_on_a_busy_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calm = play_hand(tmp_path, monkeypatch, SHORT)
    with busy_machine():
        busy = play_hand(tmp_path, monkeypatch, SHORT)
    assert busy == calm
    assert calm.score is not None


def test_a_claim_that_the_controller_forgot_is_pressed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert play_hand(tmp_path, monkeypatch, SHORT, faints=True) == play_hand(tmp_path, monkeypatch, SHORT)
