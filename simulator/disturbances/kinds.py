"""Kinds of disturbance: what people do beside the rules of the mat, on which occasion, and how often.

The rates are assumed; no club was measured yet. ``RATES`` is the only place that holds them.

Draws of disturbances: whether one happens on an occasion, and its sizes, from a seed alone.

Every draw belongs to a kind and an occasion, never to what was drawn before. So one kind can be switched off or
scaled without any other happening differently, and a process that starts again draws the same.
"""

import hashlib
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from types import MappingProxyType
from typing import TypeVar

from twinwall.values import frozen


class Occasion(StrEnum):
    TURN = "turn"
    """A tile is drawn."""
    DISCARD = "discard"
    CALL = "call"
    """A discard is claimed, a win included."""
    MELD = "meld"
    """Tiles are laid open, or four face down, as a meld."""
    KONG = "kong"
    SHOWN_HAND = "shown hand"


class Disturbance(StrEnum):
    """What people do; the value is the name in settings and reports."""

    DISCARD_LOOSE = "discard-loose"
    DISCARD_OFF = "discard-off"
    DISCARD_FAR_OFF = "discard-far-off"
    DISCARD_IN_WRONG_PLACE = "discard-in-wrong-place"
    DISCARD_TURNED = "discard-turned"
    DISCARD_OVERLAPPING = "discard-overlapping"
    DISCARD_FACE_DOWN = "discard-face-down"
    DISCARD_ON_OTHER_RIVER = "discard-on-other-river"
    RIVER_MOVED = "river-moved"
    RIVER_REARRANGED = "river-rearranged"
    CALL_BY_VOICE = "call-by-voice"
    WRONG_KEY = "wrong-key"
    CALL_TAKEN_BACK = "call-taken-back"
    SECOND_CALL = "second-call"
    SECOND_CLAIM_LAID = "second-claim-laid"
    CLAIMED_TILE_LATE = "claimed-tile-late"
    WRONG_TILE_TAKEN = "wrong-tile-taken"
    MELD_FAR_OFF = "meld-far-off"
    KONG_APART = "kong-apart"
    DRAW_PUT_BACK = "draw-put-back"
    TWO_DRAWN = "two-drawn"
    DRAW_FROM_OTHER_WALL = "draw-from-other-wall"
    DRAW_LAID_DOWN = "draw-laid-down"
    DRAW_LAID_ASIDE = "draw-laid-aside"
    HAND_TILES_DROPPED = "hand-tiles-dropped"
    ARM_OVER_MAT = "arm-over-mat"
    ARM_STAYS = "arm-stays"
    THING_ON_MAT = "thing-on-mat"
    LIGHT_STEP = "light-step"
    LIGHT_RAMP = "light-ramp"
    CAMERA_BUMPED = "camera-bumped"
    CAMERA_SILENT = "camera-silent"
    HAND_UNSORTED = "hand-unsorted"
    HAND_IN_TWO_ROWS = "hand-in-two-rows"
    WINNING_TILE_NOT_APART = "winning-tile-not-apart"
    WON_TILE_TAKEN = "won-tile-taken"


TURNS_A_HAND, CALLS_A_HAND = 50, 6
"""Of the usual hand: 41 to 52 draws, 3.4 to 5.4 claims and a win, by ``python -m benchmarks.players`` with the four rule sets."""
_OCCASIONS_A_HAND = {Occasion.TURN: TURNS_A_HAND, Occasion.DISCARD: TURNS_A_HAND, Occasion.CALL: CALLS_A_HAND}


@frozen
class Rate:
    """How often a disturbance happens: ``a_hand`` times in the usual hand, or on ``share`` of its occasions."""

    occasion: Occasion
    words: str
    a_hand: float | None = None
    share: float | None = None

    @property
    def on_each_occasion(self) -> float:
        if self.share is not None:
            return self.share
        assert self.a_hand is not None
        return self.a_hand / _OCCASIONS_A_HAND[self.occasion]


