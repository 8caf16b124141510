"""Moves: which paths go on from one state of play and what lies unexplained, and which tiles that lie elsewhere are the same tiles."""

import math
from dataclasses import replace
from itertools import accumulate

import pytest
from msgspec import structs

from controller.recorder import costs
from controller.recorder.decoder import DecoderLimits, changed
from controller.recorder.hypothesis import Hypothesis, Missing, TableContext, TileRole
from controller.recorder.margins.event_order import unordered_from
from controller.recorder.moves import moves
from controller.recorder.moves.refits import _may_have_moved, refits
from controller.recorder.moves.violations import drawn_wrongly
from controller.recorder.signals import GateEdge, KnownDeal
from controller.recorder.tracks import TrackList
from controller.recorder.violations import PathViolation, ViolationKind
from tests.support.narrowed import present
from tests.support.recorder.played_hands import PlayedHand, played
from tests.support.recorder.small_tables import BARE, a_table, over, path_at, tile_at, tracks_of
from twinwall.game.held import HeldTiles
from twinwall.game.play import Phase
from twinwall.game.play_events import ClaimsPassed, KongDeclared, SharedTileTurned, TileDiscarded, TileDrawn, WinDeclared
from twinwall.game.tiles import ALL_TILES, Seat, Tile
from twinwall.wire.shapes.panel import Key, KeyEdge
from vision.mat import MELD_SLOTS, Area, Mat, Slot
from vision.mat_observation import MatObservation, ObservedTile


def seen_by(
    hand: PlayedHand, tracks: TrackList | None = None, *, deal: bool = False, gates: bool = True, now_ms: int = 8000
) -> TableContext:
    """The table of a hand whose camera has these tracks."""
    known = KnownDeal(hand.walls, hand.rest) if deal else None
    return a_table(hand.rules.name, tracks, east=hand.east, deal=known, gates=gates, now_ms=now_ms)


def held_after(hand: PlayedHand, number: int) -> HeldTiles:
    """What each seat conceals after so many events of a hand."""
    held = HeldTiles(hand.walls)
    for event in hand.events[:number]:
        held.happen(event)
    return held


def test_a_draw_that_no_gate_senses_is_one_move_with_the_win_that_its_seat_lays() -> None:
    """After a kong the search took the win of worse paths, which had drawn before, and dropped this one."""
    table = a_table("sichuan", tracks_of(tile_at(Slot(1, Area.WIN, 0), Tile.M2)), gates=False)
    path = path_at(table, TileDrawn(Seat.EAST, from_end=False), TileDiscarded(Seat.EAST, Tile.P5, riichi=False))
    won = (ClaimsPassed(), TileDrawn(Seat.SOUTH, from_end=False), WinDeclared(Seat.SOUTH, None, Tile.M2))
    assert (*path.events, *won) in [after.events for after in moves(table, path)]


def test_a_shared_tile_that_lies_open_ends_the_window_in_which_a_kong_could_be_robbed() -> None:
    hand, number, turned = kong_that_could_be_robbed()
    table = a_table("seigo", tracks_of(tile_at(Slot(0, Area.SHARED, turned.place), turned.tile)))
    path = path_at(table, *hand.events[:number])
    assert (ClaimsPassed(), turned) in [after.events for after in moves(table, path)]


def test_a_draw_before_the_shared_tile_lies_open_is_no_rival_where_gates_are_shut_until_then() -> None:
    """An arm lay over the tile when it was turned up, so that it is seen after the draw."""
    hand = played("seigo", 0)
    turned, drawn = hand.event(SharedTileTurned, 0), hand.events[1]
    tile = tile_at(Slot(0, Area.SHARED, turned.place), turned.tile)
    table = seen_by(hand, tracks_of(tile, at_ms=(1250, 1500)), deal=True, now_ms=1500)
    path = path_at(table, held=HeldTiles(hand.walls), edges=(GateEdge(1068, hand.east),))
    found = {after.events: after.cost for first in moves(table, path) for after in moves(table, first)}
    assert found[drawn, turned] - found[turned, drawn] >= DecoderLimits().publish


def test_riichi_with_a_hand_that_is_not_ready_is_unlikely_where_the_deal_is_known() -> None:
    hand, before = played("seigo", 241), 5
    discarded = hand.event(TileDiscarded, before)
    table = seen_by(hand, tracks_of(tile_at(Slot(hand.place(discarded.seat), Area.RIVER, 0), discarded.tile)), deal=True, now_ms=60_000)
    path = path_at(table, *hand.events[:before], held=held_after(hand, before))
    prices = {after.events[-1]: dict(after.grounds[-1].costs) for after in moves(table, path)}
    assert "breaks a duty" in prices[replace(discarded, riichi=True)]
    assert "breaks a duty" not in prices[discarded]


