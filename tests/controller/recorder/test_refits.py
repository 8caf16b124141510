"""Refits: tiles that lie elsewhere than before are the same tiles."""

from dataclasses import replace

import pytest

from controller.recorder import costs
from controller.recorder.decoder import changed
from controller.recorder.hypothesis import Hypothesis, Missing, TableContext, TileRole
from controller.recorder.moves.refits import _may_have_moved, refits
from controller.recorder.places import MatPlaces, all_seats
from controller.recorder.tracks import TrackList
from twinwall.game.rules import rule_set
from twinwall.game.tiles import ALL_TILES, Seat
from vision.mat import Area, Mat, Slot
from vision.mat_observation import COVER_MM, MatObservation, ObservedTile

RULES = rule_set("mcr-duplicate")
RIVER = [(kind, Mat().spot(Slot(0, Area.RIVER, index))) for index, kind in enumerate(ALL_TILES[:12])]


def refitted(right_mm: float, near_mm: float) -> list[Hypothesis]:
    """What may have become of a river of which no tile lies where it lay, and as many lie so far from there."""
    return refitted_to([(spot.x_mm + right_mm, spot.y_mm + near_mm) for _, spot in RIVER])


def refitted_to(lie: list[tuple[float, float]]) -> list[Hypothesis]:
    """What may have become of a river of which no tile lies where it lay: its tiles lie there, in their order."""
    tracks, kinds = TrackList(), [kind for kind, _ in RIVER]
    tiles = tuple(ObservedTile(*place, 0.0, shares={kind: 0.995}, sure=True) for kind, place in zip(kinds, lie, strict=True))
    for at_ms in (250, 500):
        tracks.see(MatObservation(at_ms, tiles))
    table = TableContext(RULES, Seat.EAST, MatPlaces(all_seats(0)), tracks, None, gates=True, now_ms=500)
    missing = {TileRole(0, Area.RIVER, number): Missing(kind, spot.x_mm, spot.y_mm, 0) for number, (kind, spot) in enumerate(RIVER)}
    return list(refits(table, Hypothesis(RULES.start(), None, missing=missing, loose=frozenset(tracks.all))))


def test_a_river_that_was_pushed_is_the_same_river_in_one_move() -> None:
    (pushed,) = refitted(27.0, 9.0)
    assert not pushed.missing
    assert not pushed.loose
    assert {role.number: pushed.kinds[track] for track, role in pushed.roles.items()} == {n: kind for n, (kind, _) in enumerate(RIVER)}


def test_a_tile_that_lay_there_while_another_lay_elsewhere_is_not_that_one() -> None:
    """East laid a second tile of the kind that it had discarded, and took it up: the first one was taken for it."""
    kind, (first, second) = RIVER[0][0], (RIVER[0][1], RIVER[1][1])
    tracks = TrackList()
    for at_ms in (0, 250, 500, 750, 1000, 1250):
        places = (first,) if at_ms not in (500, 750) else (first, second)
        tiles = (ObservedTile(spot.x_mm, spot.y_mm, 0.0, shares={kind: 0.995}, sure=True) for spot in places)
        tracks.see(MatObservation(at_ms, tuple(tiles)))
    table = TableContext(RULES, Seat.EAST, MatPlaces(all_seats(0)), tracks, None, gates=True, now_ms=1250)
    for seen_ms, refitted_to_first in ((750, 0), (-1, 1)):
        gone = {TileRole(0, Area.RIVER, 0): Missing(kind, second.x_mm, second.y_mm, 1000, seen_ms)}
        path = Hypothesis(RULES.start(), None, missing=gone, loose=frozenset({0}))
        assert len(list(refits(table, path))) == refitted_to_first


