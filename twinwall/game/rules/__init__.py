"""Finds the rule sets by their folders: a folder's name is the rule set's, with ``_`` for ``-``.

Each folder is a package with ``rule_set(options) -> RuleSet``. Adding a rule set is adding its folder; nothing else names it.
"""

import importlib.util
import pkgutil
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import cache
from types import MappingProxyType

from twinwall.game.documents import DocumentError
from twinwall.game.rule_set import RuleSet
from twinwall.game.walls import WallLayout

DEFAULT_RULES = "mcr-duplicate"
"""The rule set where none is named."""
NO_OPTIONS: Mapping[str, object] = MappingProxyType({})


class RuleSetError(DocumentError):
    """A rule set or option that does not exist, or a value that an option cannot have."""


def folder_of(name: str) -> str:
    """The name of a rule set's folder."""
    return name.replace("-", "_")


@cache
def rule_set_names() -> tuple[str, ...]:
    """The names of all rule sets, in alphabetical order."""
    return tuple(sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(__path__) if module.ispkg))


def rule_set(name: str, options: Mapping[str, object] = NO_OPTIONS) -> RuleSet:
    """The rule set of a name with its options chosen; raises RuleSetError naming what is unknown and what is allowed."""
    names = rule_set_names()
    if name not in names:
        raise RuleSetError(f"the rule set {name!r} is not known; known are {', '.join(names)}{did_you_mean(name, names)}")
    chosen: RuleSet = importlib.import_module(f"{__name__}.{folder_of(name)}").rule_set(options)
    return chosen


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A question for the nearest known name, for the end of a sentence; empty where none is near."""
    near = get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


@cache
def wall_layout(name: str) -> WallLayout:
    """The tiles and walls of a rule set, which no option changes; raises RuleSetError for an unknown name."""
    return rule_set(name).walls
