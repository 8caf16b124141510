"""``twinwall rules show`` prints the file of config/rules, which reads back as the defaults."""

import json
import tomllib
from pathlib import Path

import pytest

from tests.support.commands import Twinwall
from twinwall.game.rules import RuleSetError, rule_set, rule_set_names
from twinwall.game.rules.option_form import options_of

FILES = Path(__file__).parents[3] / "config" / "rules"
EVERY_RULE_SET = pytest.mark.parametrize("name", rule_set_names())


@EVERY_RULE_SET
def test_the_file_of_a_rule_set_is_what_the_command_prints(name: str, twinwall: Twinwall) -> None:
    assert twinwall("rules", name).out == (FILES / f"{name}.toml").read_text(encoding="utf-8")


@EVERY_RULE_SET
def test_the_file_of_a_rule_set_holds_its_defaults(name: str) -> None:
    assert rule_set(name, tomllib.loads((FILES / f"{name}.toml").read_text(encoding="utf-8"))).options == rule_set(name).options


@EVERY_RULE_SET
def test_an_unknown_option_and_an_impossible_value_are_refused_by_name(name: str) -> None:
    with pytest.raises(RuleSetError, match=f"{name} has no option 'hat'"):
        rule_set(name, {"hat": 1})
    for option in options_of(type(rule_set(name).options)):
        wrong: tuple[object, ...] = ("hat", 1.5, [], -1, 2 if option.allowed.startswith("true or false") else True)
        for value in wrong:
            with pytest.raises(RuleSetError, match=f"'{option.name}' of {name} must be "):
                rule_set(name, {option.name: value})


def test_options_are_one_document_for_programs(twinwall: Twinwall) -> None:
    document = json.loads(twinwall("rules", "mcr-duplicate", "--json").out)
    assert document["options"][0] == {
        "name": "minimum",
        "default": 8,
        "allowed": "a whole number from 0 up",
        "says": "the fewest fan that win",
    }


def test_without_a_name_the_rule_sets_are_listed(twinwall: Twinwall) -> None:
    assert twinwall("rules").out.split() == list(rule_set_names())
