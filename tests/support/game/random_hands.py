"""Random hands of every rule set, played at random or towards wins, for the laws of play."""

import random
from collections.abc import Callable, Mapping
from functools import cache
from typing import Protocol

from tests.support.game.seigo_tables import SeigoTable, seigo_deal
from tests.support.game.sichuan_tables import SichuanTable, sichuan_walls
from tests.support.game.tables import Table, random_walls, walls_with_kongs
from tests.support.tiers import RANDOM_HANDS, some
from twinwall.game.held import HeldTiles
from twinwall.game.play import PlayState
from twinwall.game.play_events import PlayEvent
from twinwall.game.record import HandRecord
from twinwall.game.rule_set import RuleSet, Win
from twinwall.game.rules import rule_set
from twinwall.game.tiles import Seat, Tile
from twinwall.game.walls import SeatWall

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
MCR_RICH = (*range(310, 320), 394, 426, 583)
"""Hands of duplicate MCR in which kongs are robbed, won with, and where one discard wins for two."""
YANGZHOU_RICH = (50, 74, 327, 426, 591, 756)
"""Hands of Yangzhou in which one discard wins for two, a kong is robbed or won with, or a whole stake is lost."""
SICHUAN_RICH = (13, 22, 25, 27, 33)
"""Hands of Sichuan in which a win is refused, a kong is robbed, won with, or handed over after its discard, or seats are not ready."""
SEIGO_RICH = (16, 54, 57, 97)
"""Hands of Seigo in which the last discard wins, a win comes within a lap of riichi, or two win together."""


class PlayedHand(Protocol):
    """A hand that has been played to its end."""

    rules: RuleSet
    options: Mapping[str, object]
    """Those of ``rules``."""
    walls: Mapping[Seat, SeatWall]
    rest: tuple[Tile, ...]
    """The tiles of no seat."""
    eager: bool
    """Whether its players build towards wins, and take every win."""
    events: list[PlayEvent]
    wins: dict[Seat, Win]

    @property
    def end(self) -> PlayState:
        """How it ended."""
        ...

    @property
    def tiles(self) -> HeldTiles:
        """What the seats conceal in the end."""
        ...

    def record(self) -> HandRecord: ...


def mcr(seed: int, options: Mapping[str, object], *, eager: bool, with_kongs: bool) -> Table:
    """A hand of duplicate MCR; ``with_kongs`` gives equal tiles mostly to the same seat."""
    walls = walls_with_kongs(seed) if with_kongs else random_walls(seed)
    table = Table(rule_set("mcr-duplicate", options), walls, random.Random(seed), eager, hand=seed % 16 + 1, options=options)
    for _ in table.play():
        pass
    return table


def any_mcr(seed: int) -> Table:
    """A hand of duplicate MCR by its number, with every option of play in turn."""
    return mcr(seed, MCR_OPTIONS[seed % 4], eager=seed % 3 > 0, with_kongs=seed % 5 < 2)


def yangzhou(seed: int) -> Table:
    """A hand by its number: some walls hold many kongs, most players build towards wins, and any shape wins in most."""
    options = YANGZHOU_OPTIONS[seed % 3]
    walls = walls_with_kongs(seed) if seed % 5 < 2 else random_walls(seed)
    table = Table(rule_set("yangzhou", options), walls, random.Random(seed), seed % 4 != 0, hand=seed % 16 + 1, options=options)
    for _ in table.play():
        pass
    return table


def sichuan(seed: int) -> SichuanTable:
    """A hand by its number: some walls hold many kongs, most players build towards wins."""
    walls = sichuan_walls(seed, alike=(0, 40, 20)[seed % 3])
    table = SichuanTable(rule_set("sichuan"), walls, random.Random(seed), seed % 4 != 0, hand=seed % 16 + 1)
    for _ in table.play():
        pass
    return table


def seigo(seed: int) -> SeigoTable:
    """A hand by its number: some walls hold many kongs, every third table builds towards wins."""
    walls, rest = seigo_deal(seed, alike=(0, 40, 20, 0)[seed % 4])
    table = SeigoTable(rule_set("seigo"), walls, random.Random(seed), eager=seed % 3 == 1, hand=seed % 16 + 1, rest=rest)
    for _ in table.play():
        pass
    return table


@cache
def mcr_hands() -> tuple[Table, ...]:
    """Hands of duplicate MCR with every option of play."""
    options_of_rich = some((MCR_OPTIONS[3], MCR_FROM_END, *MCR_OPTIONS[:3]), 2)
    rich = (mcr(seed, options, eager=True, with_kongs=True) for options in options_of_rich for seed in MCR_RICH)
    return (*map(any_mcr, range(HANDS)), *rich)


@cache
def yangzhou_hands() -> tuple[Table, ...]:
    """Hands of Yangzhou."""
    return tuple(yangzhou(seed) for seed in (*range(HANDS), *YANGZHOU_RICH))


@cache
def sichuan_hands() -> tuple[SichuanTable, ...]:
    """Hands of Sichuan."""
    return tuple(sichuan(seed) for seed in (*range(HANDS), *SICHUAN_RICH))


@cache
def seigo_hands() -> tuple[SeigoTable, ...]:
    """Hands of Seigo."""
    return tuple(seigo(seed) for seed in (*range(HANDS), *SEIGO_RICH))


HANDS_OF: Mapping[str, Callable[[], tuple[PlayedHand, ...]]] = {
    "mcr-duplicate": mcr_hands,
    "seigo": seigo_hands,
    "sichuan": sichuan_hands,
    "yangzhou": yangzhou_hands,
}
"""The hands of each rule set, played once however many laws they are held to."""

HAND_BY_NUMBER: Mapping[str, Callable[[int], PlayedHand]] = {
    "mcr-duplicate": any_mcr,
    "seigo": seigo,
    "sichuan": sichuan,
    "yangzhou": yangzhou,
}
"""Any hand of a rule set by its number, for runs that keep none of them."""
