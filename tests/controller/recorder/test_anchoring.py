"""Anchoring: the decoder goes on from the table's record where all that lies by it is found, or lies where something covers it."""

import pytest

from controller.recorder.decoder import HandDecoder
from controller.recorder.hypothesis import TileRole
from controller.recorder.places import all_seats
from controller.recorder.signals import GateEdge
from controller.recorder.tracks import covers
from tests.support.recorder.played_hands import FRAME_MS
from tests.support.recorder.small_tables import tile_at
from twinwall.game.play_events import (
    Claimed,
    ClaimsPassed,
    Meld,
    MeldType,
    PlayEvent,
    SharedTileTurned,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
)
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS, Seat, Tile
from vision.mat import Area, Mat, Slot
from vision.mat_observation import MatObservation, ObservedTile

RECORD = (TileDrawn(Seat.EAST, from_end=False), TileDiscarded(Seat.EAST, Tile.P3))
DISCARD = Mat().spot(Slot(Seat.EAST.index, Area.RIVER, 0))
SHOWN = Mat().spot(Slot(Seat.SOUTH.index, Area.HAND, 0))
OVER_DISCARD = frozenset((x, y) for x in range(-30, 31) for y in range(-30, 31) if covers(frozenset({(x, y)}), DISCARD.x_mm, DISCARD.y_mm))


def show(decoder: HandDecoder, since_ms: int, tiles: tuple[ObservedTile, ...], covered: frozenset[tuple[int, int]] = frozenset()) -> None:
    """Five seconds in which these tiles lie there."""
    for at_ms in range(since_ms, since_ms + 5000, FRAME_MS):
        decoder.see(MatObservation(at_ms, tiles, covered))


def seeing(*tiles: ObservedTile, covered: frozenset[tuple[int, int]] = frozenset(), rules: str = "mcr-duplicate") -> HandDecoder:
    """A decoder that has missed the record, and sees tiles."""
    decoder = HandDecoder(rule_set(rules), all_seats(0), SEATS[0], None)
    show(decoder, 0, tiles, covered)
    return decoder


def shown(tile: Tile, *, sure: bool = True, share: float = 0.99) -> ObservedTile:
    return ObservedTile(SHOWN.x_mm, SHOWN.y_mm, SHOWN.turn_deg % 180, shares={tile: share, Tile.P3: 1 - share}, sure=sure)


def test_a_tile_that_is_surely_of_another_kind_is_none_of_the_record_whose_own_one_is_covered() -> None:
    """A tile of a shown hand was taken for a covered discard. So the hand lacked one, and its seat was told to have laid nothing."""
    decoder = seeing(shown(Tile.M3), covered=OVER_DISCARD)
    assert decoder.anchor(RECORD, 0)
    assert decoder.held == RECORD
    assert len(decoder.unexplained) == 1


def test_the_decoder_does_not_go_on_from_a_record_whose_tile_is_not_found_where_nothing_covers_it() -> None:
    assert not seeing(shown(Tile.M3)).anchor(RECORD, 0)


def test_a_tile_of_which_no_frame_is_sure_may_be_the_one_of_the_record() -> None:
    decoder = seeing(shown(Tile.M3, sure=False, share=0.7))
    assert decoder.anchor(RECORD, 0)
    assert not decoder.unexplained


def test_a_shared_tile_of_the_record_is_known_where_it_lies() -> None:
    """It had no explanation, so nothing was certain from then on."""
    decoder = seeing(tile_at(Slot(0, Area.SHARED, 4), Tile.P3), rules="seigo")
    assert decoder.anchor((SharedTileTurned(4, Tile.P3),), 0)
    assert not decoder.unexplained


@pytest.mark.parametrize(
    ("events", "slot"),
    [
        pytest.param(
            (TileDrawn(Seat.EAST, from_end=False), WinDeclared(Seat.EAST, None, Tile.P3)),
            Slot(0, Area.WIN, 0),
            id="laid apart by its winner",
        ),
        pytest.param(
            (*RECORD, WinDeclared(Seat.SOUTH, Seat.EAST, Tile.P3), WinDeclared(Seat.WEST, Seat.EAST, Tile.P3)),
            Slot(0, Area.RIVER, 0),
            id="left in the river by two winners",
        ),
    ],
)
def test_a_winning_tile_is_known_where_it_lies_and_may_have_been_taken(events: tuple[PlayEvent, ...], slot: Slot) -> None:
    """Where play goes on after a win, its tile was taken for one of a hand left open, and its seat was accused."""
    lies, taken = seeing(tile_at(slot, Tile.P3), rules="sichuan"), seeing(rules="sichuan")
    assert lies.anchor(events, 0)
    assert not lies.unexplained
    assert taken.anchor(events, 0)


