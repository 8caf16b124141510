"""Signals: the decoder's input beside observations, its order over a hand, what is known of the deal, and the decoder's output."""

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
"""The time of a question, somewhat before its event."""
MatMm = Annotated[float, Meta(ge=-2000, le=2000)]
"""A coordinate from the middle of the mat, in mm."""
Degrees = Annotated[float, Meta(ge=0, le=180)]
Share = Annotated[float, Meta(ge=0, le=1)]
Square = Annotated[int, Meta(ge=-100, le=100)]
"""A column or row of 20 mm squares from the middle of the mat."""
Count = Annotated[int, Meta(ge=0, le=2**53)]
"""The number of an event; 0 if unknown."""
MOST_SHARES = 1.0001
"""Most that the shares of one tile sum to: each is rounded to millionths."""


log = logging.getLogger(__name__)


class GateEdge(Struct, frozen=True, forbid_unknown_fields=True, tag_field="line", tag="draw", omit_defaults=True):
    """A tile passed the draw gate of a place 0 to 3; ``back``: into it again. ``event``: the feeder's report number; 0: unknown."""

    at_ms: AtMs
    place: int
    back: bool = False
    event: Count = 0


Signal = GateEdge | KeyEdge | MatObservation
"""The reports of camera, draw gates and keys."""
MOST_HEARD = 10_000
"""Most signals kept of a hand for its comparison with the deal: an hour's, some tens of MiB."""


class HeardHand(Struct):
    """All signals of the hand of deal ``n``."""

    n: int
    whole: list[Signal] | None = []
    """The signals in the order in which decoders get them; None if the beginning is unknown."""
    waiting: list[GateEdge | KeyEdge] = []
    """Edges and keys after the last observation."""
    drawn_ms: dict[int, int] = {}
    """Time of the last sensed draw of each place."""
    later_ms: int = 0
    """This computer's clock is behind that of the kept signals by this."""
    _kept_ms: int | None = None
    """Time of the last kept signal, until another one arrives."""
    _kept_events: frozenset[tuple[int, int]] = frozenset()
    """Place and number of the kept edges."""

    def resume(self, kept: Iterable[Signal] | None, drawn: Iterable[int]) -> None:
        """Continue after the ``kept`` signals. The record is binding: tiles left the gates of the places ``drawn``, so a missing edge is
        added after the last kept signal, when the controller was killed."""
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
        """Whether this edge was kept: after a start the feeder repeats reports that the journal had not taken."""
        return isinstance(signal, GateEdge) and (signal.place, signal.event) in self._kept_events

    def in_time(self, signal: Signal) -> Signal:
        """Return the signal on the clock of the kept ones; the clock of a computer that lost power starts again."""
        if self._kept_ms is not None:
            self.later_ms = self._kept_ms + costs.MOMENT_MS - signal.at_ms if signal.at_ms <= self._kept_ms else 0
            self._kept_ms = None
        at_ms = signal.at_ms + self.later_ms
        return replace(signal, at_ms=at_ms) if isinstance(signal, MatObservation) else structs.replace(signal, at_ms=at_ms)

    def hear(self, signal: Signal) -> list[Signal]:
        """Return what decoders get now: an observation after the edges and keys before it."""
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
    """Every tile of the deal: the four walls, and the shared tiles."""

    walls: Mapping[Seat, SeatWall]
    rest: tuple[Tile, ...] = ()


class Grounds(FrozenStruct):
    """Why a path holds an event: its time, the tracks, draw and keys that it explains, and each part of its cost in nats."""

    at_ms: int
    tracks: tuple[int, ...] = ()
    costs: tuple[tuple[str, float], ...] = ()
    edge: GateEdge | None = None
    """The sensed draw of a drawn tile."""
    keys: tuple[KeyEdge, ...] = ()
    """The keys used up by the event: the one that called it, and those without effect."""

    def has(self, reason: str) -> bool:
        return bool(self.costs) and any(why == reason for why, _ in self.costs)

    @property
    def never_seen(self) -> bool:
        """Whether the event is a discard that no frame saw, so that its kind is a guess."""
        return not self.tracks and self.has(costs.CostReason.NEVER_SEEN)

    @property
    def place_cost(self) -> float:
        return sum(cost for why, cost in self.costs if why == "place")


class MarginBound(StrEnum):
    """What limits the margin of an event (docs/explanation/recording/recorder.md, "Margins and questions")."""

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
    """The event in its place on the best path that contradicts it, if any."""
    kind_in_doubt: bool = False
    """Whether the margin is that of the tile's kind, not of the event itself."""
    bound: MarginBound = MarginBound.NOTHING
    """What limits the margin."""
    if_it_stands: float | None = None
    """The margin without ``MarginBound.NOT_TAKEN``, if that limits it: the margin of this claim if it is the one that stands."""
    published_ms: int = 0
    """When it was published, on the table's clock; 0 before."""
    left_open: tuple[PlayEvent, ...] = ()
    """Other events that no camera can rule out: a hand that won on another of its tiles, or a kong with a tile drawn before."""


@frozen
class Question:
    """Two paths are too close: which tile is at a place, or which of two events happened.

    ``kinds`` are all kinds of the rules, ordered by the camera alone, whatever the hands hold; empty if the paths do not differ in one
    tile's kind. The frames at ``before_ms`` and ``after_ms`` show the place.
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
    """The possible violation that is asked about instead of an event. No player is accused of it before the answer."""
    about: str = ""
    """The subject, in words that no other question at this number has (``margins.event_questions``)."""

    @property
    def subject(self) -> tuple[int, str]:
        """Identifies the question within its hand."""
        return self.number, self.about
