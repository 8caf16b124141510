"""Finds how a simulated player plays by a rule set: the strategy is the module here that has the name of the rule set's folder.

A module of that kind has ``strategy(rules, taste) -> Player``. A rule set without one is played by ``PatternStrategy``.
"""

import importlib.util

from simulator.players.strategies.player import PatternStrategy, Player, Taste
from twinwall.game.rule_set import RuleSet
from twinwall.game.rules import folder_of


def player_of(rules: RuleSet, taste: Taste) -> Player:
    module = f"{__name__}.{folder_of(rules.name)}"
    if importlib.util.find_spec(module) is None:
        return PatternStrategy(rules, taste)
    player: Player = importlib.import_module(module).strategy(rules, taste)
    return player
