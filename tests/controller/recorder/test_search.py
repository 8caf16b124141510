"""The search: an observation weighs no more paths than it may, and what is left to go on from is gone on with at the next one."""

import gc
import math
from dataclasses import dataclass
from functools import cache

import pytest
from msgspec import structs

from controller.recorder.decoder import AFTERWARDS, DecoderLimits, HandDecoder
from controller.recorder.estimate import estimate
from controller.recorder.hypothesis import Hypothesis, TableContext
from controller.recorder.places import all_seats
from controller.recorder.search import Search
from controller.recorder.signals import Decoded, GateEdge
from tests.support.recorder.small_tables import EAST_DRAWS, EVERYTHING, a_table, path_at, tile_at, tracks_of
from twinwall.game.play_events import TileDiscarded
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS, Tile
from vision.mat import Area, Slot
from vision.mat_observation import MatObservation, ObservedTile

KINDS = [kind for kind in Tile if not kind.is_honour][:12]
FRAMES = 60
DEARER = 1234.5


@dataclass
class Followed:
    """What became of twelve discards that came to light together."""

    decoder: HandDecoder
    weighed: list[int]
    """By observation since they have, how many paths were weighed."""
    told: list[tuple[Decoded, ...]]
    searching: list[bool]

    @property
    def discarded(self) -> list[Tile]:
        return [event.event.tile for event in self.decoder.best() if isinstance(event.event, TileDiscarded)]


@cache
def followed(limits: DecoderLimits | None = None) -> Followed:
    """Twelve discards, one of them aside, that lay under something for all that time."""
    decoder, tiles = HandDecoder(rule_set("mcr-duplicate"), all_seats(0), SEATS[0], None, limits=limits), list[ObservedTile]()
    for turn, kind in enumerate(KINDS):
        aside_mm = -20.0 if turn == 7 else 0.0
        tiles.append(tile_at(Slot(turn % 4, Area.RIVER, turn // 4), kind, aside_mm, aside_mm))
        decoder.draw_sensed(GateEdge(1000 + 4000 * turn, turn % 4))
        decoder.see(MatObservation(3000 + 4000 * turn, covered=EVERYTHING))
    found = Followed(decoder, [], [], [])
    for number in range(FRAMES):
        found.told.append(decoder.see(MatObservation(50_000 + 250 * number, tuple(tiles))))
        found.weighed.append(decoder.weighed)
        found.searching.append(decoder.searching)
    return found


def test_discards_that_come_to_light_together_are_told_in_the_order_of_their_slots() -> None:
    assert followed().discarded == KINDS


@pytest.mark.parametrize("most", [40, 100])
def test_an_observation_that_has_weighed_enough_leaves_the_rest_to_the_next_one(most: int) -> None:
    whole, parts = followed(DecoderLimits(weighed=10_000)), followed(DecoderLimits(weighed=most))
    assert max(whole.weighed) > 4 * most
    assert max(parts.weighed) < 2 * most
    assert parts.discarded == whole.discarded == KINDS


def test_of_a_hand_for_which_nothing_waits_more_paths_are_weighed_at_once() -> None:
    waiting, afterwards = followed(), followed(AFTERWARDS)
    assert max(afterwards.weighed) > 2 * max(waiting.weighed)
    assert waiting.discarded == afterwards.discarded == KINDS


def test_nothing_is_told_before_what_was_left_has_been_gone_on_with() -> None:
    """Nor are the discards of a seat that came to light together and of which one lies aside: each may be that one."""
    parts = followed(DecoderLimits(weighed=40))
    assert any(parts.searching)
    assert not any(told for told, searching in zip(parts.told, parts.searching, strict=True) if searching)
    tiles = [event.event.tile for told in parts.told for event in told if isinstance(event.event, TileDiscarded)]
    assert sorted(tiles) == sorted({*KINDS} - {KINDS[3], KINDS[7], KINDS[11]})


def table_with_a_discard() -> TableContext:
    """A table whose rules are those of Chinese Official; a tile has just come into the first place of East's river."""
    return a_table(tracks=tracks_of(tile_at(Slot(0, Area.RIVER, 0), Tile.P5)))


@pytest.mark.parametrize("drawn", [3, 1])
def test_a_path_that_may_explain_at_once_what_has_come_to_light_is_gone_on_from_however_dear_it_is(drawn: int) -> None:
    """Beside a path that has explained all of it otherwise it was dropped, and an event was published that had not happened."""
    table = table_with_a_discard()
    waiting = path_at(table, EAST_DRAWS, edges=tuple(GateEdge(1000 * place, place) for place in range(1, 1 + drawn)))
    explained = path_at(table, loose=frozenset(), cost=-100.0)
    assert (waiting in Search(table, [explained, waiting]).left) is (drawn > 1)


@pytest.mark.parametrize("behind", [True, False])
def test_a_path_from_which_an_interrupted_search_had_yet_to_go_on_is_gone_on_from_however_dear_it_is(behind: bool) -> None:
    """A river was pushed, and the paths that had explained that first dropped the others, which the next frame interrupted."""
    table = table_with_a_discard()
    explained, waiting = path_at(table, loose=frozenset(), cost=-100.0), path_at(table)
    search = Search(table, [explained, waiting], behind={1} if behind else ())
    assert (waiting in search.left) is behind
    search.go_on(1)
    assert (waiting in search.left) is behind


def test_no_new_path_can_be_taken_for_one_from_which_an_interrupted_search_had_yet_to_go_on() -> None:
    """Paths are known by their places in memory. One that a cheaper path of its key replaced was freed, and another came to that place."""
    table = table_with_a_discard()
    search = Search(table, [path_at(table, cost=DEARER), path_at(table)], behind={0})
    search.go_on(math.inf)
    assert all(path.cost != DEARER for _, path in search.found.values())
    assert any(isinstance(each, Hypothesis) and each.cost == DEARER for each in gc.get_objects())


@pytest.mark.parametrize(("worse", "waits", "gone_on_from"), [(20.0, True, True), (20.0, False, False), (30.0, True, False)])
def test_a_path_that_is_to_take_a_new_discard_is_gone_on_from_though_one_that_has_yet_to_draw_looks_better(
    worse: float, waits: bool, gone_on_from: bool
) -> None:
    """Of two wins on one tile the second was lost so."""
    table = table_with_a_discard()
    best = path_at(table, edges=(GateEdge(59_000, 0),) if waits else ())
    drawn = path_at(table, EAST_DRAWS, trail=1)
    search = Search(table, [best, structs.replace(drawn, cost=estimate(table, best) + worse - estimate(table, drawn))])
    search.go_on(1000)
    assert any(isinstance(path.events[0], TileDiscarded) for _, path in search.found.values() if path.events) is gone_on_from
