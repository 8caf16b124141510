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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce

from controller.recorder.decoder import DecoderLimits, HandDecoder
from controller.recorder.observation_file import KeptSignals, Unkept, rounded
from controller.recorder.places import covered_places, nearest
from controller.recorder.signals import Decoded, GateEdge, HeardHand, KeyEdge, KnownDeal, Signal
from controller.state.decoding import HandToDecode
from controller.state.messages import DiscardDecoded, ExposureDecoded, RecordDoubted, ViolationDecoded
from controller.state.watches import (
    AwaitedDiscard,
    AwaitedHand,
    AwaitedKong,
    AwaitedMeld,
    AwaitedSharedTile,
    AwaitedWinningTile,
    Watch,
    in_slots,
)
from twinwall.game.play import PlayState
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
from twinwall.game.tiles import SEATS, Tile
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
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class DoubtedTile:
    """A tile whose kind the decoder cannot tell: what the table is told, the slot for which it was laid, all kinds in the order of what
    the camera alone thinks, and the place next to which it lies; of a discard that the decoder does not find, the kinds of which fewest
    lie open come first, and the place is that where it was due. Where ``at_mm`` is given, a picture that does not show that spot of the
    mat is of no use."""

    told: DiscardDecoded | ExposureDecoded
    asked: Slot
    kinds: tuple[Tile, ...]
    near: Slot
    at_mm: tuple[float, float] | None = None


Told = DiscardDecoded | DoubtedTile | ExposureDecoded
"""What follows from an observation, for the table."""


