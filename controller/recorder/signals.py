"""Signals: what the decoder hears beside observations, in which order it hears all of a hand, what it learns of the deal, and what it
hands back."""

import logging
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct, structs

from controller.recorder import costs
from controller.recorder.violations import PathViolation
from twinwall.game.play_events import PlayEvent
from twinwall.game.tiles import Seat, Tile
from twinwall.game.walls import SeatWall
from twinwall.values import FrozenStruct, frozen
from twinwall.wire.shapes.panel import MOST_MS, AtMs, KeyEdge
from vision.mat_observation import MatObservation

AskedMs = Annotated[int, Meta(ge=-60_000, le=MOST_MS)]
"""The time of a question, which is somewhat earlier than what it is about."""
MatMm = Annotated[float, Meta(ge=-2000, le=2000)]
"""A coordinate from the middle of the mat."""
Degrees = Annotated[float, Meta(ge=0, le=180)]
Share = Annotated[float, Meta(ge=0, le=1)]
Square = Annotated[int, Meta(ge=-100, le=100)]
"""A column or row of squares of 20 mm from the middle of the mat."""
Count = Annotated[int, Meta(ge=0, le=2**53)]
"""A number of an event; 0 where none is known."""
MOST_SHARES = 1.0001
"""Most that the shares of one tile sum to: each is rounded to millionths."""


log = logging.getLogger(__name__)


class GateEdge(Struct, frozen=True, forbid_unknown_fields=True, tag_field="line", tag="draw", omit_defaults=True):
    """A tile passed the draw gate of a place 0 to 3; ``back``: into it again. ``event`` is the number under which the feeder tells of it;
    0 where none is known."""

    at_ms: AtMs
    place: int
    back: bool = False
    event: Count = 0


Signal = GateEdge | KeyEdge | MatObservation
"""What camera, draw gates and keys tell."""
MOST_HEARD = 10_000
"""This many of them are kept of a hand for its comparison with the deal: an hour's, some tens of MiB."""


class HeardHand(Struct):
    """All that is heard of the hand of deal ``n``."""

    n: int
    whole: list[Signal] | None = []
    """From its beginning, in the order in which decoders hear them; None where the beginning is not known."""
    waiting: list[GateEdge | KeyEdge] = []
    """Edges and keys after the last observation."""
    drawn_ms: dict[int, int] = {}
    """When the last draw of each place was sensed."""
    later_ms: int = 0
    """By so much this computer's clock lags behind that of what was kept."""
    _kept_ms: int | None = None
    """The time of the last thing kept, until something comes after it."""
    _kept_events: frozenset[tuple[int, int]] = frozenset()
    """Place and number of the edges that were kept."""

    def resume(self, kept: Iterable[Signal] | None, drawn: Iterable[int]) -> None:
        """Go on after what was kept of the hand. By the record, which is binding, tiles have left the gates of the places ``drawn``: an
        edge that was not kept in time counts as the last thing before the controller was killed."""
        if kept is None:
            self.whole = None
            return
        for signal in kept:
            self.hear(signal)
            self._kept_ms = signal.at_ms
        edges = [item for item in (*(self.whole or ()), *self.waiting) if isinstance(item, GateEdge)]
        self._kept_events = frozenset((edge.place, edge.event) for edge in edges if edge.event)
        lost = Counter(drawn)
        lost.subtract(edge.place for edge in edges if not edge.back)
        lost.update(edge.place for edge in edges if edge.back)
        self.waiting.extend(GateEdge(self._kept_ms or 0, place) for place in lost.elements())

    def knows(self, signal: Signal) -> bool:
        """Whether it is an edge that was kept: after a start the feeder tells again what the journal had not taken."""
        return isinstance(signal, GateEdge) and (signal.place, signal.event) in self._kept_events

    def in_time(self, signal: Signal) -> Signal:
        """What has come, on the clock of what was kept: that of a computer which lost power has started again."""
        if self._kept_ms is not None:
            self.later_ms = self._kept_ms + costs.MOMENT_MS - signal.at_ms if signal.at_ms <= self._kept_ms else 0
            self._kept_ms = None
        at_ms = signal.at_ms + self.later_ms
        return replace(signal, at_ms=at_ms) if isinstance(signal, MatObservation) else structs.replace(signal, at_ms=at_ms)

    def hear(self, signal: Signal) -> list[Signal]:
        """What decoders are to hear now that this has come: an observation after the edges and keys before it."""
        if not isinstance(signal, MatObservation):
            self.waiting.append(signal)
            return []
        due: list[Signal] = sorted((item for item in self.waiting if item.at_ms <= signal.at_ms), key=lambda item: item.at_ms)
        self.waiting = [item for item in self.waiting if item.at_ms > signal.at_ms]
        self.drawn_ms |= {item.place: item.at_ms for item in due if isinstance(item, GateEdge) and not item.back}
        due.append(signal)
        if self.whole is not None:
            self.whole += due
            if len(self.whole) > MOST_HEARD:
                self.whole = None
                log.warning("deal %d: the hand takes so long that it will not be compared with its deal", self.n)
        return due


