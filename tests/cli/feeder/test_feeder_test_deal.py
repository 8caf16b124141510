"""``twinwall feeder test-deal``: its random deals, and its report."""

from collections import Counter

import pytest

from cli import main
from cli.feeder.feeder_test_deal import in_words
from cli.feeder.feeder_test_deal import test_deal as random_deal
from controller.trial import TrialReport
from tests.support.controller.rigs import set_up

REPORT = TrialReport(83.5, 240.0, 138, 2, 136, 134, ((2, 17),), ((0, 4),), ("unreadable",))


def test_a_test_deal_holds_the_whole_set_and_is_the_same_for_the_same_seed() -> None:
    deal = random_deal("mcr-duplicate", set_up(), 1, 5)
    assert set(Counter(deal.wanted(position) for position in deal.positions).values()) == {4}
    assert len(deal.positions) == 136
    assert random_deal("mcr-duplicate", set_up(), 1, 5) == deal
    assert random_deal("mcr-duplicate", set_up(), 1, 6).digest != deal.digest
    later = set_up(session=2)
    assert not later.leaves(random_deal("mcr-duplicate", later, 1, 5)), "a table of any session builds it"


def test_a_difference_is_told_by_its_place_and_never_by_its_tile() -> None:
    said = in_words(3, REPORT)
    assert "test deal 3: built in 83.5 s from 138 showings (2 not read at the first look), 134 of 136 read again as built" in said
    assert "seat 2, place 17: read otherwise the second time" in said
    assert "seat 0, place 4: could not be read again" in said
    assert "staff were called: unreadable" in said


def test_no_deals_are_no_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["feeder", "test-deal", "--settings", "none.toml", "--deals", "0"]) == 2
    assert "--deals is 0" in capsys.readouterr().err
