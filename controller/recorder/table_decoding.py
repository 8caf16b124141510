"""Table decoding: follows the hands of a running table with a decoder that does not know the deal.

Signals may come late or out of order from several threads' clocks; an observation is joined after the edges and keys before it.
Time is that of the observations.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field

from controller.recorder.decoder import HandDecoder
from controller.recorder.signals import Decoded, GateEdge, KeyEdge
from controller.state.decoding import HandToDecode
from twinwall.game.play_events import PlayEvent
from twinwall.game.rule_set import RuleSet
from twinwall.game.tiles import SEATS
from vision.mat_observation import MatObservation

log = logging.getLogger(__name__)


@dataclass
class _Followed:
    """One hand with its decoder, which does not know the deal."""

    hand: HandToDecode
    open: HandDecoder
    waiting: list[GateEdge | KeyEdge] = field(default_factory=list)
    """Edges and keys after the last observation."""


class TableDecoding:
    """Follows the hands of one table, from one thread."""

    def __init__(self, rules: RuleSet) -> None:
        self._rules = rules
        self._followed: _Followed | None = None

    @property
    def back(self) -> int | None:
        """The number of the backs of the set in play, where that is known."""
        return None if self._followed is None else self._followed.hand.back

    def follow(self, hand: HandToDecode | None) -> None:
        """The table's record is so far; a hand is decoded from its beginning or not at all."""
        followed = self._followed
        if followed is not None and hand is not None and followed.hand.deal.n == hand.deal.n:
            followed.hand = hand
            if hand.closed:
                self._close(followed)
            return
        self._followed = None
        if hand is None or hand.closed:
            return
        if hand.events:
            log.info("deal %d was in play before this controller started: its hand is not decoded", hand.deal.n)
            return
        places = {seat: hand.deal.place(seat) for seat in SEATS}
        self._followed = _Followed(hand, HandDecoder(self._rules, places, hand.deal.round, None))

    @property
    def follows(self) -> bool:
        """Whether a hand is being decoded."""
        return self._followed is not None

    def told(self, signal: GateEdge | KeyEdge) -> None:
        """A tile passed a draw gate, or a key was pressed."""
        if self._followed is not None:
            self._followed.waiting.append(signal)

    def see(self, observation: MatObservation) -> None:
        """Join one observation."""
        followed = self._followed
        if followed is None:
            return
        for signal in sorted(followed.waiting, key=lambda signal: signal.at_ms):
            if signal.at_ms <= observation.at_ms:
                self._join(followed.open, signal)
        followed.waiting = [signal for signal in followed.waiting if signal.at_ms > observation.at_ms]
        followed.open.see(observation)

    def _join(self, decoder: HandDecoder, signal: GateEdge | KeyEdge) -> None:
        if isinstance(signal, GateEdge):
            decoder.draw_sensed(signal)
        else:
            decoder.key_pressed(signal)

    def _close(self, followed: _Followed) -> None:
        """The hand is over: how far the decoder agrees with the table's record."""
        self._followed = None
        decoded = followed.open.finish()
        same = agreeing(decoded, followed.hand.events)
        log.info(
            "deal %d: the decoder agrees with the first %d of %d events of the record",
            followed.hand.deal.n,
            same,
            len(followed.hand.events),
        )


def agreeing(decoded: tuple[Decoded, ...], events: tuple[PlayEvent, ...]) -> int:
    """How many events from the first one on are the same in both."""
    pairs = enumerate(zip(decoded, events, strict=False))
    return next((index for index, (one, event) in pairs if one.event != event), min(len(decoded), len(events)))
