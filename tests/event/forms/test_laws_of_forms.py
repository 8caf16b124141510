"""Random hands of every rule set: a form that claims to keep them gives the same record back, and every other says what it left out."""

from __future__ import annotations

import pytest

from tests.support.game.random_hands import HANDS_OF, TIME_S, mcr, seigo, sichuan, yangzhou
from twinwall.event.forms.losses import differences
from twinwall.event.forms.rebuilding import record_of
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


def round_trip(form_name: str, record: HandRecord) -> tuple[str, ...]:
    form = READABLE[form_name]
    assert form.read is not None
    (sheet,) = form.read(form.write(record, {}))
    return differences(record, record_of(sheet).record)


@pytest.mark.parametrize("number", range(len(FEW)))
def test_pmn_gives_the_same_record_back(number: int) -> None:
    assert round_trip("pmn", FEW[number]().record()) == ()


@pytest.mark.nightly
@pytest.mark.timeout(TIME_S)
@pytest.mark.parametrize("rules", HANDS_OF)
def test_pmn_gives_every_random_record_back(rules: str) -> None:
    for hand in HANDS_OF[rules]():
        assert round_trip("pmn", hand.record()) == ()
