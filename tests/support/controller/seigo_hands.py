"""Hands of Seigo for tables in tests: written by people who know the rules, played at random, or step by step."""

from functools import cache
from random import Random

from controller.state.making import OpenDeal
from controller.state.playing import PlayStage
from firmware_bridge.messages import REAR_GATE
from tests.support.controller.players import Players
from tests.support.controller.rigs import MakeRig, Rig, opened, set_up
from tests.support.game.seigo_tables import SeigoTable, seigo_deal
from tests.support.game.seigo_tables import deal_of as deal_begun
from tests.support.simulator.disturbed_hands import rehearsed, with_end
from twinwall.game.play_events import PlayEvent
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS, Seat, Tile, parse_tile, parse_tiles
from twinwall.wire.events.trouble_events import Violation
from twinwall.wire.shapes.panel import Key
from vision.mat import Area, Slot

RULES = rule_set("seigo")


@cache
def written(seed: int, hand: int = 1, alike: int = 0) -> tuple[PlayEvent, ...]:
    """A whole hand as four people who know the rules play it, with what it pays."""
    walls, rest = seigo_deal(seed, alike=alike)
    return with_end(RULES, rehearsed(RULES, {seat: walls[seat].tiles for seat in SEATS}, seed, hand=hand, rest=rest))


def deal_of(seed: int, alike: int = 0, hand: int = 1) -> OpenDeal:
    walls, rest = seigo_deal(seed, alike=alike)
    return opened(walls, rules="seigo", rest=rest, hand=hand)


def seated(
    make_rig: MakeRig, seed: int, alike: int = 0, *, hand: int = 1, raised: bool = True, decodes: bool = False
) -> tuple[Rig, list[PlayEvent]]:
    """A table at which the walls of a seed stand, with people who will play its hand."""
    rig = make_rig(deal_of(seed, alike, hand=hand), seed=seed, setup=set_up(rules=RULES, options={}, decodes=decodes), raised=raised)
    script = list(written(seed, hand, alike))
    Players(rig, script)
    return rig, script


@cache
def at_random(seed: int) -> tuple[PlayEvent, ...]:
    """A whole hand of players who build towards wins, and now and then claim, make kongs and declare wins that are none."""
    walls, rest = seigo_deal(seed, alike=20)
    return tuple(SeigoTable(RULES, walls, Random(seed), eager=True, rest=rest).played().script)


def begun(make_rig: MakeRig, seed: int = 6, *, decodes: bool = False) -> Rig:
    """A table at which all hands have been taken; nobody does anything more by itself."""
    rig, _ = seated(make_rig, seed, decodes=decodes)
    rig.run(lambda: rig.state.playing.stage is PlayStage.PLAYING)
    rig.players = lambda: None
    rig.settle()
    return rig


def shared_slot(number: int) -> Slot:
    return Slot(0, Area.SHARED, number)


def look(rig: Rig) -> None:
    """Let the overhead camera see what was laid, as often as it takes."""
    while rig.eye.observation() is not None:
        rig.eye.look()
        rig.settle()


class Played:
    """A hand played step by step from walls that are written down; ``E`` and so on are the seats' tiles and draws."""

    def __init__(self, make_rig: MakeRig, rest: str = "", **begun: str) -> None:
        walls, shared = deal_begun(rest, **begun)
        self.rig = make_rig(opened(walls, rules="seigo", rest=shared), setup=set_up(rules=RULES, options={}), raised=True)
        rig = self.rig
        rig.settle()
        for place, index in sorted(position for position in rig.feeder.magazines if position[1] < 13):
            rig.feeder.take(place, index)
            rig.settle()
        self.turn_up(10)

    def turn_up(self, number: int) -> None:
        """Whoever is to takes a shared tile out and lays it open."""
        rig = self.rig
        seat = next(seat for seat in SEATS if number in rig.deal.shared_row(seat))
        face = rig.feeder.lift(REAR_GATE + rig.deal.place(seat))
        rig.settle()
        assert isinstance(face, Tile)
        self.lay(shared_slot(number), face)

    def lay(self, slot: Slot, tile: Tile | str) -> None:
        self.rig.mat.tiles[slot] = parse_tile(tile) if isinstance(tile, str) else tile
        look(self.rig)

    def turn(self, seat: Seat, tile: str, slot: int, *keys: Key) -> None:
        """Draw, press, discard, and nobody wins on it."""
        self.draw(seat)
        for key in keys:
            self.press(seat, key)
        self.discard(seat, tile, slot)
        while self.rig.lamps.window:
            assert self.rig.time.pass_to_next()
            self.rig.settle()

    def draw(self, seat: Seat) -> None:
        self.rig.feeder.lift(self.rig.deal.place(seat))
        self.rig.settle()

    def discard(self, seat: Seat, tile: str, slot: int) -> None:
        self.lay(Slot(self.rig.deal.place(seat), Area.RIVER, slot), tile)

    def press(self, seat: Seat, key: Key) -> None:
        self.rig.press(self.rig.deal.place(seat), key)

    def take(self, seat: Seat, slot: int) -> None:
        del self.rig.mat.tiles[Slot(self.rig.deal.place(seat), Area.RIVER, slot)]

    def meld(self, seat: Seat, tiles: str, group: int = 0) -> None:
        for index, tile in enumerate(parse_tiles(tiles)):
            self.rig.mat.tiles[Slot(self.rig.deal.place(seat), Area.MELD, 4 * group + index)] = tile
        look(self.rig)

    def happened(self) -> list[str]:
        return [event.what for event in self.rig.happened(Violation)]
