"""Estimate of what a path has yet to explain."""

from dataclasses import replace

import pytest
from msgspec import structs

from controller.recorder import costs
from controller.recorder.estimate import estimate
from controller.recorder.hypothesis import Hypothesis, Missing, TableContext, TileRole
from controller.recorder.places import MatPlaces, all_seats
from controller.recorder.signals import GateEdge
from controller.recorder.tracks import TrackList
from controller.recorder.violations import PathViolation, ViolationKind
from twinwall.game.play import Phase
from twinwall.game.play_events import Claimed, ClaimsPassed, Meld, MeldType, PlayEvent, TileDiscarded, TileDrawn, WinDeclared
from twinwall.game.rules import rule_set
from twinwall.game.tiles import Seat, Tile
from vision.mat import Area, Mat, Slot
from vision.mat_observation import COVER_MM, MatObservation, ObservedTile

EVERYTHING = frozenset((column, row) for column in range(-20, 21) for row in range(-20, 21))


@pytest.mark.parametrize(("covered", "cost"), [(EVERYTHING, costs.SOMETIMES), (frozenset[tuple[int, int]](), 3 * costs.RARE)])
def test_draws_that_wait_for_a_covered_discard_wait_for_that_one_alone(covered: frozenset[tuple[int, int]], cost: float) -> None:
    rules, tracks = rule_set("mcr-duplicate"), TrackList()
    tracks.see(MatObservation(60_000, covered=covered))
    table = TableContext(rules, Seat.EAST, MatPlaces(all_seats(0)), tracks, None, gates=True, now_ms=60_000)
    waiting = tuple(GateEdge(1000 * place, place) for place in (1, 2, 3))
    path = Hypothesis(rules.apply(rules.start(), TileDrawn(Seat.EAST, from_end=False)), None, edges=waiting)
    assert estimate(table, path) == cost


def test_draws_do_not_wait_for_a_discard_whose_place_is_covered_by_a_tile_under_anothers_edge() -> None:
    rules, tracks, spot = rule_set("mcr-duplicate"), TrackList(), Mat().spot(Slot(0, Area.RIVER, 0))
    lower = ObservedTile(spot.x_mm - 10.0, spot.y_mm, spot.turn_deg % 180, shares={Tile.P5: 0.995}, sure=True)
    upper = replace(lower, x_mm=spot.x_mm - 34.0, shares={Tile.P6: 0.995})
    near = frozenset({(round(lower.x_mm / COVER_MM), round(lower.y_mm / COVER_MM))})
    for number in range(8):
        tracks.see(MatObservation(58_000 + 250 * number, (lower,) if number < 2 else (upper,), near if number > 1 else frozenset()))
    table = TableContext(rules, Seat.EAST, MatPlaces(all_seats(0)), tracks, None, gates=True, now_ms=60_000)
    waiting = tuple(GateEdge(1000 * place, place) for place in (1, 2, 3))
    path = Hypothesis(rules.apply(rules.start(), TileDrawn(Seat.EAST, from_end=False)), None, edges=waiting)
    assert tracks.is_covered(spot.x_mm, spot.y_mm)
    assert estimate(table, path) == 3 * costs.RARE


@pytest.mark.parametrize("over", [False, True])
def test_a_tile_that_lies_in_a_river_means_nothing_more_once_the_hand_has_ended(over: bool) -> None:
    """A path that ended the hand before the last discard was as near as one that waits for it, so a win was asked about."""
    rules, tracks, spot = rule_set("sichuan"), TrackList(), Mat().spot(Slot(0, Area.RIVER, 0))
    tile = ObservedTile(spot.x_mm, spot.y_mm, spot.turn_deg % 180, shares={Tile.P5: 0.995}, sure=True)
    for at_ms in (59_750, 60_000):
        tracks.see(MatObservation(at_ms, (tile,), frozenset()))
    table = TableContext(rules, Seat.EAST, MatPlaces(all_seats(0)), tracks, None, gates=True, now_ms=60_000, over=over)
    path = Hypothesis(structs.replace(rules.start(), phase=Phase.ENDED), None, loose=frozenset(tracks.all))
    assert (estimate(table, path) == costs.UNEXPLAINED) is over