def after_a_discard(*, gates: bool, pressed: bool, turned_deg: float, pressed_ms: int = 3500) -> dict[bool, Hypothesis]:
    """The paths after the discard of a hand that is ready, laid at 5 s, by whether they hold that it declares riichi."""
    hand = played("seigo", 501)
    number, declared = next((n, event) for n, event in enumerate(hand.events) if isinstance(event, TileDiscarded) and event.riichi)
    place, river = (
        hand.place(declared.seat),
        sum(isinstance(each, TileDiscarded) and each.seat is declared.seat for each in hand.events[:number]),
    )
    laid = tile_at(Slot(place, Area.RIVER, river), declared.tile)
    tracks = tracks_of(replace(laid, angle_deg=(laid.angle_deg + turned_deg) % 180), at_ms=(5000, 5250))
    table = seen_by(hand, tracks, deal=True, gates=gates, now_ms=5250)
    keys = (KeyEdge(pressed_ms, place, Key.RIICHI),) if pressed else ()
    path = path_at(table, *hand.events[:number], held=held_after(hand, number), keys=keys, clock_ms=2000)
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
def test_riichi_is_declared_by_key_or_without_gates_by_a_turned_tile(gates: bool, pressed: bool, turned_deg: float, declares: bool) -> None:
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
    number, first = hand.first(WinDeclared)
    second = hand.event(WinDeclared, number + 1)
    table = seen_by(hand, now_ms=5250)
    keys = tuple(KeyEdge(at_ms, hand.place(win.seat), Key.WIN) for at_ms, win in ((4000, second), (5000, first)))
    ways = {path.events: path for path in moves(table, path_at(table, *hand.events[:number], keys=keys))}
    assert (first, second) in [path.events for path in moves(table, ways[first,])]
    assert (second, first) not in [path.events for path in moves(table, ways[second,])]


def kong_that_could_be_robbed() -> tuple[PlayedHand, int, SharedTileTurned]:
    """A hand, how many of its events end with such a kong, and the shared tile that is turned up once nobody robs it."""
    hand = played("seigo", 201)
    for number, state in enumerate(accumulate(hand.events, hand.rules.apply, initial=hand.rules.start())):
        after = hand.events[number + 1] if number + 1 < len(hand.events) else None
        if state.phase is Phase.CLAIMS and isinstance(after, SharedTileTurned):
            return hand, number, after
    raise AssertionError("no kong of the hand can be robbed: choose another hand")


def test_a_discard_may_be_unseen_when_the_next_seat_that_is_still_in_play_has_drawn() -> None:
    """Two seats have won and left play: after North it is West who draws."""
    hand, before = played("sichuan", 1002), 145
    discarded, drawn = hand.event(TileDiscarded, before), hand.event(TileDrawn, before + 2)
    assert drawn.seat is not discarded.seat.next
    table = seen_by(hand, deal=True)
    path = path_at(table, *hand.events[:before], held=held_after(hand, before), edges=(GateEdge(1000, hand.place(drawn.seat)),))
    assert any(after.events[2:3] == (drawn,) and after.grounds[0].never_seen for after in moves(table, path))


@pytest.mark.parametrize(
    ("before", "wall", "kind"),
    [
        pytest.param(145, Seat.WEST, ViolationKind.DREW_EARLY, id="the next seat in play"),
        pytest.param(145, Seat.EAST, ViolationKind.DREW_OUT_OF_TURN, id="the next seat, which has won"),
        pytest.param(85, Seat.NORTH, ViolationKind.DREW_OUT_OF_TURN, id="the seat before one that has just won on a discard"),
    ],
)
def test_a_draw_before_its_turn_is_early_by_the_seat_alone_that_may_draw_next(before: int, wall: Seat, kind: ViolationKind) -> None:
    hand = played("sichuan", 1002)
    table, place = seen_by(hand), hand.place(wall)
    path = path_at(table, *hand.events[:before], edges=(GateEdge(1000, place), GateEdge(2000, place, back=True)))
    (way,) = drawn_wrongly(table, path)
    assert [(violation.kind, violation.at_ms, violation.back_ms) for violation in way.violations] == [(kind, 1000, 2000)]


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
    table, place = seen_by(hand), hand.place(hand.event(TileDrawn, before + 2).seat)
    path = path_at(table, *hand.events[: before + 1], edges=(GateEdge(5000, place), GateEdge(6000, place, back=True)))
    assert not any(after.violations for after in moves(table, path))


