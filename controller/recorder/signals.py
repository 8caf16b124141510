"""Signals: what the decoder is told beside observations, what it is told of the deal, and what it hands back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controller.recorder.costs import NEVER_SEEN
from controller.recorder.violations import PathViolation
from controller.state.keys import Key
from twinwall.game.play_events import PlayEvent
from twinwall.game.tiles import Seat, Tile
from twinwall.game.walls import SeatWall


@dataclass(frozen=True, slots=True)
class GateEdge:
    """A tile passed the draw gate of a place 0 to 3; ``back``: into it again."""

    at_ms: int
    place: int
    back: bool = False


@dataclass(frozen=True, slots=True)
class KeyEdge:
    """A key at a place was pressed."""

    at_ms: int
    place: int
    key: Key


@dataclass(frozen=True, slots=True)
class KnownDeal:
    """What the deal says of every tile: the four walls, and the tiles of no seat."""

    walls: Mapping[Seat, SeatWall]
    rest: tuple[Tile, ...] = ()


@dataclass(frozen=True, slots=True)
class Grounds:
    """Why a path holds an event: when, the tracks that it explains, and what each part of the explanation costs in nats."""

    at_ms: int
    tracks: tuple[int, ...] = ()
    costs: tuple[tuple[str, float], ...] = ()

    @property
    def never_seen(self) -> bool:
        """Whether the event is a discard that no frame saw, whose kind is a guess."""
        return any(why == NEVER_SEEN for why, _ in self.costs)


@dataclass(frozen=True, slots=True)
class Decoded:
    """One event of the best path; ``margin`` is the log-odds (nats) to the best path that contradicts it."""

    number: int
    """From 1, as in the hand record."""
    event: PlayEvent
    margin: float
    grounds: Grounds
    rival: PlayEvent | None = None
    """What the best path that contradicts it holds in its place, where it holds anything."""
    kind_in_doubt: bool = False
    """Whether the margin is that of the tile's kind, and not of what happened."""
    published_ms: int = 0
    """When it was published, on the table's clock; 0 while it was not."""


@dataclass(frozen=True, slots=True)
class Question:
    """Two paths are too close: which tile lies at a place, or which of two events happened.

    ``kinds`` are all kinds of the rules in the order of what the camera alone thinks, whatever the hands hold; empty where the two
    paths do not differ in one tile's kind. ``before_ms`` and ``after_ms`` are the frames whose pictures show the place.
    """

    number: int
    x_mm: float
    y_mm: float
    before_ms: int
    after_ms: int
    kinds: tuple[Tile, ...]
    track: int | None
    paths: tuple[PlayEvent | None, PlayEvent | None]
    margin: float
    violation: PathViolation | None = None
    """What is asked about where it is not an event: whether this was a violation. Nobody is accused of it before the answer."""
