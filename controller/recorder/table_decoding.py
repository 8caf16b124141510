"""Table decoding: follows the hands of a running table with two decoders.

The one without the deal names discards that lie astray, melds and hands laid anywhere, and violations. The one with the deal reads
the hand once it is over, from all that was heard of it, and may doubt the record. It does nothing before: how long it takes depends on
concealed tiles, and would change the moment at which the other one tells. What is heard is kept outside this process as well: after a
controller was killed the first decoder goes on from the table's record, and the second one has the whole hand.

Signals may come late or out of order, from several threads; an observation is joined after the edges and keys before it. Time is
that of the observations.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from controller.recorder.decoder import DecoderLimits, HandDecoder
from controller.recorder.observation_file import rounded
from controller.recorder.signals import Decoded, GateEdge, HeardHand, KeyEdge, KnownDeal, Signal
from controller.recorder.tracks import Track
from controller.state.decoding import HandToDecode
from controller.state.messages import DiscardDecoded, ExposureDecoded, RecordDoubted, ViolationDecoded
from controller.state.open_deal import OpenDeal
from controller.state.watches import AwaitedDiscard, AwaitedHand, AwaitedKong, AwaitedMeld, AwaitedSharedTile, AwaitedWinningTile, Watch
from twinwall.game.play_events import (
    Claimed,
    ClaimsPassed,
    HandLaidOpen,
    HandShown,
    KongDeclared,
    PlayEvent,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
)
from twinwall.game.rule_set import RuleSet
from twinwall.game.rulings import HandRuledDead, PenaltyRuled, ResultExcluded
from twinwall.game.tiles import SEATS, Seat, Tile
from vision.mat import Area, Mat, Slot
from vision.mat_observation import MatObservation

PATIENCE_MS = 1500
"""So long the table's own reader has for a discard before the decoder tells of it."""
DOUBT_MS = 10_000
"""A discard of which the decoder is still not certain after that long is told of as one that it cannot tell."""
Exposure = Claimed | KongDeclared | WinDeclared | HandShown | HandLaidOpen | TileDiscarded
_LAID: Mapping[type, tuple[type[Exposure], ...]] = {
    AwaitedMeld: (Claimed,),
    AwaitedKong: (KongDeclared, TileDiscarded),
    AwaitedWinningTile: (WinDeclared, TileDiscarded),
    AwaitedHand: (HandShown, HandLaidOpen),
    AwaitedSharedTile: (),
}
"""The events by which a watch for anything but a discard is answered."""
_RULED = (HandRuledDead, PenaltyRuled, ResultExcluded)
"""A record with one of these holds what no decoder can see."""
_COVERED_SHARE = 0.25
"""A tile lies on a place when it covers more than this share of it along each side."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class DoubtedDiscard:
    """A discard whose kind the decoder cannot tell: what the table is told, all kinds in the order of what the camera alone thinks, and
    the place of a river next to which it lies. Of one that the decoder does not find, the kinds of which fewest lie open come first, and
    the place is that where it was due."""

    told: DiscardDecoded
    kinds: tuple[Tile, ...]
    near: Slot


Told = DiscardDecoded | DoubtedDiscard | ExposureDecoded
"""What follows from an observation, for the table."""


class KeptSignals(Protocol):
    """Keeps what is heard of the hand in play where a controller that is killed finds it again."""

    def begin(self, deal: OpenDeal) -> None:
        """A hand begins."""
        ...

    def add(self, signal: Signal) -> None:
        """Keep this of it."""
        ...

    def resume(self, deal: OpenDeal) -> tuple[Signal, ...] | None:
        """What was kept of a hand, which is gone on with; None where its beginning was not kept."""
        ...

    def forget(self, n: int) -> None:
        """The hand of deal ``n`` has been compared with it."""
        ...


class Unkept:
    """A table whose controller begins anew with what it hears."""

    def begin(self, deal: OpenDeal) -> None:
        """Keep nothing."""

    def add(self, signal: Signal) -> None:
        """Keep nothing."""

    def resume(self, deal: OpenDeal) -> None:
        """Nothing was kept."""

    def forget(self, n: int) -> None:
        """There is nothing to forget."""


@dataclass
class _Followed:
    """One hand with the decoder that does not know the deal."""

    hand: HandToDecode
    decoder: HandDecoder
    heard: HeardHand
    awaited: Watch | None = None
    awaited_ms: int = 0
    """Since when the table has waited for that discard."""
    told: set[Watch] = field(default_factory=set)
    """The watches for which a discard has been told that is certain."""
    exposed: set[tuple[Watch, PlayEvent]] = field(default_factory=set)
    """What has been told of melds, kongs and hands; the table may refuse one, and another is told then."""
    doubted: set[Watch] = field(default_factory=set)
    """The watches for which something doubted has been told; what is certain later is told as well."""
    anchored: Watch | None = None
    """The watch for whose discard the decoder was last set on the table's record."""
    violations: set[int] = field(default_factory=set)
    """The marks of the violations that the decoder has told."""


