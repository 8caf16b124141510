"""Pairs of deals that allow the same play and differ in tiles that nobody saw, and tables that play it."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from random import Random

from controller.state.playing import PlayStage
from controller.state.table_state import Setup
from tests.support.controller.hands_of_rules import written
from tests.support.controller.players import Players, written_hand
from tests.support.controller.rigs import Rig, opened, set_up
from tests.support.game.scripted import record_of
from tests.support.game.tables import any_walls, random_deal
from tests.support.narrowed import of_type
from twinwall.game.deals.shuffle import deal_tiles
from twinwall.game.play_events import HandEnded, PlayEvent
from twinwall.game.replay import HandReplayer
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS, Seat, Tile
from twinwall.game.walls import SeatWall

Walls = dict[Seat, SeatWall]


def outside(rig: Rig) -> list[object]:
    """Everything that leaves the controller, in order, with its moments and the timers it sets."""
    return [*rig.effects, *rig.moments, *rig.time.started]


def is_the_same_play(walls: Walls, script: list[PlayEvent], setup: Setup, rest: tuple[Tile, ...] | None = None) -> bool:
    """Whether these walls, and shared tiles, allow the hand exactly as it was played: the first event that they do not allow says no."""
    ended = of_type(HandEnded, script[-1])
    record = record_of(setup.rules.name, script, walls, setup.options, scores=ended.scores, rest=rest)
    replayer = HandReplayer(setup.rules, record)
    return all(replayer.judge(event) is None for event in script)


@dataclass(frozen=True, slots=True)
class World:
    """A deal with the hand that is played on it."""

    walls: Walls
    rest: tuple[Tile, ...]
    script: tuple[PlayEvent, ...]
    setup: Setup

    @property
    def tiles(self) -> tuple[Tile, ...]:
        """All tiles of the deal, wall by wall, and those of no seat."""
        return (*(tile for seat in SEATS for tile in self.walls[seat].tiles), *self.rest)

    def differing(self, other: World) -> int:
        return sum(one is not two for one, two in zip(self.tiles, other.tiles, strict=True))

    def played(self, seed: int) -> list[object]:
        """Everything that leaves the controller of a table that plays it."""
        rules = self.setup.rules.name
        with tempfile.TemporaryDirectory() as folder:
            deal = opened(self.walls, rules=rules, rest=self.rest)
            rig = Rig(Path(folder), deal, seed=seed, faces=None, setup=self.setup, raised=True)
            try:
                Players(rig, list(self.script))
                rig.run(lambda: rig.state.playing.stage is PlayStage.CLOSED)
                return outside(rig)
            finally:
                rig.stop()


def world_of(rules: str, seed: int) -> World:
    """A hand of a rule set by its number, played by four people who want to win."""
    match rules:
        case "sichuan" | "seigo":
            walls, rest = random_deal(rules, seed)
            return World(walls, rest, written(rules, seed), set_up(rules=rule_set(rules), options={}))
        case _:
            walls = any_walls(seed)
            options = {"minimum": 0} if rules == "mcr-duplicate" else {"minimum": 0, "values": 13}
            setup = set_up(rules=rule_set(rules, options), options=options)
            return World(walls, (), tuple(written_hand(setup.rules, walls, seed)), setup)


def other_world(world: World, seed: int, tries: int = 20) -> World:
    """The same play on a deal in which chance has exchanged as many tiles as it allows."""
    chance, tiles, length = Random(f"other {seed}"), list(world.tiles), len(world.walls[Seat.EAST].tiles)
    found = world
    for _ in range(tries):
        one, two = chance.randrange(len(tiles)), chance.randrange(len(tiles))
        tiles[one], tiles[two] = tiles[two], tiles[one]
        walls, rest = deal_tiles(tuple(tiles), length)
        if is_the_same_play(dict(walls), list(world.script), world.setup, rest):
            found = World(dict(walls), rest, world.script, world.setup)
        else:
            tiles[one], tiles[two] = tiles[two], tiles[one]
    return found


def another_world(walls: Walls, script: list[PlayEvent], seed: int, setup: Setup | None = None) -> Walls:
    """The walls of another world without tiles of no seat, in which as many tiles differ as many tries exchange."""
    return other_world(World(walls, (), tuple(script), setup or set_up()), seed, tries=75).walls
