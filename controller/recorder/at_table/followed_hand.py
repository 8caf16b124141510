"""Followed hand: one hand of a running table, its decoder without the deal, and what that has reported to the table.

After its end a hand is reviewed: decoded with its deal and compared with the table's record. A doubt is the first event on which decoder
and record differ, or on which both agree without certainty. What the deal makes certain needs no question.

Also asked about are violations that this decoder doubts, or is certain of and the table has not reported. They accuse no player: the
referee says which violation it was, if any. Violations that may be one act (an early draw, or a lawful one put back) are one question. What
the table has reported during the hand, under any name, is not asked again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

from msgspec import Struct

from controller.recorder import costs
from controller.recorder.decoder import HandDecoder
from controller.recorder.signals import Decoded, HeardHand, KnownDeal, Question, Signal
from controller.recorder.violations import PathViolation, ViolationKind
from controller.state.sides import KnownViolation
from controller.state.watches import Awaits, HandToDecode, Watch
from twinwall.game.play import PlayState
from twinwall.game.play_events import Claim, HandRuledDead, PenaltyRuled, PlayEvent, ResultExcluded, TileDiscarded
from twinwall.game.play_json import to_text
from twinwall.game.rule_set import RuleSet
from twinwall.game.tiles import SEATS, Seat
from twinwall.values import frozen
from twinwall.wire.events.hand_events import RecordDoubt
from vision.mat import Mat, Slot


class FollowedHand(Struct):
    rules: RuleSet
    mat: Mat
    hand: HandToDecode
    decoder: HandDecoder
    heard: HeardHand
    awaited: Watch | None = None
    awaited_ms: int = 0
    """Since when the table has waited for that."""
    reported: set[Watch] = set()
    """Watches for which a certain discard was reported."""
    exposed: set[tuple[Watch, PlayEvent]] = set()
    """Reported melds, kongs and hands; if the table refuses one, another is reported."""
    called: set[tuple[int, int, Seat, Claim]] = set()
    """Reported calls without a key, with the numbers of recorded events and rulings: a call refused while the table waits for the referee
    is reported again."""
    passed_ms: int = 0
    """When the end of the claims on the record's last discard was known (decoder's time); they ended then or before."""
    doubted: set[Watch] = set()
    """Watches for which a doubt was reported; a later certainty is reported too."""
    anchored: Watch | None = None
    """Watch for which the decoder was last anchored to the table's record."""
    seen_ms: int = 0
    """Time of the last observation, in the decoder's time."""
    violations: set[int] = set()
    """Marks of the violations that the decoder has reported."""
    suspected: set[int] = set()
    """Marks of violations of which pictures have been taken, reported or not."""
    asked: dict[Slot, int] = {}
    """Tracks of the tiles that the referee is asked about, by slot."""

    named: dict[Slot, int] = {}
    """Tracks of the tiles that the referee has named and the table has yet to take, by slot."""

    @property
    def play(self) -> PlayState:
        return reduce(self.rules.apply, self.hand.events, self.rules.start())

    def anchor(self, watch: Watch) -> bool:
        """Set the decoder on the table's record; False if that is impossible."""
        drawn_ms = self.heard.drawn_ms
        own = watch.awaited.kind is Awaits.DISCARD
        last_ms = drawn_ms.get(self.hand.deal.place(watch.awaited.seat), 0) if own else max(drawn_ms.values(), default=0)
        if not self.decoder.anchor(self.hand.events, last_ms):
            return False
        self.anchored = watch
        return True

    def take_record(self, hand: HandToDecode) -> None:
        """Take the table's new record. An answer that a ruling dropped may be wrong: the decoder forgets it, as the table does."""
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
        """Give the decoder the referee's answers; if no path has an answer, anchor again, which weighs all other tiles again."""
        for slot in sorted(self.asked.keys() & self.hand.answers.keys()):
            track, tile = self.asked.pop(slot), self.hand.answers[slot]
            self.named[slot] = track
            self.decoder.tile_answered(track, tile)
            if self.decoder.kind_of(track) is not tile and self.hand.awaited is not None:
                self.anchor(self.hand.awaited)


def decoder_of(rules: RuleSet, mat: Mat, hand: HandToDecode, known: KnownDeal | None = None, *, gates: bool = True) -> HandDecoder:
    """Return a decoder for a hand; ``known``: its deal, if the decoder may know it; ``gates``: draws are sensed."""
    return HandDecoder(rules, {seat: hand.deal.place(seat) for seat in SEATS}, hand.deal.round, known, gates=gates, mat=mat)


def agreeing(held: Sequence[PlayEvent], events: Sequence[PlayEvent]) -> int:
    """Return the number of equal events at the beginning of both."""
    pairs = enumerate(zip(held, events, strict=False))
    return next((index for index, (one, event) in pairs if one != event), min(len(held), len(events)))


_REPORTED_WITHIN = range(-2, 13)
"""How many events the record may be past the act when the table reports it: a round of draws, discards and passes, since the decoder
reports tiles only after they have rested for a while."""
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
    """The possible violations: stable word and broken rule, in no order."""

    def is_one_with(self, other: _Act) -> bool:
        """Whether a later act may be the same one; two acts of a seat before one event are, since a record has no place for both."""
        if self.seat is not other.seat:
            return False
        return self.number == other.number or (self.drew is other.drew and other.at_ms <= self.until_ms + costs.ONE_ACT_MS)

    def and_also(self, other: _Act) -> _Act:
        rules = dict(sorted({**other.rules, **self.rules}.items()))
        return replace(self, until_ms=max(self.until_ms, other.until_ms), margin=min(self.margin, other.margin), rules=rules)