def test_a_tile_that_lies_nearer_to_the_next_slot_is_not_taken_for_the_next_discard() -> None:
    """The next discard was found nowhere then, and East was said to have discarded out of turn."""
    discards = ((Seat.EAST, Tile.P3), (Seat.SOUTH, Tile.M1), (Seat.WEST, Tile.M2), (Seat.NORTH, Tile.M4), (Seat.EAST, Tile.M3))
    turns = [(TileDrawn(seat, from_end=False), TileDiscarded(seat, tile), ClaimsPassed()) for seat, tile in discards]
    others = ((Mat().spot(Slot(seat.index, Area.RIVER, 0)), tile) for seat, tile in discards[1:4])
    lie = [ObservedTile(spot.x_mm, spot.y_mm, 0.0, shares={tile: 0.99}, sure=True) for spot, tile in others]
    first, second = (Mat().spot(Slot(Seat.EAST.index, Area.RIVER, index)) for index in range(2))
    off_mm = 0.6 * (second.x_mm - first.x_mm)
    lie.append(ObservedTile(first.x_mm + off_mm, first.y_mm, 0.0, shares={Tile.P3: 0.55, Tile.M3: 0.45}))
    lie.append(ObservedTile(second.x_mm + off_mm, second.y_mm, 0.0, shares={Tile.M3: 0.55, Tile.P3: 0.45}))
    decoder = seeing(*lie)
    assert decoder.anchor([event for turn in turns for event in turn], 0)
    found = [decoder.lying_as(TileRole(Seat.EAST.index, Area.RIVER, number)) for number in range(2)]
    assert [None if track is None else track.x_mm for track in found] == [lie[3].x_mm, lie[4].x_mm]


CLAIM = (*RECORD, Claimed(Seat.SOUTH, Meld(MeldType.PUNG, (Tile.P3,) * 3, Seat.EAST)), TileDiscarded(Seat.SOUTH, Tile.M9))
FIRST = {seat: Slot(seat.index, Area.RIVER, 0) for seat in SEATS}


def test_a_claimed_tile_whose_place_is_seen_bare_only_after_the_claim_accuses_nobody() -> None:
    """East was said to have discarded it out of turn (seigo 18033 and 18185)."""
    decoder = seeing(tile_at(FIRST[Seat.EAST], Tile.P3))
    meld = (tile_at(Slot(Seat.SOUTH.index, Area.MELD, index), Tile.P3) for index in range(3))
    lie = (*meld, tile_at(FIRST[Seat.SOUTH], Tile.M9))
    show(decoder, 6000, lie, OVER_DISCARD)
    assert decoder.anchor(CLAIM, 0)
    assert not decoder.unexplained
    decoder.draw_sensed(GateEdge(11_500, Seat.WEST.index))
    show(decoder, 12_000, (*lie, tile_at(FIRST[Seat.WEST], Tile.M1)))
    assert isinstance(decoder.held[-1], TileDiscarded)
    assert not decoder.reported_violations


def test_a_tile_beside_the_record_that_was_out_of_sight_is_asked_about_when_it_is_seen_again() -> None:
    """Whose turn it was when it came to lie is not known then: a second discard was told as one out of turn."""
    tiles = tile_at(FIRST[Seat.EAST], Tile.P3), tile_at(Slot(Seat.EAST.index, Area.RIVER, 1), Tile.M9)
    decoder = seeing(*tiles)
    show(decoder, 6000, tiles[1:], OVER_DISCARD)
    assert decoder.anchor((RECORD[0], TileDiscarded(Seat.EAST, Tile.M9)), 0)
    assert not decoder.unexplained
    show(decoder, 12_000, tiles)
    assert [found.violation.tracks for found in decoder.violations()] == [(0,)]
    assert not decoder.reported_violations
