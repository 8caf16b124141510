"""Table decoding: follows the hands of a running table with a decoder that does not know the deal, and names discards that lie astray.

Signals may come late or out of order, from several threads; an observation is joined after the edges and keys before it. Time is
that of the observations.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from controller.recorder.decoder import DecoderLimits, HandDecoder
from controller.recorder.signals import Decoded, GateEdge, KeyEdge
from controller.recorder.tracks import Track
from controller.state.decoding import HandToDecode
from controller.state.messages import DiscardDecoded
from controller.state.watches import Watch
from twinwall.game.play_events import PlayEvent, TileDiscarded
from twinwall.game.rule_set import RuleSet
from twinwall.game.tiles import SEATS
from vision.mat import Area, Mat
from vision.mat_observation import MatObservation

PATIENCE_MS = 1500
"""So long the table's own reader has for a discard before the decoder tells of it."""
DOUBT_MS = 10_000
"""A discard of which the decoder is still not certain after that long is told of as one that it cannot tell."""
_COVERED_SHARE = 0.25
"""A tile lies on a place when it covers more than this share of it along each side."""

log = logging.getLogger(__name__)


@dataclass
class _Followed:
    """One hand with its decoder, which does not know the deal."""

    hand: HandToDecode
    decoder: HandDecoder
    waiting: list[GateEdge | KeyEdge] = field(default_factory=list)
    """Edges and keys after the last observation."""
    awaited: Watch | None = None
    awaited_ms: int = 0
    """Since when the table has waited for that discard."""
    told: set[Watch] = field(default_factory=set)
    """The watches whose discard has been told."""
    anchored: Watch | None = None
    """The watch for whose discard the decoder was last set on the table's record."""
    drawn_ms: dict[int, int] = field(default_factory=dict)
    """When the last draw of each place was sensed."""


class TableDecoding:
    """Follows the hands of one table, from one thread."""

    def __init__(self, rules: RuleSet, mat: Mat | None = None) -> None:
        self._rules, self._mat = rules, mat or Mat()
        self._followed: _Followed | None = None

    @property
    def back(self) -> int | None:
        """The number of the backs of the set in play, where that is known."""
        return None if self._followed is None else self._followed.hand.back

    @property
    def follows(self) -> bool:
        """Whether a hand is being decoded."""
        return self._followed is not None

    def follow(self, hand: HandToDecode | None) -> DiscardDecoded | None:
        """The table's record is so far; a hand is decoded from its beginning or not at all.

        Of a hand that is not decoded, the discard cannot be told that the decoder alone could tell.
        """
        followed = self._followed
        if followed is not None and hand is not None and followed.hand.deal.n == hand.deal.n:
            followed.hand = hand
            if hand.closed:
                self._close(followed)
            return None
        self._followed = None
        if hand is None or hand.closed:
            return None
        if hand.events:
            log.info("deal %d: its hand is not decoded from here on", hand.deal.n)
            return None if hand.awaited is None or hand.awaited.slots else DiscardDecoded(hand.awaited, None)
        places = {seat: hand.deal.place(seat) for seat in SEATS}
        self._followed = _Followed(hand, HandDecoder(self._rules, places, hand.deal.round, None))
        return None

    def told(self, signal: GateEdge | KeyEdge) -> None:
        """A tile passed a draw gate, or a key was pressed."""
        if self._followed is not None:
            self._followed.waiting.append(signal)

    def see(self, observation: MatObservation) -> DiscardDecoded | None:
        """Join one observation; the awaited discard, where the table's own reader has not seen it for a while."""
        followed = self._followed
        if followed is None:
            return None
        for signal in sorted(followed.waiting, key=lambda signal: signal.at_ms):
            if signal.at_ms <= observation.at_ms:
                _join(followed, signal)
        followed.waiting = [signal for signal in followed.waiting if signal.at_ms > observation.at_ms]
        followed.decoder.see(observation)
        return self._awaited_discard(followed, observation.at_ms)

    def _awaited_discard(self, followed: _Followed, now_ms: int) -> DiscardDecoded | None:
        watch = followed.hand.awaited
        if watch != followed.awaited:
            followed.awaited, followed.awaited_ms = watch, now_ms
        waited_ms = now_ms - followed.awaited_ms
        if watch is None or waited_ms < PATIENCE_MS or watch in followed.told:
            return None
        events = followed.hand.events
        best = followed.decoder.best()
        if agreeing(best, events) < len(events) and followed.anchored != watch:
            if followed.decoder.anchor(events, followed.drawn_ms.get(followed.hand.deal.place(watch.awaited.seat), 0)):
                followed.anchored = watch
            return None
        found = _next_discard(followed, best, watch)
        if found is None:
            return None
        discard, certain = found
        if certain and isinstance(discard.event, TileDiscarded):
            followed.told.add(watch)
            track = followed.decoder.tracks[discard.grounds.tracks[0]]
            return DiscardDecoded(watch, discard.event.tile, tuple(self._covers(track)))
        if waited_ms < DOUBT_MS:
            return None
        followed.told.add(watch)
        log.info("%s: the decoder is not certain (margin %.1f, %s)", watch.label, discard.margin, discard.grounds.costs)
        return DiscardDecoded(watch, None)

    def _covers(self, track: Track) -> Iterator[tuple[int, int]]:
        """The places of rivers on which a tile lies."""
        most = (1 - _COVERED_SHARE) * self._mat.tile_width_mm, (1 - _COVERED_SHARE) * self._mat.tile_height_mm
        for place in range(len(SEATS)):
            for slot in self._mat.slots(place, Area.RIVER):
                spot = self._mat.spot(slot)
                off = abs(track.x_mm - spot.x_mm), abs(track.y_mm - spot.y_mm)
                across, along = off if place % 2 == 0 else off[::-1]
                if across < most[0] and along < most[1]:
                    yield place, slot.index

    def _close(self, followed: _Followed) -> None:
        """The hand is over: how far the decoder agrees with the table's record."""
        self._followed = None
        same, events = agreeing(followed.decoder.finish(), followed.hand.events), followed.hand.events
        log.info("deal %d: the decoder agrees with the first %d of %d events of the record", followed.hand.deal.n, same, len(events))


def _join(followed: _Followed, signal: GateEdge | KeyEdge) -> None:
    if isinstance(signal, GateEdge):
        followed.decoder.draw_sensed(signal)
        if not signal.back:
            followed.drawn_ms[signal.place] = signal.at_ms
    else:
        followed.decoder.key_pressed(signal)


def _next_discard(followed: _Followed, best: Sequence[Decoded], watch: Watch) -> tuple[Decoded, bool] | None:
    """The event after the table's record on the best path, where that holds the record and then a discard of the awaited seat; and
    whether it has been published, and is as certain still."""
    events = followed.hand.events
    if len(best) <= len(events) or agreeing(best, events) < len(events):
        return None
    found = best[len(events)]
    if not isinstance(found.event, TileDiscarded) or found.event.seat is not watch.awaited.seat:
        return None
    published = followed.decoder.published.get(found.number)
    certain = published is not None and published.event == found.event and found.margin >= DecoderLimits().publish
    return found, certain


def agreeing(decoded: Sequence[Decoded], events: Sequence[PlayEvent]) -> int:
    """How many events from the first one on are the same in both."""
    pairs = enumerate(zip(decoded, events, strict=False))
    return next((index for index, (one, event) in pairs if one.event != event), min(len(decoded), len(events)))