def test_a_tile_of_a_shown_hand_waits_for_little_less_while_a_discard_may_lie_hidden() -> None:
    """For so little less that a path which has seen the discard stays beside this one, whichever hand is shown."""
    rules, places, mat = rule_set("mcr-duplicate"), MatPlaces(all_seats(0)), Mat()
    spot = mat.spot(Slot(1, Area.HAND, 7))
    shown = ObservedTile(spot.x_mm, spot.y_mm, spot.turn_deg % 180, shares={Tile.P5: 0.995}, sure=True)
    found = []
    for covered in (EVERYTHING, frozenset[tuple[int, int]]()):
        tracks = TrackList()
        for at_ms in (59_750, 60_000):
            tracks.see(MatObservation(at_ms, (shown,), covered))
        table = TableContext(rules, Seat.EAST, places, tracks, None, gates=True, now_ms=60_000)
        path = Hypothesis(rules.apply(rules.start(), TileDrawn(Seat.EAST, from_end=False)), None, loose=frozenset(tracks.all))
        found.append(estimate(table, path))
    assert 0 < found[1] - found[0] < costs.MOST / 14


def lying(*slots: Slot, covered: frozenset[tuple[int, int]] = frozenset(), edges: tuple[GateEdge, ...] = ()) -> float:
    """The estimate where East has drawn and is to discard, and two frames have seen tiles in these slots."""
    rules, tracks, spots = rule_set("mcr-duplicate"), TrackList(), [Mat().spot(slot) for slot in slots]
    tiles = tuple(ObservedTile(spot.x_mm, spot.y_mm, spot.turn_deg % 180, shares={Tile.P5: 0.995}, sure=True) for spot in spots)
    for at_ms in (59_750, 60_000):
        tracks.see(MatObservation(at_ms, tiles, covered))
    table = TableContext(rules, Seat.EAST, MatPlaces(all_seats(0)), tracks, None, gates=True, now_ms=60_000)
    path = Hypothesis(rules.apply(rules.start(), TileDrawn(Seat.EAST, from_end=False)), None, edges=edges, loose=frozenset(tracks.all))
    return estimate(table, path)


def test_a_tile_in_anothers_river_is_no_discard_to_come_of_a_seat_that_has_not_drawn() -> None:
    souths = Slot(1, Area.RIVER, 0)
    drawn = lying(souths, edges=(GateEdge(59_000, 1),))
    assert drawn < costs.USUAL_PLACE + costs.WAITING + costs.SOMETIMES
    assert lying(souths) > drawn - costs.SOMETIMES + 9.0


def test_a_further_discard_behind_one_that_lies_hidden_needs_a_draw_of_its_seat() -> None:
    drawn = tuple(GateEdge(1000 * number, place) for number, place in enumerate((1, 2, 3, 0), start=1))
    waiting = lying(Slot(0, Area.RIVER, 1), covered=EVERYTHING, edges=drawn)
    assert waiting < costs.USUAL_PLACE + costs.OFTEN + costs.SOMETIMES
    assert lying(Slot(0, Area.RIVER, 1), covered=EVERYTHING) > waiting + 9.0 - costs.SOMETIMES


def test_the_fourth_discard_of_a_seat_does_not_wait_for_a_hidden_one_at_the_price_of_the_second() -> None:
    """Else a path that waits is always the best one, whatever has been laid since."""
    drawn = tuple(GateEdge(1000 * number, place) for number, place in enumerate((1, 2, 3, 0) * 3, start=1))
    second, fourth = (lying(Slot(0, Area.RIVER, index), covered=EVERYTHING, edges=drawn) for index in (1, 3))
    assert fourth > second + 5.0


@pytest.mark.parametrize("area", [Area.HAND, Area.MELD])
def test_the_first_tile_of_a_shown_hand_or_a_meld_does_not_lie_alone(area: Area) -> None:
    first, further = Slot(1, area, 0), [Slot(1, area, number) for number in (1, 2)]
    assert lying(first) > (lying(first, *further) / 3) + costs.SELDOM - 1.0


