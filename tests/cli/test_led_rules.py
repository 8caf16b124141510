"""A table and a demo take only rules whose hands a table can lead."""

from __future__ import annotations

import pytest

from twinwall import cli
from twinwall.cli.errors import UsageError
from twinwall.cli.led_rules import led_rules


def test_a_table_leads_hands_that_a_win_ends() -> None:
    assert led_rules("mcr-duplicate", {"minimum": 0}).name == "mcr-duplicate"


def test_rules_in_which_winners_leave_are_refused_with_what_can_be_done() -> None:
    with pytest.raises(UsageError, match="no table can lead hands of sichuan"):
        led_rules("sichuan", {})


def test_a_demo_of_such_rules_is_wrong_use_before_anything_starts(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["demo", "--rules", "sichuan", "--headless"]) == 2
    assert "sichuan" in capsys.readouterr().err
