"""Options of a rule set as a dataclass. Unknown names and impossible values are refused by name. A field is ``Annotated[type, Choice("what
it decides")]`` with a default. Its type is ``bool``, ``int``, a ``Literal`` or a tuple of numbers, perhaps ``| None``. JSON and TOML use
the same names; ``"none"`` is null everywhere, because TOML has none. ``twinwall rules show`` prints the texts."""

import json
from collections.abc import Hashable, Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache
from types import GenericAlias
from typing import Annotated, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import msgspec

from twinwall.game.documents import json_text
from twinwall.game.rules import RuleSetError, did_you_mean
from twinwall.values import frozen

NONE = "none"

Value = bool | int | str | tuple[int, ...] | None
Form = TypeVar("Form")


@frozen
class Choice:
    """What an option decides, in one line; ``least`` is its lowest number."""

    says: str
    least: int = 0


@frozen
class Option:
    """One option of a rule set: its name, default and meaning, and what else it can be, for ``msgspec`` and for people.

    ``choices`` are the words and switches that it can be, ``none`` among them. With ``none`` alone, or without any, it is a number from
    ``least`` up.
    """

    name: str
    default: Value
    says: str
    kind: object
    allowed: str
    choices: tuple[bool | int | str, ...]
    least: int

    @property
    def toml(self) -> str:
        """The default as a line of TOML."""
        return f"{self.name} = {json.dumps(NONE if self.default is None else self.default)}"

    def read(self, rules: str, value: object) -> Value:
        """Check a value; raises RuleSetError, which names the option and what is allowed."""
        try:
            return cast(Value, msgspec.convert(None if value == NONE else value, cast(type[object], self.kind)))
        except msgspec.ValidationError:
            raise RuleSetError(f"the option {self.name!r} of {rules} must be {self.allowed}, not {json_text(value)}") from None


def options_of(form: type) -> tuple[Option, ...]:
    return _options_of(cast(Hashable, form))


@lru_cache(maxsize=32)
def _options_of(form: Hashable) -> tuple[Option, ...]:
    assert isinstance(form, type)
    assert is_dataclass(form)
    hints = get_type_hints(form, include_extras=True)
    return tuple(_option(field.name, cast(Value, field.default), *get_args(hints[field.name])) for field in fields(form))


def _option(name: str, default: Value, kind: object, choice: Choice) -> Option:
    number = Annotated[int, msgspec.Meta(ge=choice.least)]
    checked, words, choices = [], [], list[bool | int | str]()
    for one in get_args(kind) if type(None) in get_args(kind) else (kind,):
        if one is bool:
            words.append("true or false")
            choices += [True, False]
        elif one is int:
            words.append(f"a whole number from {choice.least} up")
        elif get_origin(one) is Literal:
            words.append("one of " + ", ".join(map(str, get_args(one))))
            choices += get_args(one)
        elif get_origin(one) is tuple:
            words.append(f"a list of {len(get_args(one))} whole numbers from {choice.least} up")
        else:
            words.append(f'"{NONE}"')
            choices.append(NONE)
        checked.append(number if one is int else GenericAlias(tuple, (number,) * len(get_args(one))) if get_origin(one) is tuple else one)
    allowed = ", or ".join(words)
    return Option(name, default, choice.says, Union[tuple(checked)], allowed, tuple(choices), choice.least)  # noqa: UP007 - known here alone


def read_options(form: type[Form], rules: str, given: Mapping[str, object]) -> Form:
    """A form with the given values and defaults for the rest; raises RuleSetError for an unknown name or impossible value."""
    known = {option.name: option for option in options_of(form)}
    for name in given:
        if name not in known:
            raise RuleSetError(f"{rules} has no option {name!r}; it has {', '.join(known)}{did_you_mean(name, known)}")
    return form(**{name: known[name].read(rules, value) for name, value in given.items()})
