"""The search: an observation weighs no more paths than it may, the next one goes on; and the estimate of what a path has yet to explain."""

import gc
import math
from dataclasses import dataclass
from functools import cache

import pytest
from msgspec import structs

from controller.recorder import costs
from controller.recorder.decoder import AFTERWARDS, DecoderLimits, HandDecoder
from controller.recorder.estimate import estimate
from controller.recorder.hypothesis import Hypothesis, Missing, TileRole
from controller.recorder.places import all_seats
from controller.recorder.search import Search
from controller.recorder.signals import Decoded, GateEdge
from controller.recorder.tracks import TrackList
from controller.recorder.violations import PathViolation, ViolationKind
from tests.support.recorder.small_tables import BARE, EAST_DRAWS, EVERYTHING, Cells, a_table, happened, over, path_at, tile_at, tracks_of
from twinwall.game.play import Phase
from twinwall.game.play_events import Claimed, ClaimsPassed, Meld, MeldType, PlayEvent, TileDiscarded, TileDrawn, WinDeclared
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS, Seat, Tile
from vision.mat import Area, Slot
from vision.mat_observation import MatObservation, ObservedTile

KINDS = [kind for kind in Tile if not kind.is_honour][:10]
FRAMES = 60
DEARER = 1234.5
EASTS_FIRST = Slot(0, Area.RIVER, 0)


@dataclass
class Followed:
    """What became of ten discards that came to light together."""

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
    """Ten discards, one of them aside, that lay under something for all that time."""
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
    assert sorted(tiles) == sorted({*KINDS} - {KINDS[3], KINDS[7]})


@pytest.mark.parametrize("drawn", [3, 1])
def test_a_path_that_may_explain_at_once_what_has_come_to_light_is_gone_on_from_however_dear_it_is(drawn: int) -> None:
    """Beside a path that has explained all of it otherwise it was dropped, and an event was published that had not happened."""
    table = a_table(tracks=tracks_of(tile_at(EASTS_FIRST, Tile.P5)))
    waiting = path_at(table, EAST_DRAWS, edges=tuple(GateEdge(1000 * place, place) for place in range(1, 1 + drawn)))
    explained = path_at(table, loose=frozenset(), cost=-100.0)
    assert (waiting in Search(table, [explained, waiting]).left) is (drawn > 1)


@pytest.mark.parametrize("behind", [True, False])
def test_a_path_from_which_an_interrupted_search_had_yet_to_go_on_is_gone_on_from_however_dear_it_is(behind: bool) -> None:
    """A river was pushed, and the paths that had explained that first dropped the others, which the next frame interrupted."""
    table = a_table(tracks=tracks_of(tile_at(EASTS_FIRST, Tile.P5)))
    explained, waiting = path_at(table, loose=frozenset(), cost=-100.0), path_at(table)
    search = Search(table, [explained, waiting], behind={1} if behind else ())
    assert (waiting in search.left) is behind
    search.advance(1)
    assert (waiting in search.left) is behind


def test_no_new_path_can_be_taken_for_one_from_which_an_interrupted_search_had_yet_to_go_on() -> None:
    """Paths are known by their places in memory. One that a cheaper path of its key replaced was freed, and another came to that place."""
    table = a_table(tracks=tracks_of(tile_at(EASTS_FIRST, Tile.P5)))
    search = Search(table, [path_at(table, cost=DEARER), path_at(table)], behind={0})
    search.advance(math.inf)
    assert all(path.cost != DEARER for _, path in search.found.values())
    assert any(isinstance(each, Hypothesis) and each.cost == DEARER for each in gc.get_objects())


@pytest.mark.parametrize(("worse", "waits", "gone_on_from"), [(20.0, True, True), (20.0, False, False), (30.0, True, False)])
def test_a_path_due_to_take_a_discard_is_followed_before_one_yet_to_draw(worse: float, waits: bool, gone_on_from: bool) -> None:
    """Of two wins on one tile the second was lost so."""
    table = a_table(tracks=tracks_of(tile_at(EASTS_FIRST, Tile.P5)))
    best = path_at(table, edges=(GateEdge(59_000, 0),) if waits else ())
    drawn = path_at(table, EAST_DRAWS, trail=1)
    search = Search(table, [best, structs.replace(drawn, cost=estimate(table, best) + worse - estimate(table, drawn))])
    search.advance(1000)
    assert any(isinstance(path.events[0], TileDiscarded) for _, path in search.found.values() if path.events) is gone_on_from