def test_the_tile_that_a_claimed_meld_still_lacks_may_come_alone() -> None:
    """Else a path that has explained two tiles of a meld falls so far behind that it is dropped before it takes the third."""
    rules, tracks, spot = rule_set("mcr-duplicate"), TrackList(), Mat().spot(Slot(1, Area.MELD, 2))
    third = ObservedTile(spot.x_mm, spot.y_mm, spot.turn_deg % 180, shares={Tile.P5: 0.995}, sure=True)
    for at_ms in (59_750, 60_000):
        tracks.see(MatObservation(at_ms, (third,)))
    table = TableContext(rules, Seat.EAST, MatPlaces(all_seats(0)), tracks, None, gates=True, now_ms=60_000)
    chow = Meld(MeldType.CHOW, (Tile.P5, Tile.P6, Tile.P7), Seat.EAST)
    state = rules.start()
    for event in (TileDrawn(Seat.EAST, from_end=False), TileDiscarded(Seat.EAST, Tile.P5), Claimed(Seat.SOUTH, chow)):
        state = rules.apply(state, event)
    path = Hypothesis(state, None, loose=frozenset(tracks.all))
    lacking = replace(path, missing={TileRole(1, Area.MELD, 2): Missing(Tile.P5, 0.0, 0.0, 60_000)})
    assert estimate(table, lacking) - costs.SOMETIMES < estimate(table, path) - 5.0


def test_tiles_of_a_meld_do_not_make_the_discard_after_it_the_first_of_a_shown_hand() -> None:
    """All of them came to lie at once before the seat that claimed; the path has explained the meld."""
    rules, tracks, mat = rule_set("mcr-duplicate"), TrackList(), Mat()
    spots = [mat.spot(Slot(1, area, number)) for area, number in ((Area.HAND, 7), (Area.MELD, 0), (Area.MELD, 1))]
    tiles = tuple(ObservedTile(spot.x_mm, spot.y_mm, spot.turn_deg % 180, shares={Tile.P5: 0.995}, sure=True) for spot in spots)
    for at_ms in (59_750, 60_000):
        tracks.see(MatObservation(at_ms, tiles))
    table = TableContext(rules, Seat.EAST, MatPlaces(all_seats(0)), tracks, None, gates=True, now_ms=60_000)
    path = Hypothesis(rules.apply(rules.start(), TileDrawn(Seat.EAST, from_end=False)), None, loose=frozenset({0}))
    explained = replace(path, roles={number: TileRole(1, Area.MELD, number - 1) for number in (1, 2)})
    assert estimate(table, explained) == pytest.approx(lying(Slot(1, Area.HAND, 7)))
    assert estimate(table, explained) > estimate(table, path) + 4.0


@pytest.mark.parametrize(("kind", "waits"), [(Tile.P5, True), (Tile.P6, False)])
def test_the_fourth_tile_of_a_pung_is_of_its_kind(kind: Tile, *, waits: bool) -> None:
    rules, tracks, spot = rule_set("mcr-duplicate"), TrackList(), Mat().spot(Slot(1, Area.MELD, 3))
    for at_ms in (59_750, 60_000):
        tracks.see(MatObservation(at_ms, (ObservedTile(spot.x_mm, spot.y_mm, spot.turn_deg % 180, shares={kind: 0.995}, sure=True),)))
    table = TableContext(rules, Seat.EAST, MatPlaces(all_seats(0)), tracks, None, gates=True, now_ms=60_000)
    state, pung = rules.start(), Meld(MeldType.PUNG, (Tile.P5,) * 3, Seat.EAST)
    for event in (TileDrawn(Seat.EAST, from_end=False), TileDiscarded(Seat.EAST, Tile.P5), Claimed(Seat.SOUTH, pung)):
        state = rules.apply(state, event)
    cost = estimate(table, Hypothesis(state, None, loose=frozenset({0})))
    assert (cost < costs.USUAL_PLACE + costs.WAITING) is waits


