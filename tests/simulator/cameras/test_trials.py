"""Trial tables: known, physically possible, and the same for the same seed."""

import numpy as np
import pytest

from simulator.cameras.arms import Arm, arm_layer
from simulator.cameras.ground import SIDE_PX
from simulator.cameras.optics import UNIT_GAIN
from tests.support.simulator.hung_camera import hung_view
from tests.support.simulator.table_trials import Fault, all_slots, trial
from tests.support.tiers import TIER, Tier
from twinwall.art.mat import Area, Mat, Slot

pytestmark = pytest.mark.slow

MAT = Mat()


@pytest.mark.nightly
def test_the_same_seed_gives_the_same_table_and_pictures_and_another_one_another() -> None:
    first, again, other = (trial(Fault.ALL, seed, MAT, frames=1) for seed in (5, 5, 6))
    assert first.laid == again.laid
    assert first.laid != other.laid
    assert np.array_equal(next(first.frames(1)).picture, next(again.frames(1)).picture)


@pytest.mark.parametrize("fault", [Fault.NONE, Fault.OFF_SLOT])
def test_tiles_lie_as_far_off_their_slots_as_the_fault_says_and_no_further(fault: Fault) -> None:
    table = trial(fault, 3, MAT)
    most_mm = MAT.tile_width_mm / 3 if fault is Fault.OFF_SLOT else MAT.tile_width_mm * 0.08
    off = [float(np.hypot(*laid.offset_mm)) for slot, laid in table.laid.items() if slot.area is not Area.HAND]
    askew = [abs((laid.angle_deg + 90) % 180 - 90) for laid in table.laid.values()]
    assert max(off) <= most_mm
    assert max(askew) <= 20.0
    if fault is Fault.OFF_SLOT:
        assert max(off) > 0.7 * most_mm
        assert max(askew) > 12.0


FRAMES = 4 if TIER is Tier.NIGHTLY else 2


@pytest.mark.nightly
def test_an_arm_hides_what_it_lies_over_and_nothing_else() -> None:
    table = trial(Fault.ARMS, 4, MAT, frames=FRAMES)
    shares = [shot.hidden for shot in table.frames(FRAMES)]
    assert {slot for hidden in shares for slot in hidden} == set(all_slots(MAT))
    assert any(share > 0.9 for hidden in shares for share in hidden.values())
    assert all(0.0 <= share <= 1.0 for hidden in shares for share in hidden.values())
    still = trial(Fault.NONE, 4, MAT)
    assert set(next(still.frames(1)).hidden.values()) == {0.0}


def test_a_hand_is_where_its_palm_is_and_comes_from_its_own_side() -> None:
    view = hung_view((0.0, 0.0), 1500.0, (0.0, 0.0), 0.0, 0.0)
    layer = arm_layer(Arm(1, (40.0, -60.0), 0.0, (30, 30, 30), (120, 150, 200)), view, np.full((SIDE_PX, SIDE_PX, 3), UNIT_GAIN, np.uint8))
    palm, beyond = view.project(np.array([(40.0, -60.0), (-150.0, -60.0)])).round().astype(int)
    rest = np.full((SIDE_PX, SIDE_PX), 255, np.uint8)
    layer.rect.cut(rest)[:] = layer.body_rest[:, :, 0]
    assert rest[palm[1], palm[0]] == 0
    assert rest[beyond[1], beyond[0]] == 255
    assert rest[:, SIDE_PX - 5].min() == 0, "the sleeve comes in from place 1, at the right"


@pytest.mark.parametrize("bend", [0.0, -0.13])
def test_a_camera_beside_the_middle_sees_every_slot_and_marker(bend: float) -> None:
    view = hung_view((130.0, -130.0), 1300.0, (5.0, -5.0), 2.0, bend)
    spots = [MAT.spot(slot) for slot in all_slots(MAT)]
    reach = MAT.marker_centre_mm + MAT.marker_mm * 2 / 3
    points = np.array([*((spot.x_mm, spot.y_mm) for spot in spots), *((x, y) for x in (-reach, reach) for y in (-reach, reach))])
    seen = view.project(points, 16.0)
    assert seen.min() > 4
    assert seen.max() < SIDE_PX - 4


def test_a_lens_that_bends_moves_the_rim_and_not_the_middle() -> None:
    straight, bent = (hung_view((0.0, 0.0), 1500.0, (0.0, 0.0), 0.0, bend) for bend in (0.0, -0.1))
    spot = MAT.spot(Slot(0, Area.MELD, 0))
    rim, middle = np.array([(spot.x_mm, spot.y_mm)]), np.array([(0.0, 0.0)])
    assert straight.project(middle) == pytest.approx(bent.project(middle), abs=0.5)
    along = straight.project(rim)[0] - SIDE_PX / 2, bent.project(rim)[0] - SIDE_PX / 2
    assert np.linalg.norm(along[0] - along[1]) > 2
