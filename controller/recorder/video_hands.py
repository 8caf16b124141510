"""Hands of a video: its observations parted into hands, each decoded without a deal and without draw gates.

Between two hands the tiles are shuffled, so no face is in sight for some seconds. East is the seat of the first discard, unless a person
says otherwise; a hand whose first discards were not seen does not tell.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import inf

import numpy as np

from controller.recorder import costs
from controller.recorder.hand_answers import DecodedHand
from controller.recorder.learnt_rivers import river_place, rivers_middle
from controller.recorder.observation_file import ObservedHand, ordinary_hand, rounded
from controller.recorder.tracks import Track, TrackList
from controller.recorder.usual_places import UsualPlaces
from twinwall.game.tiles import SEATS, Seat
from vision.anytable.flattening import flattened, flattening
from vision.mat_observation import MatObservation
from vision.table.lens import Points, project

SHUFFLE_MS = 5000
"""No face is in sight for so long between two hands, or the table is not, and then fewer than half of the faces are."""
_LEAST_FACES = 4
"""With fewer faces at once nothing was played: tiles were turned up as walls were built."""
_FIRST_TOGETHER = 2
"""More discards than this cannot have come to lie between two frames."""
_FIRST = 14
"""This number of discards is looked at."""
_NEARLY = 2
"""An order that is off no more than this many times as often as the best one fits nearly as well."""


def parted(observations: Iterable[MatObservation]) -> Iterator[list[MatObservation]]:
    """The observations of each hand, from the end of the one before."""
    hand, last_ms, most, lay = list[MatObservation](), None, 0, 0
    for observation in observations:
        faces = sum(tile.face_up for tile in observation.tiles)
        if last_ms is not None and observation.at_ms - last_ms >= SHUFFLE_MS and 2 * faces < lay:
            if most >= _LEAST_FACES:
                yield hand
            hand, last_ms, most = [], None, 0
        if faces:
            last_ms, most, lay = observation.at_ms, max(most, faces), faces
        hand.append(observation)
    if most >= _LEAST_FACES:
        yield hand


def hand_number(east: int, round_wind: Seat = Seat.EAST) -> int:
    """The number of the hand of a session in which East sits at this place."""
    return len(SEATS) * round_wind.index + east + 1


class VideoHand:
    """The observations of a hand, its tiles where the mat would have them, and how to decode it."""

    def __init__(self, observations: Iterable[MatObservation], outlines_mm: Sequence[Points] = ()) -> None:
        """``outlines_mm`` are those of its faces (4 × 2 each), where a camera's plane is known by tiles alone."""
        observations, level = list(observations), flattening(outlines_mm)
        x_mm, y_mm = rivers_middle(_faces(flattened(observations, level)))
        self._flattening = np.array([(1.0, 0.0, -x_mm), (0.0, 1.0, -y_mm), (0.0, 0.0, 1.0)]) @ level
        self._places = UsualPlaces(list(flattened(observations, self._flattening)))
        self.observations = [rounded(each) for each in self._places.laid()]

    def seen_at(self, x_mm: float, y_mm: float) -> tuple[float, float]:
        """Where on the camera's plane a spot of the mat is seen."""
        spot = np.array([self._places.seen_at(x_mm, y_mm)])
        ((x_mm, y_mm),) = project(np.asarray(np.linalg.inv(self._flattening), np.float64), spot).tolist()
        return x_mm, y_mm

    def east(self, rules: str, wind: Seat = Seat.EAST) -> int | None:
        """The place 0 to 3 from which the first tile was laid into a river; None where that was not seen.

        The order of the discards before the first claim tells. Where it fits several places, the whole hand, decoded by these rules in
        this round, has to be likelier with one of them; raises RuleSetError for rules that do not exist.
        """
        places = self.first_places()
        if len(places) < 2:
            return next(iter(places), None)
        cost = {place: self.decoded(ordinary_hand("1", rules, hand_number(place, wind))).decoder.cost for place in places}
        best, second = sorted(places, key=cost.__getitem__)[:2]
        return best if cost[second] - cost[best] >= costs.SOMETIMES else None

    def first_places(self) -> list[int]:
        """The places that the order of the first discards may mean, as each seat has its turn after the one at its left: one, or several
        where it fits none of them well, for a discard may be seen late."""
        faces = sorted(_faces(self.observations), key=lambda track: track.appeared_ms)
        laid = [(track, place) for track in faces if (place := river_place(track)) is not None]
        claimed_ms = min((track.gone_ms for track, _ in laid if track.gone_ms is not None), default=inf)
        early = [(track.appeared_ms, place) for track, place in laid if track.appeared_ms <= claimed_ms][:_FIRST]
        if not early or sum(at_ms == early[0][0] for at_ms, _ in early) > _FIRST_TOGETHER:
            return []
        beginnings = [[place for _, place in early[:count]] for count in range(1, len(early) + 1)]
        orders = [sum(_off(places, east) for places in beginnings) for east in range(len(SEATS))]
        return [place for place, off in enumerate(orders) if off <= _NEARLY * min(orders)]

    def decoded(self, hand: ObservedHand) -> DecodedHand:
        """What the decoder makes of it; raises RuleSetError for rules or options that do not exist."""
        decoder = hand.decoder()
        for observation in self.observations:
            decoder.see(observation)
        return DecodedHand(decoder, decoder.finish())


def _faces(observations: Iterable[MatObservation]) -> list[Track]:
    """The faces that have lain anywhere."""
    tracks = TrackList()
    for observation in observations:
        tracks.see(observation)
    return [track for track in tracks.all.values() if track.lies and track.face_up]


def _off(places: Sequence[int], east: int) -> int:
    """How many of some discards are not those of as many turns from East's first."""
    turns = Counter((east + number) % len(SEATS) for number in range(len(places)))
    return (turns - Counter(places)).total()
