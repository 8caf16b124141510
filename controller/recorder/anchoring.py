"""Anchoring: build the path that holds exactly the events of the table's record, and match it with the tiles on the mat.

A decoder that missed something (too few frames, an arm over the mat) holds another hand than the table from there on. The record is
binding, so the decoder can continue from it: when each recorded tile is found on the mat or its place is covered, every other tile there
came later. Two tiles of one kind are interchangeable here.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from controller.recorder import costs
from controller.recorder.hypothesis import Hypothesis, Missing, TableContext, TileRole, meld_role
from controller.recorder.moves.candidates import against
from controller.recorder.tracks import Track
from twinwall.game.play import PlayState
from twinwall.game.play_events import HandLaidOpen, HandShown, PlayEvent, SharedTileTurned, TileDiscarded, WinDeclared
from twinwall.game.tiles import SEATS, Seat, Tile
from vision.assignment import cheapest
from vision.mat import MELD_SLOTS, Area

_NAT_MM = 10.0
"""This distance counts as one nat of the camera's evidence."""
_NOT_FOUND = 1000.0
"""Cost of a recorded tile that is not found; more than that of any match."""
_HAND_ROWS_MM = 260.0
"""Tiles of a shown hand rest in one or two rows, in any order."""


class _Lying(NamedTuple):
    """A recorded tile on the mat: role, kind (None: face down) and slot. Further than ``most_mm`` from the slot it is not this tile."""

    role: TileRole
    kind: Tile | None
    x_mm: float
    y_mm: float
    most_mm: float = math.inf


def anchored(table: TableContext, events: Sequence[PlayEvent], drawn_ms: int) -> Hypothesis | None:
    """Return the path with these events alone; None if a recorded tile is neither seen nor possibly covered.

    The last draw was sensed at ``drawn_ms``; no edge or key waits. Another tile that is out of sight may have been taken by one of the
    events, as a claimed discard is: it counts only when it is seen again.
    """
    path = Hypothesis(table.rules.start(), None)
    for event in events:
        path = path.recorded(table, event)
    tracks = table.tracks.lying
    lying = list(dict.fromkeys((*_lying(table, path.play), *_turned_up(table, events), *_moved_again(table, path.play, events))))
    found = _found(lying, tracks)
    stay = (number for number, tile in enumerate(lying) if tile.kind is not None and tile.most_mm == math.inf)
    unseen = [lying[number] for number in stay if number not in found]
    if not all(table.tracks.is_covered(tile.x_mm, tile.y_mm) for tile in unseen):
        return None
    explained = {track_id: (lying[number].role, lying[number].kind) for number, track_id in found.items()}
    missing = {tile.role: Missing(tile.kind, tile.x_mm, tile.y_mm, table.now_ms) for tile in unseen}
    unknown = frozenset(track.id for track in tracks if track.seen_ms < table.now_ms) - explained.keys()
    lie = frozenset(track.id for track in tracks) - unknown
    return replace(replace(path, loose=lie, clock_ms=drawn_ms).explains(explained), missing=missing, moved=unknown)


def _found(lying: Sequence[_Lying], tracks: Sequence[Track]) -> dict[int, int]:
    """Return by number of a recorded tile its track, each once, with the least sum of distances and looks; omit tiles not found."""
    apart = np.array([[_apart(tile, track) for track in tracks] for tile in lying]).reshape(len(lying), len(tracks))
    not_found = np.full((len(lying), len(lying)), _NOT_FOUND)
    columns = cheapest(np.hstack((np.where(np.isfinite(apart), apart, 2 * _NOT_FOUND), not_found)))
    return {number: tracks[column].id for number, column in enumerate(columns) if column < len(tracks)}


def _lying(table: TableContext, play: PlayState) -> Iterator[_Lying]:
    for seat in SEATS:
        own = play.seat(seat)
        for number, tile in enumerate(own.river):
            if tile.claimed_by is None:
                spot = table.places.spot(seat, Area.RIVER, own.place_of(number))
                yield _Lying(TileRole(seat.index, Area.RIVER, number), tile.tile, *spot)
        for group, meld in enumerate(own.melds):
            for index, kind in enumerate(meld.tiles or (None,) * MELD_SLOTS):
                role = meld_role(seat, group, index)
                yield _Lying(role, kind, *table.places.spot(seat, Area.MELD, role.number))


def _turned_up(table: TableContext, events: Sequence[PlayEvent]) -> Iterator[_Lying]:
    for event in events:
        if isinstance(event, SharedTileTurned):
            role = TileRole(0, Area.SHARED, event.place)
            yield _Lying(role, event.tile, *table.places.shared_spot(event.place))


def _moved_again(table: TableContext, play: PlayState, events: Sequence[PlayEvent]) -> Iterator[_Lying]:
    """Yield the winning tiles, which rest apart or stay in the river until their seat takes them to its hand, and the hands laid open."""
    places, discards = table.places, Counter[Seat]()
    for event in events:
        match event:
            case TileDiscarded(seat):
                discards[seat] += 1
            case WinDeclared(seat, None, Tile() as tile):
                yield _Lying(TileRole(seat.index, Area.WIN, 0), tile, *places.spot(seat, Area.WIN, 0), costs.NEAR_MM)
            case WinDeclared(_, Seat() as seat, tile) if discards[seat]:
                number, own = discards[seat] - 1, play.seat(seat)
                if own.river[number].tile is tile and own.river[number].claimed_by is not None:
                    spot = places.spot(seat, Area.RIVER, own.place_of(number))
                    yield _Lying(TileRole(seat.index, Area.RIVER, number), tile, *spot, costs.NEAR_MM)
            case HandShown(seat, concealed) | HandLaidOpen(seat, concealed):
                for number, tile in enumerate(concealed):
                    spot = places.spot(seat, Area.HAND, number)
                    yield _Lying(TileRole(seat.index, Area.HAND, number), tile, *spot, _HAND_ROWS_MM)


def _apart(tile: _Lying, track: Track) -> float:
    """Return how little a track fits a recorded tile; infinite if it cannot be that tile."""
    if (tile.kind is None) is track.face_up:
        return math.inf
    distance_mm = math.hypot(track.x_mm - tile.x_mm, track.y_mm - tile.y_mm)
    looks = 0.0 if tile.kind is None else against(track, tile.kind)
    if distance_mm > tile.most_mm or looks >= (costs.ASK if track.evidence.sure else -costs.LEAST_KIND):
        return math.inf
    return distance_mm / _NAT_MM + looks
