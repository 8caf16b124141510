"""Tracks: the physical tiles that rest on the mat, joined from observations over time.

A track is one tile in one pose. A covered tile is neither here nor gone; it is gone when frames show its place bare. Whose tile it is and
what it means is left to the decoder.
"""

import math
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import product

import numpy as np

from controller.recorder.kind_evidence import KindEvidence
from twinwall.game.tiles import Tile
from vision.mat_observation import COVER_MM, MatObservation, ObservedTile

SAME_PLACE_MM = 9.0
"""Two frames see the same tile within this distance; a reader's pose is right to about half a millimetre."""
SAME_TURN_DEG = 25.0
LOOKS_TO_LIE = 2
"""A tile rests on the mat when this many frames have seen it: one frame may see a tile in a moving hand."""
SILENT_MS = 2000
"""Without a frame for this long the camera was silent."""
FRAMES_KEPT = 120
"""Frames remembered to find when a place was last seen bare."""
_POSE_WEIGHT = 0.3
_HALF_TILE_MM, _HALF_LENGTH_MM = 12.0, 17.0
_TOUCHING_MM = 1.5
"""Tiles with at most this gap may be on one another's edges."""


class Happening(StrEnum):
    APPEARED = "appeared"
    GONE = "gone"
    TURNED = "turned"


@dataclass(slots=True)
class Track:
    """One tile at rest: pose (see ``ObservedTile``), evidence of its kind, beginning and end."""

    id: int
    x_mm: float
    y_mm: float
    angle_deg: float
    face_up: bool
    appeared_ms: int
    seen_ms: int
    evidence: KindEvidence = field(default_factory=KindEvidence)
    sightings: int = 1
    turning: int = 0
    """Consecutive frames that saw its other face."""
    unseen: int = 0
    bare_ms: int = 0
    """When its place was first seen bare, if ``unseen`` is not 0."""
    bare_before_ms: int | None = None
    """The last frame before it appeared that showed its place bare, as much of it as when it appeared; None if that is long ago."""
    gone_ms: int | None = None

    @property
    def rests(self) -> bool:
        return self.sightings >= LOOKS_TO_LIE

    @property
    def lain_ms(self) -> int:
        """How long it has been seen at rest."""
        return self.seen_ms - self.appeared_ms


Change = tuple[Happening, Track]
"""One change. The track has its time (``appeared_ms``, ``gone_ms``), that of the first frame that showed it; a turn has none."""


