"""Camera troubles over time: a slow one-sided change of light comes bit by bit, and stays."""

from itertools import pairwise

import pytest

from simulator.disturbances.camera_troubles import LightRamp, TimedTrouble, between_at, troubles_of_turn
from simulator.disturbances.draws import only
from simulator.disturbances.kinds import Disturbance
from simulator.scene import Between
from twinwall.art.mat import Area, Mat, Slot

RAMP = LightRamp(by=0.2, towards_deg=0.0, within_ms=60_000)
BEGINS_MS = 5000


def at(after_ms: int, ramp: LightRamp = RAMP) -> Between:
    """What is between camera and tiles so long after the beginning of a slow change of light."""
    return between_at([TimedTrouble(Disturbance.LIGHT_RAMP, ramp, BEGINS_MS)], BEGINS_MS + after_ms)


@pytest.mark.parametrize(("after_ms", "share"), [(30_000, 0.5), (60_000, 1.0), (600_000, 1.0)])
def test_one_edge_grows_brighter_than_the_other_bit_by_bit_and_stays_so(after_ms: int, share: float) -> None:
    assert at(after_ms).side_light == pytest.approx((share * 0.1, 0), abs=0.006)
    assert at(after_ms).light == 1.0


def test_it_is_told_in_steps_of_which_no_picture_shows_one() -> None:
    told = [at(after_ms) for after_ms in range(0, 70_000, 250)]
    steps = [other.side_light[0] - one.side_light[0] for one, other in pairwise(told) if one != other]
    assert steps == pytest.approx([0.01] * 10)


@pytest.mark.parametrize("number", range(8))
def test_it_is_as_large_and_as_slow_as_its_rate_says(number: int) -> None:
    people = only(number, (Disturbance.LIGHT_RAMP,))
    (told,) = troubles_of_turn(people, str(number), Mat(), Slot(0, Area.RIVER, 0), 1000)
    assert isinstance(told.trouble, LightRamp)
    assert 0.1 <= told.trouble.by <= 0.2
    assert 30_000 <= told.trouble.within_ms <= 120_000
    assert (told.from_ms, told.until_ms) == (1000, None)