@dataclass(frozen=True, slots=True)
class ReviewedHand:
    """How far a hand decoded with its deal agrees with the record (events from the first one on), and what is doubted. ``margin`` is that
    of the first event that is read otherwise; None where there is none, or the referee has ruled on the hand."""

    agreed: int
    margin: float | None = None
    doubt: RecordDoubted | None = None


@dataclass(frozen=True)
class HandReview:
    """A hand that is over, as it was seen from its beginning, before it is compared with the deal."""

    rules: RuleSet
    mat: Mat
    hand: HandToDecode
    heard: tuple[Signal, ...]

    def compare(self) -> ReviewedHand:
        """Decode the hand with its deal, which takes seconds: where the decoder is certain of another event than the record's first."""
        deal, events = self.hand.deal, self.hand.events
        decoder = _decoder(self.rules, self.mat, self.hand, KnownDeal(deal.walls, deal.rest))
        for item in self.heard:
            _join(decoder, item)
        known = decoder.finish()
        agreed = agreeing(known, events)
        if agreed == len(known) or any(isinstance(event, _RULED) for event in events):
            return ReviewedHand(agreed)
        read, held = known[agreed], events[agreed] if agreed < len(events) else None
        certain = read.margin >= DecoderLimits().publish
        return ReviewedHand(agreed, read.margin, RecordDoubted(deal.n, agreed + 1, held, read.event, read.margin) if certain else None)


