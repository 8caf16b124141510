"""Followed hand: one hand of a running table with the decoder that does not know its deal, and what it has reported of it to the table.

A hand that is over is reviewed: it is read again with its deal, and compared with the table's record. A doubt is the first event that the
decoder reads otherwise than the record, however certain it is of that, or of which it is not certain although both agree. What the deal
makes certain is settled without a question.

Beside it stand violations that the decoder with the deal is in doubt about, or is certain of and the table has not reported. Neither
accuses anybody: the referee is asked, and says which violation it was, if it was one. What may have been one of several violations (an
early draw, or a lawful one that was put back) is one act and one question. What the table has reported during the hand is not asked about
again, whatever word it had for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

from msgspec import Struct

from controller.recorder import costs
from controller.recorder.decoder import DecoderLimits, HandDecoder
from controller.recorder.signals import Decoded, GateEdge, HeardHand, KnownDeal, Question, Signal
from controller.recorder.violations import PathViolation, ViolationKind
from controller.state.playing import KnownViolation
from controller.state.watches import Awaits, HandToDecode, Watch
from twinwall.game.play import PlayState
from twinwall.game.play_events import Claim, HandRuledDead, PenaltyRuled, PlayEvent, ResultExcluded, TileDiscarded
from twinwall.game.play_json import to_text
from twinwall.game.rule_set import RuleSet
from twinwall.game.tiles import SEATS, Seat
from twinwall.values import frozen
from twinwall.wire.events.hand_events import RecordDoubt
from twinwall.wire.shapes.panel import KeyEdge
from vision.mat import Mat, Slot
from vision.mat_observation import MatObservation


class FollowedHand(Struct):
    """One hand with the decoder that does not know the deal."""

    rules: RuleSet
    mat: Mat
    hand: HandToDecode
    decoder: HandDecoder
    heard: HeardHand
    awaited: Watch | None = None
    awaited_ms: int = 0
    """Since when the table has waited for that discard."""
    reported: set[Watch] = set()
    """The watches for which a certain discard was reported."""
    exposed: set[tuple[Watch, PlayEvent]] = set()
    """The reports of melds, kongs and hands; the table may refuse one, and another is reported then."""
    called: set[tuple[int, int, Seat, Claim]] = set()
    """The calls without a key that were reported, with how many events of the record and how many rulings there were: what the table
    refuses while it waits for the referee is reported again."""
    passed_ms: int = 0
    """When it was known that the claims of the record's last discard were over, in the decoder's time: not before they were."""
    doubted: set[Watch] = set()
    """The watches for which a doubt was reported; what is certain later is reported as well."""
    anchored: Watch | None = None
    """The watch for whose discard the decoder was last set on the table's record."""
    seen_ms: int = 0
    """When the mat was last observed, in the decoder's time."""
    violations: set[int] = set()
    """The marks of the violations that the decoder has reported."""
    suspected: set[int] = set()
    """The marks of those of which pictures have been taken, reported or not."""
    asked: dict[Slot, int] = {}
    """The tracks of the tiles that the referee is asked about, by the slots for which they were laid."""

    named: dict[Slot, int] = {}
    """The tracks of the tiles of which the referee's answers wait to be taken, by slot."""

    @property
    def play(self) -> PlayState:
        """Where the hand stands by the table's record."""
        return reduce(self.rules.apply, self.hand.events, self.rules.start())

    def anchor(self, watch: Watch) -> bool:
        """Set the decoder on the table's record; whether that was possible."""
        drawn_ms = self.heard.drawn_ms
        own = watch.awaited.kind is Awaits.DISCARD
        last_ms = drawn_ms.get(self.hand.deal.place(watch.awaited.seat), 0) if own else max(drawn_ms.values(), default=0)
        if not self.decoder.anchor(self.hand.events, last_ms):
            return False
        self.anchored = watch
        return True

    def go_on(self, hand: HandToDecode) -> None:
        """The table's record is so far. An answer that a ruling has dropped may be wrong: the decoder forgets it, as the table does."""
        gone = self.named.keys() - hand.answers.keys()
        settled, ruled = [self.named.pop(slot) for slot in sorted(gone)], hand.rulings > self.hand.rulings
        self.hand = hand
        if settled and ruled:
            for track in settled:
                self.decoder.answer_dropped(track)
            if hand.awaited is not None:
                self.anchor(hand.awaited)
        self.answer()

    def answer(self) -> None:
        """What the referee has said of tiles is evidence; where no path holds it, all that lies there beside the record is weighed
        again."""
        for slot in sorted(self.asked.keys() & self.hand.answers.keys()):
            track, tile = self.asked.pop(slot), self.hand.answers[slot]
            self.named[slot] = track
            self.decoder.tile_answered(track, tile)
            if self.decoder.kind_of(track) is not tile and self.hand.awaited is not None:
                self.anchor(self.hand.awaited)


