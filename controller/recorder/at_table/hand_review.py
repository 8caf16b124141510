"""Hand review: a hand that is over is read again with its deal, and compared with the table's record.

A doubt is the first event that the decoder reads otherwise than the record, however certain it is of that, or of which it is not
certain although both agree. What the deal makes certain is settled without a question. Violations that the table has not reported are
doubts beside it (``violation_doubts``).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from controller.recorder import costs
from controller.recorder.at_table.followed_hand import agreeing, decoder_of, join
from controller.recorder.at_table.violation_doubts import doubted_violations
from controller.recorder.decoder import DecoderLimits, HandDecoder
from controller.recorder.signals import Decoded, KnownDeal, Question, Signal
from controller.state.watches import HandToDecode
from twinwall.game.play_events import HandRuledDead, PenaltyRuled, PlayEvent, ResultExcluded, TileDiscarded
from twinwall.game.play_json import to_text
from twinwall.game.rule_set import RuleSet
from twinwall.values import frozen
from twinwall.wire.events.hand_events import RecordDoubt
from vision.mat import Mat

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