class TableDecoding:
    """Follows the hands of one table, from one thread."""

    def __init__(self, rules: RuleSet, mat: Mat | None = None, kept: KeptSignals | None = None) -> None:
        self._rules, self._mat, self._kept = rules, mat or Mat(), kept or Unkept()
        self._followed: _Followed | None = None
        self._reviewed: int | None = None
        """The deal whose hand was last given to be compared."""

    @property
    def back(self) -> int | None:
        """The number of the backs of the set in play, where that is known."""
        return None if self._followed is None else self._followed.hand.back

    @property
    def follows(self) -> bool:
        """Whether a hand is being decoded."""
        return self._followed is not None

    def place_of(self, seat: Seat) -> int | None:
        """Where a seat sits in the hand that is decoded."""
        return None if self._followed is None else self._followed.hand.deal.place(seat)

    def follow(self, hand: HandToDecode | None) -> HandReview | None:
        """The table's record is so far. At the end of a hand that was seen from its beginning: what there is to compare with the deal."""
        followed = self._followed
        if followed is not None and hand is not None and followed.hand.deal.n == hand.deal.n:
            followed.hand = hand
            return self._close(followed) if hand.closed else None
        self._followed = None
        if hand is None or (hand.closed and hand.deal.n == self._reviewed):
            return None
        followed = _Followed(hand, _decoder(self._rules, self._mat, hand), HeardHand(hand.deal.n))
        if hand.events or hand.closed:
            self._resume(followed)
        else:
            self._kept.begin(hand.deal)
        if hand.closed:
            return self._review(followed)
        self._followed = followed
        return None

    def compared(self, n: int) -> None:
        """The hand of deal ``n`` has been compared with it, or cannot be; from any thread."""
        self._kept.forget(n)

    def told(self, signal: GateEdge | KeyEdge) -> None:
        """A tile passed a draw gate, or a key was pressed."""
        followed = self._followed
        if followed is not None and not followed.heard.knows(signal):
            self._hear(followed, signal)

    def see(self, observation: MatObservation) -> Told | None:
        """Join one observation; the awaited discard, where the table's own reader has not seen it for a while."""
        followed = self._followed
        if followed is None:
            return None
        for signal in self._hear(followed, rounded(observation)):
            _join(followed.decoder, signal)
        return self._awaited_discard(followed, observation.at_ms + followed.heard.later_ms)

    def violations(self) -> tuple[ViolationDecoded, ...]:
        """The violations that the last observation has made certain; none while the decoder holds another hand than the table's record,
        because what it cannot explain then proves nothing."""
        followed = self._followed
        if followed is None:
            return ()
        fresh = {mark: found for mark, found in followed.decoder.told_violations.items() if mark not in followed.violations}
        if not fresh:
            return ()
        followed.violations |= set(fresh)
        deal, events = followed.hand.deal, followed.hand.events
        shown = len(events) - (bool(events) and isinstance(events[-1], ClaimsPassed))
        if agreeing(followed.decoder.best(), events) < shown:
            log.info("deal %d: a violation is not told, since the decoder does not hold the table's record", deal.n)
            return ()
        violations = (found.violation for found in fresh.values())
        return tuple(ViolationDecoded(deal.n, violation.seat, violation.kind.value) for violation in violations)

    def _awaited_discard(self, followed: _Followed, now_ms: int) -> Told | None:
        watch = followed.hand.awaited
        if watch != followed.awaited:
            followed.awaited, followed.awaited_ms = watch, now_ms
        waited_ms = now_ms - followed.awaited_ms
        if watch is None or waited_ms < PATIENCE_MS or watch in followed.told or followed.decoder.searching:
            return None
        best = followed.decoder.best()
        if self._anchors(followed, best, watch):
            return None
        if not isinstance(watch.awaited, AwaitedDiscard):
            return self._exposure(followed, best, watch, waited_ms)
        found = _next_discard(followed, best, watch)
        doubts = waited_ms >= DOUBT_MS and watch not in followed.doubted
        if found is None:
            return self._untold(followed, watch, watch.awaited.river_place) if doubts and not watch.slots else None
        discard, certain = found
        assert isinstance(discard.event, TileDiscarded)
        if not certain and not doubts:
            return None
        (followed.told if certain else followed.doubted).add(watch)
        track = followed.decoder.tracks[discard.grounds.tracks[0]]
        told = DiscardDecoded(watch, discard.event.tile if certain else None, tuple(self._covers(track)))
        if certain:
            return told
        log.info("%s: the decoder is not certain (margin %.1f, %s)", watch.label, discard.margin, discard.grounds.costs)
        return DoubtedDiscard(told, track.evidence.by_camera(), self._near(track))

    def _anchors(self, followed: _Followed, best: Sequence[Decoded], watch: Watch) -> bool:
        """Set the decoder on the table's record where it holds another hand, once for each watch; whether that was done."""
        events, drawn_ms = followed.hand.events, followed.heard.drawn_ms
        if agreeing(best, events) == len(events) or followed.anchored == watch:
            return False
        own = isinstance(watch.awaited, AwaitedDiscard)
        last_ms = drawn_ms.get(followed.hand.deal.place(watch.awaited.seat), 0) if own else max(drawn_ms.values(), default=0)
        if not followed.decoder.anchor(events, last_ms):
            return False
        followed.anchored = watch
        return True

    def _exposure(self, followed: _Followed, best: Sequence[Decoded], watch: Watch, waited_ms: int) -> ExposureDecoded | None:
        """What the awaited seat has laid open, where the best path holds the table's record and then that."""
        if isinstance(watch.awaited, AwaitedHand):
            found = followed.decoder.shown_hand(followed.hand.events, watch.awaited.seat)
        else:
            found = _next_event(followed, best)
        if found is None or not isinstance(found.event, _LAID[type(watch.awaited)]) or found.event.seat is not watch.awaited.seat:
            return None
        if found.margin >= DecoderLimits().publish:
            if (watch, found.event) in followed.exposed:
                return None
            followed.exposed.add((watch, found.event))
            covers = {cover for track in found.grounds.tracks for cover in self._covers(followed.decoder.tracks[track])}
            return ExposureDecoded(watch, found.event, tuple(sorted(covers)))
        if waited_ms < DOUBT_MS or watch in followed.doubted:
            return None
        followed.doubted.add(watch)
        log.info("%s: the decoder is not certain (margin %.1f, %s)", watch.label, found.margin, found.grounds.costs)
        return ExposureDecoded(watch, None)

    def _untold(self, followed: _Followed, watch: Watch, number: int) -> DoubtedDiscard:
        """Nobody else could tell this discard, and the decoder does not find any: the referee is shown the place where it was due. It may
        be any tile that lies on a place where the record has none, so no discard is awaited there."""
        followed.doubted.add(watch)
        due = Slot(followed.hand.deal.place(watch.awaited.seat), Area.RIVER, number)
        lying = (track for track in followed.decoder.tracks.lying if track.face_up)
        covers = {cover for track in lying for cover in self._covers(track)} - self._taken_places(followed)
        return DoubtedDiscard(DiscardDecoded(watch, None, tuple(sorted(covers))), followed.decoder.unseen_kinds(), due)

    def _taken_places(self, followed: _Followed) -> set[tuple[int, int]]:
        """The places of rivers on which the record has a discard."""
        play = self._rules.start()
        for event in followed.hand.events:
            play = self._rules.apply(play, event)
        rivers = ((followed.hand.deal.place(seat), play.seat(seat)) for seat in SEATS)
        return {(place, own.place_of(number)) for place, own in rivers for number, tile in enumerate(own.river) if tile.claimed_by is None}

    def _near(self, track: Track) -> Slot:
        """The place of a river that is nearest to a tile."""
        slots = [slot for place in range(len(SEATS)) for slot in self._mat.slots(place, Area.RIVER)]
        spots = {slot: self._mat.spot(slot) for slot in slots}
        return min(slots, key=lambda slot: math.hypot(track.x_mm - spots[slot].x_mm, track.y_mm - spots[slot].y_mm))

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

    def _hear(self, followed: _Followed, signal: Signal) -> list[Signal]:
        """Keep what has come; what the decoder is to be told now."""
        signal = followed.heard.in_time(signal)
        if followed.heard.whole is not None:
            self._kept.add(signal)
        return followed.heard.hear(signal)

    def _resume(self, followed: _Followed) -> None:
        """The controller has started in the middle of a hand, or after it."""
        deal, events = followed.hand.deal, followed.hand.events
        kept = self._kept.resume(deal)
        followed.heard.resume(kept, [deal.place(event.seat) for event in events if isinstance(event, TileDrawn)])
        if not followed.hand.closed:
            known = "is not known, so it is not compared with its deal" if kept is None else "was kept"
            log.info("deal %d is in play already: its hand is decoded from the table's record on; its beginning %s", deal.n, known)

    def _review(self, followed: _Followed) -> HandReview | None:
        """What there is to compare with the deal."""
        self._reviewed, heard = followed.hand.deal.n, followed.heard.whole
        return None if heard is None else HandReview(self._rules, self._mat, followed.hand, tuple(heard))

    def _close(self, followed: _Followed) -> HandReview | None:
        """The hand is over: how far the decoder agrees with the table's record, and what there is to compare with the deal."""
        self._followed = None
        deal, events = followed.hand.deal, followed.hand.events
        same = agreeing(followed.decoder.finish(), events)
        log.info("deal %d: the decoder without the deal agrees with the first %d of %d events of the record", deal.n, same, len(events))
        return self._review(followed)


