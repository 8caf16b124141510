"""Moves of a turn: which paths go on from one state of play and what lies unexplained."""

from dataclasses import replace
from itertools import accumulate

import pytest

from controller.recorder import costs
from controller.recorder.decoder import DecoderLimits
from controller.recorder.hypothesis import Hypothesis, TableContext, TileRole
from controller.recorder.margins.event_order import unordered_from
from controller.recorder.moves import moves
from controller.recorder.moves.turns import riichi_pressed
from controller.recorder.places import MatPlaces, all_seats
from controller.recorder.signals import GateEdge, KnownDeal
from controller.recorder.tracks import TrackList
from controller.recorder.violations import PathViolation, ViolationKind
from tests.support.recorder.played_hands import PlayedHand, played
from twinwall.game.held import HeldTiles
from twinwall.game.play import Phase, PlayState
from twinwall.game.play_events import ClaimsPassed, KongDeclared, SharedTileTurned, TileDiscarded, TileDrawn, WinDeclared
from twinwall.game.rules import rule_set
from twinwall.game.session import place_of
from twinwall.game.tiles import Seat, Tile
from twinwall.wire.shapes.panel import Key, KeyEdge
from vision.mat import MELD_SLOTS, Area, Mat, Slot
from vision.mat_observation import MatObservation, ObservedTile


def test_a_shared_tile_that_lies_open_ends_the_window_in_which_a_kong_could_be_robbed() -> None:
    hand, number, turned = kong_that_could_be_robbed()
    spot = Mat().spot(Slot(0, Area.SHARED, turned.place))
    tracks = TrackList()
    for at_ms in (250, 500):
        tracks.see(MatObservation(at_ms, (ObservedTile(spot.x_mm, spot.y_mm, 0.0, shares={turned.tile: 0.995}, sure=True),)))
    table = TableContext(hand.rules, Seat.EAST, MatPlaces(all_seats(0)), tracks, None, gates=True, now_ms=500)
    path = Hypothesis(states(hand)[number], None, loose=frozenset(tracks.all))
    assert (ClaimsPassed(), turned) in [after.events for after in moves(table, path)]


def test_a_draw_before_the_shared_tile_lies_open_is_no_rival_where_gates_are_shut_until_then() -> None:
    """An arm lay over the tile when it was turned up, so that it is seen after the draw."""
    hand = played("seigo", 0)
    turned, drawn = hand.events[:2]
    assert isinstance(turned, SharedTileTurned)
    spot, tracks = Mat().spot(Slot(0, Area.SHARED, turned.place)), TrackList()
    for at_ms in (1250, 1500):
        tracks.see(MatObservation(at_ms, (ObservedTile(spot.x_mm, spot.y_mm, 0.0, shares={turned.tile: 0.995}, sure=True),)))
    deal = KnownDeal(hand.walls, hand.rest)
    table = TableContext(hand.rules, Seat.EAST, MatPlaces(all_seats(hand.east)), tracks, deal, gates=True, now_ms=1500)
    path = Hypothesis(states(hand)[0], HeldTiles(hand.walls), loose=frozenset(tracks.all), edges=(GateEdge(1068, hand.east),))
    found = {after.events: after.cost for first in moves(table, path) for after in moves(table, first)}
    assert found[drawn, turned] - found[turned, drawn] >= DecoderLimits().publish


def test_riichi_with_a_hand_that_is_not_ready_is_unlikely_where_the_deal_is_known() -> None:
    hand = played("seigo", 241)
    before = 5
    discarded = hand.events[before]
    assert isinstance(discarded, TileDiscarded)
    held, tracks = HeldTiles(hand.walls), TrackList()
    for event in hand.events[:before]:
        held.happen(event)
    spot = Mat().spot(Slot(place_of(discarded.seat, hand.to_play.hand), Area.RIVER, 0))
    for at_ms in (250, 500):
        tracks.see(MatObservation(at_ms, (ObservedTile(spot.x_mm, spot.y_mm, 0.0, shares={discarded.tile: 0.995}, sure=True),)))
    table = TableContext(hand.rules, Seat.EAST, MatPlaces(all_seats(hand.east)), tracks, KnownDeal(hand.walls), gates=True, now_ms=500)
    path = Hypothesis(states(hand)[before], held, loose=frozenset(tracks.all))
    prices = {after.events[-1]: dict(after.grounds[-1].costs) for after in moves(table, path)}
    assert "breaks a duty" in prices[replace(discarded, riichi=True)]
    assert "breaks a duty" not in prices[discarded]


