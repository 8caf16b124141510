"""Random hands of every rule set, played at random or towards wins, for the laws of play."""

import random
from collections.abc import Callable, Mapping
from functools import cache

from tests.support.game.seigo_tables import SeigoTable, seigo_deal
from tests.support.game.sichuan_tables import SichuanTable, sichuan_walls
from tests.support.game.tables import RandomTable, Table, any_walls, random_walls, walls_with_kongs
from tests.support.tiers import RANDOM_HANDS, some
from twinwall.game.rules import rule_set

HANDS = RANDOM_HANDS
TIME_S = max(240, 2 * HANDS)
"""How long a test may take that is the first to ask for hands of a rule set."""

MCR_OPTIONS: tuple[Mapping[str, object], ...] = (
    {"minimum": 0},
    {"minimum": 0, "end": "next-empty", "kong_when_next_empty": False},
    {"minimum": 0, "several_winners": "each-minus-others"},
    {"minimum": 0, "several_winners": "each-full", "self_draw": "rounded"},
)
YANGZHOU_OPTIONS: tuple[Mapping[str, object], ...] = ({"minimum": 0, "values": 13}, {}, {"minimum": 1, "values": 18, "stake": 30})
MCR_FROM_END: Mapping[str, object] = {"minimum": 0, "kong_replacement": "end"}
RICH: Mapping[str, tuple[int, ...]] = {
    "mcr-duplicate": (*range(310, 320), 394, 426, 583),
    "seigo": (16, 54, 57, 97),
    "sichuan": (13, 22, 25, 27, 33),
    "yangzhou": (50, 74, 327, 426, 591, 756),
}
"""Hands in which what is rare happens: kongs are robbed or won with, several seats win; the last discard of Seigo wins, or two together; in
Sichuan a win is refused, a kong handed over after its discard, or seats are not ready; in Yangzhou a whole stake is lost."""


def mcr(seed: int, options: Mapping[str, object], *, eager: bool, with_kongs: bool) -> Table:
    """A hand of duplicate MCR; ``with_kongs`` gives equal tiles mostly to the same seat."""
    walls = walls_with_kongs(seed) if with_kongs else random_walls(seed)
    return Table(rule_set("mcr-duplicate", options), walls, random.Random(seed), eager, hand=seed % 16 + 1, options=options).played()


def any_mcr(seed: int) -> Table:
    """A hand of duplicate MCR by its number, with every option of play in turn."""
    return mcr(seed, MCR_OPTIONS[seed % 4], eager=seed % 3 > 0, with_kongs=seed % 5 < 2)


def yangzhou(seed: int) -> Table:
    """A hand by its number: some walls hold many kongs, most players build towards wins, and any shape wins in most."""
    options = YANGZHOU_OPTIONS[seed % 3]
    return Table(
        rule_set("yangzhou", options), any_walls(seed), random.Random(seed), seed % 4 != 0, hand=seed % 16 + 1, options=options
    ).played()


def sichuan(seed: int) -> SichuanTable:
    """A hand by its number: some walls hold many kongs, most players build towards wins."""
    walls = sichuan_walls(seed, alike=(0, 40, 20)[seed % 3])
    return SichuanTable(rule_set("sichuan"), walls, random.Random(seed), seed % 4 != 0, hand=seed % 16 + 1).played()


def seigo(seed: int) -> SeigoTable:
    """A hand by its number: some walls hold many kongs, every third table builds towards wins."""
    walls, rest = seigo_deal(seed, alike=(0, 40, 20, 0)[seed % 4])
    return SeigoTable(rule_set("seigo"), walls, random.Random(seed), eager=seed % 3 == 1, hand=seed % 16 + 1, rest=rest).played()


HAND_BY_NUMBER: Mapping[str, Callable[[int], RandomTable]] = {
    "mcr-duplicate": any_mcr,
    "seigo": seigo,
    "sichuan": sichuan,
    "yangzhou": yangzhou,
}
"""Any hand of a rule set by its number."""


@cache
def hands_of(rules: str) -> tuple[RandomTable, ...]:
    """Hands of a rule set, played once however many laws they are held to; those of duplicate MCR have every option of play."""
    hand = HAND_BY_NUMBER[rules]
    if rules != "mcr-duplicate":
        return tuple(map(hand, (*range(HANDS), *RICH[rules])))
    options_of_rich = some((MCR_OPTIONS[3], MCR_FROM_END, *MCR_OPTIONS[:3]), 2)
    rich = (mcr(seed, options, eager=True, with_kongs=True) for options in options_of_rich for seed in RICH[rules])
    return (*map(hand, range(HANDS)), *rich)
