"""Hands of a video: its observations split into hands, each decoded without deal and draw gates.

Tiles are shuffled between two hands, so no face is in sight for some seconds. East is the seat of the first discard, unless a person says
otherwise; unknown if the first discards were not seen.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import inf

import numpy as np

from controller.recorder import costs
from controller.recorder.hand_answers import DecodedHand
from controller.recorder.observation_file import ObservedHand, ordinary_hand, rounded
from controller.recorder.tracks import Track, TrackList
from controller.recorder.usual_places import UsualPlaces, from_first_shared, river_place, rivers_middle
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS, Seat
from vision.anytable.beginning import flattened, flattening
from vision.mat_observation import MatObservation
from vision.table.lens import Points, project

SHUFFLE_MS = 5000
"""Between two hands no face, or no table, is in sight for this long; after it fewer than half of the faces are there."""
_LEAST_FACES = 4
"""Fewer faces at once are no hand: tiles turned up while walls were built."""
_FIRST_TOGETHER = 2
"""Most discards that can appear between two frames."""
_FIRST = 14
"""Number of first discards looked at."""
_TURNED_UP_MM = 19.0
"""A first face within half the way to the rivers from where tiles are turned up is no discard."""
_NEARLY = 2
"""An order fits nearly as well as the best if it is wrong at most this many times as often."""


def parted(observations: Iterable[MatObservation]) -> Iterator[list[MatObservation]]:
    """Yield the observations of each hand, from the end of the one before."""
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
    """Return the number of the hand of a session in which East sits at this place."""
    return len(SEATS) * round_wind.index + east + 1


class VideoHand:
    """The observations of a hand, its tiles moved to the mat's places, and its decoding."""

    def __init__(self, observations: Iterable[MatObservation], rules: str, outlines_mm: Sequence[Points] = ()) -> None:
        """``outlines_mm``: outlines of its faces (4 × 2 each), if tiles alone define the camera's plane. Raises RuleSetError for unknown
        rules."""
        self._rules = rule_set(rules)
        observations, level = list(observations), flattening(outlines_mm)
        x_mm, y_mm = rivers_middle(_faces(flattened(observations, level)))
        self._flattening = np.array([(1.0, 0.0, -x_mm), (0.0, 1.0, -y_mm), (0.0, 0.0, 1.0)]) @ level
        turned_up = any(self._rules.shared_rows)
        self._places = UsualPlaces(list(flattened(observations, self._flattening)), turned_up=turned_up)
        self.observations = [rounded(each) for each in self._places.laid()]

    def seen_at(self, x_mm: float, y_mm: float) -> tuple[float, float]:
        """Return where on the camera's plane a spot of the mat is seen."""
        spot = np.array([self._places.seen_at(x_mm, y_mm)])
        ((x_mm, y_mm),) = project(np.asarray(np.linalg.inv(self._flattening), np.float64), spot).tolist()
        return x_mm, y_mm

    def east(self, wind: Seat = Seat.EAST) -> int | None:
        """Return the place 0 to 3 from which the first discard came; None if unknown.

        The order of the discards before the first claim decides. If it fits several places, the hand is decoded from each in this round,
        and one must be likelier.
        """
        places = self.first_places()
        if len(places) < 2:
            return next(iter(places), None)
        cost = {place: self.decoded(ordinary_hand("1", self._rules.name, hand_number(place, wind))).decoder.cost for place in places}
        best, second = sorted(places, key=cost.__getitem__)[:2]
        return best if cost[second] - cost[best] >= costs.SOMETIMES else None

    def first_places(self) -> list[int]:
        """Return the places that fit the order of the first discards, as turns pass from seat to seat: one, or several if none fits well,
        since a discard may be seen late, or if the first face may be a tile that is turned up."""
        faces = sorted(_faces(self.observations), key=lambda track: track.appeared_ms)
        away_mm = min(from_first_shared(faces[0])) if faces and any(self._rules.shared_rows) else inf
        found = self._places_of(faces) if away_mm >= _TURNED_UP_MM else []
        return sorted({*found, *(self._places_of(faces[1:]) if away_mm < 2 * _TURNED_UP_MM else ())})

    def _places_of(self, faces: Sequence[Track]) -> list[int]:
        riichi = self._rules.declares_riichi
        laid = [(track, place) for track in faces if (place := river_place(track, sideways=riichi)) is not None]
        claimed_ms = min((track.gone_ms for track, _ in laid if track.gone_ms is not None), default=inf)
        early = [(track.appeared_ms, place) for track, place in laid if track.appeared_ms <= claimed_ms][:_FIRST]
        if not early or sum(at_ms == early[0][0] for at_ms, _ in early) > _FIRST_TOGETHER:
            return []
        beginnings = [[place for _, place in early[:count]] for count in range(1, len(early) + 1)]
        orders = [sum(_off(places, east) for places in beginnings) for east in range(len(SEATS))]
        return [place for place, off in enumerate(orders) if off <= _NEARLY * min(orders)]

    def decoded(self, hand: ObservedHand) -> DecodedHand:
        """Decode the hand; raises RuleSetError for unknown rules or options."""
        decoder = hand.decoder()
        for observation in self.observations:
            decoder.see(observation)
        return DecodedHand(decoder, decoder.finish())


def _faces(observations: Iterable[MatObservation]) -> list[Track]:
    tracks = TrackList()
    for observation in observations:
        tracks.see(observation)
    return [track for track in tracks.all.values() if track.rests and track.face_up]


def _off(places: Sequence[int], east: int) -> int:
    """Return how many discards come from another seat than turns from East predict."""
    turns = Counter((east + number) % len(SEATS) for number in range(len(places)))
    return (turns - Counter(places)).total()
