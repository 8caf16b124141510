"""Played hands: whole hands of the simulated players, and what a decoder makes of their observation streams."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from controller.recorder.decoder import HandDecoder
from controller.recorder.places import all_seats
from controller.recorder.signals import Decoded, GateEdge, KeyEdge, KnownDeal
from tests.support.recorder.disturbances import Disturbances
from tests.support.recorder.observed_hands import ObservedHand
from twinwall.game.payments import totals
from twinwall.game.play_events import EndReason, HandEnded, PlayEvent
from twinwall.game.rule_set import RuleSet
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS, Seat, Tile
from twinwall.game.walls import SeatWall
from twinwall.simulator.players.hand_in_memory import HandInMemory
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
    rest, round_wind = tuple(tiles[size * len(SEATS) :]), SEATS[hand // 4 % 4]
    as_played = HandInMemory(rules, walls, players, round_wind, rest).play()
    state = rules.start()
    for event in as_played.events:
        state = rules.apply(state, event)
    ends = [HandEnded(reason, totals(rules.payments(state, as_played.wins))) for reason in (EndReason.WON, EndReason.DRAWN)]
    end = next(end for end in ends if rules.illegal(state, end) is None)
    split = {seat: SeatWall(wall[:13], wall[13:]) for seat, wall in walls.items()}
    return PlayedHand(rules, split, rest, round_wind, (*as_played.events, end))


def observed(hand: PlayedHand, disturbances: Disturbances, *, first: int | None = None, blur: float = 1.0) -> ObservedHand:
    """The hand before a camera; ``first``: no more than so many of its events."""
    hands = {seat: list(wall.hand) for seat, wall in hand.walls.items()}
    draws = {seat: list(wall.draws) for seat, wall in hand.walls.items()}
    return ObservedHand(hand.rules, hand.events[:first], hands, draws, disturbances, blur)


def decoder_of(hand: PlayedHand, *, deal: bool = True, gates: bool = True) -> HandDecoder:
    """A decoder for the hand, East at place 0."""
    return HandDecoder(hand.rules, all_seats(0), hand.round, hand.deal if deal else None, gates=gates)


def followed(decoder: HandDecoder, stream: ObservedHand, *, gates: bool = True, after: Callable[[], None] | None = None) -> list[Decoded]:
    """Tell the decoder the whole stream; what it published on the way, in that order. ``after`` is called after each observation."""
    published: list[Decoded] = []
    for message in stream.messages():
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
