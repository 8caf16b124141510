"""Options of a rule set as a dataclass: each field has a default and says what it decides; anything else is refused by name.

A field is ``Annotated[type, Choice("what it decides")]``, where the type is ``bool``, ``int`` or a ``Literal`` of words or
of numbers; what is no ``bool`` may be ``| None``. The same fields are read from JSON and TOML, and explained by
``twinwall rules``. TOML has no null, so ``"none"`` means it everywhere.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import lru_cache
from typing import Annotated, Literal, TypeVar, cast, get_args, get_origin, get_type_hints

from twinwall.game.rules import RuleSetError

NONE = "none"
"""How null is written where a file format has none."""

Value = bool | int | str | None
Form = TypeVar("Form")


@dataclass(frozen=True, slots=True)
class Choice:
    """What a field of a form decides, in one line; ``least`` is the lowest number that it can be."""

    says: str
    least: int = 0


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a rule set: its name, default and meaning, and what else it can be."""

    name: str
    default: Value
    says: str
    among: tuple[str | int, ...]
    """The words or numbers of which it is one; empty for any number and for a switch."""
    least: int
    nullable: bool

    @property
    def allowed(self) -> str:
        """What its value can be, for people."""
        if isinstance(self.default, bool):
            return "true or false"
        values = "one of " + ", ".join(map(str, self.among)) if self.among else f"a whole number from {self.least} up"
        return values + (f', or "{NONE}"' if self.nullable else "")

    @property
    def toml(self) -> str:
        """Its default as a line of TOML."""
        return f"{self.name} = {json.dumps(NONE if self.default is None else self.default)}"

    def read(self, rules: str, value: object) -> Value:
        """Check a value; raises RuleSetError that names the option and what it can be."""
        if self.nullable and (value is None or value == NONE):
            return None
        if not isinstance(value, bool | int | str) or not self._fits(value):
            raise RuleSetError(f"the option {self.name!r} of {rules} must be {self.allowed}, not {value!r}")
        return value

    def _fits(self, value: bool | int | str) -> bool:
        if isinstance(self.default, bool) or isinstance(value, bool):
            return isinstance(self.default, bool) and isinstance(value, bool)
        if self.among:
            return value in self.among
        return isinstance(value, int) and value >= self.least


def options_of(form: type) -> tuple[Option, ...]:
    """The options that a form's fields declare, in their order."""
    return _options_of(cast(Hashable, form))


@lru_cache(maxsize=32)
def _options_of(form: Hashable) -> tuple[Option, ...]:
    assert isinstance(form, type)
    return tuple(_options(form))


def _options(form: type) -> Iterator[Option]:
    assert is_dataclass(form)
    hints = get_type_hints(form, include_extras=True)
    for field in fields(form):
        kind, choice = get_args(hints[field.name])
        assert get_origin(hints[field.name]) is Annotated
        assert isinstance(choice, Choice)
        default = field.default
        assert default is None or isinstance(default, bool | int | str)
        kinds = get_args(kind) if type(None) in get_args(kind) else (kind,)
        among = next((get_args(one) for one in kinds if get_origin(one) is Literal), ())
        yield Option(field.name, default, choice.says, among, choice.least, nullable=type(None) in kinds)


def read_options(form: type[Form], rules: str, given: Mapping[str, object]) -> Form:
    """A form with the given values and its defaults for the rest; raises RuleSetError for an unknown name or an impossible value."""
    known = {option.name: option for option in options_of(form)}
    for name in given:
        if name not in known:
            raise RuleSetError(f"{rules} has no option {name!r}; it has {', '.join(known)}")
    return form(**{name: known[name].read(rules, value) for name, value in given.items()})