class TrackList:
    """All tracks of one hand; ``see`` takes observations in the order of time."""

    def __init__(self, kinds: frozenset[Tile] | None = None) -> None:
        """``kinds``: the possible kinds; None: all. Other kinds are dropped from looks; if the likeliest one is, the look is unreadable."""
        self.all: dict[int, Track] = {}
        self._kinds = kinds
        self.covered: frozenset[tuple[int, int]] = frozenset()
        self.laid_again: dict[int, tuple[tuple[float, int], ...]] = {}
        """Cache, until the next observation, of the tiles that appeared elsewhere when a tile was picked up (``moved_mm``)."""
        self._may_hide: dict[tuple[float, float, int | None], bool] = {}
        """Cache of ``may_hide`` until the next observation."""
        self.read_more = False
        """Whether the last observation added evidence about any tile at rest."""
        self.silences: list[tuple[int, int]] = []
        """When the camera was silent: its last frame before (0: none) and its first frame after."""
        self._hiding: frozenset[tuple[int, int]] = frozenset()
        """Squares covered in the last two frames, which may hide tiles: one frame alone does not prove that a tile rests there."""
        self._in_sight_ms: dict[tuple[int, int], int] = {}
        """By square of ``_hiding``, when a frame last saw it bare; a frame with a tile there does not prove that the tile rests there."""
        self.in_sight: list[Track] = []
        """The tracks on the mat, also those that only one frame has seen."""
        self._stayed: set[tuple[int, int]] = set()
        self._frames: deque[tuple[int, frozenset[tuple[int, int]]]] = deque(maxlen=FRAMES_KEPT)

    def __getitem__(self, track: int) -> Track:
        return self.all[track]

    @property
    def watched_ms(self) -> int:
        """Since when the camera has not been silent; 0 before its first frame."""
        return self.silences[-1][1] if self.silences else 0

    @property
    def lying(self) -> list[Track]:
        """The tracks at rest now, covered ones included."""
        return [track for track in self.in_sight if track.rests]

    def see(self, observation: MatObservation) -> tuple[Change, ...]:
        """Join one observation; return the changes."""
        if self._kinds is not None:
            observation = _of_kinds(observation, self._kinds)
        self.covered, self.read_more, self.laid_again, self._may_hide = observation.covered, False, {}, {}
        last_ms = self._frames[-1][0] if self._frames else 0
        if not self._frames or observation.at_ms - last_ms > SILENT_MS:
            self.silences.append((last_ms, observation.at_ms))
        changes: list[Change] = []
        matched = self._matched(observation)
        for index, tile in enumerate(observation.tiles):
            track = matched.get(index)
            if track is None:
                self._begin(tile, observation.at_ms)
            else:
                changes.extend(self._seen_again(track, tile, observation.at_ms))
        seen = {track.id for track in matched.values()}
        under = self._under_others(observation.at_ms)
        for track in [track for track in self.in_sight if track.id not in seen and track.seen_ms < observation.at_ms]:
            changes.extend(self._not_seen(track, observation.at_ms, under))
        seen_ms, before = self._frames[-1] if self._frames else (-1, frozenset())
        lately = observation.covered | before
        still = before.union(*(_squares(track) for track in self.in_sight if not track.rests))
        known = {square: at_ms for square, at_ms in self._in_sight_ms.items() if square in still}
        self._in_sight_ms = {square: known.get(square, seen_ms) for square in lately}
        self._frames.append((observation.at_ms, observation.covered))
        self._hiding = lately.difference(*map(_squares, under))
        return tuple(changes)

    def stays_since(self, *stays_ms: int) -> bool:
        """Whether the last observation is the first at which some tile has rested for one of these times."""
        fresh = {(track.id, least_ms) for track in self.in_sight for least_ms in stays_ms if track.lain_ms >= least_ms} - self._stayed
        self._stayed |= fresh
        return bool(fresh)

    def is_covered(self, x_mm: float, y_mm: float) -> bool:
        """Whether the last observation covers part of a tile with this middle."""
        return covers(self.covered, x_mm, y_mm)

    def may_hide(self, x_mm: float, y_mm: float, laid_ms: int | None = None) -> bool:
        """Whether a tile with this middle, laid at ``laid_ms`` or before, may be covered now by something that was there then. The squares
        of a tile under another tile's edge do not count: it is not seen whole, so they stay covered until the hand is over."""
        known, key = self._may_hide, (x_mm, y_mm, laid_ms)
        if key not in known:
            hiding = (square for square in squares_below(x_mm, y_mm) if square in self._hiding)
            known[key] = any(laid_ms is None or self._in_sight_ms[square] <= laid_ms for square in hiding)
        return known[key]

    def _under_others(self, at_ms: int) -> list[Track]:
        """Return the tiles that a frame does not see because others have come to rest on their edges."""
        seen = [track for track in self.in_sight if track.seen_ms == at_ms]
        unseen = (track for track in self.in_sight if track.rests and track.seen_ms < at_ms)
        return [track for track in unseen if any(other.appeared_ms >= track.seen_ms and _touch(track, other) for other in seen)]

    def _nudged(self, track: Track, at_ms: int) -> bool:
        """Whether a frame shows a tile of its kind over the middle of a tile that it does not show, where two cannot rest."""
        kind = track.evidence.likeliest
        others = (other for other in self.in_sight if other is not track and other.face_up and other.seen_ms == at_ms)
        return track.face_up and any(other.evidence.likeliest is kind and _has(other, track.x_mm, track.y_mm) for other in others)

    def _matched(self, observation: MatObservation) -> dict[int, Track]:
        """Return by number of an observed tile the track in the same place, nearest pairs first."""
        if not observation.tiles or not self.in_sight:
            return {}
        lying = np.array([complex(track.x_mm, track.y_mm) for track in self.in_sight])
        seen = np.array([complex(tile.x_mm, tile.y_mm) for tile in observation.tiles])
        off = seen[:, None] - lying
        near = np.argwhere((abs(off.real) < SAME_PLACE_MM) & (abs(off.imag) < SAME_PLACE_MM))
        apart = abs(off[*near.T])
        matched: dict[int, Track] = {}
        taken: set[int] = set()
        for tile_index, track_index in near[apart.argsort(kind="stable")[: np.count_nonzero(apart < SAME_PLACE_MM)]].tolist():
            track = self.in_sight[track_index]
            if tile_index not in matched and track.id not in taken and _same(track, observation.tiles[tile_index]):
                matched[tile_index] = track
                taken.add(track.id)
        return matched

    def _begin(self, tile: ObservedTile, at_ms: int) -> None:
        track = Track(len(self.all), tile.x_mm, tile.y_mm, tile.angle_deg, tile.face_up, at_ms, at_ms, KindEvidence(self._kinds))
        hidden = (covers(covered - self.covered, tile.x_mm, tile.y_mm) for _, covered in reversed(self._frames))
        bare = (frame_ms for (frame_ms, _), hides in zip(reversed(self._frames), hidden, strict=True) if not hides)
        track.bare_before_ms = next(bare, None)
        if tile.face_up:
            track.evidence.look(tile.shares, sure=tile.sure)
        self.all[track.id] = track
        self.in_sight.append(track)

    def _seen_again(self, track: Track, tile: ObservedTile, at_ms: int) -> list[Change]:
        track.seen_ms, track.unseen = at_ms, 0
        track.x_mm += _POSE_WEIGHT * (tile.x_mm - track.x_mm)
        track.y_mm += _POSE_WEIGHT * (tile.y_mm - track.y_mm)
        turned = tile.face_up is not track.face_up
        if turned and not track.rests:
            track.face_up, track.evidence = tile.face_up, KindEvidence(self._kinds)
            self._look(track, tile)
            return []
        track.sightings += 1
        if turned:
            track.turning += 1
            if track.turning < LOOKS_TO_LIE:
                return []
            track.face_up, track.turning, track.evidence = tile.face_up, 0, KindEvidence(self._kinds)
            self._look(track, tile)
            return [(Happening.TURNED, track)]
        track.turning = 0
        self._look(track, tile)
        return [(Happening.APPEARED, track)] if track.sightings == LOOKS_TO_LIE else []

    def _look(self, track: Track, tile: ObservedTile) -> None:
        if tile.face_up and track.evidence.look(tile.shares, sure=tile.sure) and track.rests:
            self.read_more = True

    def _not_seen(self, track: Track, at_ms: int, under: Sequence[Track]) -> list[Change]:
        covered = self.covered if track in under else self.covered.difference(*map(_below_whole, under))
        if covers(covered, track.x_mm, track.y_mm) and not self._nudged(track, at_ms):
            return []
        if track.unseen == 0:
            track.bare_ms = at_ms
        track.unseen += 1
        if track.rests and track.unseen < LOOKS_TO_LIE:
            return []
        track.gone_ms = track.bare_ms
        self.in_sight.remove(track)
        return [(Happening.GONE, track)] if track.rests else []