def decoder_of(rules: RuleSet, mat: Mat, hand: HandToDecode, known: KnownDeal | None = None, *, gates: bool = True) -> HandDecoder:
    """A decoder for a hand; ``known`` is its deal, where the decoder may know that; ``gates``: draws are sensed."""
    return HandDecoder(rules, {seat: hand.deal.place(seat) for seat in SEATS}, hand.deal.round, known, gates=gates, mat=mat)


def join(decoder: HandDecoder, item: Signal) -> None:
    """Tell a decoder what was heard."""
    match item:
        case MatObservation():
            decoder.see(item)
        case GateEdge():
            decoder.draw_sensed(item)
        case KeyEdge():
            decoder.key_pressed(item)


def agreeing(held: Sequence[PlayEvent], events: Sequence[PlayEvent]) -> int:
    """How many events from the first one on are the same in both."""
    pairs = enumerate(zip(held, events, strict=False))
    return next((index for index, (one, event) in pairs if one != event), min(len(held), len(events)))


_REPORTED_WITHIN = range(-2, 13)
"""By this many events the table's record may be farther than the act when the table tells of it: a round of draws, discards and passes,
since the decoder tells of tiles only when they have lain for a while."""
_AT_GATES = frozenset({ViolationKind.DREW_EARLY, ViolationKind.DREW_OUT_OF_TURN, ViolationKind.DREW_TWICE, ViolationKind.PUT_BACK})
_ON_MAT = (frozenset(ViolationKind) - _AT_GATES) | {"claimed-late", "false-kong"}


@frozen
class _Act:
    """What a seat may have done before event ``number`` of the record; ``drew``: at its draw gate."""

    seat: Seat
    number: int
    at_ms: int
    until_ms: int
    drew: bool
    margin: float
    rules: Mapping[str, str]
    """By stable word the rule that it broke, if it was that; their order says nothing."""

    def is_one_with(self, other: _Act) -> bool:
        """Whether a later one may be the same act; a record has no place for two of a seat before one event."""
        if self.seat is not other.seat:
            return False
        return self.number == other.number or (self.drew is other.drew and other.at_ms <= self.until_ms + costs.ONE_ACT_MS)

    def and_also(self, other: _Act) -> _Act:
        """The act, which may have been the other one."""
        rules = dict(sorted({**other.rules, **self.rules}.items()))
        return replace(self, until_ms=max(self.until_ms, other.until_ms), margin=min(self.margin, other.margin), rules=rules)


def doubted_violations(decoder: HandDecoder, hand: HandToDecode, known: Sequence[Decoded], agreed: int, surely: int) -> list[RecordDoubt]:
    """What to ask about a hand that the decoder has read to its end as the events ``known``, the first ``agreed`` of them as the record.
    Where those end a violation proves nothing, and one in doubt nothing after the first ``surely``, for frames are missing."""
    suspected = [*_in_doubt(decoder, surely), *_certain(decoder, known)]
    acts = _acts(act for act in sorted(suspected, key=lambda act: act.at_ms) if act.number <= agreed + 1)
    return [
        RecordDoubt(hand.deal.n, act.number, "", "", act.margin, act.seat, act.rules) for act in _unreported(acts, list(hand.violations))
    ]


def _in_doubt(decoder: HandDecoder, surely: int) -> Iterator[_Act]:
    """What the decoder asks about."""
    for question in decoder.questions:
        if question.violation is not None and question.number <= surely:
            yield _act(question.violation, question.number + 1, question.margin)


