"""Whole hands at tables whose people disturb, made once for a process."""

from functools import cache

import numpy as np

from benchmarks.played_tables.hand_on_table import HandOnTable, HandToPlay
from benchmarks.played_tables.people_at_table import hand_on_table
from simulator.disturbances.draws import Disturbances
from tests.support.simulator.rehearsed_hands import rehearsed
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS


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
def disturbed_hand(rules_name: str, number: int, scale: float, seed: int = 1) -> HandOnTable:
    """That hand at a table whose people disturb so much."""
    return hand_on_table(hand_to_play(rules_name, number), Disturbances(seed, scale))
