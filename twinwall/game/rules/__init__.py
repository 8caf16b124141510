"""Finds rule sets by their folders. Each is a package with ``rule_set(options) -> RuleSet`` and has the rule set's name with ``_`` for
``-``; nothing else names it."""

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
NO_OPTIONS: Mapping[str, object] = MappingProxyType({})


class RuleSetError(DocumentError):
    """An unknown rule set or option, or a value that an option cannot have."""


def folder_of(name: str) -> str:
    return name.replace("-", "_")


@cache
def rule_set_names() -> tuple[str, ...]:
    return tuple(sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(__path__) if module.ispkg))


def rule_set(name: str, options: Mapping[str, object] = NO_OPTIONS) -> RuleSet:
    """The rule set with chosen options; raises RuleSetError, which names what is unknown and what is allowed."""
    names = rule_set_names()
    if name not in names:
        raise RuleSetError(f"the rule set {name!r} is not known; known are {', '.join(names)}{did_you_mean(name, names)}")
    chosen: RuleSet = importlib.import_module(f"{__name__}.{folder_of(name)}").rule_set(options)
    return chosen


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A question with the nearest known name, for the end of a sentence; empty if none is near."""
    near = get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


@cache
def wall_layout(name: str) -> WallLayout:
    """A rule set's tiles and walls, which no option changes; raises RuleSetError for an unknown name."""
    return rule_set(name).walls
