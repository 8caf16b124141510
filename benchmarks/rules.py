"""Speed of scoring and playing: ``.venv/bin/python -m benchmarks.rules [--rules NAME …] [--hands N] [--games N] [--seed S]``.

For each rule set, complete hands are made from the seed (half of them spoiled by one tile) and scored through the Python call, on one core;
then the simulated players play whole hands on walls shuffled from the seed. One JSON object on standard output.
"""

import argparse
import json
import random
import time
from collections import Counter
from collections.abc import Iterator

from benchmarks.players import play
from twinwall.game.rule_set import RuleSet, Win, WinningHand
from twinwall.game.rules import rule_set, rule_set_names
from twinwall.game.tiles import SEATS, Tile


def hands(rules: RuleSet, seed: int) -> Iterator[WinningHand]:
    """Yield concealed hands of sets and a pair, in at most two suits; in every other one a tile is exchanged."""
    chance = random.Random(seed)
    kinds = sorted(set(rules.tiles))
    while True:
        tiles = _complete(chance)
        if max(Counter(tiles).values()) > 4:
            continue
        if chance.random() < 0.5:
            tiles[chance.randrange(len(tiles))] = chance.choice(kinds)
        if max(Counter(tiles).values()) > 4:
            continue
        chance.shuffle(tiles)
        seat, source = chance.sample(SEATS, 2)
        yield WinningHand(seat, chance.choice(SEATS), tuple(tiles[:13]), (), tiles[13], source if chance.random() < 0.5 else None)


def _complete(chance: random.Random) -> list[Tile]:
    suits = chance.sample(range(3), 2)
    tiles: list[int] = []
    for _ in range(4):
        first = 9 * chance.choice(suits) + chance.randrange(7)
        tiles += [first, first + 1, first + 2] if chance.random() < 0.7 else [first] * 3
    return [Tile(tile) for tile in [*tiles, *[9 * chance.choice(suits) + chance.randrange(9)] * 2]]


def scoring(rules: RuleSet, count: int, seed: int) -> dict[str, object]:
    """Measure how fast a rule set scores hands."""
    made = hands(rules, seed)
    scored = [next(made) for _ in range(count)]
    began_s = time.process_time()
    won = sum(isinstance(rules.score(hand), Win) for hand in scored)
    spent_s = time.process_time() - began_s
    return {
        "hands": count,
        "won_share": round(won / count, 3),
        "hands_per_s": round(count / spent_s),
    }


def playing(rules: RuleSet, count: int, seed: int) -> dict[str, object]:
    """Measure how fast whole hands are played with a rule set."""
    began_s = time.process_time()
    won = sum(bool(play(rules, hand, seed).wins) for hand in range(count))
    spent_s = time.process_time() - began_s
    return {
        "games": count,
        "won_share": round(won / count, 3),
        "games_per_s": round(count / spent_s, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Hands scored and played per second and core, as JSON.")
    parser.add_argument("--rules", nargs="+", default=list(rule_set_names()), choices=rule_set_names())
    parser.add_argument("--hands", type=int, default=50_000)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chosen = {name: rule_set(name) for name in options.rules}
    figures = {
        name: {"scoring": scoring(rules, options.hands, options.seed), "playing": playing(rules, options.games, options.seed)}
        for name, rules in chosen.items()
    }
    print(json.dumps({"seed": options.seed, "rules": figures}))


if __name__ == "__main__":
    main()
