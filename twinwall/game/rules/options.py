"""Options of rule sets: each has a default and says what it can be; anything else is refused by name."""

from __future__ import annotations

from collections.abc import Mapping

from twinwall.game.rules import RuleSetError


class Options:
    """The chosen options of one rule set, taken one by one; ``done`` refuses those the rule set does not have."""

    def __init__(self, rules: str, chosen: Mapping[str, object]) -> None:
        self._rules = rules
        self._chosen = chosen
        self._known: list[str] = []

    def choice(self, name: str, *allowed: str) -> str:
        """One of some words; the first is the default."""
        value = self._take(name, allowed[0])
        if not isinstance(value, str) or value not in allowed:
            raise RuleSetError(f"the option {name!r} of {self._rules} must be one of {', '.join(allowed)}, not {value!r}")
        return value

    def switch(self, name: str, default: bool) -> bool:
        """True or false."""
        value = self._take(name, default)
        if not isinstance(value, bool):
            raise RuleSetError(f"the option {name!r} of {self._rules} must be true or false, not {value!r}")
        return value

    def number(self, name: str, default: int) -> int:
        """A whole number, 0 or more."""
        value = self._take(name, default)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise RuleSetError(f"the option {name!r} of {self._rules} must be a whole number from 0 up, not {value!r}")
        return value

    def done(self) -> None:
        """Refuse the options that nobody took."""
        for name in self._chosen:
            if name not in self._known:
                raise RuleSetError(f"{self._rules} has no option {name!r}; it has {', '.join(self._known)}")

    def _take(self, name: str, default: object) -> object:
        self._known.append(name)
        return self._chosen.get(name, default)
