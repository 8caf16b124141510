"""Played hands: whole hands of people at simulated tables, what camera, gates and keys tell of them, and what a decoder makes of that."""

import heapq
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, reduce
from typing import TypeVar

from benchmarks.played_tables.hand_on_table import HandOnTable, HandToPlay
from benchmarks.played_tables.people_at_table import hand_on_table
from controller.recorder.decoder import AFTERWARDS, HandDecoder
from controller.recorder.places import all_seats
from controller.recorder.signals import Decoded, GateEdge, KnownDeal
from simulator.disturbances.kinds import Disturbance, Disturbances
from simulator.disturbances.kinds import only as only_these
from tests.support.simulator.disturbed_hands import hand_to_play
from tests.support.simulator.mat_observations import ObservationNoise, gate_passages, observations
from twinwall.game.play_events import ClaimsPassed, EndReason, HandEnded, PlayEvent, totals
from twinwall.game.rule_set import RuleSet
from twinwall.game.tiles import Seat, Tile, place_of, round_wind
from twinwall.game.walls import SeatWall
from twinwall.wire.shapes.panel import KeyEdge
from vision.mat import Spot
from vision.mat_observation import MatObservation, ObservedTile

FRAME_MS = 250
E = TypeVar("E", bound=PlayEvent)
Message = GateEdge | KeyEdge | MatObservation


@dataclass(frozen=True, slots=True)
class PlayedHand:
    """One hand as it was played; ``events`` end with ``HandEnded``."""

    to_play: HandToPlay
    events: tuple[PlayEvent, ...]

    @property
    def rules(self) -> RuleSet:
        return self.to_play.rules

    @property
    def walls(self) -> Mapping[Seat, SeatWall]:
        return {seat: SeatWall(tuple(wall[:13]), tuple(wall[13:])) for seat, wall in self.to_play.walls.items()}

    @property
    def rest(self) -> tuple[Tile, ...]:
        return tuple(self.to_play.rest)

    @property
    def east(self) -> int:
        """The place where East sits."""
        return place_of(Seat.EAST, self.to_play.hand)

    def place(self, seat: Seat) -> int:
        return (self.east + seat.index) % 4

    def event(self, kind: type[E], index: int) -> E:
        """The event of that index, which is one of a kind."""
        event = self.events[index]
        assert isinstance(event, kind)
        return event

    def first(self, kind: type[E], since: int = 0) -> tuple[int, E]:
        """The index of the first event of a kind, and the event."""
        return next((index, event) for index, event in enumerate(self.events[since:], since) if isinstance(event, kind))

    def last(self, kind: type[E]) -> tuple[int, E]:
        """The index of the last event of a kind, and the event."""
        return next((index, event) for index, event in reversed([*enumerate(self.events)]) if isinstance(event, kind))

    def at_table(self, people: Disturbances, first: int | None = None) -> HandOnTable:
        """The hand among people who disturb; ``first``: no more than so many of its events."""
        played = replace(self.to_play.played, events=self.to_play.played.events[:first])
        return hand_on_table(replace(self.to_play, played=played), people)


@cache
def played(rules_name: str, number: int) -> PlayedHand:
    """Hand number ``number`` (from 0)."""
    hand = hand_to_play(rules_name, number + 1)
    rules, state = hand.rules, reduce(hand.rules.apply, hand.played.events, hand.rules.start())
    ends = [HandEnded(reason, totals(rules.payments(state, hand.played.wins))) for reason in (EndReason.WON, EndReason.DRAWN)]
    end = next(end for end in ends if rules.illegal(state, end) is None)
    return PlayedHand(hand, (*hand.played.events, end))


def only(*kinds: Disturbance, seed: int = 1) -> Disturbances:
    """People who disturb in these ways on every occasion, or once on each if it can happen several times, and in no others."""
    return only_these(seed, kinds)


def messages_of(
    hand: HandOnTable,
    noise: ObservationNoise | None = None,
    seen: Iterable[MatObservation] | None = None,
    *,
    backs: bool = False,
    frame_ms: int = FRAME_MS,
) -> Iterator[Message]:
    """What camera, draw gates and keys tell of a hand, in the order of time.

    ``seen``: what the camera tells, in place of observations with noise, one each ``frame_ms``; ``backs``: the gates tell of tiles put
    back as well.
    """
    passages = [passed for passed in gate_passages(hand) if (passed.out or backs) and not passed.rear]
    signals: list[Message] = [GateEdge(passed.at_ms, passed.wall, not passed.out) for passed in passages]
    signals += hand.keys
    frames = observations(hand, frame_ms, noise or ObservationNoise()) if seen is None else seen
    return heapq.merge(sorted(signals, key=_at_ms), frames, key=_at_ms)


def _at_ms(message: Message) -> int:
    return message.at_ms


def without_passes(events: Iterable[PlayEvent]) -> list[PlayEvent]:
    """The events but for the ends of claim windows: the last one shows with the next draw alone."""
    return [event for event in events if not isinstance(event, ClaimsPassed)]


def near(tile: ObservedTile, spot: Spot, within_mm: float = 14.0) -> bool:
    """Whether a tile is seen about a place."""
    return math.hypot(tile.x_mm - spot.x_mm, tile.y_mm - spot.y_mm) < within_mm


def seen_as(stream: Iterable[Message], look: Callable[[MatObservation], MatObservation]) -> Iterator[Message]:
    """The stream with each frame as it looks then."""
    return (look(message) if isinstance(message, MatObservation) else message for message in stream)


def decoder_of(hand: PlayedHand, *, deal: bool = True, gates: bool = True) -> HandDecoder:
    """A decoder for the hand; without deal and gates one as ``ObservedHand`` makes it, for nothing waits for the events of such a hand."""
    known, limits = KnownDeal(hand.walls, hand.rest) if deal else None, None if deal or gates else AFTERWARDS
    return HandDecoder(hand.rules, all_seats(hand.east), round_wind(hand.to_play.hand), known, gates=gates, limits=limits)


def followed(
    decoder: HandDecoder, stream: Iterable[Message], *, gates: bool = True, after: Callable[[], None] | None = None
) -> list[Decoded]:
    """Tell the decoder the whole stream; what it published on the way, in that order. ``after`` is called after each observation."""
    published: list[Decoded] = []
    for message in stream:
        match message:
            case GateEdge():
                if gates:
                    decoder.draw_sensed(message)
            case KeyEdge():
                decoder.key_pressed(message)
            case MatObservation():
                published.extend(decoder.see(message))
                if after is not None:
                    after()
    return published