RATES: Mapping[Disturbance, Rate] = MappingProxyType(
    {
        Disturbance.DISCARD_LOOSE: Rate(Occasion.DISCARD, "1 to 10 mm off its slot", a_hand=20),
        Disturbance.DISCARD_OFF: Rate(Occasion.DISCARD, "10 to 30 mm off its slot", a_hand=5),
        Disturbance.DISCARD_FAR_OFF: Rate(Occasion.DISCARD, "30 to 60 mm off its slot", a_hand=1),
        Disturbance.DISCARD_IN_WRONG_PLACE: Rate(Occasion.DISCARD, "in a wrong row or column of the own river", a_hand=0.5),
        Disturbance.DISCARD_TURNED: Rate(Occasion.DISCARD, "turned by 15° to 60°", a_hand=3),
        Disturbance.DISCARD_OVERLAPPING: Rate(Occasion.DISCARD, "on the edge of a tile of the own river", a_hand=0.3),
        Disturbance.DISCARD_FACE_DOWN: Rate(Occasion.DISCARD, "face down, and turned up after 0.8 to 3 s", a_hand=0.05),
        Disturbance.DISCARD_ON_OTHER_RIVER: Rate(Occasion.DISCARD, "in another's river; every second one is moved back", a_hand=0.02),
        Disturbance.RIVER_MOVED: Rate(Occasion.TURN, "a river pushed by 5 to 25 mm, or its gaps closed", a_hand=0.3),
        Disturbance.RIVER_REARRANGED: Rate(Occasion.TURN, "two to four tiles of a river in another order, in their places", a_hand=0.05),
        Disturbance.CALL_BY_VOICE: Rate(Occasion.CALL, "a call without a key", share=0.3),
        Disturbance.WRONG_KEY: Rate(
            Occasion.CALL, "another key pressed than that of the call, of the own kong or of the self-drawn win", a_hand=0.02
        ),
        Disturbance.CALL_TAKEN_BACK: Rate(Occasion.DISCARD, "a key pressed and nothing claimed", a_hand=0.05),
        Disturbance.SECOND_CALL: Rate(Occasion.CALL, "somebody else presses too, and lets it be", a_hand=0.05),
        Disturbance.SECOND_CLAIM_LAID: Rate(
            Occasion.CALL,
            "somebody who could claim too lays two tiles for a lower claim, and takes them back, each after 0.3 to 6 s",
            share=0.1,
        ),
        Disturbance.CLAIMED_TILE_LATE: Rate(Occasion.CALL, "the claimed tile taken 3 to 8 s late", a_hand=0.1),
        Disturbance.WRONG_TILE_TAKEN: Rate(Occasion.CALL, "a tile of another river taken first, and put back", a_hand=0.01),
        Disturbance.MELD_FAR_OFF: Rate(Occasion.MELD, "20 to 60 mm off its place", share=0.3),
        Disturbance.KONG_APART: Rate(Occasion.KONG, "tiles of a kong 4 to 15 mm apart", share=0.3),
        Disturbance.DRAW_PUT_BACK: Rate(Occasion.TURN, "the drawn tile put back, and drawn again", a_hand=0.02),
        Disturbance.TWO_DRAWN: Rate(Occasion.TURN, "a second tile drawn, and put back", a_hand=0.01),
        Disturbance.DRAW_FROM_OTHER_WALL: Rate(Occasion.TURN, "a tile drawn from another's wall, and put back", a_hand=0.005),
        Disturbance.DRAW_LAID_DOWN: Rate(Occasion.TURN, "the drawn tile laid face down beside the hand for a time", a_hand=0.05),
        Disturbance.DRAW_LAID_ASIDE: Rate(
            Occasion.TURN,
            "the drawn tile laid face down beside the hand, and discarded from there or taken up after the discard",
            a_hand=0.05,
        ),
        Disturbance.HAND_TILES_DROPPED: Rate(Occasion.TURN, "one or two tiles fallen face up, and picked up", a_hand=0.03),
        Disturbance.ARM_OVER_MAT: Rate(Occasion.TURN, "an arm over the awaited slots for 0.3 to 2 s", a_hand=15),
        Disturbance.ARM_STAYS: Rate(Occasion.TURN, "an arm there for 5 to 9 s", a_hand=0.2),
        Disturbance.THING_ON_MAT: Rate(Occasion.TURN, "a cup, a phone or paper on the mat for 10 to 60 s", a_hand=0.05),
        Disturbance.LIGHT_STEP: Rate(Occasion.TURN, "the light 30 % brighter or darker from now on", a_hand=0.1),
        Disturbance.LIGHT_RAMP: Rate(
            Occasion.TURN,
            "the sun moves: one side grows brighter than the other, by 10 to 20 % within 30 to 120 s, and stays so",
            a_hand=0.1,
        ),
        Disturbance.CAMERA_BUMPED: Rate(
            Occasion.TURN, "the picture moved by 5 to 15 mm from now on; put back after 10 to 30 s if it loses the mat", a_hand=0.02
        ),
        Disturbance.CAMERA_SILENT: Rate(Occasion.TURN, "no frame for 5 to 20 s", a_hand=0.02),
        Disturbance.HAND_UNSORTED: Rate(Occasion.SHOWN_HAND, "a shown hand in any order", share=0.5),
        Disturbance.HAND_IN_TWO_ROWS: Rate(Occasion.SHOWN_HAND, "a shown hand in two rows", share=0.1),
        Disturbance.WINNING_TILE_NOT_APART: Rate(Occasion.SHOWN_HAND, "a winning tile that was drawn or taken among the others", share=0.3),
        Disturbance.WON_TILE_TAKEN: Rate(
            Occasion.SHOWN_HAND, "the discard won on taken out of the river and shown with the hand", share=0.05
        ),
    }
)


