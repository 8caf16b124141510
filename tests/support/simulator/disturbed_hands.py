"""Simulated hands: of people who disturb, of players who know the rules, near to a win, and in their middle."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, reduce
from types import MappingProxyType

import numpy as np

from benchmarks.played_tables.hand_on_table import HandOnTable, HandToPlay
from benchmarks.played_tables.people_at_table import hand_on_table
from simulator.disturbances.kinds import Disturbances
from simulator.players.hand_in_memory import HandAsPlayed, HandInMemory
from simulator.players.player_view import PlayerView, SeatView
from simulator.players.strategies import player_of
from simulator.players.strategies.player import taste_of
from simulator.world.visible_table import VisibleTable
from twinwall.game.play_events import EndReason, HandEnded, Meld, PlayEvent, totals
from twinwall.game.rule_set import RuleSet
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS, Seat, Tile, parse_tiles, round_wind
from twinwall.game.walls import SeatWall
from twinwall.wire.shapes.panel import Lamps


@cache
def hand_to_play(rules_name: str, number: int) -> HandToPlay:
    """Hand ``number`` (from 1) of four tastes over walls shuffled by the number."""
    rules, hand = rule_set(rules_name), (number - 1) % 16 + 1
    tiles = [rules.tiles[index] for index in np.random.default_rng([7, number]).permutation(len(rules.tiles))]
    size = rules.walls.wall_size
    walls = {seat: tuple(tiles[size * seat.index : size * (seat.index + 1)]) for seat in SEATS}
    rest = tuple(tiles[size * len(SEATS) :])
    return HandToPlay(f"{rules_name} {number}", rules, walls, rehearsed(rules, walls, number, hand=hand, rest=rest), hand, rest)


@cache
def disturbed_hand(rules_name: str, number: int, scale: float) -> HandOnTable:
    """That hand at a table whose people disturb so much."""
    return hand_on_table(hand_to_play(rules_name, number), Disturbances(1, scale))


def rehearsed(rules: RuleSet, walls: Mapping[Seat, Sequence[Tile]], seed: int, *, hand: int = 1, rest: Sequence[Tile] = ()) -> HandAsPlayed:
    """The hand of four tastes drawn from a seed."""
    players = {seat: player_of(rules, taste_of(seed, "1", seat.index)) for seat in SEATS}
    return HandInMemory(rules, walls, players, round_wind(hand), rest).play()


def whole_hand(
    rules: RuleSet, walls: Mapping[Seat, SeatWall], seed: int, *, hand: int = 1, rest: Sequence[Tile] = ()
) -> tuple[PlayEvent, ...]:
    """A whole hand as four people who know the rules play it, with what it pays."""
    played = rehearsed(rules, {seat: wall.tiles for seat, wall in walls.items()}, seed, hand=hand, rest=rest)
    state = reduce(rules.apply, played.events, rules.start())
    reason = EndReason.WON if played.wins else EndReason.DRAWN
    return (*played.events, HandEnded(rules.permissions(state).ended or reason, totals(rules.payments(state, played.wins))))


NOTHING: Mapping[Seat, str] = MappingProxyType({})


def seen(hand: str, *melds: Meld, rivers: Mapping[Seat, str] = NOTHING, riichi: tuple[Seat, ...] = (), draws: int = 10) -> PlayerView:
    """What East sees in the first round."""
    seats = [SeatView(parse_tiles(rivers.get(seat, "")), (), draws, seat in riichi) for seat in SEATS]
    seats[0] = replace(seats[0], melds=melds)
    return PlayerView(Seat.EAST, Seat.EAST, parse_tiles(hand), (seats[0], seats[1], seats[2], seats[3]))


HAND = ("1m", "2m", "3m", "4p", "5p", "6p", "7s", "8s", "9s", "E", "E", "C", "C")
VISIBLE = VisibleTable(
    version=1,
    place=1,
    hand=1,
    rack=HAND,
    drawn=None,
    after_kong=False,
    hand_waiting=0,
    gate_open=False,
    draws_left=(20, 20, 20, 20),
    clearing=False,
    box=True,
    rivers=(("4m", "C"), (), (), ()),
    melds=((), (), (), ()),
    shown=((), (), (), ()),
    lamps=Lamps(),
    discards=2,
    last_discard=(0, 1),
    answered=True,
)
