"""Hand review: a hand that is over is read again with its deal, and compared with the table's record."""

from __future__ import annotations

from dataclasses import dataclass

from controller.recorder.at_table.followed_hand import agreeing, decoder_of, join
from controller.recorder.decoder import DecoderLimits
from controller.recorder.signals import KnownDeal, Signal
from controller.state.decoding import HandToDecode
from controller.state.messages import RecordDoubted
from twinwall.game.rule_set import RuleSet
from twinwall.game.rulings import HandRuledDead, PenaltyRuled, ResultExcluded
from vision.mat import Mat

_RULED = (HandRuledDead, PenaltyRuled, ResultExcluded)
"""A record with one of these holds what no decoder can see."""


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
        decoder = decoder_of(self.rules, self.mat, self.hand, KnownDeal(deal.walls, deal.rest))
        for item in self.heard:
            join(decoder, item)
        known = decoder.finish()
        agreed = agreeing([decoded.event for decoded in known], events)
        if agreed == len(known) or any(isinstance(event, _RULED) for event in events):
            return ReviewedHand(agreed)
        read, held = known[agreed], events[agreed] if agreed < len(events) else None
        certain = read.margin >= DecoderLimits().publish
        return ReviewedHand(agreed, read.margin, RecordDoubted(deal.n, agreed + 1, held, read.event, read.margin) if certain else None)
