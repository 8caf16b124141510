"""A table and a demo take only rules whose hands a table can lead."""

from __future__ import annotations

import pytest

from twinwall import cli
from twinwall.cli.errors import UsageError
from twinwall.cli.led_rules import led_rules


@pytest.mark.parametrize("name", ["mcr-duplicate", "sichuan", "yangzhou"])
def test_a_table_leads_hands_whose_every_tile_is_in_a_wall(name: str) -> None:
    assert led_rules(name, {}).name == name


def test_rules_with_tiles_that_belong_to_no_seat_are_refused_with_what_can_be_done() -> None:
    with pytest.raises(UsageError, match="no table can lead hands of seigo"):
        led_rules("seigo", {})


def test_a_demo_of_such_rules_is_wrong_use_before_anything_starts(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["demo", "--rules", "seigo", "--headless"]) == 2
    assert "seigo" in capsys.readouterr().err