WAITING = tuple(GateEdge(1000 * place, place) for place in (1, 2, 3))
EASTS_DISCARD = (EAST_DRAWS, TileDiscarded(Seat.EAST, Tile.P5))


@pytest.mark.parametrize(("covered", "cost"), [(EVERYTHING, costs.SOMETIMES), (BARE, 3 * costs.RARE)])
def test_draws_that_wait_for_a_covered_discard_wait_for_that_one_alone(covered: Cells, cost: float) -> None:
    table = a_table(tracks=tracks_of(at_ms=[60_000], covered=covered))
    assert estimate(table, path_at(table, EAST_DRAWS, edges=WAITING)) == cost


def test_draws_do_not_wait_for_a_discard_whose_place_is_covered_by_a_tile_under_anothers_edge() -> None:
    tracks, first = TrackList(), tile_at(EASTS_FIRST, Tile.P5)
    lower, upper = tile_at(EASTS_FIRST, Tile.P5, -10.0), tile_at(EASTS_FIRST, Tile.P6, -34.0)
    for number in range(8):
        tracks.see(MatObservation(58_000 + 250 * number, (lower if number < 2 else upper,), over(EASTS_FIRST) if number > 1 else BARE))
    table = a_table(tracks=tracks)
    assert tracks.is_covered(first.x_mm, first.y_mm)
    assert estimate(table, path_at(table, EAST_DRAWS, edges=WAITING, loose=frozenset())) == 3 * costs.RARE


@pytest.mark.parametrize("ended", [False, True])
def test_a_tile_that_lies_in_a_river_means_nothing_more_once_the_hand_has_ended(ended: bool) -> None:
    """A path that ended the hand before the last discard was as near as one that waits for it, so a win was asked about."""
    table = a_table("sichuan", tracks_of(tile_at(EASTS_FIRST, Tile.P5)), over=ended)
    path = path_at(table, play=structs.replace(table.rules.start(), phase=Phase.ENDED))
    assert (estimate(table, path) == costs.UNEXPLAINED) is ended


def seen_in(*slots: Slot, covered: Cells = BARE, edges: tuple[GateEdge, ...] = ()) -> float:
    """The estimate where East has drawn and is to discard, and two frames have seen tiles in these slots."""
    table = a_table(tracks=tracks_of(*(tile_at(slot, Tile.P5) for slot in slots), covered=covered))
    return estimate(table, path_at(table, EAST_DRAWS, edges=edges))


def test_a_tile_of_a_shown_hand_waits_for_little_less_while_a_discard_may_lie_hidden() -> None:
    """For so little less that a path which has seen the discard stays beside this one, whichever hand is shown."""
    assert 0 < seen_in(Slot(1, Area.HAND, 7)) - seen_in(Slot(1, Area.HAND, 7), covered=EVERYTHING) < costs.MOST / 14


@pytest.mark.parametrize(
    ("slot", "covered", "drawn", "waits"),
    [
        pytest.param(Slot(1, Area.RIVER, 0), BARE, (1,), costs.WAITING, id="in another's river"),
        pytest.param(Slot(0, Area.RIVER, 1), EVERYTHING, (1, 2, 3, 0), costs.OFTEN, id="behind one that lies hidden"),
    ],
)
def test_a_further_discard_needs_a_draw_of_its_seat(slot: Slot, covered: Cells, drawn: tuple[int, ...], waits: float) -> None:
    edges = tuple(GateEdge(59_000 + number, place) for number, place in enumerate(drawn))
    waiting = seen_in(slot, covered=covered, edges=edges)
    assert waiting < costs.USUAL_PLACE + waits + costs.SOMETIMES
    assert seen_in(slot, covered=covered) > waiting + 9.0 - costs.SOMETIMES


def test_the_fourth_discard_of_a_seat_does_not_wait_for_a_hidden_one_at_the_price_of_the_second() -> None:
    """Else a path that waits is always the best one, whatever has been laid since."""
    drawn = tuple(GateEdge(1000 * number, place) for number, place in enumerate((1, 2, 3, 0) * 3, start=1))
    second, fourth = (seen_in(Slot(0, Area.RIVER, index), covered=EVERYTHING, edges=drawn) for index in (1, 3))
    assert fourth > second + 5.0


