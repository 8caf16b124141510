"""Hands of a video: its observations parted into hands, each decoded without a deal and without draw gates.

Between two hands the tiles are shuffled, so no face is in sight for some seconds. East is the seat of the first discard, unless a person
says otherwise; a hand whose first discards were not seen does not tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from controller.recorder.hand_answers import DecodedHand
from controller.recorder.observation_file import ObservedHand, rounded
from controller.recorder.tracks import SAME_PLACE_MM
from controller.recorder.usual_places import UsualPlaces
from twinwall.game.tiles import SEATS, Seat
from vision.mat_observation import MatObservation, ObservedTile

SHUFFLE_MS = 5000
"""No face is in sight for so long between two hands."""
_LEAST_FACES = 4
"""With fewer faces at once nothing was played: tiles were turned up as walls were built."""
_FIRST_TOGETHER = 2
"""More discards than this cannot have come to lie between two frames."""
_RIVERS_MM = (60.0, 250.0)
"""Between these distances from the middle, along either axis, discards are laid."""


def parted(observations: Iterable[MatObservation]) -> Iterator[list[MatObservation]]:
    """The observations of each hand, from the end of the one before."""
    hand, last_ms, most = list[MatObservation](), None, 0
    for observation in observations:
        faces = sum(tile.face_up for tile in observation.tiles)
        if faces:
            last_ms, most = observation.at_ms, max(most, faces)
        elif last_ms is not None and observation.at_ms - last_ms >= SHUFFLE_MS:
            if most >= _LEAST_FACES:
                yield hand
            hand, last_ms, most = [], None, 0
        hand.append(observation)
    if most >= _LEAST_FACES:
        yield hand


def first_discarder(observations: Sequence[MatObservation]) -> int | None:
    """The place 0 to 3 from which the first tile was laid into a river; None where several lie there from the beginning."""
    for before, after in pairwise(observations):
        lying = [tile for tile in after.tiles if tile.face_up and _in_a_river(tile) and any(_same(tile, other) for other in before.tiles)]
        if lying:
            first = lying[0]
            upright = abs(first.angle_deg - 90) > 45
            return None if len(lying) > _FIRST_TOGETHER else (0 if first.y_mm > 0 else 2) if upright else (1 if first.x_mm > 0 else 3)
    return None


def hand_number(east: int, round_wind: Seat = Seat.EAST) -> int:
    """The number of the hand of a session in which East sits at this place."""
    return len(SEATS) * round_wind.index + east + 1


def decoded_hand(hand: ObservedHand, observations: Iterable[MatObservation]) -> DecodedHand:
    """What the decoder makes of a hand, whose tiles are moved to their usual places; raises RuleSetError for rules or options that do not
    exist."""
    decoder = hand.decoder()
    for observation in UsualPlaces(list(observations)).laid():
        decoder.see(rounded(observation))
    return DecodedHand(decoder, decoder.finish())


def _in_a_river(tile: ObservedTile) -> bool:
    return _RIVERS_MM[0] < max(abs(tile.x_mm), abs(tile.y_mm)) < _RIVERS_MM[1]


def _same(one: ObservedTile, other: ObservedTile) -> bool:
    return other.face_up and abs(one.x_mm - other.x_mm) + abs(one.y_mm - other.y_mm) < SAME_PLACE_MM