def _certain(decoder: HandDecoder, known: Sequence[Decoded]) -> Iterator[_Act]:
    """What the decoder would tell."""
    for found in decoder.violations():
        if found.margin >= DecoderLimits().publish:
            number = sum(event.grounds.at_ms <= found.violation.at_ms for event in known)
            yield _act(found.violation, number + 1, found.margin)


def _act(violation: PathViolation, number: int, margin: float) -> _Act:
    until_ms = max(violation.at_ms, violation.back_ms)
    return _Act(violation.seat, number, violation.at_ms, until_ms, not violation.tracks, margin, {violation.kind.value: violation.rule})


def _acts(suspected: Iterable[_Act]) -> list[_Act]:
    """Each act once, with all that it may have been."""
    acts: list[_Act] = []
    for act in suspected:
        same = next((index for index, earlier in enumerate(acts) if earlier.is_one_with(act)), None)
        if same is None:
            acts.append(act)
        else:
            acts[same] = acts[same].and_also(act)
    return acts


def _unreported(acts: Iterable[_Act], reported: list[KnownViolation]) -> Iterator[_Act]:
    """The acts that the table has not reported; each report accounts for one of them."""
    for act in acts:
        of_it = [
            each
            for each in reported
            if each.seat is act.seat
            and each.after - (act.number - 1) in _REPORTED_WITHIN
            and (each.what in act.rules or each.what in (_AT_GATES if act.drew else _ON_MAT))  # it was seen where the act was
        ]
        if of_it:
            reported.remove(min(of_it, key=lambda each: (each.what not in act.rules, abs(each.after - act.number))))
        else:
            yield act


_RULED = (HandRuledDead, PenaltyRuled, ResultExcluded)
"""A record with one of these holds what no decoder can see."""


@frozen
class ReviewedHand:
    """How far a hand decoded with its deal agrees with the record (events from the first one on), and what is doubted. ``violations`` are
    to be asked about."""

    agreed: int
    doubt: RecordDoubt | None = None
    violations: tuple[RecordDoubt, ...] = ()


@dataclass(frozen=True)
class HandReview:
    """A hand that is over, as it was seen from its beginning, before it is compared with the deal."""

    rules: RuleSet
    mat: Mat
    hand: HandToDecode
    heard: tuple[Signal, ...]
    gates: bool = True
    """Whether draws are sensed."""

    def compare(self) -> ReviewedHand:
        """Decode the hand with its deal, which takes seconds, and compare."""
        deal, events = self.hand.deal, self.hand.events
        decoder = decoder_of(self.rules, self.mat, self.hand, KnownDeal(deal.walls, deal.rest), gates=self.gates)
        for item in self.heard:
            join(decoder, item)
        known = decoder.finish()
        agreed = agreeing([decoded.event for decoded in known], events)
        last = len(known) if decoder.complete else len(known) - costs.TWO_TURNS
        violations = tuple(doubted_violations(decoder, self.hand, known, agreed, last))
        if any(isinstance(event, _RULED) for event in events):
            return ReviewedHand(agreed, violations=violations)
        close = next(self._close(decoder, known[: min(agreed, max(0, last))]), None)
        if agreed == len(known):
            return ReviewedHand(agreed, doubt=close, violations=violations)
        read, held = known[agreed], events[agreed] if agreed < len(events) else None
        certain = agreed < last or read.margin >= DecoderLimits().publish
        other = RecordDoubt(deal.n, agreed + 1, to_text(held), to_text(read.event), read.margin) if certain else None
        return ReviewedHand(agreed, close or other, violations)

    def _close(self, decoder: HandDecoder, agreed: Sequence[Decoded]) -> Iterator[RecordDoubt]:
        """Doubts of events that the decoder reads as the record does, where another path, or another kind of the tile, is nearly as
        likely."""
        asked = {question.number: question for question in decoder.questions if question.violation is None}
        for event in (event for event in agreed if event.number in asked):
            rival = _rival(event, asked[event.number])
            if rival is not None:
                yield RecordDoubt(self.hand.deal.n, event.number, to_text(event.event), to_text(rival), event.margin)


def _rival(event: Decoded, question: Question) -> PlayEvent | None:
    """What else may have happened in the place of an event, where the decoder knows that."""
    if event.kind_in_doubt and isinstance(event.event, TileDiscarded):
        return next((replace(event.event, tile=kind) for kind in question.kinds if kind is not event.event.tile), None)
    return event.rival
