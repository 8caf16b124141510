"""Strength and speed of the simulated players: ``.venv/bin/python -m benchmarks.players [--rules NAME] [--hands N] [--seed S]``.

Whole hands over walls shuffled from the seed, with four different tastes at the table, on one core.
"""

import time
from typing import Annotated

import numpy as np

from benchmarks.support.measuring import run_measure
from simulator.players.hand_in_memory import HandAsPlayed, HandInMemory
from simulator.players.strategies import player_of
from simulator.players.strategies.player import taste_of
from twinwall.game.rule_set import RuleSet
from twinwall.game.rules import DEFAULT_RULES, rule_set, rule_set_names
from twinwall.game.tiles import SEATS


def play(rules: RuleSet, hand: int, seed: int) -> HandAsPlayed:
    """Play hand number ``hand`` (from 0) of a seed, at table 1."""
    order = np.random.default_rng([seed, hand]).permutation(len(rules.tiles))
    size = rules.walls.wall_size
    walls = {seat: [rules.tiles[index] for index in order[size * seat.index : size * seat.index + size]] for seat in SEATS}
    players = {seat: player_of(rules, taste_of(seed, "1", (hand + seat.index) % 4)) for seat in SEATS}
    rest = [rules.tiles[index] for index in order[size * len(SEATS) :]]
    return HandInMemory(rules, walls, players, SEATS[hand // 4 % 4], rest).play()


def measure(rules: Annotated[str, rule_set_names()] = DEFAULT_RULES, hands: int = 400, seed: int = 1) -> dict[str, object]:
    """Play ``hands`` hands by a rule set."""
    chosen, began_s = rule_set(rules), time.process_time()
    played = [play(chosen, hand, seed) for hand in range(hands)]
    spent_s = time.process_time() - began_s
    return {
        "rules": rules,
        "hands": hands,
        "seed": seed,
        "won_share": round(sum(hand.winner is not None for hand in played) / hands, 4),
        "wins_per_hand": round(sum(len(hand.wins) for hand in played) / hands, 2),
        "hands_per_cpu_s": round(hands / spent_s, 1),
    }


if __name__ == "__main__":
    run_measure(measure)