def _decoder(rules: RuleSet, mat: Mat, hand: HandToDecode, known: KnownDeal | None = None) -> HandDecoder:
    return HandDecoder(rules, {seat: hand.deal.place(seat) for seat in SEATS}, hand.deal.round, known, mat=mat)


def _join(decoder: HandDecoder, item: Signal) -> None:
    match item:
        case MatObservation():
            decoder.see(item)
        case GateEdge():
            decoder.draw_sensed(item)
        case KeyEdge():
            decoder.key_pressed(item)


def _next_discard(followed: _Followed, best: Sequence[Decoded], watch: Watch) -> tuple[Decoded, bool] | None:
    """The event after the table's record on the best path, where that holds the record and then a discard of the awaited seat; and
    whether it has been published, and is as certain still."""
    found = _next_event(followed, best)
    if (
        found is None
        or not isinstance(found.event, TileDiscarded)
        or found.event.seat is not watch.awaited.seat
        or not found.grounds.tracks
    ):
        return None
    published = followed.decoder.published.get(found.number)
    certain = published is not None and published.event == found.event and found.margin >= DecoderLimits().publish
    return found, certain


def _next_event(followed: _Followed, best: Sequence[Decoded]) -> Decoded | None:
    """The event after the table's record on the best path, where that holds the record."""
    events = followed.hand.events
    return best[len(events)] if len(best) > len(events) and agreeing(best, events) == len(events) else None


def agreeing(decoded: Sequence[Decoded], events: Sequence[PlayEvent]) -> int:
    """How many events from the first one on are the same in both."""
    pairs = enumerate(zip(decoded, events, strict=False))
    return next((index for index, (one, event) in pairs if one.event != event), min(len(decoded), len(events)))
