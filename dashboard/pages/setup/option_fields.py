"""The options of a rule set as fields of a form, made of what the rule set itself declares (``twinwall.game.rules.option_form``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Literal, Union, get_args, get_origin

import msgspec

from twinwall.game.rules import rule_set
from twinwall.game.rules.option_form import NONE, Option, Value, options_of


class FieldShape(Enum):
    """How an option is entered."""

    SWITCH = "switch"
    CHOICE = "choice"
    NUMBER = "number"


@dataclass(frozen=True, slots=True)
class OptionField:
    """An option on the page; ``least`` is the lowest number, ``optional`` says whether a number may be left out."""

    rules: str
    name: str
    shape: FieldShape
    default: Value
    choices: tuple[bool | int | str, ...] = ()
    least: int = 0
    optional: bool = False

    @property
    def field(self) -> str:
        """Its name in the form."""
        return f"{self.rules}.{self.name}"

    @property
    def key(self) -> str:
        """The key of its label."""
        return f"option.{self.rules}.{self.name}"

    def text(self, value: object) -> str:
        """A value as the form has it."""
        if isinstance(value, bool):
            return "true" if value else ""
        return ("" if self.shape is FieldShape.NUMBER else NONE) if value in (None, NONE) else str(value)

    def read(self, text: str) -> bool | int | str | None:
        """The value of a form's text; None for one that it cannot have."""
        match self.shape:
            case FieldShape.SWITCH:
                return text == "true"
            case FieldShape.CHOICE:
                return next((choice for choice in self.choices if str(choice) == text), None)
            case FieldShape.NUMBER:
                if not text:
                    return NONE if self.optional else None
                is_number = text.isascii() and text.isdigit() and len(text) < 8
                return int(text) if is_number and int(text) >= self.least else None


def option_fields(rules: str) -> tuple[OptionField, ...]:
    """The fields of a rule set's options, in their order."""
    return tuple(_field(rules, option) for option in options_of(type(rule_set(rules).options)))


def chosen_options(rules: str, form: Mapping[str, str]) -> tuple[dict[str, bool | int | str], list[OptionField]]:
    """The options of a form that are not at their default, and the fields whose text cannot be."""
    options: dict[str, bool | int | str] = {}
    wrong: list[OptionField] = []
    for each in option_fields(rules):
        value = each.read(form.get(each.field, "").strip())
        if value is None:
            wrong.append(each)
        elif value != (NONE if each.default is None else each.default):
            options[each.name] = value
    return options, wrong


def _field(rules: str, option: Option) -> OptionField:
    parts = list(_parts(option.kind))
    optional = type(None) in parts
    if bool in parts and not optional:
        return OptionField(rules, option.name, FieldShape.SWITCH, option.default)
    choices: list[bool | int | str] = [value for part in parts if get_origin(part) is Literal for value in get_args(part)]
    if bool in parts:
        choices = [True, False]
    if choices:
        return OptionField(rules, option.name, FieldShape.CHOICE, option.default, (*choices, *([NONE] if optional else [])))
    least = next(meta.ge or 0 for part in parts for meta in get_args(part)[1:] if isinstance(meta, msgspec.Meta))
    return OptionField(rules, option.name, FieldShape.NUMBER, option.default, (), int(least), optional)


def _parts(kind: object) -> Iterator[object]:
    """The alternatives of a type; ``Annotated`` numbers and ``Literal`` words stay whole."""
    if get_origin(kind) is Union:
        yield from get_args(kind)
    else:
        yield kind
