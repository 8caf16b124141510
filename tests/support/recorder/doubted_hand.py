"""Hands of which something is in doubt: a discard taken for one of two kinds, and five violations, as a decoder has followed them."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import msgspec

from benchmarks.played_tables.violations import CommittedViolation, violated_hand
from benchmarks.recorder_violations import SLIPS
from controller.recorder.decoder import HandDecoder
from controller.recorder.observation_file import ObservedHand, decode_lines, decoded_document, line_of
from controller.recorder.signals import Decoded
from simulator.disturbances.kinds import Disturbances
from tableside.readiness.recorded_hands import RecordedHands, keep_document
from tests.support.narrowed import of_type
from tests.support.recorder.played_hands import PlayedHand, decoder_of, followed, messages_of, only, played
from tests.support.simulator.mat_observations import ObservationNoise
from twinwall.game.play_events import PlayEvent, TileDiscarded
from twinwall.game.tiles import SEATS, Tile
from twinwall.game.typed_json import plain
from vision.mat import Area, Mat, Slot
from vision.mat_observation import MatObservation

EVENTS = 17
"""So many events of the hand are played: six discards."""
DOUBTED = 5
"""The event in doubt, South's first discard."""
KINDS = RIGHT, OTHER = Tile.P8, Tile.P9
"""What it is, and what the camera takes it for nearly as well."""
ALIKE = Tile.S7
"""What four other discards are: a fifth one there cannot be."""
_OF_ONE_TILE_MM = 12.0


def hand() -> PlayedHand:
    """The hand as it was played, but for the discards that are alike."""
    return played("sichuan", 0)


@cache
def doubted_hand() -> bytes:
    """Its observation file."""
    assert of_type(TileDiscarded, hand().events[DOUBTED - 1]).tile is RIGHT
    return hand_with_doubts(((DOUBTED, KINDS),))


@cache
def hand_with_doubts(doubts: tuple[tuple[int, tuple[Tile, Tile]], ...]) -> bytes:
    """The file of the hand whose discards of these numbers are in doubt: what the camera takes each for, and what nearly as well."""
    named = ObservedHand(
        "try", 1, hand().to_play.hand, 1, "1", "sichuan", {}, dict(zip(SEATS, "1234", strict=True)), bytes(32), gates=False
    )
    seen = [_doubted(each, dict(doubts)) for each in messages_of(hand().at_table(only(), EVENTS)) if isinstance(each, MatObservation)]
    return b"".join(line + b"\n" for line in (msgspec.json.encode(plain(named)), *map(line_of, seen)))


def record_doubted_hand(hands: RecordedHands, name: str, unseen_s: float = 0.0) -> Path:
    """Keep the hand among those of a table, as a recording that has ended keeps it; its observation file."""
    file = hands.new(name)
    file.write_bytes(doubted_hand())
    keep_document(file, _document() | {"unseen_s": unseen_s})
    return file


@cache
def _document() -> dict[str, object]:
    """What the decoder makes of the hand, once for all tests of a process: nothing changes it."""
    return decoded_document(*decode_lines(doubted_hand().splitlines(keepends=True)))


def _doubted(observation: MatObservation, doubts: Mapping[int, tuple[Tile, Tile]]) -> MatObservation:
    tiles = observation.tiles
    for number, x_mm, y_mm in _discards():
        shares, sure = (dict(zip(doubts[number], (0.5, 0.49), strict=True)), False) if number in doubts else ({ALIKE: 0.99}, True)
        tiles = tuple(
            replace(tile, shares=shares, sure=sure) if math.dist((tile.x_mm, tile.y_mm), (x_mm, y_mm)) < _OF_ONE_TILE_MM else tile
            for tile in tiles
        )
    return replace(observation, tiles=tiles)


def _discards() -> Iterator[tuple[int, float, float]]:
    """The first five discards: number of the event, and where the tile is laid."""
    laid = [(number, event) for number, event in enumerate(hand().events[:EVENTS], 1) if isinstance(event, TileDiscarded)]
    for index, (number, event) in enumerate(laid[:5]):
        before = sum(other.seat is event.seat for _, other in laid[:index])
        spot = Mat().spot(Slot((hand().east + event.seat.index) % 4, Area.RIVER, before))
        yield number, spot.x_mm, spot.y_mm


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
    followed(decoder, messages_of(at_table, noise, backs=True))
    return FollowedViolations(decoder, tuple(decoder.finish()), tuple(event for _, event in at_table.events), tuple(committed))