def after_a_discard(*, gates: bool, pressed: bool, turned_deg: float, pressed_ms: int = 3500) -> dict[bool, Hypothesis]:
    """The paths after the discard of a hand that is ready, laid at 5 s, by whether they hold that it declares riichi."""
    hand = played("seigo", 501)
    number, declared = next((n, event) for n, event in enumerate(hand.events) if isinstance(event, TileDiscarded) and event.riichi)
    place, before = place_of(declared.seat, hand.to_play.hand), states(hand)[number]
    held, tracks = HeldTiles(hand.walls), TrackList()
    for event in hand.events[:number]:
        held.happen(event)
    spot = Mat().spot(Slot(place, Area.RIVER, before.seat(declared.seat).next_place))
    laid = ObservedTile(spot.x_mm, spot.y_mm, (spot.turn_deg + turned_deg) % 180, shares={declared.tile: 0.995}, sure=True)
    for at_ms in (5000, 5250):
        tracks.see(MatObservation(at_ms, (laid,)))
    table = TableContext(hand.rules, Seat.EAST, MatPlaces(all_seats(hand.east)), tracks, KnownDeal(hand.walls), gates=gates, now_ms=5250)
    keys = (KeyEdge(pressed_ms, place, Key.RIICHI),) if pressed else ()
    path = Hypothesis(before, held, loose=frozenset(tracks.all), keys=keys, clock_ms=2000)
    found = ((after.events[-1], after) for after in moves(table, path))
    return {event.riichi: after for event, after in found if isinstance(event, TileDiscarded) and event.tile is declared.tile}


@pytest.mark.parametrize(
    ("gates", "pressed", "turned_deg", "declares"),
    [
        (True, True, 0.0, True),
        (True, False, 0.0, False),
        (True, False, 90.0, False),
        (False, False, 90.0, True),
        (False, False, 60.0, False),
        (False, False, 0.0, False),
    ],
    ids=["key", "no key", "askew without the key", "sideways without a panel", "askew without a panel", "upright without a panel"],
)
def test_riichi_is_declared_by_its_key_or_without_gates_by_the_turn_of_its_tile(
    gates: bool, pressed: bool, turned_deg: float, declares: bool
) -> None:
    after = after_a_discard(gates=gates, pressed=pressed, turned_deg=turned_deg)
    assert after[not declares].cost - after[declares].cost == costs.AGAINST_SIGHT


@pytest.mark.parametrize(("pressed_ms", "declares"), [(6000, True), (25_000, False)])
def test_without_gates_a_riichi_key_that_is_pressed_long_after_a_discard_declares_a_later_one(pressed_ms: int, declares: bool) -> None:
    after = after_a_discard(gates=False, pressed=True, turned_deg=0.0, pressed_ms=pressed_ms)
    assert (after[True].cost < after[False].cost) is declares


def test_a_riichi_key_has_had_its_effect_however_long_after_the_draw_it_was_pressed() -> None:
    after = after_a_discard(gates=True, pressed=True, turned_deg=0.0)
    assert not after[True].keys
    assert after[False].keys


def test_wins_on_one_tile_stand_in_turn_order_whoever_called_first() -> None:
    hand = played("sichuan", 518)
    number, first = next((n, event) for n, event in enumerate(hand.events) if isinstance(event, WinDeclared))
    second = hand.events[number + 1]
    assert isinstance(second, WinDeclared)
    table = TableContext(hand.rules, Seat.EAST, MatPlaces(all_seats(hand.east)), TrackList(), None, gates=True, now_ms=5250)
    keys = tuple(KeyEdge(at_ms, place_of(win.seat, hand.to_play.hand), Key.WIN) for at_ms, win in ((4000, second), (5000, first)))
    ways = {path.events: path for path in moves(table, Hypothesis(states(hand)[number], None, keys=keys))}
    assert (first, second) in [path.events for path in moves(table, ways[first,])]
    assert (second, first) not in [path.events for path in moves(table, ways[second,])]


