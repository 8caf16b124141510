"""Finds how a simulated player plays by a rule set: the strategy is the module here that has the name of the rule set's folder.

A module of that kind has ``strategy(scorer, taste) -> Player``. A rule set without one is played by ``PatternStrategy``.
"""

from __future__ import annotations

import importlib.util
from typing import Protocol, cast, runtime_checkable

from simulator.players.player_view import PlayerView
from simulator.players.strategies.pattern_strategy import ClaimAnswer, Kong, PatternStrategy, Scorer, Taste
from twinwall.game.rule_set import RuleSet
from twinwall.game.rules import folder_of
from twinwall.game.tiles import Seat, Tile


class Player(Protocol):
    """The decision maker of one seat, by what it sees alone."""

    def choose_discard(self, view: PlayerView) -> Tile:
        """The tile to throw; ``view.concealed`` holds the drawn tile, or is what is left after a claim."""
        ...

    def answer_discard(self, view: PlayerView, tile: Tile, source: Seat) -> ClaimAnswer | None:
        """What to call on a discard, or None; the tile lies in the river already."""
        ...

    def answer_added(self, view: PlayerView, tile: Tile, source: Seat) -> ClaimAnswer | None:
        """What to call on a tile that was added to a kong: a win, or None."""
        ...

    def choose_kong(self, view: PlayerView) -> Kong | None:
        """The kong to make at the own turn instead of a discard, or None."""
        ...

    def wants_win(self, view: PlayerView, drawn: Tile, *, replacement: bool = False) -> bool:
        """Whether to declare the hand with the tile just drawn."""
        ...


@runtime_checkable
class RiichiPlayer(Player, Protocol):
    """A player by rules with riichi, in which turns go round evenly and discards wait for the own turn."""

    def declares_riichi(self, view: PlayerView, tile: Tile) -> bool:
        """Whether to declare riichi with this discard, which ``view.concealed`` still holds."""
        ...

    def barred_after(self, claimed: Tile, meld: tuple[Tile, ...]) -> frozenset[Tile]:
        """What the player does not discard after a claim, since it would undo it."""
        ...


class _StrategyModule(Protocol):
    def strategy(self, scorer: Scorer, taste: Taste) -> Player: ...


def player_of(rules: RuleSet, taste: Taste) -> Player:
    """Somebody who plays by these rules."""
    module = f"{__name__}.{folder_of(rules.name)}"
    if importlib.util.find_spec(module) is None:
        return PatternStrategy(rules, taste)
    return cast(_StrategyModule, importlib.import_module(module)).strategy(rules, taste)