def covers(covered: frozenset[tuple[int, int]], x_mm: float, y_mm: float) -> bool:
    """Whether any square of a tile with this middle is covered."""
    return bool(covered) and any(square in covered for square in squares_below(x_mm, y_mm))


def squares_below(x_mm: float, y_mm: float) -> Iterator[tuple[int, int]]:
    """Return the squares under a tile with this middle, whichever way it is turned."""
    columns = {round((x_mm + side) / COVER_MM) for side in (-_HALF_TILE_MM, 0.0, _HALF_TILE_MM)}
    rows = {round((y_mm + side) / COVER_MM) for side in (-_HALF_TILE_MM, 0.0, _HALF_TILE_MM)}
    return product(columns, rows)


def _touch(one: Track, other: Track) -> bool:
    """Whether one tile touches, or rests on the edge of, another that is turned about the same way."""
    across, along = _aside(one, other.x_mm, other.y_mm)
    return across < 2 * _HALF_TILE_MM + _TOUCHING_MM and along < 2 * _HALF_LENGTH_MM + _TOUCHING_MM


def _squares(track: Track) -> set[tuple[int, int]]:
    turned = math.radians(track.angle_deg)
    own = product((-_HALF_TILE_MM, 0.0, _HALF_TILE_MM), (-_HALF_LENGTH_MM, 0.0, _HALF_LENGTH_MM))
    points = ((x * math.cos(turned) + y * math.sin(turned), y * math.cos(turned) - x * math.sin(turned)) for x, y in own)
    return {(round((track.x_mm + x) / COVER_MM), round((track.y_mm + y) / COVER_MM)) for x, y in points}


def _below_whole(track: Track) -> set[tuple[int, int]]:
    """Return the squares whose middles are under a tile; none of them is under a tile beside it."""
    return {square for square in _squares(track) if _has(track, square[0] * COVER_MM, square[1] * COVER_MM)}


def _has(track: Track, x_mm: float, y_mm: float) -> bool:
    across, along = _aside(track, x_mm, y_mm)
    return across <= _HALF_TILE_MM and along <= _HALF_LENGTH_MM


def _aside(track: Track, x_mm: float, y_mm: float) -> tuple[float, float]:
    """Return how far a spot is from the middle of a tile, across its long side and along it."""
    turned, x, y = math.radians(track.angle_deg), x_mm - track.x_mm, y_mm - track.y_mm
    return abs(x * math.cos(turned) - y * math.sin(turned)), abs(x * math.sin(turned) + y * math.cos(turned))


def _same(track: Track, tile: ObservedTile) -> bool:
    turn = abs(track.angle_deg - tile.angle_deg) % 180
    if min(turn, 180 - turn) > SAME_TURN_DEG:
        return False
    sure = tile.sure and track.face_up and track.evidence.sure >= LOOKS_TO_LIE
    return not sure or _likeliest(tile) is track.evidence.likeliest


def _likeliest(tile: ObservedTile) -> Tile | None:
    return max(tile.shares, key=tile.shares.__getitem__) if tile.shares else None


def _of_kinds(observation: MatObservation, kinds: frozenset[Tile]) -> MatObservation:
    if all(tile.shares.keys() <= kinds for tile in observation.tiles):
        return observation
    return replace(observation, tiles=tuple(_tile_of_kinds(tile, kinds) for tile in observation.tiles))


def _tile_of_kinds(tile: ObservedTile, kinds: frozenset[Tile]) -> ObservedTile:
    """Return the tile without the shares of other kinds; unreadable if one of those is the likeliest."""
    if tile.shares.keys() <= kinds:
        return tile
    if _likeliest(tile) not in kinds:
        return replace(tile, shares={}, sure=False)
    return replace(tile, shares={kind: share for kind, share in tile.shares.items() if kind in kinds})