def kong_that_could_be_robbed() -> tuple[PlayedHand, int, SharedTileTurned]:
    """A hand, how many of its events end with such a kong, and the shared tile that is turned up once nobody robs it."""
    hand = played("seigo", 201)
    for number, state in enumerate(states(hand)):
        after = hand.events[number + 1] if number + 1 < len(hand.events) else None
        if state.phase is Phase.CLAIMS and isinstance(after, SharedTileTurned):
            return hand, number, after
    raise AssertionError("no kong of the hand can be robbed: choose another hand")


def states(hand: PlayedHand) -> list[PlayState]:
    """The state of play before the first event, and after each."""
    return list(accumulate(hand.events, hand.rules.apply, initial=hand.rules.start()))


def test_a_discard_may_be_unseen_when_the_next_seat_that_is_still_in_play_has_drawn() -> None:
    """Two seats have won and left play: after North it is West who draws."""
    hand, before = played("sichuan", 1002), 145
    discarded, _, drawn = hand.events[before : before + 3]
    assert isinstance(discarded, TileDiscarded)
    assert isinstance(drawn, TileDrawn)
    assert drawn.seat is not discarded.seat.next
    held = HeldTiles(hand.walls)
    for event in hand.events[:before]:
        held.happen(event)
    places = MatPlaces(all_seats(hand.east))
    table = TableContext(hand.rules, Seat.EAST, places, TrackList(), KnownDeal(hand.walls, hand.rest), gates=True, now_ms=8000)
    path = Hypothesis(states(hand)[before], held, edges=(GateEdge(1000, places.places[drawn.seat]),))
    assert any(after.events[2:3] == (drawn,) and after.grounds[0].never_seen for after in moves(table, path))


def added_kong() -> tuple[PlayedHand, int]:
    """A hand, and how many of its events go before a kong that is added to a pung and followed by its draw."""
    hand = played("yangzhou", 3451)
    events = zip(hand.events, hand.events[1:], hand.events[2:], strict=False)
    for number, (kong, passed, drawn) in enumerate(events):
        if isinstance(kong, KongDeclared) and isinstance(passed, ClaimsPassed) and isinstance(drawn, TileDrawn):
            return hand, number
    raise AssertionError("the hand has no such kong: choose another one")


def test_a_draw_after_a_kong_that_nobody_robs_is_lawful_though_it_is_put_back() -> None:
    hand, before = added_kong()
    drawn, places = hand.events[before + 2], MatPlaces(all_seats(hand.east))
    assert isinstance(drawn, TileDrawn)
    table = TableContext(hand.rules, Seat.EAST, places, TrackList(), None, gates=True, now_ms=8000)
    place = places.places[drawn.seat]
    edges = (GateEdge(5000, place), GateEdge(6000, place, back=True))
    path = Hypothesis(states(hand)[before + 1], None, edges=edges)
    assert not any(after.violations for after in moves(table, path))


@pytest.mark.parametrize("laid_ms", [3000, 7000])
def test_a_kong_that_lay_there_before_a_second_draw_is_unlikely_to_come_after_it(laid_ms: int) -> None:
    """The draw was that of the kong, and was put back."""
    hand, before = added_kong()
    kong = hand.events[before]
    assert isinstance(kong, KongDeclared)
    state, places = states(hand)[before], MatPlaces(all_seats(hand.east))
    group = next(number for number, meld in enumerate(state.seat(kong.seat).melds) if meld.tiles[0] is kong.meld.tiles[0])
    x_mm, y_mm = places.meld_spot(kong.seat, MELD_SLOTS * group + 3)
    tracks = TrackList()
    for at_ms in (laid_ms, laid_ms + 250):
        tracks.see(MatObservation(at_ms, (ObservedTile(x_mm, y_mm, 0.0, shares={kong.meld.tiles[0]: 0.995}, sure=True),)))
    table = TableContext(hand.rules, Seat.EAST, places, tracks, None, gates=True, now_ms=8000)
    drawn = PathViolation(ViolationKind.DREW_TWICE, kong.seat, "", 5000)
    found_later = PathViolation(ViolationKind.EXPOSED_TILES, kong.seat, "", 2000)
    path = Hypothesis(state, None, loose=frozenset(tracks.all), violations=(drawn, found_later))
    (way,) = [after for after in moves(table, path) if after.events == (kong,)]
    assert ("lay there before the wrong draw" in dict(way.grounds[-1].costs)) is (laid_ms == 3000)


