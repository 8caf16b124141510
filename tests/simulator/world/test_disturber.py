"""People of a played table who disturb: what they lay, what follows later, and what comes before the camera."""

from simulator.disturbances.acts import Discard, Draw, Expose, Show, done
from simulator.disturbances.draws import NONE, Disturbances
from simulator.disturbances.kinds import Disturbance
from simulator.physical_tiles import PhysicalTile
from simulator.scene import CLEAR
from simulator.tabletop import Tabletop
from simulator.world.disturber import Disturber
from twinwall.art.mat import Area, Mat, Slot

MAT = Mat()
DISCARD = Discard(0, "5p", 0)
SLOT = Slot(0, Area.RIVER, 0)


def dealt() -> Tabletop:
    table = Tabletop(1)
    for place in range(4):
        for number, face in enumerate(["5p", "5p", "5p", "1m", "E"]):
            table = table.take(place, PhysicalTile(10 * place + number, face, 1))
    return table


def always(kind: Disturbance) -> Disturber:
    """People who do nothing but this, at every occasion."""
    return Disturber(Disturbances(1, 1.0, {other: 1e6 if other is kind else 0.0 for other in Disturbance}), MAT)


def test_people_who_do_not_disturb_do_what_they_mean() -> None:
    disturber, table = Disturber(NONE, MAT), dealt()
    for act in (DISCARD, Expose(1, ("5p", "5p"), SLOT), Draw(2, PhysicalTile(99, "E", 1), 2), Show(3, None)):
        before, table = table, disturber.done(table, act, 1, 0)
        assert table == done(before, act)
    assert disturber.since(table, 60_000) is table
    assert disturber.between(60_000) is CLEAR
    assert not disturber.counts


def test_people_who_disturb_in_each_way_once_do_so_discard_by_discard() -> None:
    disturber, table = Disturber(Disturbances(1), MAT, once=True), dealt()
    for turn in range(8):
        for place in range(4):
            face = next(tile.face for tile in table.racks[place].tiles)
            table = disturber.done(table, Discard(place, face, turn), 1, 0)
            table = disturber.done(table, Draw(place, PhysicalTile(100 + 4 * turn + place, face, 1), 5 + turn), 1, 0)
    assert len(disturber.counts) == 17
    assert {kind for kind, count in disturber.counts.items() if count > 1} <= {Disturbance.ARM_OVER_MAT, Disturbance.ARM_STAYS}


def test_a_discard_laid_face_down_is_turned_up_after_a_while() -> None:
    disturber = always(Disturbance.DISCARD_FACE_DOWN)
    table = disturber.done(dealt(), DISCARD, 1, 0)
    lain = table.at(SLOT)
    assert lain is not None
    assert lain.face_down
    assert disturber.since(table, 700) is table
    lain = disturber.since(table, 3000).at(SLOT)
    assert lain is not None
    assert not lain.face_down
    assert disturber.counts == {"discard-face-down": 1}


def test_a_tile_that_was_claimed_meanwhile_is_not_turned_up() -> None:
    disturber = always(Disturbance.DISCARD_FACE_DOWN)
    table = disturber.done(dealt(), DISCARD, 1, 0)
    claimed = disturber.done(table, Expose(1, ("5p", "5p"), SLOT), 1, 500)
    assert disturber.since(claimed, 3000) == claimed
