"""Rules that a table can play: all, except an option that needs a tile which no gate gives out."""

import pytest

from cli.table.table_parts import led_rules
from config import SettingsError
from twinwall.game.rules import RuleSetError, rule_set_names


@pytest.mark.parametrize("name", rule_set_names())
def test_every_rule_set_can_be_played_at_a_table(name: str) -> None:
    assert led_rules(name, {}).name == name


def test_kongs_replaced_from_the_end_of_the_wall_are_refused_with_what_can_be_done_instead() -> None:
    with pytest.raises(SettingsError, match=r"never the last one.*command line"):
        led_rules("mcr-duplicate", {"kong_replacement": "end"})


def test_an_option_that_does_not_exist_is_named() -> None:
    with pytest.raises(RuleSetError, match="'aces'"):
        led_rules("mcr-duplicate", {"aces": True})
