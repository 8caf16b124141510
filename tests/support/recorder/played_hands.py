"""Played hands: whole hands of the simulated players, and what a decoder makes of their observation streams."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from controller.recorder.decoder import HandDecoder
from controller.recorder.places import all_seats
from controller.recorder.signals import Decoded, GateEdge, KeyEdge, KnownDeal
from controller.state.keys import Key
from tests.support.recorder.disturbances import Disturbances
from tests.support.recorder.observed_hands import FRAME_MS, Message, ObservedHand
from tests.support.simulator.mat_observations import ObservationNoise, observations
from twinwall.game.payments import totals
from twinwall.game.play_events import EndReason, HandEnded, PlayEvent
from twinwall.game.rule_set import RuleSet
from twinwall.game.rules import rule_set
from twinwall.game.session import round_wind
from twinwall.game.tiles import SEATS, Seat, Tile
from twinwall.game.walls import SeatWall
from twinwall.simulator.disturbances.hand_on_table import HandOnTable, HandToPlay
from twinwall.simulator.players.hand_in_memory import HandAsPlayed, HandInMemory
from twinwall.simulator.players.strategies import player_of
from twinwall.simulator.players.strategies.pattern_strategy import taste_of
from vision.mat_observation import MatObservation


@dataclass(frozen=True, slots=True)
class PlayedHand:
    """One hand as it was played, with its deal; ``events`` end with ``HandEnded``."""

    rules: RuleSet
    walls: Mapping[Seat, SeatWall]
    rest: tuple[Tile, ...]
    round: Seat
    events: tuple[PlayEvent, ...]

    @property
    def deal(self) -> KnownDeal:
        """What the table knows of it."""
        return KnownDeal(self.walls, self.rest)


def played(rules_name: str, hand: int, seed: int = 1) -> PlayedHand:
    """Hand number ``hand`` (from 0) of a seed, by four tastes."""
    rules = rule_set(rules_name)
    order = np.random.default_rng([seed, hand]).permutation(len(rules.tiles))
    tiles, size = [rules.tiles[index] for index in order], rules.walls.wall_size
    walls = {seat: tuple(tiles[size * seat.index : size * (seat.index + 1)]) for seat in SEATS}
    players = {seat: player_of(rules, taste_of(seed, "1", (hand + seat.index) % 4)) for seat in SEATS}
    rest, prevailing = tuple(tiles[size * len(SEATS) :]), SEATS[hand // 4 % 4]
    return _ended(rules, walls, rest, prevailing, HandInMemory(rules, walls, players, prevailing, rest).play())


def played_at_table(hand: HandToPlay) -> PlayedHand:
    """A hand that people play at a simulated table, as the decoder is judged by it."""
    return _ended(hand.rules, hand.walls, tuple(hand.rest), round_wind(hand.hand), hand.played)


def _ended(
    rules: RuleSet, walls: Mapping[Seat, Sequence[Tile]], rest: tuple[Tile, ...], prevailing: Seat, as_played: HandAsPlayed
) -> PlayedHand:
    """The hand with its end."""
    state = rules.start()
    for event in as_played.events:
        state = rules.apply(state, event)
    ends = [HandEnded(reason, totals(rules.payments(state, as_played.wins))) for reason in (EndReason.WON, EndReason.DRAWN)]
    end = next(end for end in ends if rules.illegal(state, end) is None)
    split = {seat: SeatWall(tuple(wall[:13]), tuple(wall[13:])) for seat, wall in walls.items()}
    return PlayedHand(rules, split, rest, prevailing, (*as_played.events, end))


def table_messages(hand: HandOnTable, noise: ObservationNoise, period_ms: int = FRAME_MS) -> Iterator[Message]:
    """What camera, draw gates and keys tell of a hand at a simulated table, in the order of time; a tile put back is not sensed."""
    told: list[Message] = [GateEdge(passed.at_ms, passed.wall) for passed in hand.gate_passages if passed.out and not passed.rear]
    told += [KeyEdge(key.at_ms, key.place, Key(key.key.value)) for key in hand.keys]
    return heapq.merge(sorted(told, key=_at_ms), observations(hand, period_ms, noise), key=_at_ms)


def _at_ms(message: Message) -> int:
    return message.at_ms


def observed(hand: PlayedHand, disturbances: Disturbances, *, first: int | None = None, blur: float = 1.0) -> Iterator[Message]:
    """What is told of the hand; ``first``: of no more than so many of its events."""
    hands = {seat: list(wall.hand) for seat, wall in hand.walls.items()}
    draws = {seat: list(wall.draws) for seat, wall in hand.walls.items()}
    return ObservedHand(hand.rules, hand.events[:first], hands, draws, disturbances, blur).messages()


def decoder_of(hand: PlayedHand, *, deal: bool = True, gates: bool = True, east: int = 0) -> HandDecoder:
    """A decoder for the hand, East at place ``east``."""
    return HandDecoder(hand.rules, all_seats(east), hand.round, hand.deal if deal else None, gates=gates)


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
