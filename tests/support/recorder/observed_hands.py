"""Observed hands: turns the events of a hand into what camera, gates and keys tell of it, with disturbances.

Frames come every ``FRAME_MS``; noise is that of observations, not of pictures: places scatter, kinds are confused, arms cover.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count

import numpy as np

from controller.recorder.signals import GateEdge, KeyEdge
from controller.state.keys import Key
from tests.support.recorder.disturbances import Disturbances
from twinwall.game.play import PlayState
from twinwall.game.play_events import (
    Claimed,
    ClaimsPassed,
    HandLaidOpen,
    HandShown,
    KongDeclared,
    MeldType,
    PlayEvent,
    SharedTileTurned,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
)
from twinwall.game.rule_set import RuleSet
from twinwall.game.tiles import SEATS, Seat, Tile
from vision.mat import Area, Mat, Slot
from vision.mat_observation import COVER_MM, MatObservation, ObservedTile

FRAME_MS = 250
MISREAD = 1e-4
"""Share of tiles that every frame misreads alike, and surely."""
_MAT = Mat()
_SQUARES = range(-18, 19)
_HALF_MM = 12.0
Message = GateEdge | KeyEdge | MatObservation
_CALL_KEYS = {MeldType.CHOW: Key.CHOW, MeldType.PUNG: Key.PUNG, MeldType.KONG: Key.KONG}


@dataclass
class LyingTile:
    """One physical tile on the mat; ``right`` is the usual share of its kind in a frame, ``sure`` how often a frame is sure."""

    kind: Tile
    x_mm: float
    y_mm: float
    angle_deg: float
    face_up: bool = True
    hidden: bool = False
    right: float = 0.985
    sure: float = 0.97
    other: Tile = Tile.M1
    reads: Tile = Tile.M1


@dataclass
class _Cover:
    squares: frozenset[tuple[int, int]]
    until_ms: int


@dataclass
class ObservedHand:
    """Plays the events of one hand before a camera; ``places`` as in the decoder."""

    rules: RuleSet
    events: Sequence[PlayEvent]
    hands: dict[Seat, list[Tile]]
    draws: dict[Seat, list[Tile]]
    disturbances: Disturbances
    blur: float = 1.0
    """Multiplies how many tiles are hard to read."""
    _actions: list[tuple[int, int, Callable[[], object]]] = field(default_factory=list)
    _signals: list[GateEdge | KeyEdge] = field(default_factory=list)
    _lying: dict[int, LyingTile] = field(default_factory=dict)
    _river: dict[tuple[Seat, int], int] = field(default_factory=dict)
    _melds: dict[tuple[Seat, int], list[int]] = field(default_factory=dict)
    _covers: list[_Cover] = field(default_factory=list)
    _dim_until_ms: int = -1
    _silent_until_ms: int = -1

    def __post_init__(self) -> None:
        self._order, self._ids, self._rng = count(), count(), self.disturbances.rng
        self._t = 1000
        self._concealed = {seat: list(tiles) for seat, tiles in self.hands.items()}
        self._walls = {seat: list(tiles) for seat, tiles in self.draws.items()}
        state: PlayState = self.rules.start()
        for event in self.events:
            self._happen(state, event)
            state = self.rules.apply(state, event)
        self.ends_ms = self._t + 2500

    def messages(self) -> Iterator[Message]:
        """All that is told of the hand, in the order of time."""
        signals = sorted(self._signals, key=lambda signal: signal.at_ms)
        for now in range(0, self.ends_ms, FRAME_MS):
            while signals and signals[0].at_ms <= now:
                yield signals.pop(0)
            while self._actions and self._actions[0][0] <= now:
                heapq.heappop(self._actions)[2]()
            if now >= self._silent_until_ms:
                yield self._frame(now)

    def _frame(self, now: int) -> MatObservation:
        self._covers = [cover for cover in self._covers if cover.until_ms > now]
        arms = set().union(*(cover.squares for cover in self._covers))
        covered, tiles = set(arms), []
        for lying in self._lying.values():
            squares = squares_of(lying)
            if lying.hidden or not arms.isdisjoint(squares) or self._rng.random() < 0.004:
                covered |= squares
            else:
                tiles.append(self._look(lying, dim=now < self._dim_until_ms))
        return MatObservation(now, tuple(tiles), frozenset(covered))

    def _look(self, lying: LyingTile, *, dim: bool) -> ObservedTile:
        jitter = [float(one) for one in self._rng.normal(0.0, 0.5, 3)]
        x_mm, y_mm, angle = lying.x_mm + jitter[0], lying.y_mm + jitter[1], (lying.angle_deg + 2 * jitter[2]) % 180
        if not lying.face_up:
            return ObservedTile(x_mm, y_mm, angle, face_up=False)
        right = min(0.999, max(0.01, lying.right + 0.02 * float(self._rng.normal()) - 0.3 * dim))
        sure = right > 0.93 and not dim and float(self._rng.random()) < lying.sure
        return ObservedTile(x_mm, y_mm, angle, shares={lying.reads: right, lying.other: (1 - right) * 0.9}, sure=sure)

    # what people do

    def _happen(self, state: PlayState, event: PlayEvent) -> None:
        match event:
            case TileDrawn(seat, from_end):
                self._draw(seat, from_end=from_end)
            case TileDiscarded():
                self._discard(state, event)
            case ClaimsPassed():
                self._pause(500, 1000)
            case Claimed():
                self._claim(state, event)
            case KongDeclared():
                self._kong(state, event)
            case WinDeclared():
                self._win(event)
            case HandShown(seat, concealed, winning):
                declared = next(other for other in reversed(self.events) if isinstance(other, WinDeclared) and other.seat is seat)
                self._show(seat, concealed, winning if declared.source is None and declared.tile is None else None)
            case HandLaidOpen(seat, concealed):
                self._show(seat, concealed, None)
            case SharedTileTurned(place, tile):
                self._pause(600, 1200)
                self._lay(tile, Slot(0, Area.SHARED, place), 4.0)
            case _:
                pass

    def _draw(self, seat: Seat, *, from_end: bool) -> None:
        self._pause(400, 900)
        self._sense(seat)
        for name in ("drawn and put back", "two drawn"):
            if self.disturbances.happens(name):
                self._pause(400, 900)
                self._sense(seat)
        self._concealed[seat].append(self._walls[seat].pop(-1 if from_end else 0))

    def _discard(self, state: PlayState, event: TileDiscarded) -> None:
        seat, own = event.seat, state.seat(event.seat)
        self._around_discard(seat, own.next_place)
        self._pause(500, 1300)
        if event.riichi:
            self._press(seat, Key.RIICHI)
        self._concealed[seat].remove(event.tile)
        slot, spread = Slot(seat.index, Area.RIVER, min(own.next_place, 23)), 4.0
        happens = self.disturbances.happens
        if happens("discard more than 10 mm off"):
            spread = 14.0
        elif happens("discard more than 30 mm off"):
            spread = 32.0
        if happens("wrong row or column"):
            slot = Slot(seat.index, Area.RIVER, min(slot.index + int(self._rng.choice([1, 6])), 23))
        if happens("on another's river"):
            slot = Slot((seat.index + 1) % 4, Area.RIVER, slot.index)
        number = self._lay(event.tile, slot, spread, turn_deg=90.0 if event.riichi else 0.0, face_up=not happens("face down at first"))
        self._river[seat, len(own.river)] = number
        if happens("askew"):
            self._lying_later(number, lambda tile: setattr(tile, "angle_deg", tile.angle_deg + float(self._rng.uniform(15, 30))))
        self._later(700, partial(self._turn_up, (number,)))
        before = self._river.get((seat, len(own.river) - 1))
        if before is not None and happens("overlapping"):
            self._later(0, lambda: self._overlap(before, number))
        if happens("river pushed"):
            self._push_river(seat)
        if happens("call taken back"):
            self._press(seat.next, Key.PUNG)

    def _around_discard(self, seat: Seat, place: int) -> None:
        """What may cover or silence the camera, or fall on the mat, at a turn."""
        happens = self.disturbances.happens
        spot = _MAT.spot(Slot(seat.index, Area.RIVER, min(place, 23)))
        if happens("arm"):
            self._cover(spot.x_mm, spot.y_mm, float(self._rng.uniform(40, 110)), int(self._rng.uniform(300, 2000)), delay_ms=600)
        if happens("arm for long"):
            self._cover(spot.x_mm, spot.y_mm, float(self._rng.uniform(40, 110)), int(self._rng.uniform(5000, 9000)))
        if happens("cup"):
            x_mm, y_mm = self._rng.uniform(-200, 200, 2)
            self._cover(float(x_mm), float(y_mm), 45.0, int(self._rng.uniform(20000, 90000)))
        if happens("camera bumped"):
            self._cover(0.0, 0.0, 600.0, 1200)
        if happens("light step"):
            dim_until_ms = self._t + 1500
            self._later(0, lambda: setattr(self, "_dim_until_ms", dim_until_ms))
        if happens("camera silent"):
            silent_until_ms = self._t + int(self._rng.uniform(5000, 20000))
            self._later(0, lambda: setattr(self, "_silent_until_ms", silent_until_ms))
        if happens("dropped face up"):
            self._drop(seat)

    def _drop(self, seat: Seat) -> None:
        number = self._lay(self._concealed[seat][0], Slot(seat.index, Area.HAND, int(self._rng.integers(0, 13))), 25.0)
        self._later(int(self._rng.uniform(900, 3000)), lambda: self._lying.pop(number, None))

    def _claim(self, state: PlayState, event: Claimed) -> None:
        seat, source, meld = event.seat, event.meld.source, event.meld
        assert source is not None
        self._pause(500, 1000)
        self._call(seat, _CALL_KEYS[meld.type])
        discard = len(state.seat(source).river) - 1
        claimed, own = state.seat(source).river[-1].tile, list(meld.tiles)
        own.remove(claimed)
        for tile in own:
            self._concealed[seat].remove(tile)
        if self.disturbances.happens("wrong river and put back"):
            self._lift_and_put_back(next(other for other in SEATS if other not in (seat, source)))
        late = self.disturbances.happens("taken late")
        group, far = len(state.seat(seat).melds), 4.0 + 26.0 * self.disturbances.happens("meld far off")
        taken_after = int(self._rng.uniform(3000, 6000)) if late else 300
        number = self._river[source, discard]
        self._later(taken_after, lambda: self._lying.pop(number, None))
        laid = []
        for position, tile in enumerate(own):
            self._pause(150, 400)
            laid.append(self._lay(tile, Slot(seat.index, Area.MELD, 4 * group + position), far))
        laid.append(self._lay(claimed, Slot(seat.index, Area.MELD, 4 * group + len(own)), far, delay_ms=taken_after + 400 if late else 200))
        self._melds[seat, group] = laid
        self._pause(200, 500)

    def _lift_and_put_back(self, seat: Seat) -> None:
        numbers = [number for (owner, _), number in self._river.items() if owner is seat and number in self._lying_at_end()]
        if not numbers:
            return
        lifted: dict[int, LyingTile] = {}
        self._later(0, lambda: lifted.update({number: self._lying.pop(number) for number in numbers[-1:] if number in self._lying}))
        self._later(1500, lambda: self._lying.update(lifted))
        self._pause(1500, 1800)

    def _kong(self, state: PlayState, event: KongDeclared) -> None:
        seat, meld = event.seat, event.meld
        self._pause(500, 900)
        self._call(seat, Key.KONG)
        far = 4.0 + 26.0 * self.disturbances.happens("meld far off")
        if meld.type is MeldType.ADDED_KONG:
            group = next(
                number for number, own in enumerate(state.seat(seat).melds) if own.type is MeldType.PUNG and own.tiles[0] is meld.tiles[0]
            )
            self._concealed[seat].remove(meld.tiles[0])
            self._melds[seat, group].append(self._lay(meld.tiles[0], Slot(seat.index, Area.MELD, 4 * group + 3), far))
            return
        group = len(state.seat(seat).melds)
        kind = meld.tiles[0] if meld.tiles else max(self._concealed[seat], key=self._concealed[seat].count)
        for _ in range(4):
            self._concealed[seat].remove(kind)
        self._melds[seat, group] = [
            self._lay(kind, Slot(seat.index, Area.MELD, 4 * group + position), far, face_up=bool(meld.tiles) and position == 3)
            for position in range(4)
        ]

    def _win(self, event: WinDeclared) -> None:
        self._pause(400, 900)
        self._call(event.seat, Key.WIN)
        if event.source is None and event.tile is not None:
            self._concealed[event.seat].remove(event.tile)
            self._lay(event.tile, Slot(event.seat.index, Area.WIN, 0), 4.0)

    def _show(self, seat: Seat, concealed: Sequence[Tile], drawn: Tile | None) -> None:
        self._pause(600, 1200)
        happens, tiles = self.disturbances.happens, list(concealed)
        if happens("shown unsorted"):
            self._rng.shuffle(tiles)
        apart = drawn is not None and not happens("winning tile not apart")
        if drawn is not None and not apart:
            tiles.insert(int(self._rng.integers(0, len(tiles) + 1)), drawn)
        two_rows = happens("shown in two rows")
        for index, tile in enumerate(tiles):
            self._pause(20, 60)
            away = 38.0 * (two_rows and index % 2)
            self._lay(tile, Slot(seat.index, Area.HAND, min(index, 12)), 1.0, along_mm=27.0 * max(0, index - 12), away_mm=away)
        if apart and drawn is not None:
            self._lay(drawn, Slot(seat.index, Area.WIN, 0), 3.0)
        for (owner, _), numbers in self._melds.items():
            if owner is seat:
                self._later(200, partial(self._turn_up, numbers))

    def _turn_up(self, numbers: Sequence[int]) -> None:
        for number in numbers:
            if number in self._lying:
                self._lying[number].face_up = True

    def _call(self, seat: Seat, key: Key) -> None:
        if self.disturbances.happens("by voice"):
            return
        self._press(seat, Key.CHOW if key is not Key.CHOW and self.disturbances.happens("wrong key") else key)

    def _press(self, seat: Seat, key: Key) -> None:
        self._signals.append(KeyEdge(self._t, seat.index, key))

    def _sense(self, seat: Seat) -> None:
        self._signals.append(GateEdge(self._t, seat.index))

    # the mat

    def _lay(
        self,
        kind: Tile,
        slot: Slot,
        spread_mm: float,
        *,
        turn_deg: float = 0.0,
        face_up: bool = True,
        delay_ms: int = 0,
        along_mm: float = 0.0,
        away_mm: float = 0.0,
    ) -> int:
        spot, number = _MAT.spot(slot), next(self._ids)
        dx, dy = self._rng.normal(0.0, spread_mm, 2)
        side_x, side_y = ((1, 0), (0, -1), (-1, 0), (0, 1))[slot.place], ((0, 1), (1, 0), (0, -1), (-1, 0))[slot.place]
        x_mm = spot.x_mm + float(dx) + side_x[0] * along_mm + side_y[0] * away_mm
        y_mm = spot.y_mm + float(dy) + side_x[1] * along_mm + side_y[1] * away_mm
        angle = spot.turn_deg + turn_deg + float(self._rng.normal(0, 4.0))
        tile = self._fresh(kind, x_mm, y_mm, angle, face_up=face_up)
        self._push(self._t + delay_ms, lambda: self._lying.__setitem__(number, tile))
        return number

    def _fresh(self, kind: Tile, x_mm: float, y_mm: float, angle_deg: float, *, face_up: bool) -> LyingTile:
        other = _confused_with(kind, self._rng, self.rules.tiles)
        tile = LyingTile(kind, x_mm, y_mm, angle_deg, face_up, other=other, reads=kind)
        drawn = float(self._rng.random())
        if drawn < MISREAD * self.blur:
            tile.reads, tile.other = other, kind
        elif drawn < 0.005 * self.blur:
            tile.right, tile.sure = 0.6, 0.0
        elif drawn < 0.03 * self.blur:
            tile.right, tile.sure = 0.9, 0.4
        return tile

    def _lying_later(self, number: int, change: Callable[[LyingTile], None]) -> None:
        self._later(0, lambda: change(self._lying[number]))

    def _overlap(self, before: int, number: int) -> None:
        under, over = self._lying.get(before), self._lying.get(number)
        if under is not None and over is not None:
            over.x_mm, over.y_mm = under.x_mm + 0.5 * (over.x_mm - under.x_mm), under.y_mm + 0.5 * (over.y_mm - under.y_mm)
            under.hidden = True

    def _push_river(self, seat: Seat) -> None:
        dx, dy = (float(one) for one in self._rng.normal(0.0, 22.0, 2))
        numbers = [number for (owner, _), number in self._river.items() if owner is seat]
        spot = _MAT.spot(Slot(seat.index, Area.RIVER, 9))

        def push() -> None:
            for number in numbers:
                tile = self._lying.get(number)
                if tile is not None:
                    tile.x_mm += dx + float(self._rng.normal(0, 2))
                    tile.y_mm += dy + float(self._rng.normal(0, 2))

        self._cover(spot.x_mm, spot.y_mm, 120.0, 800, delay_ms=900)
        self._later(1300, push)

    def _cover(self, x_mm: float, y_mm: float, radius_mm: float, for_ms: int, *, delay_ms: int = 0) -> None:
        squares = frozenset(
            (column, row)
            for column in _SQUARES
            for row in _SQUARES
            if (column * COVER_MM - x_mm) ** 2 + (row * COVER_MM - y_mm) ** 2 < radius_mm**2
        )
        until_ms = self._t + delay_ms + for_ms
        self._later(delay_ms, lambda: self._covers.append(_Cover(squares, until_ms)))

    def _lying_at_end(self) -> set[int]:
        """The rivers' tiles that nobody has claimed so far."""
        claimed = {number for numbers in self._melds.values() for number in numbers}
        return set(self._river.values()) - claimed

    def _pause(self, least_ms: int, most_ms: int) -> None:
        self._t += int(self._rng.uniform(least_ms, most_ms))

    def _later(self, delay_ms: int, action: Callable[[], object]) -> None:
        self._push(self._t + delay_ms, action)

    def _push(self, at_ms: int, action: Callable[[], object]) -> None:
        heapq.heappush(self._actions, (at_ms, next(self._order), action))


def squares_of(lying: LyingTile) -> frozenset[tuple[int, int]]:
    """The squares on which a tile lies."""
    sides = (-_HALF_MM, 0.0, _HALF_MM)
    return frozenset((round((lying.x_mm + dx) / COVER_MM), round((lying.y_mm + dy) / COVER_MM)) for dx in sides for dy in sides)


def _confused_with(kind: Tile, rng: np.random.Generator, tiles: Sequence[Tile]) -> Tile:
    """A kind of the rules that looks like another: its neighbour in the suit, or another honour."""
    near = [tile for tile in set(tiles) if tile is not kind and tile.suit is kind.suit and (tile.is_honour or abs(tile - kind) == 1)]
    return sorted(near)[int(rng.integers(0, len(near)))]