def pung_of(table: TableContext, hand: PlayedHand, kong: int) -> tuple[KongDeclared, range]:
    """The kong that is declared after so many events, and the places of its group in its seat's row of melds."""
    declared = hand.event(KongDeclared, kong)
    melds = path_at(table, *hand.events[:kong]).play.seat(declared.seat).melds
    group = next(number for number, meld in enumerate(melds) if meld.tiles[0] is declared.meld.tiles[0])
    return declared, range(MELD_SLOTS * group, MELD_SLOTS * (group + 1))


@pytest.mark.parametrize("laid_ms", [3000, 7000])
def test_a_kong_that_lay_there_before_a_second_draw_is_unlikely_to_come_after_it(laid_ms: int) -> None:
    """The draw was that of the kong, and was put back."""
    hand, before = added_kong()
    kong, numbers = pung_of(seen_by(hand), hand, before)
    fourth = tile_at(Slot(hand.place(kong.seat), Area.MELD, numbers[3]), kong.meld.tiles[0])
    table = seen_by(hand, tracks_of(fourth, at_ms=(laid_ms, laid_ms + 250)))
    drawn = PathViolation(ViolationKind.DREW_TWICE, kong.seat, "", 5000)
    found_later = PathViolation(ViolationKind.EXPOSED_TILES, kong.seat, "", 2000)
    path = path_at(table, *hand.events[:before], violations=(drawn, found_later))
    (way,) = [after for after in moves(table, path) if after.events == (kong,)]
    assert ("lay there before the wrong draw" in dict(way.grounds[-1].costs)) is (laid_ms == 3000)


def kong_by_a_pung(off_mm: float) -> Hypothesis:
    """The path on which a fourth tile is added to a pung that lies so far off its slots, the tile with it."""
    hand, before = added_kong()
    kong, numbers = pung_of(seen_by(hand), hand, before)
    kind, place, tracks = kong.meld.tiles[0], hand.place(kong.seat), TrackList()
    group = [tile_at(Slot(place, Area.MELD, number), kind, off_mm) for number in numbers]
    for at_ms, seen in ((1000, group[:3]), (2000, group[:3]), (7000, group), (7250, group)):
        tracks.see(MatObservation(at_ms, tuple(seen)))
    table = seen_by(hand, tracks)
    *pung, fourth = sorted(tracks.all)
    roles = {track: TileRole(kong.seat.index, Area.MELD, number) for track, number in zip(pung, numbers, strict=False)}
    path = path_at(table, *hand.events[:before], loose=frozenset({fourth}), roles=roles, kinds=dict.fromkeys(pung, kind))
    (way,) = [after for after in moves(table, path) if after.events == (kong,)]
    return way


def test_the_fourth_tile_of_a_kong_is_looked_for_by_its_pung_which_may_lie_far_off_its_slots() -> None:
    assert kong_by_a_pung(45.0).cost == pytest.approx(kong_by_a_pung(0.0).cost, abs=0.1)


@pytest.mark.parametrize(("second_ms", "too_soon"), [(1600, True), (2400, False)])
def test_nobody_draws_and_discards_and_draws_again_within_a_moment(second_ms: int, too_soon: bool) -> None:
    """An arm hid whether the discard came before the second draw or after it."""
    hand = played("mcr-duplicate", 0)
    table = seen_by(hand)
    edges = (GateEdge(second_ms, hand.east), GateEdge(4000, hand.east, back=True))
    (way,) = [after for after in moves(table, path_at(table, *hand.events[:2], edges=edges, clock_ms=1000)) if after.violations]
    assert way.cost == costs.RARE + costs.COMMON + (costs.AGAINST_SIGHT if too_soon else 0.0)


@pytest.mark.parametrize(("drawn_ms", "declared"), [(4000, False), (6000, True), (math.inf, True)])
def test_a_riichi_key_that_is_pressed_after_the_next_draw_declares_no_earlier_discard(drawn_ms: float, declared: bool) -> None:
    table = a_table("seigo")
    path = path_at(table, keys=(KeyEdge(5000, table.places.places[Seat.EAST], Key.RIICHI),))
    assert path.pressed(table, Seat.EAST, Key.RIICHI, drawn_ms) is declared
    assert not path.pressed(table, Seat.SOUTH, Key.RIICHI, drawn_ms)


