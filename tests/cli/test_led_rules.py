"""A table and a demo take only rules whose hands a table can lead."""

from __future__ import annotations

import pytest

from twinwall import cli
from twinwall.cli.errors import UsageError
from twinwall.cli.led_rules import led_rules


def test_a_table_leads_hands_that_a_win_ends() -> None:
    assert led_rules("mcr-duplicate", {"minimum": 0}).name == "mcr-duplicate"


@pytest.mark.parametrize("name", ["sichuan", "seigo"])
def test_rules_that_ask_for_more_than_a_table_sees_are_refused_with_what_can_be_done(name: str) -> None:
    with pytest.raises(UsageError, match=f"no table can lead hands of {name}"):
        led_rules(name, {})


def test_a_demo_of_such_rules_is_wrong_use_before_anything_starts(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["demo", "--rules", "sichuan", "--headless"]) == 2
    assert "sichuan" in capsys.readouterr().err