def doubted_violations(decoder: HandDecoder, hand: HandToDecode, known: Sequence[Decoded], agreed: int, surely: int) -> list[RecordDoubt]:
    """Return what to ask about a hand that the decoder has read to its end as the events ``known``, of which the first ``agreed`` equal the
    record. After those a violation proves nothing; nor does a doubtful one after the first ``surely``, where frames are missing."""
    suspected = [*_in_doubt(decoder, surely), *_certain(decoder, known)]
    acts = _acts(act for act in sorted(suspected, key=lambda act: act.at_ms) if act.number <= agreed + 1)
    return [
        RecordDoubt(hand.deal.n, act.number, "", "", act.margin, act.seat, act.rules) for act in _unreported(acts, list(hand.violations))
    ]


def _in_doubt(decoder: HandDecoder, surely: int) -> Iterator[_Act]:
    for question in decoder.questions:
        if question.violation is not None and question.number <= surely:
            yield _act(question.violation, question.number + 1, question.margin)


def _certain(decoder: HandDecoder, known: Sequence[Decoded]) -> Iterator[_Act]:
    for found in decoder.violations():
        if found.margin >= costs.PUBLISH:
            number = sum(event.grounds.at_ms <= found.violation.at_ms for event in known)
            yield _act(found.violation, number + 1, found.margin)


def _act(violation: PathViolation, number: int, margin: float) -> _Act:
    until_ms = max(violation.at_ms, violation.back_ms)
    return _Act(violation.seat, number, violation.at_ms, until_ms, not violation.tracks, margin, {violation.kind.value: violation.rule})


def _acts(suspected: Iterable[_Act]) -> list[_Act]:
    """Return each act once, with all its possibilities."""
    acts: list[_Act] = []
    for act in suspected:
        same = next((index for index, earlier in enumerate(acts) if earlier.is_one_with(act)), None)
        if same is None:
            acts.append(act)
        else:
            acts[same] = acts[same].and_also(act)
    return acts


def _unreported(acts: Iterable[_Act], reported: list[KnownViolation]) -> Iterator[_Act]:
    """Yield the acts that the table has not reported; each report accounts for one act."""
    for act in acts:
        of_it = [
            each
            for each in reported
            if each.seat is act.seat
            and each.after - (act.number - 1) in _REPORTED_WITHIN
            and (each.what in act.rules or each.what in (_AT_GATES if act.drew else _ON_MAT))  # seen at the same place as the act
        ]
        if of_it:
            reported.remove(min(of_it, key=lambda each: (each.what not in act.rules, abs(each.after - act.number))))
        else:
            yield act


_RULED = (HandRuledDead, PenaltyRuled, ResultExcluded)
"""Events that no decoder can see."""


@dataclass(frozen=True)
class HandReview:
    """A finished hand, seen from its beginning, to be compared with its deal."""

    rules: RuleSet
    mat: Mat
    hand: HandToDecode
    heard: tuple[Signal, ...]
    gates: bool = True
    """Whether draws are sensed."""

    def compare(self) -> tuple[RecordDoubt, ...]:
        """Decode the hand with its deal and compare; return the doubt of an event, if any, and the violations to ask about. This takes
        seconds."""
        deal, events = self.hand.deal, self.hand.events
        decoder = decoder_of(self.rules, self.mat, self.hand, KnownDeal(deal.walls, deal.rest), gates=self.gates)
        for item in self.heard:
            decoder.hear(item)
        known = decoder.finish()
        agreed = agreeing([decoded.event for decoded in known], events)
        last = len(known) if decoder.complete else len(known) - costs.TWO_TURNS
        violations = tuple(doubted_violations(decoder, self.hand, known, agreed, last))
        if any(isinstance(event, _RULED) for event in events):
            return violations
        doubts = [*self._close(decoder, known[: min(agreed, max(0, last))])]
        for read in known[agreed : agreed + 1]:
            if agreed < last or read.margin >= costs.PUBLISH:
                held = events[agreed] if agreed < len(events) else None
                doubts.append(RecordDoubt(deal.n, agreed + 1, to_text(held), to_text(read.event), read.margin))
        return (*doubts[:1], *violations)

    def _close(self, decoder: HandDecoder, agreed: Sequence[Decoded]) -> Iterator[RecordDoubt]:
        """Yield doubts of events on which decoder and record agree, but another path or kind is nearly as likely."""
        asked = {question.number: question for question in decoder.questions if question.violation is None}
        for event in (event for event in agreed if event.number in asked):
            rival = _rival(event, asked[event.number])
            if rival is not None:
                yield RecordDoubt(self.hand.deal.n, event.number, to_text(event.event), to_text(rival), event.margin)


def _rival(event: Decoded, question: Question) -> PlayEvent | None:
    if event.kind_in_doubt and isinstance(event.event, TileDiscarded):
        return next((replace(event.event, tile=kind) for kind in question.kinds if kind is not event.event.tile), None)
    return event.rival
