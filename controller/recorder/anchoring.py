"""Anchoring: the path that holds the table's own record, matched again with the tiles that lie.

A decoder that missed something (frames came too seldom, an arm lay there for long) holds another hand than the table from there on.
The table's record is binding, so the decoder can go on from it: when each tile that lies by the record is found on the mat, or its place
there is covered, whatever lies there beside them came later. Which of two tiles of one kind is which does not matter for that.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from controller.recorder import costs
from controller.recorder.hypothesis import Hypothesis, Missing, TableContext, TileRole
from controller.recorder.moves.candidates import against
from controller.recorder.tracks import Track
from twinwall.game.play import PlayState
from twinwall.game.play_events import HandLaidOpen, HandShown, PlayEvent, SharedTileTurned, TileDiscarded, WinDeclared
from twinwall.game.tiles import SEATS, Seat, Tile
from vision.assignment import cheapest
from vision.mat import MELD_SLOTS, Area

_NAT_MM = 10.0
"""So much further off weighs as much as one nat of the camera's."""
_NOT_FOUND = 1000.0
"""That a tile is not found weighs more than any that is."""
_HAND_ROWS_MM = 260.0
"""A hand lies in one row or two, in any order."""


class _Lying(NamedTuple):
    """A tile that lies by the record: what it is, its kind (None: face down), and where its slot is. One with ``most_mm`` lies no further
    from its slot, or has been taken elsewhere."""

    role: TileRole
    kind: Tile | None
    x_mm: float
    y_mm: float
    most_mm: float = math.inf


def anchored(table: TableContext, events: Sequence[PlayEvent], drawn_ms: int) -> Hypothesis | None:
    """The path that holds these events and no others, where all that lies by them is seen or may lie below what covers its place; the
    last draw was sensed at ``drawn_ms``, and no edge or key waits. A tile beside them that is out of sight may have been taken by one of
    them, as a claimed discard is: it means nothing until it is seen again."""
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
    """By number of a tile of the record the track that it is, each once, so that all together look and lie most like them; tiles that are
    not found are left out."""
    apart = np.array([[_apart(tile, track) for track in tracks] for tile in lying]).reshape(len(lying), len(tracks))
    not_found = np.full((len(lying), len(lying)), _NOT_FOUND)
    columns = cheapest(np.hstack((np.where(np.isfinite(apart), apart, 2 * _NOT_FOUND), not_found)))
    return {number: tracks[column].id for number, column in enumerate(columns) if column < len(tracks)}


def _lying(table: TableContext, play: PlayState) -> Iterator[_Lying]:
    """The rivers and melds of the record."""
    for seat in SEATS:
        own = play.seat(seat)
        for number, tile in enumerate(own.river):
            if tile.claimed_by is None:
                x_mm, y_mm = table.places.river_spot(seat, own.place_of(number))
                yield _Lying(TileRole(seat.index, Area.RIVER, number), tile.tile, x_mm, y_mm)
        for group, meld in enumerate(own.melds):
            for index, kind in enumerate(meld.tiles or (None,) * MELD_SLOTS):
                x_mm, y_mm = table.places.meld_spot(seat, MELD_SLOTS * group + index)
                yield _Lying(TileRole(seat.index, Area.MELD, MELD_SLOTS * group + index), kind, x_mm, y_mm)


def _turned_up(table: TableContext, events: Sequence[PlayEvent]) -> Iterator[_Lying]:
    """The shared tiles of the record."""
    for event in events:
        if isinstance(event, SharedTileTurned):
            role = TileRole(0, Area.SHARED, event.place)
            yield _Lying(role, event.tile, *table.places.shared_spot(event.place))


def _moved_again(table: TableContext, play: PlayState, events: Sequence[PlayEvent]) -> Iterator[_Lying]:
    """Winning tiles, which lie apart or stay in the river that they were won from until their seat takes them to its hand, and the
    hands that lie open."""
    places, discards = table.places, Counter[Seat]()
    for event in events:
        match event:
            case TileDiscarded(seat):
                discards[seat] += 1
            case WinDeclared(seat, None, Tile() as tile):
                yield _Lying(TileRole(seat.index, Area.WIN, 0), tile, *places.win_spot(seat), costs.NEAR_MM)
            case WinDeclared(_, Seat() as seat, tile) if discards[seat]:
                number, own = discards[seat] - 1, play.seat(seat)
                if own.river[number].tile is tile and own.river[number].claimed_by is not None:
                    spot = places.river_spot(seat, own.place_of(number))
                    yield _Lying(TileRole(seat.index, Area.RIVER, number), tile, *spot, costs.NEAR_MM)
            case HandShown(seat, concealed) | HandLaidOpen(seat, concealed):
                for number, tile in enumerate(concealed):
                    spot = places.hand_spot(seat, number)
                    yield _Lying(TileRole(seat.index, Area.HAND, number), tile, *spot, _HAND_ROWS_MM)


def _apart(tile: _Lying, track: Track) -> float:
    """How little a track looks like a tile of the record; infinite where it cannot be it."""
    if (tile.kind is None) is track.face_up:
        return math.inf
    distance_mm = math.hypot(track.x_mm - tile.x_mm, track.y_mm - tile.y_mm)
    looks = 0.0 if tile.kind is None else against(track, tile.kind)
    if distance_mm > tile.most_mm or looks >= (costs.ASK if track.evidence.sure else -costs.LEAST_KIND):
        return math.inf
    return distance_mm / _NAT_MM + looks