@dataclass
class _Followed:
    """One hand with the decoder that does not know the deal."""

    rules: RuleSet
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
    asked: dict[Slot, int] = field(default_factory=dict)
    """The tracks of the tiles that the referee is asked about, by the slots for which they were laid."""

    @property
    def play(self) -> PlayState:
        """Where the hand stands by the table's record."""
        return reduce(self.rules.apply, self.hand.events, self.rules.start())

    def due(self, watch: Watch) -> Slot:
        """Where the awaited discard is to lie."""
        assert isinstance(watch.awaited, AwaitedDiscard)
        return Slot(self.hand.deal.place(watch.awaited.seat), Area.RIVER, watch.awaited.river_place)

    def anchor(self, watch: Watch) -> bool:
        """Set the decoder on the table's record; whether that was possible."""
        drawn_ms = self.heard.drawn_ms
        own = isinstance(watch.awaited, AwaitedDiscard)
        last_ms = drawn_ms.get(self.hand.deal.place(watch.awaited.seat), 0) if own else max(drawn_ms.values(), default=0)
        if not self.decoder.anchor(self.hand.events, last_ms):
            return False
        self.anchored = watch
        return True

    def answer(self) -> None:
        """What the referee has said of tiles is evidence; where no path holds it, all that lies there beside the record is weighed anew."""
        for slot in sorted(self.asked.keys() & self.hand.answers.keys()):
            track, tile = self.asked.pop(slot), self.hand.answers[slot]
            self.decoder.tile_answered(track, tile)
            if self.decoder.kind_of(track) is not tile and self.hand.awaited is not None:
                self.anchor(self.hand.awaited)


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

    def follow(self, hand: HandToDecode | None) -> HandReview | None:
        """The table's record is so far. At the end of a hand that was seen from its beginning: what there is to compare with the deal."""
        followed = self._followed
        if followed is not None and hand is not None and followed.hand.deal.n == hand.deal.n:
            followed.hand = hand
            followed.answer()
            return self._close(followed) if hand.closed else None
        self._followed = None
        if hand is None or (hand.closed and hand.deal.n == self._reviewed):
            return None
        followed = _Followed(self._rules, hand, _decoder(self._rules, self._mat, hand), HeardHand(hand.deal.n))
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

    def lies_at(self, index: int) -> Slot | None:
        """The place of a river or of melds that is nearest to the first tile of an event of the record; None where it is not known."""
        followed = self._followed
        if followed is None or followed.decoder.searching:
            return None
        best = followed.decoder.best()
        if agreeing(best, followed.hand.events) <= index or not best[index].grounds.tracks:
            return None
        slots = (slot for place in range(len(SEATS)) for area in (Area.RIVER, Area.MELD) for slot in self._mat.slots(place, area))
        return nearest(self._mat, slots, followed.decoder.tracks[best[index].grounds.tracks[0]])

    @property
    def hand(self) -> HandToDecode | None:
        """The hand that is decoded."""
        return None if self._followed is None else self._followed.hand

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
            return self._untold(followed, watch) if doubts and not watch.slots else None
        discard, certain = found
        assert isinstance(discard.event, TileDiscarded)
        if not certain and not doubts:
            return None
        (followed.told if certain else followed.doubted).add(watch)
        track = followed.decoder.tracks[discard.grounds.tracks[0]]
        told = DiscardDecoded(watch, discard.event.tile if certain else None, tuple(covered_places(self._mat, track)))
        if certain:
            return told
        log.info("%s: the decoder is not certain (margin %.1f, %s)", watch.label, discard.margin, discard.grounds.costs)
        rivers = [slot for place in range(len(SEATS)) for slot in self._mat.slots(place, Area.RIVER)]
        return DoubtedTile(told, followed.due(watch), track.evidence.by_camera(), nearest(self._mat, rivers, track))

    def _anchors(self, followed: _Followed, best: Sequence[Decoded], watch: Watch) -> bool:
        """Set the decoder on the table's record where it holds another hand, once for each watch; whether that was done."""
        events = followed.hand.events
        return agreeing(best, events) < len(events) and followed.anchored != watch and followed.anchor(watch)

    def _exposure(self, followed: _Followed, best: Sequence[Decoded], watch: Watch, waited_ms: int) -> ExposureDecoded | DoubtedTile | None:
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
            covers = {cover for track in found.grounds.tracks for cover in covered_places(self._mat, followed.decoder.tracks[track])}
            return ExposureDecoded(watch, found.event, tuple(sorted(covers)))
        if waited_ms < DOUBT_MS or watch in followed.doubted:
            return None
        followed.doubted.add(watch)
        log.info("%s: the decoder is not certain (margin %.1f, %s)", watch.label, found.margin, found.grounds.costs)
        return self._doubted_exposure(followed, watch, found)

    def _doubted_exposure(self, followed: _Followed, watch: Watch, found: Decoded) -> ExposureDecoded | DoubtedTile:
        """What was laid is not certain: its tile of which the camera is least sure, where that is what is in doubt and a picture can show
        it; else the staff look at the table."""
        tracks = [each for number in found.grounds.tracks if (each := followed.decoder.tracks[number]).face_up]
        track = min(tracks, key=lambda each: each.evidence.margin, default=None)
        kind = None if track is None else followed.decoder.kind_of(track.id)
        if track is None or kind is None or track.evidence.margin >= DecoderLimits().publish:
            return ExposureDecoded(watch, None)
        place = followed.hand.deal.place(watch.awaited.seat)
        laid = in_slots(watch, followed.play, place, found.event)
        asked = next((slot for slot, tile in laid.items() if tile is kind and slot not in watch.answered), None)
        if asked is None:
            return ExposureDecoded(watch, None)
        followed.asked[asked] = track.id
        near = nearest(self._mat, self._shown_slots(place, watch), track)
        return DoubtedTile(ExposureDecoded(watch, None, asked=asked), asked, track.evidence.by_camera(), near, (track.x_mm, track.y_mm))

    def _shown_slots(self, place: int, watch: Watch) -> list[Slot]:
        """The slots of which pictures may be shown: rivers and melds; where a hand is to be shown, its own as well."""
        areas = [(each, area) for each in range(len(SEATS)) for area in (Area.RIVER, Area.MELD)]
        areas += [(place, area) for area in (Area.HAND, Area.WIN) if isinstance(watch.awaited, AwaitedHand)]
        return [slot for each, area in areas for slot in self._mat.slots(each, area)]

    def _untold(self, followed: _Followed, watch: Watch) -> DoubtedTile:
        """Nobody else could tell this discard, and the decoder does not find any: the referee is shown the place where it was due. It may
        be any tile that lies on a place where the record has none, so no discard is awaited there."""
        followed.doubted.add(watch)
        due = followed.due(watch)
        lying = (track for track in followed.decoder.tracks.lying if track.face_up)
        covers = {cover for track in lying for cover in covered_places(self._mat, track)} - self._taken_places(followed)
        return DoubtedTile(DiscardDecoded(watch, None, tuple(sorted(covers))), due, followed.decoder.unseen_kinds(), due)

    def _taken_places(self, followed: _Followed) -> set[tuple[int, int]]:
        """The places of rivers on which the record has a discard."""
        play = followed.play
        rivers = ((followed.hand.deal.place(seat), play.seat(seat)) for seat in SEATS)
        return {(place, own.place_of(number)) for place, own in rivers for number, tile in enumerate(own.river) if tile.claimed_by is None}

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
