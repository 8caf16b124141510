"""The rule sets, found by their folders: ``mcr_duplicate`` here is the rule set ``mcr-duplicate``.

Each folder is a package with ``rule_set(options) -> RuleSet``. Adding a rule set is adding its
folder; nothing else names it.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from types import MappingProxyType
from typing import Protocol, cast

from twinwall.game.play import RuleSet

NO_OPTIONS: Mapping[str, object] = MappingProxyType({})


class RuleSetError(ValueError):
    """A rule set or option that does not exist, or a value that an option cannot have."""


class _Package(Protocol):
    def rule_set(self, options: Mapping[str, object]) -> RuleSet: ...


def rule_set_names() -> tuple[str, ...]:
    """The names of all rule sets, in alphabetical order."""
    return tuple(sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(__path__) if module.ispkg))


def rule_set(name: str, options: Mapping[str, object] = NO_OPTIONS) -> RuleSet:
    """The rule set of a name with its options chosen; raises RuleSetError naming what is unknown and what is allowed."""
    names = rule_set_names()
    if name not in names:
        raise RuleSetError(f"the rule set {name!r} is not known; known are {', '.join(names)}")
    package = cast(_Package, importlib.import_module(f"{__name__}.{name.replace('-', '_')}"))
    return package.rule_set(options)
