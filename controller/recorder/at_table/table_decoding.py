"""Table decoding: follows the hands of a running table with two decoders.

The decoder without the deal finds stray discards, melds and hands anywhere on the mat, and violations. The one with the deal reads the
whole hand from its signals after the end, and may doubt the record. It does nothing before: its time depends on concealed tiles, and would
shift the moment at which the other one reports. Signals are also kept on disk: after a restart the first decoder continues from the table's
record, and the second one has the whole hand.

Signals may come late, out of order and from several threads; an observation is joined after the edges and keys before it. Time is that of
the observations.

A controller that starts again asks whether the last discard is still on the mat, since a seat may have taken it meanwhile. It is if every
tile of the record is found and either that discard is near its place or no other face-up tile is there: a claimed tile is in a meld, with
tiles that the record lacks.
"""

import logging
from collections.abc import Sequence

from controller.recorder import costs
from controller.recorder.at_table.followed_hand import FollowedHand, HandReview, agreeing, decoder_of
from controller.recorder.at_table.kept_observations import KeptObservations
from controller.recorder.at_table.reported_tiles import PicturedPlace, Report, called_aloud, report_at
from controller.recorder.hypothesis import TileRole
from controller.recorder.moves.candidates import against
from controller.recorder.observation_file import rounded
from controller.recorder.places import is_beside, nearest, slots_of
from controller.recorder.signals import GateEdge, HeardHand, Signal
from controller.recorder.tracks import Track
from controller.recorder.violations import PathViolation
from controller.state.messages import CallDecoded, TilesDecoded, ViolationDecoded
from controller.state.watches import Awaited, HandToDecode
from twinwall.game.play_events import Claimed, ClaimsPassed, PlayEvent, TileDiscarded, TileDrawn
from twinwall.game.rule_set import RuleSet
from twinwall.game.tiles import SEATS
from twinwall.values import frozen
from twinwall.wire.shapes.panel import KeyEdge
from vision.mat import Area, Mat, Slot
from vision.mat_observation import MatObservation

log = logging.getLogger(__name__)


@frozen
class LocatedViolation:
    """A violation and the place of a river or of melds nearest to its first tile, if there is one."""

    report: ViolationDecoded
    place: PicturedPlace | None = None


