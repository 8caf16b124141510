"""How well and how fast the simulated players play: ``.venv/bin/python benchmarks/players.py [--hands N] [--seed S]``.

Whole hands over walls shuffled from the seed, four different tastes at the table, on one core.
One JSON object on standard output; docs quote its figures.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter

import numpy as np

from twinwall.game.play import Claimed, KongDeclared, MeldType, WinDeclared
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS
from twinwall.simulator.players.rehearsal import Rehearsal, RehearsedHand
from twinwall.simulator.players.strategy import Strategy, taste_of

RULES = rule_set("mcr-duplicate")


def play(hand: int, seed: int) -> RehearsedHand:
    """Hand number ``hand`` (from 0) of a seed, at table 1."""
    order = np.random.default_rng([seed, hand]).permutation(len(RULES.tiles))
    walls = {seat: [RULES.tiles[index] for index in order[34 * seat.index : 34 * seat.index + 34]] for seat in SEATS}
    players = {seat: Strategy(RULES, taste_of(seed, "1", (hand + seat.index) % 4)) for seat in SEATS}
    return Rehearsal(RULES, walls, players, SEATS[hand // 4 % 4]).play()


def main() -> int:
    """Play and print."""
    parser = argparse.ArgumentParser(description="Figures of the simulated players, as JSON.")
    parser.add_argument("--hands", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    began_s = time.process_time()
    played = [play(hand, options.seed) for hand in range(options.hands)]
    spent_s = time.process_time() - began_s
    wins = [hand.win for hand in played if hand.win is not None]
    kongs = Counter(
        event.meld.type.value
        for hand in played
        for event in hand.events
        if isinstance(event, KongDeclared) or (isinstance(event, Claimed) and event.meld.type is MeldType.KONG)
    )
    fans = Counter(fan.id for win in wins for fan in win.fans if fan.value >= 6)
    figures = {
        "hands": options.hands,
        "seed": options.seed,
        "won_share": round(len(wins) / options.hands, 4),
        "self_drawn_share_of_wins": round(
            sum(isinstance(event, WinDeclared) and event.source is None for hand in played for event in hand.events) / max(1, len(wins)), 4
        ),
        "draws_per_hand": round(sum(hand.draws for hand in played) / options.hands, 2),
        "claims_per_hand": round(sum(isinstance(event, Claimed) for hand in played for event in hand.events) / options.hands, 2),
        "kongs_per_hand": round(sum(kongs.values()) / options.hands, 3),
        "kongs": dict(kongs),
        "mean_fan": round(sum(win.total for win in wins) / max(1, len(wins)), 2),
        "hands_per_cpu_s": round(options.hands / spent_s, 1),
        "main_fans": dict(fans.most_common(8)),
    }
    json.dump(figures, sys.stdout, indent=2)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