@frozen
class KnownDeal:
    """What the deal says of every tile: the four walls, and the tiles of no seat."""

    walls: Mapping[Seat, SeatWall]
    rest: tuple[Tile, ...] = ()


class Grounds(FrozenStruct):
    """Why a path holds an event: when, the tracks, draw and keys that it explains, and what each part of the explanation costs in nats."""

    at_ms: int
    tracks: tuple[int, ...] = ()
    costs: tuple[tuple[str, float], ...] = ()
    edge: GateEdge | None = None
    """The draw that was sensed, of a drawn tile."""
    keys: tuple[KeyEdge, ...] = ()
    """The keys that are done with by the event: the one that called it, and those that came to nothing."""

    def has(self, reason: str) -> bool:
        """Whether this is among what the explanation costs."""
        return any(why == reason for why, _ in self.costs)

    @property
    def never_seen(self) -> bool:
        """Whether the event is a discard that no frame saw, whose kind is a guess."""
        return not self.tracks and self.has(costs.CostReason.NEVER_SEEN)

    @property
    def place_cost(self) -> float:
        """What the places of the event's tiles have cost."""
        return sum(cost for why, cost in self.costs if why == "place")


class MarginBound(StrEnum):
    """What bounds the margin of an event (docs/explanation/recording/recorder.md, "Margins and questions"), in words."""

    NOTHING = "no path that contradicts the event is near"
    RIVAL = "the nearest path that holds another event in its place"
    DROPPED = "a path that contradicts the event and was dropped"
    KIND = "what the camera says of the tile's other kinds"
    OTHER_KIND = "the camera is sure that a tile of it is of another kind, so the deal may be another one"
    NEVER_SEEN = "no frame saw the tile, so its kind is a guess"
    EXCHANGED = "discards of a seat that came to light together may have been laid in another order"
    LEFT_OPEN = "the tile may have been left open before a hand, and not discarded"
    SLOT_HIDDEN = "the seat's own discard may lie below what covers its slot"
    DISCARD_BEFORE = "the margin of the discard on which the win was declared"
    NOT_DESCRIBED = "something may have happened that no move describes, the more so the odder the explanation is"
    UNEXPLAINED = "a tile lies there, or a draw waits, without an explanation"
    NOT_SEEN_TURNED = "the shared tile was not seen turned up"
    UNFINISHED = "the observations end before the hand does"
    ORDER = "play may have gone on otherwise, or events stand in another order"
    NOT_TAKEN = "the claimed tile still lies in its river, so another claim may stand before this one"
    WON_ON_A_GUESS = "the win is on a discard that no frame saw"
    REVISED = "another event was published in its place"


@frozen
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
    bound: MarginBound = MarginBound.NOTHING
    """What sets the margin."""
    if_it_stands: float | None = None
    """What the margin would be without ``MarginBound.NOT_TAKEN``, where that sets it: if of several claims this one stands."""
    published_ms: int = 0
    """When it was published, on the table's clock; 0 while it was not."""
    left_open: tuple[PlayEvent, ...] = ()
    """What it may be as well, where no camera tells: a hand that won on another of its tiles, or a kong with a tile drawn before."""


@frozen
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
    """What is asked about where it is not an event: whether this was a violation. No player is accused of it before the answer."""
    about: str = ""
    """What is asked, in words that no other question at this number has (``decoder``)."""

    @property
    def subject(self) -> tuple[int, str]:
        """Which question of its hand it is."""
        return self.number, self.about
