"""Random hands of every rule set: a form that claims to keep them gives the same record back, and every other says what it left out."""

from __future__ import annotations

from functools import cache

import pytest

from tests.support.game.random_hands import HANDS_OF, TIME_S, mcr, seigo, sichuan, yangzhou
from twinwall.event.forms.losses import came_back, lost_events, lost_fields
from twinwall.event.forms.registry import READABLE
from twinwall.game.record import HandRecord

MCR_FROM_END = {"minimum": 0, "kong_replacement": "end"}
FEW = (
    lambda: mcr(310, MCR_FROM_END, eager=True, with_kongs=True),
    lambda: mcr(1, {"minimum": 0, "several_winners": "each-full", "self_draw": "rounded"}, eager=False, with_kongs=False),
    lambda: sichuan(3),
    lambda: seigo(57),
    lambda: yangzhou(50),
)


@cache
def few(number: int) -> HandRecord:
    """One of a few hands that have much in them."""
    return FEW[number]().record()


PLAY_COMES_BACK = {"pmn": ("mcr-duplicate", "seigo", "sichuan", "yangzhou"), "ijcai": ("mcr-duplicate",), "botzone": ("mcr-duplicate",)}
"""By form, the rule sets whose every event comes back."""


def check(form_name: str, record: HandRecord) -> None:
    form = READABLE[form_name]
    after = came_back(form, record, form.write(record, {}))
    assert tuple(lost_events(record, after)) == ()
    assert after.scores == record.scores
    if form_name == "pmn":
        assert lost_fields(record, after) == ()
    if form_name == "botzone":
        assert after.walls == record.walls


@pytest.mark.parametrize("number", range(len(FEW)))
@pytest.mark.parametrize("form_name", READABLE)
def test_a_form_gives_the_play_back(form_name: str, number: int) -> None:
    record = few(number)
    if record.rules in PLAY_COMES_BACK[form_name]:
        check(form_name, record)


@pytest.mark.nightly
@pytest.mark.timeout(TIME_S)
@pytest.mark.parametrize(("form_name", "rules"), [(name, rules) for name, all_rules in PLAY_COMES_BACK.items() for rules in all_rules])
def test_a_form_gives_the_play_of_every_random_record_back(form_name: str, rules: str) -> None:
    for hand in HANDS_OF[rules]():
        check(form_name, hand.record())
