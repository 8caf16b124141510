"""Draws of disturbances: each kind as often as its rate says, and none depends on another."""

import math

import pytest

from simulator.disturbances.draws import NONE, Disturbances
from simulator.disturbances.kinds import RATES, Disturbance

OCCASIONS = 4000


def test_every_kind_has_a_rate_and_nothing_else_has() -> None:
    assert set(RATES) == set(Disturbance)


@pytest.mark.parametrize("kind", Disturbance)
def test_a_kind_happens_as_often_as_its_rate_says(kind: Disturbance) -> None:
    people = Disturbances(11, scale=2.0)
    happened = sum(people.happens(kind, f"1 {number}") for number in range(OCCASIONS))
    expected = min(1.0, people.expected(kind)) * OCCASIONS
    assert abs(happened - expected) <= 4 * math.sqrt(expected) + 3


def test_arms_are_as_many_as_their_rate_says_also_beyond_one_a_turn() -> None:
    people = Disturbances(12, scales={Disturbance.ARM_OVER_MAT: 8.0})
    counted = [people.count(Disturbance.ARM_OVER_MAT, str(number)) for number in range(OCCASIONS)]
    assert sum(counted) / OCCASIONS == pytest.approx(15 * 8 / 50, rel=0.05)
    assert max(counted) > 4


def test_nobody_disturbs_at_scale_0() -> None:
    assert not any(NONE.happens(kind, str(number)) or NONE.count(kind, str(number)) for kind in Disturbance for number in range(20))


def test_a_kind_that_is_switched_off_changes_no_other() -> None:
    whole, less = Disturbances(13, 5.0), Disturbances(13, 5.0, {Disturbance.DISCARD_OFF: 0.0})
    for number in range(50):
        assert not less.happens(Disturbance.DISCARD_OFF, str(number))
        for kind in set(Disturbance) - {Disturbance.DISCARD_OFF}:
            assert less.happens(kind, str(number)) == whole.happens(kind, str(number))


@pytest.mark.parametrize(("scale", "scales"), [(-0.1, {}), (5.1, {}), (1.0, {Disturbance.WRONG_KEY: -1.0})])
def test_a_scale_out_of_range_is_refused(scale: float, scales: dict[Disturbance, float]) -> None:
    with pytest.raises(ValueError, match="cannot be scaled"):
        Disturbances(1, scale, scales)