def test_a_tile_that_is_missed_is_found_again_where_it_was_moved() -> None:
    kind, spot = RIVER[0]
    tracks = TrackList()
    for at_ms in (5000, 5250):
        tracks.see(MatObservation(at_ms, (ObservedTile(spot.x_mm, spot.y_mm + 50.0, 0.0, shares={kind: 0.995}, sure=True),)))
    table = TableContext(RULES, Seat.EAST, MatPlaces(all_seats(0)), tracks, None, gates=False, now_ms=5250)
    role = TileRole(0, Area.RIVER, 0)
    missed = Hypothesis(RULES.start(), None, missing={role: Missing(kind, spot.x_mm, spot.y_mm, 0, 0)}, loose=frozenset(tracks.all))
    (moved,) = refits(table, missed)
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
    river = RIVER[:count]
    old = [(spot.x_mm, spot.y_mm) for _, spot in river]
    new = [(x_mm - 27.0, y_mm + 9.0) for x_mm, y_mm in old]
    covered = frozenset((round(x_mm / COVER_MM), round(y_mm / COVER_MM)) for x_mm, y_mm in old[:hidden])
    tracks = TrackList()
    for at_ms, lie in ((0, old), (250, old), (500, new), (750, new), (1000, new)):
        tiles = (ObservedTile(*place, 0.0, shares={kind: 0.995}, sure=True) for (kind, _), place in zip(river, lie, strict=True))
        tracks.see(MatObservation(at_ms, tuple(tiles), covered if at_ms >= 500 else frozenset()))
    lay = {number: TileRole(0, Area.RIVER, number) for number in range(count)}
    gone = {lay[number]: Missing(kind, *old[number], 500) for number, (kind, _) in enumerate(river) if number >= hidden}
    table = TableContext(RULES, Seat.EAST, MatPlaces(all_seats(0)), tracks, None, gates=True, now_ms=1000)
    roles, kinds = {number: lay[number] for number in range(hidden)}, {number: kind for number, (kind, _) in enumerate(river)}
    loose = frozenset(tracks.all) - frozenset(lay)
    return table, Hypothesis(RULES.start(), None, missing=gone, loose=loose, roles=roles, kinds=kinds)


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
    elsewhere = replace(path, missing={TileRole(0, area, 1): Missing(ALL_TILES[1], 0.0, 0.0, 500)})
    assert not _may_have_moved(table, elsewhere, TileRole(0, area, 0), lay, table.track(2))


def test_a_tile_whose_place_something_covers_was_moved_with_the_only_other_one_of_its_river() -> None:
    table, path = seen_pushed(2, 1)
    after = next(one for one in refits(table, path) if one.roles.get(2) == TileRole(0, Area.RIVER, 0))
    assert 0 not in after.roles
    assert after.missing == path.missing


def test_a_tile_of_a_river_that_was_not_moved_lies_where_something_covers_its_place() -> None:
    table, path = seen_pushed(2, 1)
    still = replace(path, missing={}, loose=path.loose - {3})
    assert list(refits(table, still)) == []


def test_a_tile_that_comes_to_a_meld_long_after_the_others_was_not_on_its_way_to_it() -> None:
    spot, costs_at = Mat().spot(Slot(0, Area.MELD, 3)), list[float]()
    for late_ms in (1000, 20_000):
        tracks = TrackList()
        for at_ms in range(0, late_ms + 750, 250):
            tiles = (ObservedTile(spot.x_mm, spot.y_mm, 0.0, shares={ALL_TILES[0]: 0.995}, sure=True),) if at_ms >= late_ms else ()
            tracks.see(MatObservation(at_ms, tiles))
        table = TableContext(RULES, Seat.EAST, MatPlaces(all_seats(0)), tracks, None, gates=True, now_ms=late_ms + 500)
        gone = {TileRole(0, Area.MELD, 3): Missing(ALL_TILES[0], spot.x_mm, spot.y_mm, 500)}
        (after,) = refits(table, Hypothesis(RULES.start(), None, missing=gone, loose=frozenset(tracks.all)))
        costs_at.append(after.cost)
    assert costs_at[1] - costs_at[0] == pytest.approx(costs.RARE)