@pytest.mark.parametrize(("seen_ms", "unordered"), [(1750, None), (9000, 1)])
def test_nothing_is_certain_from_a_discard_on_that_was_laid_after_a_later_draw(seen_ms: int, unordered: int | None) -> None:
    hand, tracks = played("mcr-duplicate", 0), TrackList()
    for at_ms in range(1000, seen_ms + 750, 250):
        rests = () if at_ms <= seen_ms else (ObservedTile(0.0, 120.0, 0.0, shares={Tile.M5: 0.995}, sure=True),)
        tracks.see(MatObservation(at_ms, rests))
    table = a_table(tracks=tracks, now_ms=10_000)
    path = path_at(table, loose=frozenset())
    for event, at in zip(hand.events[:4], (1000, 2000, 5000, 5000), strict=True):
        path = present(path.happened(table, event, 0.0, (0,) if isinstance(event, TileDiscarded) else (), at_ms=at))
    assert unordered_from(table, path) == unordered


RIVER = [(kind, Mat().spot(Slot(0, Area.RIVER, index))) for index, kind in enumerate(ALL_TILES[:12])]


def refitted(right_mm: float, near_mm: float) -> list[Hypothesis]:
    """What may have become of a river of which no tile lies where it lay, and as many lie so far from there."""
    return refitted_to([(spot.x_mm + right_mm, spot.y_mm + near_mm) for _, spot in RIVER])


def refitted_to(lie: list[tuple[float, float]]) -> list[Hypothesis]:
    """What may have become of a river of which no tile lies where it lay: its tiles lie there, in their order."""
    tiles = (ObservedTile(*place, 0.0, shares={kind: 0.995}, sure=True) for (kind, _), place in zip(RIVER, lie, strict=True))
    table = a_table(tracks=tracks_of(*tiles, at_ms=(250, 500)), now_ms=500)
    missing = {TileRole(0, Area.RIVER, number): Missing(kind, spot.x_mm, spot.y_mm, 0) for number, (kind, spot) in enumerate(RIVER)}
    return list(refits(table, path_at(table, missing=missing)))


def test_a_river_that_was_pushed_is_the_same_river_in_one_move() -> None:
    (pushed,) = refitted(27.0, 9.0)
    assert not pushed.missing
    assert not pushed.loose
    assert {role.number: pushed.kinds[track] for track, role in pushed.roles.items()} == {n: kind for n, (kind, _) in enumerate(RIVER)}


def test_a_tile_that_lay_there_while_another_lay_elsewhere_is_not_that_one() -> None:
    """East laid a second tile of the kind that it had discarded, and took it up: the first one was taken for it."""
    kind, (first, second), tracks = RIVER[0][0], (tile_at(Slot(0, Area.RIVER, index), RIVER[0][0]) for index in range(2)), TrackList()
    for at_ms in (0, 250, 500, 750, 1000, 1250):
        tracks.see(MatObservation(at_ms, (first,) if at_ms not in (500, 750) else (first, second)))
    table = a_table(tracks=tracks, now_ms=1250)
    for seen_ms, refitted_to_first in ((750, 0), (-1, 1)):
        gone = {TileRole(0, Area.RIVER, 0): Missing(kind, second.x_mm, second.y_mm, 1000, seen_ms)}
        assert len(list(refits(table, path_at(table, missing=gone, loose=frozenset({0}))))) == refitted_to_first


def test_a_tile_that_is_missed_is_found_again_where_it_was_moved() -> None:
    kind, spot = RIVER[0]
    table = a_table(tracks=tracks_of(tile_at(Slot(0, Area.RIVER, 0), kind, 0.0, 50.0), at_ms=(5000, 5250)), gates=False, now_ms=5250)
    role = TileRole(0, Area.RIVER, 0)
    (moved,) = refits(table, path_at(table, missing={role: Missing(kind, spot.x_mm, spot.y_mm, 0, 0)}))
    assert list(moved.roles.values()) == [role]


def test_tiles_across_the_table_are_no_river_that_was_pushed() -> None:
    assert all(len(after.missing) >= len(RIVER) - 1 for after in refitted(0.0, -280.0))


def test_a_river_whose_tiles_lie_where_their_neighbours_lay_was_pushed_by_one_slot() -> None:
    """Its gap was closed: no tile is taken for the one that lay in its place before."""
    spots = [spot for _, spot in RIVER]
    (pushed,) = refitted_to([(spot.x_mm, spot.y_mm) for spot in (Mat().spot(Slot(2, Area.RIVER, 0)), *spots[:-1])])
    assert len(pushed.kinds) > len(RIVER) // 2
    assert all(kind is RIVER[track][0] for track, kind in pushed.kinds.items())


