"""Hands of every rule set for tables in tests: written by people who know the rules, or at random; and one of each with much in it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from random import Random

from controller.state.sides import OpenDeal, PlayStage
from controller.state.table_state import Setup
from tests.support.controller.players import Players, with_players, written_hand
from tests.support.controller.rigs import MakeRig, Rig, opened, set_up
from tests.support.game.scripted import record_of
from tests.support.game.seigo_tables import SeigoTable
from tests.support.game.tables import any_walls, random_deal, random_walls, walls_with_kongs
from tests.support.narrowed import of_type
from tests.support.simulator.disturbed_hands import whole_hand
from twinwall.game.deals.deal import deal_tiles
from twinwall.game.play_events import HandEnded, PlayEvent
from twinwall.game.replay import HandReplayer
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS, Seat, Tile
from twinwall.game.walls import SeatWall

TWO_ON_ONE, THREE_WINNERS, LATE_KONG, NOBODY, CONCEALED_KONG = 5, 29, 33, 78, 31
"""Seeds of hands of Sichuan in which such things happen."""
ANY_SHAPE: Mapping[str, object] = {"minimum": 0, "values": 13}
"""Options of Yangzhou under which every complete hand wins, so that hands at random have wins."""
Seated = tuple[Rig, list[PlayEvent]]
"""A table with people who will play a hand, and the hand."""


def hand_of(seed: int) -> int:
    return seed % 16 + 1


def deal_of(rules: str, seed: int, *, hand: int = 1, alike: int = 0) -> OpenDeal:
    walls, rest = random_deal(rules, seed, alike=alike)
    return opened(walls, hand=hand, rules=rules, rest=rest)


@cache
def written(rules: str, seed: int, hand: int = 1, alike: int = 0) -> tuple[PlayEvent, ...]:
    """A whole hand of people who know the rules."""
    walls, rest = random_deal(rules, seed, alike=alike)
    return whole_hand(rule_set(rules), walls, seed, hand=hand, rest=rest)


def seated(
    make_rig: MakeRig, rules: str, seed: int, *, hand: int = 1, alike: int = 0, raised: bool = True, decodes: bool = False
) -> Seated:
    """A table at which the walls of a seed stand, with people who know the rules and will play its hand."""
    setup = set_up(rules=rule_set(rules), options={}, decodes=decodes)
    rig = make_rig(deal_of(rules, seed, hand=hand, alike=alike), seed=seed, setup=setup, raised=raised)
    return with_players(rig, written(rules, seed, hand, alike))


def begun_seigo(make_rig: MakeRig, *, decodes: bool = False) -> Rig:
    """A table of Seigo at which all hands have been taken; nobody does anything more by itself."""
    rig, _ = seated(make_rig, "seigo", 6, decodes=decodes)
    rig.run(lambda: rig.state.playing.stage is PlayStage.PLAYING)
    rig.players = lambda: None
    rig.settle()
    return rig


def seated_mcr(make_rig: MakeRig, seed: int, *, raised: bool = False, deal: Callable[[int], dict[Seat, SeatWall]] = random_walls) -> Seated:
    """A table of duplicate MCR with four who want to win."""
    walls, hand = deal(seed), hand_of(seed)
    rig = make_rig(opened(walls, hand=hand), seed=seed, raised=raised)
    return with_players(rig, written_hand(rig.setup.rules, walls, seed, hand=hand))


def seated_seigo(make_rig: MakeRig, seed: int) -> Seated:
    """A table of Seigo with players who build towards wins, and now and then claim, make kongs and declare wins that are none."""
    walls, rest = random_deal("seigo", seed, alike=20)
    rig = make_rig(opened(walls, rules="seigo", rest=rest), seed=seed, setup=set_up(rules=rule_set("seigo"), options={}), raised=True)
    return with_players(rig, SeigoTable(rig.setup.rules, walls, Random(seed), eager=True, rest=rest).played().script)


@cache
def yangzhou_at_random(seed: int) -> Sequence[PlayEvent]:
    """A whole hand of players who take every win of any shape, and now and then declare one that is none."""
    return written_hand(rule_set("yangzhou", ANY_SHAPE), any_walls(seed), seed, hand=hand_of(seed))


def seated_yangzhou(make_rig: MakeRig, seed: int, *, raised: bool = True) -> Seated:
    """A table with them."""
    hand, rules = hand_of(seed), rule_set("yangzhou", ANY_SHAPE)
    setup = set_up(rules=rules, options=dict(ANY_SHAPE), last_hand=hand)
    rig = make_rig(opened(any_walls(seed), hand=hand, rules=rules.name), seed=seed, setup=setup, raised=raised)
    return with_players(rig, yangzhou_at_random(seed))


HANDS: Mapping[str, Callable[..., Seated]] = {
    "mcr-duplicate": partial(seated_mcr, seed=394, deal=walls_with_kongs),
    "seigo": partial(seated, rules="seigo", seed=34),
    "sichuan": partial(seated, rules="sichuan", seed=LATE_KONG),
    "yangzhou": partial(seated_yangzhou, seed=591),
}
"""Of each rule set a hand in which kongs are declared, tiles are claimed and somebody wins."""


def table_of(rules: str, folder: Path, *, raised: bool = True) -> Rig:
    """A table in a folder, with people who will play the rule set's hand; with ``raised`` its walls stand."""
    rig, _ = HANDS[rules](partial(Rig, folder), raised=raised)
    return rig


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