class TableDecoding:
    """Follows the hands of one table, from one thread.

    Without sensed draws (``gates`` False) people report that a seat has drawn, and a tile may be discarded before they do. So decoders get
    no draws, assume one when a discard follows, and accuse no player.
    """

    def __init__(self, rules: RuleSet, mat: Mat | None = None, kept: KeptObservations | None = None, *, gates: bool = True) -> None:
        self._rules, self.mat, self._kept, self._gates = rules, mat or Mat(), kept, gates
        self._followed: FollowedHand | None = None
        self._reviewed: int | None = None
        """The deal of the hand last returned for comparison."""

    def take_record(self, hand: HandToDecode | None, now_ms: int | None = None) -> HandReview | None:
        """Take the record, known at ``now_ms`` (None: last observation). After a hand seen from its beginning, return its review."""
        followed = self._followed
        if followed is not None and hand is not None and followed.hand.deal.n == hand.deal.n:
            if len(hand.events) > len(followed.hand.events) and isinstance(hand.events[-1], ClaimsPassed):
                known_ms = followed.seen_ms if now_ms is None else now_ms + followed.heard.later_ms
                followed.passed_ms = max(followed.seen_ms, known_ms)
            followed.take_record(hand)
            return self._close(followed) if hand.closed else None
        self._followed = None
        if hand is None or (hand.closed and hand.deal.n == self._reviewed):
            return None
        decoder = decoder_of(self._rules, self.mat, hand, gates=self._gates)
        followed = FollowedHand(self._rules, self.mat, hand, decoder, HeardHand(hand.deal.n))
        if hand.events or hand.closed:
            self._resume(followed)
        elif self._kept is not None:
            self._kept.begin(hand.deal)
        if hand.closed:
            return self._review(followed)
        self._followed = followed
        return None

    def compared(self, n: int) -> None:
        """The hand of deal ``n`` has been compared, or cannot be; may be called from any thread."""
        if self._kept is not None:
            self._kept.forget(n)

    def hear(self, signal: GateEdge | KeyEdge) -> None:
        followed = self._followed
        if not self._gates and isinstance(signal, GateEdge):
            return
        if followed is not None and not followed.heard.knows(signal):
            self._hear(followed, signal)

    def see(self, observation: MatObservation) -> Report | None:
        """Join one observation; return the awaited tiles if the table's own reader has not seen them for a while."""
        followed = self._followed
        if followed is None:
            return None
        for signal in self._hear(followed, rounded(observation)):
            followed.decoder.hear(signal)
        followed.seen_ms = max(followed.seen_ms, observation.at_ms + followed.heard.later_ms)
        return report_at(followed, observation.at_ms + followed.heard.later_ms)

    def lies_at(self, index: int) -> Slot | None:
        """Return the place of a river or of melds nearest to the first tile of a recorded event; None if unknown."""
        followed = self._followed
        if followed is None or followed.decoder.searching:
            return None
        best = followed.decoder.best()
        if agreeing(followed.decoder.held, followed.hand.events) <= index or not best[index].grounds.tracks:
            return None
        return self._near(followed.decoder.tracks[best[index].grounds.tracks[0]])

    def _near(self, track: Track) -> Slot:
        """Return the place of a river or of melds nearest to a tile; no picture of other places is shown, since hands stand there."""
        return nearest(self.mat, slots_of(self.mat, Area.RIVER, Area.MELD), track)

    def next_places(self) -> tuple[Slot, ...]:
        """Return the next place of each seat's river by the table's record, as far as the mat has one."""
        followed = self._followed
        if followed is None:
            return ()
        play, deal = followed.play, followed.hand.deal
        places = (Slot(deal.place(seat), Area.RIVER, play.seat(seat).next_place) for seat in SEATS)
        return tuple(slot for slot in places if slot in self.mat.slots(slot.place, Area.RIVER))

    def changed_places(self, known: int) -> tuple[Slot, ...]:
        """Return the river places where the record's events after this many laid or took tiles: by the decoder, else by the record."""
        followed = self._followed
        if followed is None:
            return ()
        events = followed.hand.events
        indices = (_discard_of(events, number) for number in range(known, len(events)))
        return tuple(self.lies_at(index) or self._belongs_at(followed, index) for index in indices if index is not None)

    def _belongs_at(self, followed: FollowedHand, index: int) -> Slot:
        events = followed.hand.events
        discard = events[index]
        assert isinstance(discard, TileDiscarded)
        number = sum(isinstance(event, TileDiscarded) and event.seat is discard.seat for event in events[:index])
        return Slot(followed.hand.deal.place(discard.seat), Area.RIVER, followed.play.seat(discard.seat).place_of(number))

    @property
    def hand(self) -> HandToDecode | None:
        return None if self._followed is None else self._followed.hand

    def call(self) -> CallDecoded | None:
        """Return the call without a key that the last observation has made certain."""
        return None if self._followed is None else called_aloud(self._followed)

    def last_discard(self) -> TilesDecoded | None:
        """Return the report that the last discard before a restart is still there, if the last observation shows it."""
        return None if self._followed is None else still_there(self._followed)

    def violations(self) -> tuple[LocatedViolation, ...]:
        """Return the violations that the last observation has made certain; none while the decoder differs from the table's record, since
        then what it cannot explain proves nothing."""
        followed = self._followed
        if followed is None:
            return ()
        fresh = {mark: found for mark, found in followed.decoder.reported_violations.items() if mark not in followed.violations}
        if not fresh:
            return ()
        followed.violations |= set(fresh)
        deal, events = followed.hand.deal, followed.hand.events
        shown = len(events) - (bool(events) and isinstance(events[-1], ClaimsPassed))
        if agreeing(followed.decoder.held, events) < shown:
            log.info("deal %d: a violation is not reported, since the decoder does not hold the table's record", deal.n)
            return ()
        return tuple(self._seen(followed, found.violation) for found in fresh.values())

    def suspicions(self) -> tuple[LocatedViolation, ...]:
        """Return possible violations by tiles on the mat, each once, to keep pictures; none is reported before the hand is over."""
        followed = self._followed
        if followed is None or followed.decoder.searching:
            return ()
        fresh = {each.mark: each for each in followed.decoder.suspected() if each.tracks and each.mark not in followed.suspected}
        followed.suspected |= set(fresh)
        return tuple(self._seen(followed, each) for each in fresh.values())

    def _seen(self, followed: FollowedHand, violation: PathViolation) -> LocatedViolation:
        report = ViolationDecoded(followed.hand.deal.n, violation.seat, violation.kind.value, violation.rule)
        if not violation.tracks:
            return LocatedViolation(report)
        track = followed.decoder.tracks[violation.tracks[0]]
        place = PicturedPlace(self._near(track), (track.x_mm, track.y_mm), followed.seen_ms - track.appeared_ms)
        return LocatedViolation(report, place)

    def _hear(self, followed: FollowedHand, signal: Signal) -> list[Signal]:
        """Keep a signal; return what the decoder gets now."""
        signal = followed.heard.in_time(signal)
        if self._kept is not None and followed.heard.whole is not None:
            self._kept.add(signal)
        return followed.heard.hear(signal)

    def _resume(self, followed: FollowedHand) -> None:
        deal, events = followed.hand.deal, followed.hand.events
        kept = None if self._kept is None else self._kept.resume(deal)
        drawn = [deal.place(event.seat) for event in events if self._gates and isinstance(event, TileDrawn)]
        followed.heard.resume(kept, drawn)
        if not followed.hand.closed:
            known = "is not known, so it is not compared with its deal" if kept is None else "was kept"
            log.info("deal %d is in play already: its hand is decoded from the table's record on; its beginning %s", deal.n, known)

    def _review(self, followed: FollowedHand) -> HandReview | None:
        self._reviewed, heard = followed.hand.deal.n, followed.heard.whole
        return None if heard is None else HandReview(self._rules, self.mat, followed.hand, tuple(heard), self._gates)

    def _close(self, followed: FollowedHand) -> HandReview | None:
        """Log how far the decoder agrees with the record; return what there is to compare with the deal."""
        self._followed = None
        deal, events = followed.hand.deal, followed.hand.events
        same = agreeing([decoded.event for decoded in followed.decoder.finish()], events)
        log.info("deal %d: the decoder without the deal agrees with the first %d of %d events of the record", deal.n, same, len(events))
        return self._review(followed)