MOST_SCALE = 5.0
_SPAN = 2**64

Choice = TypeVar("Choice")


class Numbers:
    """Random numbers that belong to one name."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._drawn = 0

    def share(self) -> float:
        self._drawn += 1
        drawn = hashlib.blake2b(f"{self._name} {self._drawn}".encode(), digest_size=8).digest()
        return int.from_bytes(drawn, "big") / _SPAN

    def between(self, low: float, high: float) -> float:
        return low + (high - low) * self.share()

    def milliseconds(self, low_s: float, high_s: float) -> int:
        return round(1000 * self.between(low_s, high_s))

    def one_of(self, choices: Sequence[Choice]) -> Choice:
        """One of them; raises IndexError where there is none."""
        return choices[int(self.share() * len(choices))]

    def sign(self) -> int:
        return 1 if self.share() < 0.5 else -1

    def shuffled(self, values: Sequence[Choice]) -> list[Choice]:
        return [value for _, value in sorted(((self.share(), number), value) for number, value in enumerate(values))]


@frozen
class Disturbances:
    """How much people disturb: ``scale`` (0 to 5) multiplies every rate, ``scales`` those of single kinds once more; 0 switches off.

    Raises ValueError for a scale that is out of range.
    """

    seed: int
    scale: float = 1.0
    scales: Mapping[Disturbance, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 0 <= self.scale <= MOST_SCALE:
            raise ValueError(f"disturbances cannot be scaled by {self.scale}: give a number from 0 to {MOST_SCALE:g}")
        for kind, scale in self.scales.items():
            if scale < 0:
                raise ValueError(f"{kind} cannot be scaled by {scale}: give 0, which switches it off, or more")

    def expected(self, kind: Disturbance) -> float:
        return RATES[kind].on_each_occasion * self.scale * self.scales.get(kind, 1.0)

    def happens(self, kind: Disturbance, occasion: str) -> bool:
        """Whether it happens; ``occasion`` names one occasion of one hand."""
        expected = self.expected(kind)
        return expected > 0 and self.numbers(kind, f"{occasion}?").share() < expected

    def count(self, kind: Disturbance, occasion: str) -> int:
        """How often it happens where it can happen several times on one occasion (Poisson's distribution)."""
        expected = self.expected(kind)
        if not expected:
            return 0
        left, count, chance = self.numbers(kind, f"{occasion}?").share(), 0, math.exp(-expected)
        while left >= chance > 0:
            left -= chance
            count += 1
            chance *= expected / count
        return count

    def numbers(self, kind: Disturbance, occasion: str) -> Numbers:
        return Numbers(f"{self.seed} {kind} {occasion}")


def only(seed: int, kinds: Collection[Disturbance]) -> Disturbances:
    """People who disturb in these ways on every occasion, or once on average if it can happen several times on one, and in no others."""
    return Disturbances(seed, scales={kind: 1 / RATES[kind].on_each_occasion if kind in kinds else 0.0 for kind in Disturbance})


NONE = Disturbances(0, scale=0.0)
"""There are no disturbances."""