def seen_pushed(count: int, hidden: int) -> tuple[TableContext, Hypothesis]:
    """A river of so many tiles that was pushed; something covers since where its first tiles lay, so that they do not count as gone."""
    slots, tracks = [Slot(0, Area.RIVER, number) for number in range(count)], TrackList()
    old, new = ([tile_at(slot, kind, *by) for slot, (kind, _) in zip(slots, RIVER, strict=False)] for by in ((0.0, 0.0), (-27.0, 9.0)))
    for at_ms in range(0, 1250, 250):
        tracks.see(MatObservation(at_ms, tuple(new if at_ms >= 500 else old), over(*slots[:hidden]) if at_ms >= 500 else BARE))
    roles = {number: TileRole(0, Area.RIVER, number) for number in range(count)}
    kinds = {number: kind for number, (kind, _) in enumerate(RIVER[:count])}
    gone = {roles[number]: Missing(kinds[number], old[number].x_mm, old[number].y_mm, 500) for number in range(hidden, count)}
    table = a_table(tracks=tracks, now_ms=1000)
    still = {number: role for number, role in roles.items() if number < hidden}
    return table, path_at(table, missing=gone, loose=frozenset(tracks.all) - frozenset(roles), roles=still, kinds=kinds)


def test_a_river_was_pushed_as_a_whole_though_something_covers_where_some_of_its_tiles_lay() -> None:
    """One tile lay on the edge of another, which covers the places of their neighbours since: three discards were told out of turn."""
    (pushed,) = refits(*seen_pushed(len(RIVER), 3))
    assert (pushed.missing, pushed.loose) == ({}, frozenset())
    assert {number + len(RIVER): TileRole(0, Area.RIVER, number) for number in range(len(RIVER))} == pushed.roles


def test_a_tile_that_was_taken_for_moved_and_lies_there_all_the_same_is_a_tile_of_its_own() -> None:
    (pushed,) = refits(*seen_pushed(len(RIVER), 3))
    assert pushed.moved == {0, 1, 2}
    told = changed(pushed, (), frozenset({0}))
    assert (set(told.loose), set(told.moved)) == ({0}, {1, 2})


def test_all_tiles_of_a_river_that_were_moved_are_found_in_one_move() -> None:
    """One after the other they were found too late: of many paths that waited for them one that took a tile for the discard was left."""
    assert not all(after.loose for after in refits(*seen_pushed(2, 0)))


@pytest.mark.parametrize("area", [Area.HAND, Area.WIN, Area.SHARED])
def test_a_covered_tile_of_no_river_was_not_moved_with_one(area: Area) -> None:
    table, path = seen_pushed(2, 1)
    lay = Missing(ALL_TILES[0], 0.0, 0.0, 0)
    elsewhere = structs.replace(path, missing={TileRole(0, area, 1): Missing(ALL_TILES[1], 0.0, 0.0, 500)})
    assert not _may_have_moved(table, elsewhere, TileRole(0, area, 0), lay, table.track(2))


def test_a_tile_whose_place_something_covers_was_moved_with_the_only_other_one_of_its_river() -> None:
    table, path = seen_pushed(2, 1)
    after = next(one for one in refits(table, path) if one.roles.get(2) == TileRole(0, Area.RIVER, 0))
    assert 0 not in after.roles
    assert after.missing == path.missing


def test_a_tile_of_a_river_that_was_not_moved_lies_where_something_covers_its_place() -> None:
    table, path = seen_pushed(2, 1)
    assert list(refits(table, structs.replace(path, missing={}, loose=path.loose - {3}))) == []


def test_a_tile_that_comes_to_a_meld_long_after_the_others_was_not_on_its_way_to_it() -> None:
    third, costs_at = tile_at(Slot(0, Area.MELD, 3), ALL_TILES[0]), list[float]()
    for late_ms in (1000, 20_000):
        tracks = TrackList()
        for at_ms in range(0, late_ms + 750, 250):
            tracks.see(MatObservation(at_ms, (third,) if at_ms >= late_ms else ()))
        table = a_table(tracks=tracks, now_ms=late_ms + 500)
        gone = {TileRole(0, Area.MELD, 3): Missing(ALL_TILES[0], third.x_mm, third.y_mm, 500)}
        (after,) = refits(table, path_at(table, missing=gone))
        costs_at.append(after.cost)
    assert costs_at[1] - costs_at[0] == pytest.approx(costs.RARE)