@pytest.mark.parametrize("area", [Area.HAND, Area.MELD])
def test_the_first_tile_of_a_shown_hand_or_a_meld_does_not_lie_alone(area: Area) -> None:
    first, further = Slot(1, area, 0), [Slot(1, area, number) for number in (1, 2)]
    assert seen_in(first) > (seen_in(first, *further) / 3) + costs.SELDOM - 1.0


def test_the_tile_that_a_claimed_meld_still_lacks_may_come_alone() -> None:
    """Else a path that has explained two tiles of a meld falls so far behind that it is dropped before it takes the third."""
    table = a_table(tracks=tracks_of(tile_at(Slot(1, Area.MELD, 2), Tile.P5)))
    path = path_at(table, *EASTS_DISCARD, Claimed(Seat.SOUTH, Meld(MeldType.CHOW, (Tile.P5, Tile.P6, Tile.P7), Seat.EAST)))
    lacking = structs.replace(path, missing={TileRole(1, Area.MELD, 2): Missing(Tile.P5, 0.0, 0.0, 60_000)})
    assert estimate(table, lacking) - costs.SOMETIMES < estimate(table, path) - 5.0


def test_tiles_of_a_meld_do_not_make_the_discard_after_it_the_first_of_a_shown_hand() -> None:
    """All of them came to lie at once before the seat that claimed; the path has explained the meld."""
    slots = Slot(1, Area.HAND, 7), Slot(1, Area.MELD, 0), Slot(1, Area.MELD, 1)
    table = a_table(tracks=tracks_of(*(tile_at(slot, Tile.P5) for slot in slots)))
    path = path_at(table, EAST_DRAWS, loose=frozenset({0}))
    explained = structs.replace(path, roles={number: TileRole(1, Area.MELD, number - 1) for number in (1, 2)})
    assert estimate(table, explained) == pytest.approx(seen_in(Slot(1, Area.HAND, 7)))
    assert estimate(table, explained) > estimate(table, path) + 4.0


@pytest.mark.parametrize(("kind", "waits"), [(Tile.P5, True), (Tile.P6, False)])
def test_the_fourth_tile_of_a_pung_is_of_its_kind(kind: Tile, *, waits: bool) -> None:
    table = a_table(tracks=tracks_of(tile_at(Slot(1, Area.MELD, 3), kind)))
    path = path_at(table, *EASTS_DISCARD, Claimed(Seat.SOUTH, Meld(MeldType.PUNG, (Tile.P5,) * 3, Seat.EAST)))
    assert (estimate(table, path) < costs.USUAL_PLACE + costs.WAITING) is waits


@pytest.mark.parametrize(
    ("rules", "events", "slot", "covered"),
    [
        pytest.param("mcr-duplicate", EASTS_DISCARD, Slot(1, Area.RIVER, 0), BARE, id="bare"),
        pytest.param("mcr-duplicate", EASTS_DISCARD, Slot(1, Area.RIVER, 0), over(Slot(1, Area.RIVER, 0)), id="covered"),
        pytest.param(
            "sichuan",
            (*EASTS_DISCARD, WinDeclared(Seat.WEST, Seat.EAST, Tile.P5)),
            Slot(3, Area.RIVER, 0),
            BARE,
            id="after a winner by another seat than the next one",
        ),
    ],
)
def test_no_path_waits_for_a_draw_that_it_may_take(rules: str, events: tuple[PlayEvent, ...], slot: Slot, covered: Cells) -> None:
    """A path that had yet to draw was cheaper by far where anything had covered the place, so the discard was told a frame later."""
    tracks = tracks_of(at_ms=[58_000], covered=covered)
    for at_ms in (59_750, 60_000):
        tracks.see(MatObservation(at_ms, (tile_at(slot, Tile.P7),), covered))
    table, edge = a_table(rules, tracks), GateEdge(59_000, slot.place)
    draw = TileDrawn(table.places.seats[slot.place], from_end=False)
    drawn = path_at(table, *events, ClaimsPassed(), draw, clock_ms=edge.at_ms, trail=1)
    assert estimate(table, path_at(table, *events, edges=(edge,))) >= estimate(table, drawn)


