"""The form that describes an event: its fields, their values for a description, and the resulting description. A rule set's declared
options (``twinwall.game.rules.option_form``) become fields."""

import re
from collections.abc import Mapping
from typing import Literal

from twinwall.event.event_standings import SHARE_PATTERN
from twinwall.event.management.changes import MOST_HANDS, MOST_SESSIONS, EventDescribed, read_change, usual_minutes, usual_points
from twinwall.game.documents import DocumentError
from twinwall.game.rules import DEFAULT_RULES, RuleSetError, rule_set, rule_set_names
from twinwall.game.rules.option_form import NONE, Option, options_of
from twinwall.values import frozen
from twinwall.wire.names import plain_number

USUAL = "usual"
"""The points that follow from the kind of the event."""
CHOICES: Mapping[str, tuple[str, ...]] = {
    "kind": ("individual", "team"),
    "play_order": ("barometer", "staggered"),
    "groups": ("fixed", "by-standing"),
    "points": (USUAL, "cross-imp", "imp", "rank"),
    "carry_over": ("1", "1/2", "1/3", "0"),
    "names": ("full", "initials", "number"),
}
"""The values of each field; the first is the default."""
NUMBERS: Mapping[str, tuple[int, int]] = {"sessions": (1, MOST_SESSIONS), "hands": (1, MOST_HANDS), "minutes": (1, 24 * 60)}
NEW_EVENT = EventDescribed("individual", DEFAULT_RULES, sessions=5, points=usual_points("individual"))
"""The form's values for an event without a description: sixteen players meet each other in five sessions."""


FieldProblems = dict[str, tuple[str, Mapping[str, int]]]
"""What is wrong with each field, by its name in the form: the end of a message key, and its values."""


def shown_values(described: EventDescribed) -> dict[str, str]:
    """The form's fields for a description; usual minutes are empty, and usual points say so, because they follow from hands and kind."""
    fields = {name: str(getattr(described, name)) for name in (*CHOICES, *NUMBERS)}
    if described.minutes == usual_minutes(described.hands):
        fields["minutes"] = ""
    if described.points == usual_points(described.kind):
        fields["points"] = USUAL
    fields |= {"rules": described.rules, "seat_check": "true" if described.seat_check else "", "weights": ", ".join(described.weights)}
    for rules, options in all_options().items():
        given = described.options if rules == described.rules else {}
        fields |= {each.field: each.text(given.get(each.option.name, each.option.default)) for each in options}
    return fields


def read_description(form: Mapping[str, str]) -> EventDescribed | FieldProblems:
    """The form's description, or what is wrong with its fields."""
    problems: FieldProblems = {}
    fields: dict[str, object] = {"type": "event-described", "seat_check": form.get("seat_check") == "true"}
    for name, choices in CHOICES.items():
        fields[name] = form.get(name, "")
        if fields[name] not in choices:
            problems[name] = "choice", {}
    if fields["points"] == USUAL:
        fields["points"] = usual_points("team" if fields["kind"] == "team" else "individual")
    for name, (least, most) in NUMBERS.items():
        text, hands = form.get(name, "").strip(), fields.get("hands")
        if name == "minutes" and not text:
            fields[name] = usual_minutes(hands if isinstance(hands, int) else NEW_EVENT.hands)
        elif (number := plain_number(text)) is not None and least <= number <= most:
            fields[name] = number
        else:
            problems[name] = "number", {"least": least, "most": most}
    fields["weights"] = weights = form.get("weights", "").replace(",", " ").split()
    sessions = fields.get("sessions")
    if any(re.match(SHARE_PATTERN, weight) is None for weight in weights) or (isinstance(sessions, int) and len(weights) > sessions):
        problems["weights"] = "weights", {}
    fields["rules"] = rules = form.get("rules", "")
    if rules not in rule_set_names():
        return problems | {"rules": ("choice", {})}
    options, wrong = chosen_options(rules, form)
    problems |= {each.field: ("option", {}) for each in wrong}
    try:
        rule_set(rules, options)
    except RuleSetError:  # options that each could be, and not all together
        problems["rules"] = "options", {}
    if problems:
        return problems
    try:
        described = read_change({**fields, "options": options})
    except DocumentError:
        return {"kind": ("choice", {})}
    assert isinstance(described, EventDescribed)
    return described


@frozen
class OptionField:
    """An option of a rule set on the page."""

    rules: str
    option: Option

    @property
    def field(self) -> str:
        """Its name in the form."""
        return f"{self.rules}.{self.option.name}"

    @property
    def key(self) -> str:
        return f"option.{self.field}"

    @property
    def shape(self) -> Literal["switch", "choice", "number"]:
        """How it is entered."""
        if {*self.option.choices} <= {NONE}:
            return "number"
        return "switch" if self.option.choices == (True, False) else "choice"

    @property
    def optional(self) -> bool:
        """Whether a number may be left out."""
        return NONE in self.option.choices

    def text(self, value: object) -> str:
        if isinstance(value, bool):
            return "true" if value else ""
        return ("" if self.shape == "number" else NONE) if value in (None, NONE) else str(value)

    def read(self, text: str) -> bool | int | str | None:
        """The value of a form's text; None for an invalid one."""
        match self.shape:
            case "switch":
                return text == "true"
            case "choice":
                return next((choice for choice in self.option.choices if str(choice) == text), None)
            case "number":
                if not text:
                    return NONE if self.optional else None
                number = plain_number(text, 7)
                return number if number is not None and number >= self.option.least else None


def option_fields(rules: str) -> tuple[OptionField, ...]:
    return tuple(OptionField(rules, option) for option in options_of(type(rule_set(rules).options)))


def all_options() -> dict[str, tuple[OptionField, ...]]:
    return {rules: option_fields(rules) for rules in rule_set_names()}


def chosen_options(rules: str, form: Mapping[str, str]) -> tuple[dict[str, bool | int | str], list[OptionField]]:
    """The form's options that differ from the default, and the fields with invalid texts."""
    options: dict[str, bool | int | str] = {}
    wrong: list[OptionField] = []
    for each in option_fields(rules):
        value = each.read(form.get(each.field, "").strip())
        if value is None:
            wrong.append(each)
        elif value != (NONE if each.option.default is None else each.option.default):
            options[each.option.name] = value
    return options, wrong