def _discard_of(events: Sequence[PlayEvent], number: int) -> int | None:
    """Return the index of the discard that an event lays, or takes for a meld; None if it does neither."""
    match events[number]:
        case TileDiscarded():
            return number
        case Claimed(meld=meld):
            before = ((index, event) for index, event in enumerate(events[:number]) if isinstance(event, TileDiscarded))
            return max((index for index, event in before if event.seat is meld.source), default=None)
        case _:
            return None


def still_there(followed: FollowedHand) -> TilesDecoded | None:
    """Return the report that the discard asked about is still there, once; None without news, or if a recorded tile is not found."""
    watch, events = followed.hand.last_discard, followed.hand.events
    if watch is None or watch in followed.reported or followed.decoder.searching:
        return None
    if agreeing(followed.decoder.held, events) < len(events) and not followed.anchor(watch):
        return None
    if not _lies(followed, watch.awaited):
        return None
    followed.reported.add(watch)
    return TilesDecoded(watch, next(event for event in reversed(events) if isinstance(event, TileDiscarded)))


def _lies(followed: FollowedHand, awaited: Awaited) -> bool:
    """Whether the last tile of a seat's river is found and cannot have been laid there since."""
    river = followed.play.seat(awaited.seat).river
    track = followed.decoder.lying_as(TileRole(awaited.seat.index, Area.RIVER, len(river) - 1))
    if track is None or against(track, river[-1].tile) >= costs.PUBLISH:
        return False
    slots = followed.mat.slots(followed.hand.deal.place(awaited.seat), Area.RIVER)
    return is_beside(followed.mat, slots[min(awaited.number, len(slots) - 1)], track) or not _beside_the_record(followed)


def _beside_the_record(followed: FollowedHand) -> bool:
    """Whether the mat has face-up tiles that the record lacks."""
    unexplained, lying = followed.decoder.unexplained, followed.decoder.tracks.lying
    return len(followed.decoder.held) > len(followed.hand.events) or any(track.face_up for track in lying if track.id in unexplained)