@pytest.mark.parametrize("won", [False, True])
def test_a_tile_in_the_river_of_a_seat_that_has_won_and_left_play_is_no_discard_to_come(won: bool) -> None:
    """A path that had a seat win before its last discard was as good as the one that had explained that discard."""
    table = a_table("sichuan", tracks_of(tile_at(Slot(2, Area.RIVER, 0), Tile.P6)), gates=False)
    after = WinDeclared(Seat.WEST, Seat.EAST, Tile.P5) if won else ClaimsPassed()
    assert (estimate(table, happened(table, path_at(table), *EASTS_DISCARD, after)) >= costs.UNEXPLAINED) is won


@pytest.mark.parametrize(
    ("gone_ms", "over", "cost"), [(50_000, False, costs.RARE), (30_000, False, costs.AGAINST_SIGHT), (50_000, True, costs.AGAINST_SIGHT)]
)
def test_a_discard_that_is_gone_from_its_river_is_put_back_soon_or_never(gone_ms: int, over: bool, cost: float) -> None:
    table = a_table(over=over)
    gone = {TileRole(1, Area.RIVER, 3): Missing(Tile.P5, 100.0, 0.0, gone_ms)}
    assert estimate(table, path_at(table, EAST_DRAWS, missing=gone)) == cost


@pytest.mark.parametrize(("rules", "won"), [("mcr-duplicate", True), ("sichuan", True), ("sichuan", False)])
def test_a_discard_that_was_won_on_may_be_taken_from_its_river(rules: str, won: bool) -> None:
    """A win on a discard that its winner showed with the hand was as dear as a self-drawn one for which a discard was lost."""
    table = a_table(rules, gates=False, over=True)
    path = happened(table, path_at(table), *EASTS_DISCARD, WinDeclared(Seat.WEST, Seat.EAST, Tile.P5) if won else ClaimsPassed())
    gone = structs.replace(path, missing={TileRole(0, Area.RIVER, 0): Missing(Tile.P5, 0.0, 100.0, 55_000, 54_000)})
    assert estimate(table, gone) - estimate(table, path) == (0.0 if won else costs.SOMETIMES)


@pytest.mark.parametrize("since_ms", [50_000, 30_000])
def test_tiles_that_were_laid_by_a_violation_and_still_lie_there_are_unlikely_to_have_been_one(since_ms: int) -> None:
    tiles = (ObservedTile(x_mm, 0.0, 0.0, shares={Tile.P5: 0.995}, sure=True) for x_mm in (100.0, 140.0))
    table = a_table(tracks=tracks_of(*tiles, at_ms=range(since_ms, 60_001, 500)))
    laid = PathViolation(ViolationKind.EXPOSED_TILES, Seat.SOUTH, "", since_ms, (0, 1))
    path = path_at(table, EAST_DRAWS, violations=(laid,), loose=frozenset())
    assert estimate(table, path) == (costs.SELDOM if since_ms == 30_000 else 0.0)


def test_a_tile_of_a_meld_does_not_wait_for_less_while_a_hand_is_shown() -> None:
    """Nobody lays a meld then: a path that took four tiles of a kong for a hand was better than the one with the kong."""
    table = a_table(tracks=tracks_of(*(tile_at(Slot(0, Area.MELD, number), Tile.P5) for number in range(3))))
    drawn, won = path_at(table, EAST_DRAWS), path_at(table, EAST_DRAWS, WinDeclared(Seat.EAST, None, None))
    assert estimate(table, won) == pytest.approx(estimate(table, drawn))


@pytest.mark.parametrize(("kind", "cost"), [(Tile.P5, costs.SELDOM), (Tile.P6, 0.0)])
def test_a_discard_that_went_on_into_a_meld_is_unlikely_to_have_been_a_violation(kind: Tile, cost: float) -> None:
    """It lay in another seat's river, and was claimed."""
    tracks = TrackList()
    for at_ms in range(50_000, 60_001, 250):
        x_mm, seen = (100.0, Tile.P5) if at_ms < 56_000 else (-200.0, kind)
        tracks.see(MatObservation(at_ms, (ObservedTile(x_mm, 0.0, 0.0, shares={seen: 0.995}, sure=True),)))
    table = a_table(tracks=tracks)
    laid = PathViolation(ViolationKind.DISCARDED_OUT_OF_TURN, Seat.SOUTH, "", 50_000, (0,))
    assert estimate(table, path_at(table, EAST_DRAWS, violations=(laid,), loose=frozenset())) == cost