def kong_by_a_pung(off_mm: float) -> Hypothesis:
    """The path on which a fourth tile is added to a pung that lies so far off its slots, the tile with it."""
    hand, before = added_kong()
    kong = hand.events[before]
    assert isinstance(kong, KongDeclared)
    state, places, kind = states(hand)[before], MatPlaces(all_seats(hand.east)), kong.meld.tiles[0]
    group = next(number for number, meld in enumerate(state.seat(kong.seat).melds) if meld.tiles[0] is kind)
    numbers = range(MELD_SLOTS * group, MELD_SLOTS * (group + 1))
    spots = [places.meld_spot(kong.seat, number) for number in numbers]
    tracks = TrackList()
    for at_ms, seen in ((1000, spots[:3]), (2000, spots[:3]), (7000, spots), (7250, spots)):
        lying = [ObservedTile(x_mm + off_mm, y_mm, 0.0, shares={kind: 0.995}, sure=True) for x_mm, y_mm in seen]
        tracks.see(MatObservation(at_ms, tuple(lying)))
    table = TableContext(hand.rules, Seat.EAST, places, tracks, None, gates=True, now_ms=8000)
    *pung, fourth = sorted(tracks.all)
    roles = {track: TileRole(kong.seat.index, Area.MELD, number) for track, number in zip(pung, numbers, strict=False)}
    path = Hypothesis(state, None, loose=frozenset({fourth}), roles=roles, kinds=dict.fromkeys(pung, kind))
    (way,) = [after for after in moves(table, path) if after.events == (kong,)]
    return way


def test_the_fourth_tile_of_a_kong_is_looked_for_by_its_pung_which_may_lie_far_off_its_slots() -> None:
    assert kong_by_a_pung(45.0).cost == pytest.approx(kong_by_a_pung(0.0).cost, abs=0.1)


@pytest.mark.parametrize(("second_ms", "too_soon"), [(1600, True), (2400, False)])
def test_nobody_draws_and_discards_and_draws_again_within_a_moment(second_ms: int, too_soon: bool) -> None:
    """An arm hid whether the discard came before the second draw or after it."""
    hand = played("mcr-duplicate", 0)
    place = hand.east
    table = TableContext(hand.rules, Seat.EAST, MatPlaces(all_seats(hand.east)), TrackList(), None, gates=True, now_ms=8000)
    edges = (GateEdge(second_ms, place), GateEdge(4000, place, back=True))
    path = Hypothesis(states(hand)[2], None, edges=edges, clock_ms=1000)
    (way,) = [after for after in moves(table, path) if after.violations]
    assert way.cost == costs.RARE + costs.COMMON + (costs.AGAINST_SIGHT if too_soon else 0.0)


@pytest.mark.parametrize(("drawn_ms", "declared"), [(4000, False), (6000, True), (None, True)])
def test_a_riichi_key_that_is_pressed_after_the_next_draw_declares_no_earlier_discard(drawn_ms: int | None, declared: bool) -> None:
    places = MatPlaces(all_seats(0))
    table = TableContext(rule_set("seigo"), Seat.EAST, places, TrackList(), None, gates=True, now_ms=8000)
    path = Hypothesis(table.rules.start(), None, keys=(KeyEdge(5000, places.places[Seat.EAST], Key.RIICHI),))
    assert riichi_pressed(table, path, Seat.EAST, drawn_ms) is declared
    assert not riichi_pressed(table, path, Seat.SOUTH, drawn_ms)


@pytest.mark.parametrize(("seen_ms", "unordered"), [(1750, None), (9000, 1)])
def test_nothing_is_certain_from_a_discard_on_that_was_laid_after_a_later_draw(seen_ms: int, unordered: int | None) -> None:
    hand, tracks = played("mcr-duplicate", 0), TrackList()
    for at_ms in range(1000, seen_ms + 750, 250):
        lies = () if at_ms <= seen_ms else (ObservedTile(0.0, 120.0, 0.0, shares={Tile.M5: 0.995}, sure=True),)
        tracks.see(MatObservation(at_ms, lies))
    table = TableContext(hand.rules, Seat.EAST, MatPlaces(all_seats(0)), tracks, None, gates=True, now_ms=10_000)
    path = Hypothesis(hand.rules.start(), None)
    for event, at in zip(hand.events[:4], (1000, 2000, 5000, 5000), strict=True):
        after = path.happened(table, event, 0.0, (0,) if isinstance(event, TileDiscarded) else (), at_ms=at)
        assert after is not None
        path = after
    assert unordered_from(table, path) == unordered