def before_and_after_a_draw(rules_name: str, events: tuple[PlayEvent, ...], slot: Slot, covered: frozenset[tuple[int, int]]) -> list[float]:
    """The estimates of a path that has yet to take the draw of who discards into a slot, and of one that has taken it."""
    rules, tracks, spot = rule_set(rules_name), TrackList(), Mat().spot(slot)
    laid = ObservedTile(spot.x_mm, spot.y_mm, spot.turn_deg % 180, shares={Tile.P7: 0.995}, sure=True)
    for at_ms in (58_000, 59_750, 60_000):
        tracks.see(MatObservation(at_ms, (laid,) if at_ms > 59_000 else (), covered))
    table = TableContext(rules, Seat.EAST, MatPlaces(all_seats(0)), tracks, None, gates=True, now_ms=60_000)
    state, edge = rules.start(), GateEdge(59_000, slot.place)
    for event in events:
        state = rules.apply(state, event)
    waiting = Hypothesis(state, None, loose=frozenset(tracks.all), edges=(edge,))
    passed = rules.apply(state, ClaimsPassed())
    seat = table.places.seats[slot.place]
    drawn = replace(waiting, play=rules.apply(passed, TileDrawn(seat, from_end=False)), edges=(), clock_ms=edge.at_ms, trail=1)
    return [estimate(table, path) for path in (waiting, drawn)]


EASTS_DISCARD = (TileDrawn(Seat.EAST, from_end=False), TileDiscarded(Seat.EAST, Tile.P5))


@pytest.mark.parametrize("covered", [False, True])
def test_no_path_waits_for_a_draw_that_it_may_take_whether_or_not_its_discard_may_lie_hidden(*, covered: bool) -> None:
    """A path that has yet to draw was cheaper by far where anything had covered the place, so the discard was told a frame later."""
    beside = Mat().spot(Slot(1, Area.RIVER, 0))
    below = frozenset({(round(beside.x_mm / COVER_MM), round(beside.y_mm / COVER_MM))}) if covered else frozenset[tuple[int, int]]()
    waiting, drawn = before_and_after_a_draw("mcr-duplicate", EASTS_DISCARD, Slot(1, Area.RIVER, 0), below)
    assert waiting >= drawn


def test_where_the_winner_is_followed_by_another_seat_than_the_next_one_that_seats_draw_is_not_waited_for() -> None:
    won = (*EASTS_DISCARD, WinDeclared(Seat.WEST, Seat.EAST, Tile.P5))
    waiting, drawn = before_and_after_a_draw("sichuan", won, Slot(3, Area.RIVER, 0), frozenset())
    assert waiting >= drawn


@pytest.mark.parametrize("won", [False, True])
def test_a_tile_in_the_river_of_a_seat_that_has_won_and_left_play_is_no_discard_to_come(won: bool) -> None:
    """A path that had a seat win before its last discard was as good as the one that had explained that discard."""
    tracks, spot = TrackList(), Mat().spot(Slot(2, Area.RIVER, 0))
    for at_ms in (59_750, 60_000):
        tracks.see(MatObservation(at_ms, (ObservedTile(spot.x_mm, spot.y_mm, 0.0, shares={Tile.P6: 0.995}, sure=True),)))
    table = TableContext(rule_set("sichuan"), Seat.EAST, MatPlaces(all_seats(0)), tracks, None, gates=False, now_ms=60_000)
    path = Hypothesis(table.rules.start(), None)
    for event in (*EASTS_DISCARD, WinDeclared(Seat.WEST, Seat.EAST, Tile.P5) if won else ClaimsPassed()):
        after = path.happened(table, event)
        assert after is not None
        path = after
    assert (estimate(table, replace(path, loose=frozenset(tracks.all))) >= costs.UNEXPLAINED) is won


@pytest.mark.parametrize(
    ("gone_ms", "over", "cost"), [(50_000, False, costs.RARE), (30_000, False, costs.AGAINST_SIGHT), (50_000, True, costs.AGAINST_SIGHT)]
)
def test_a_discard_that_is_gone_from_its_river_is_put_back_soon_or_never(gone_ms: int, over: bool, cost: float) -> None:
    rules = rule_set("mcr-duplicate")
    table = TableContext(rules, Seat.EAST, MatPlaces(all_seats(0)), TrackList(), None, gates=True, now_ms=60_000, over=over)
    state = rules.apply(rules.start(), TileDrawn(Seat.EAST, from_end=False))
    path = Hypothesis(state, None, missing={TileRole(1, Area.RIVER, 3): Missing(Tile.P5, 100.0, 0.0, gone_ms)})
    assert estimate(table, path) == cost


