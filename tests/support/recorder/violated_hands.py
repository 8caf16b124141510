"""Hands in which people violate the rules five times, as a decoder with the deal has followed them."""

from dataclasses import dataclass

from benchmarks.played_tables.violations import CommittedViolation, violated_hand
from benchmarks.recorder_violations import SLIPS
from controller.recorder.decoder import HandDecoder
from controller.recorder.signals import Decoded
from simulator.disturbances.draws import Disturbances
from tests.support.recorder.played_hands import decoder_of, followed, played, told
from tests.support.simulator.mat_observations import ObservationNoise
from twinwall.game.play_events import PlayEvent

_VIOLATIONS = 5


@dataclass(frozen=True, slots=True)
class FollowedViolations:
    """The decoder at the end of a hand, what it has found, what was played, and what was committed."""

    decoder: HandDecoder
    found: tuple[Decoded, ...]
    events: tuple[PlayEvent, ...]
    committed: tuple[CommittedViolation, ...]

    @property
    def is_exact(self) -> bool:
        """Whether the events are those that were played; the end of the hand, which people do not tell, may follow."""
        return tuple(decoded.event for decoded in self.found)[: len(self.events)] == self.events


def violations_followed(rules: str, number: int, noise: ObservationNoise) -> FollowedViolations:
    """A whole hand of people who disturb and violate the rules, but for slips, as a camera with a noise sees it."""
    hand = played(rules, number)
    at_table, committed = violated_hand(hand.to_play, Disturbances(1, scales=dict.fromkeys(SLIPS, 0.0)), _VIOLATIONS)
    decoder = decoder_of(hand)
    followed(decoder, told(at_table, noise, backs=True))
    return FollowedViolations(decoder, tuple(decoder.finish()), tuple(event for _, event in at_table.events), tuple(committed))
