"""Random hands of every rule set: a form that claims to keep them gives the same record back, and every other says what it left out."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from tests.support.event.form_laws import PLAY_COMES_BACK, as_in_an_event, through
from tests.support.game.random_hands import HAND_BY_NUMBER, HANDS_OF, TIME_S, mcr, seigo, sichuan, yangzhou
from twinwall.event.forms.moves import released_hand
from twinwall.event.forms.registry import FORMS
from twinwall.game.record import HandRecord

MCR_FROM_END = {"minimum": 0, "kong_replacement": "end"}
FEW = (
    lambda: mcr(310, MCR_FROM_END, eager=True, with_kongs=True),
    lambda: mcr(1, {"minimum": 0, "several_winners": "each-full", "self_draw": "rounded"}, eager=False, with_kongs=False),
    lambda: sichuan(3),
    lambda: seigo(57),
    lambda: seigo(180),  # a tile is claimed that another seat has discarded as well, before
    lambda: seigo(503),  # and since
    lambda: yangzhou(50),
    lambda: HAND_BY_NUMBER["mcr-duplicate"](6205),  # a kong lies face down, of a seat that has two kinds four times
)


@cache
def few(number: int) -> HandRecord:
    """One of a few hands that have much in them."""
    return FEW[number]().record()


def check(form_name: str, record: HandRecord, number: int) -> None:
    assert through(form_name, released_hand(as_in_an_event(record, number))).broken == ()


@pytest.mark.parametrize("number", range(len(FEW)))
@pytest.mark.parametrize("form_name", FORMS)
def test_a_form_gives_the_play_back(form_name: str, number: int) -> None:
    record = few(number)
    if record.rules in PLAY_COMES_BACK.get(form_name, (record.rules,)):
        check(form_name, record, number)


@pytest.mark.nightly
@pytest.mark.timeout(TIME_S)
@pytest.mark.parametrize(("form_name", "rules"), [(name, rules) for name in FORMS for rules in PLAY_COMES_BACK.get(name, HANDS_OF)])
def test_a_form_gives_the_play_of_every_random_record_back(form_name: str, rules: str) -> None:
    for number, hand in enumerate(HANDS_OF[rules]()):
        check(form_name, hand.record(), number)


PAGE = " ".join((Path(__file__).parents[3] / "docs/reference/forms.md").read_text(encoding="utf-8").split())


@pytest.mark.parametrize("name", FORMS)
def test_the_page_says_of_a_form_what_it_keeps_and_loses_and_who_read_it(name: str) -> None:
    form = FORMS[name]
    assert f"## {form.title} " in PAGE
    assert f"`--format {name}`" in PAGE
    for said in (form.keeps, form.loses, form.tried):
        assert said in PAGE