@pytest.mark.parametrize(("rules", "won"), [("mcr-duplicate", True), ("sichuan", True), ("sichuan", False)])
def test_a_discard_that_was_won_on_may_be_taken_from_its_river(rules: str, won: bool) -> None:
    """A win on a discard that its winner showed with the hand was as dear as a self-drawn one for which a discard was lost."""
    table = TableContext(rule_set(rules), Seat.EAST, MatPlaces(all_seats(0)), TrackList(), None, gates=False, now_ms=60_000, over=True)
    path = Hypothesis(table.rules.start(), None)
    for event in (*EASTS_DISCARD, WinDeclared(Seat.WEST, Seat.EAST, Tile.P5) if won else ClaimsPassed()):
        after = path.happened(table, event)
        assert after is not None
        path = after
    gone = replace(path, missing={TileRole(0, Area.RIVER, 0): Missing(Tile.P5, 0.0, 100.0, 55_000, 54_000)})
    assert estimate(table, gone) - estimate(table, path) == (0.0 if won else costs.SOMETIMES)


@pytest.mark.parametrize("since_ms", [50_000, 30_000])
def test_tiles_that_were_laid_by_a_violation_and_still_lie_there_are_unlikely_to_have_been_one(since_ms: int) -> None:
    rules, tracks = rule_set("mcr-duplicate"), TrackList()
    tiles = tuple(ObservedTile(x_mm, 0.0, 0.0, shares={Tile.P5: 0.995}, sure=True) for x_mm in (100.0, 140.0))
    for at_ms in range(since_ms, 60_001, 500):
        tracks.see(MatObservation(at_ms, tiles))
    table = TableContext(rules, Seat.EAST, MatPlaces(all_seats(0)), tracks, None, gates=True, now_ms=60_000)
    laid = PathViolation(ViolationKind.EXPOSED_TILES, Seat.SOUTH, "", since_ms, (0, 1))
    path = Hypothesis(rules.apply(rules.start(), TileDrawn(Seat.EAST, from_end=False)), None, violations=(laid,))
    assert estimate(table, path) == (costs.SELDOM if since_ms == 30_000 else 0.0)


def test_a_tile_of_a_meld_does_not_wait_for_less_while_a_hand_is_shown() -> None:
    """Nobody lays a meld then: a path that took four tiles of a kong for a hand was better than the one with the kong."""
    rules, tracks, spots = rule_set("mcr-duplicate"), TrackList(), [Mat().spot(Slot(0, Area.MELD, number)) for number in range(3)]
    tiles = tuple(ObservedTile(spot.x_mm, spot.y_mm, spot.turn_deg % 180, shares={Tile.P5: 0.995}, sure=True) for spot in spots)
    for at_ms in (59_750, 60_000):
        tracks.see(MatObservation(at_ms, tiles))
    table = TableContext(rules, Seat.EAST, MatPlaces(all_seats(0)), tracks, None, gates=True, now_ms=60_000)
    found = []
    for events in ((TileDrawn(Seat.EAST, from_end=False),), (TileDrawn(Seat.EAST, from_end=False), WinDeclared(Seat.EAST, None, None))):
        state = rules.start()
        for event in events:
            state = rules.apply(state, event)
        found.append(estimate(table, Hypothesis(state, None, loose=frozenset(tracks.all))))
    assert found[1] == pytest.approx(found[0])


@pytest.mark.parametrize(("kind", "cost"), [(Tile.P5, costs.SELDOM), (Tile.P6, 0.0)])
def test_a_discard_that_went_on_into_a_meld_is_unlikely_to_have_been_a_violation(kind: Tile, cost: float) -> None:
    """It lay in another seat's river, and was claimed."""
    rules, tracks = rule_set("mcr-duplicate"), TrackList()
    for at_ms in range(50_000, 60_001, 250):
        x_mm, lies = (100.0, Tile.P5) if at_ms < 56_000 else (-200.0, kind)
        tracks.see(MatObservation(at_ms, (ObservedTile(x_mm, 0.0, 0.0, shares={lies: 0.995}, sure=True),)))
    table = TableContext(rules, Seat.EAST, MatPlaces(all_seats(0)), tracks, None, gates=True, now_ms=60_000)
    laid = PathViolation(ViolationKind.DISCARDED_OUT_OF_TURN, Seat.SOUTH, "", 50_000, (0,))
    path = Hypothesis(rules.apply(rules.start(), TileDrawn(Seat.EAST, from_end=False)), None, violations=(laid,))
    assert estimate(table, path) == cost
