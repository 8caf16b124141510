"""How fast hands are scored: ``.venv/bin/python -m benchmarks.rules [--rules NAME …] [--hands N] [--seed S]``.

For each rule set, complete hands are made from the seed (half of them spoiled by one tile) and scored through the
Python call, on one core; the share of the time spent in third-party code stands beside. One JSON object on standard
output.
"""

from __future__ import annotations

import argparse
import json
import random
import site
import time
from collections import Counter
from collections.abc import Iterator
from cProfile import Profile
from pstats import Stats

from twinwall.game.play import RuleSet, Win, WinningHand
from twinwall.game.rules import rule_set, rule_set_names
from twinwall.game.tiles import SEATS, Tile

_PROFILED = 2000
_THIRD_PARTY = (*site.getsitepackages(), "MahjongGB", "mahjong.")


def hands(rules: RuleSet, seed: int) -> Iterator[WinningHand]:
    """Concealed hands of sets and a pair, in two suits at most; every other one has a tile exchanged for another."""
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


def figures(name: str, count: int, seed: int) -> dict[str, object]:
    """What is measured of one rule set."""
    rules = rule_set(name)
    made = hands(rules, seed)
    scored = [next(made) for _ in range(count)]
    began_s = time.process_time()
    won = sum(isinstance(rules.score(hand), Win) for hand in scored)
    spent_s = time.process_time() - began_s
    return {
        "hands": count,
        "won_share": round(won / count, 3),
        "hands_per_s": round(count / spent_s),
        "third_party_share": round(_third_party_share(rules, scored[:_PROFILED]), 3),
    }


def _third_party_share(rules: RuleSet, scored: list[WinningHand]) -> float:
    """The share of the profiled time that is spent in libraries of others."""
    profile = Profile()
    profile.enable()
    for hand in scored:
        rules.score(hand)
    profile.disable()
    times = {where: timing[2] for where, timing in Stats(profile).stats.items()}  # type: ignore[attr-defined]  # the table that it prints
    foreign = sum(spent for (file, _, function), spent in times.items() if any(part in f"{file} {function}" for part in _THIRD_PARTY))
    return float(foreign / sum(times.values()))


def main() -> None:
    """Score and print."""
    parser = argparse.ArgumentParser(description="Hands scored per second and core, as JSON.")
    parser.add_argument("--rules", nargs="+", default=list(rule_set_names()), choices=rule_set_names())
    parser.add_argument("--hands", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(json.dumps({"seed": options.seed, "rules": {name: figures(name, options.hands, options.seed) for name in options.rules}}))


if __name__ == "__main__":
    main()
