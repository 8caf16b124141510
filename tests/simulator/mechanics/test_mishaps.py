"""Mishaps: tiles that stick, come in pairs or lie face down, and shuttles that stall; no tile is lost."""

import pytest

from firmware_bridge.electrics.wired_machine import Divert, Grip, Lane, Loosen, Part, Sensor, Switch, Turn
from firmware_bridge.electrics.wiring import Output
from simulator.mechanics import FaultPlan, Mechanics
from simulator.scene import BACK
from simulator.tabletop import NotPossibleError
from tests.simulator.mechanics.test_machine import DRUM_TURNS, machine, run_until
from tests.support.narrowed import present
from tests.support.tiers import some

EVERY_TILE_STICKS = FaultPlan(unread=0.0, jam=1.0, jam_needs_hand=0.0)
EVERY_TILE_NEEDS_A_HAND = FaultPlan(unread=0.0, jam=1.0, jam_needs_hand=1.0)
IN_DIVERTER = (Part.DIVERTER, 0)
LOOSEN = Loosen(Part.DIVERTER, 0)


def fed(faults: FaultPlan, seed: int = 1) -> tuple[Mechanics, float]:
    """A machine with a tile in its gate, and the time."""
    mechanics = machine(seed=seed, faults=faults)
    mechanics.drive(DRUM_TURNS, 0.0)
    now_s = run_until(mechanics, Sensor.GATE).at_s
    mechanics.drive(Switch(Output.DRUM, False), now_s)
    return mechanics, now_s


def tiles(mechanics: Mechanics) -> int:
    return sum(map(len, mechanics.census().values()))


def edges(mechanics: Mechanics, until_s: float) -> list[Sensor]:
    return [edge.sensor for edge in mechanics.advance(until_s)]


@pytest.mark.parametrize("seed", some(range(6), 3))
def test_a_stuck_tile_stays_until_an_attempt_frees_it(seed: int) -> None:
    mechanics, now_s = fed(EVERY_TILE_STICKS, seed)
    mechanics.drive(Divert(Lane.CHUTE, 2), now_s)
    assert Sensor.CHUTE not in edges(mechanics, now_s + 5)
    now_s += 5
    attempts = 0
    while mechanics.hands.stuck():
        attempts += 1
        mechanics.drive(LOOSEN, now_s)
        arrived = edges(mechanics, now_s + 4)
        now_s += 4
    assert Sensor.CHUTE in arrived
    assert attempts <= 3
    assert len(mechanics.census()["shuttles"]) == 1


@pytest.mark.parametrize("seed", some(range(6), 3))
def test_what_needs_a_hand_is_taken_out_and_falls_into_the_drum(seed: int) -> None:
    mechanics, now_s = fed(EVERY_TILE_NEEDS_A_HAND, seed)
    mechanics.drive(Divert(Lane.CELL, 1), now_s)
    for attempt in range(5):
        mechanics.drive(LOOSEN, now_s + 4 * attempt)
        mechanics.advance(now_s + 4 * attempt + 4)
    assert mechanics.hands.stuck() == (IN_DIVERTER,)
    held = len(mechanics.census()["drum"])
    mechanics.hands.free(IN_DIVERTER, now_s + 20)
    assert not mechanics.hands.stuck()
    assert (mechanics.gate_tile(), len(mechanics.census()["drum"])) == (None, held + 1)
    with pytest.raises(NotPossibleError, match="nothing sticks"):
        mechanics.hands.free(IN_DIVERTER, now_s + 20)


@pytest.mark.parametrize("seed", some(range(6), 3))
def test_a_part_that_is_stuck_stays_so_when_everything_goes_home_and_no_tile_is_lost(seed: int) -> None:
    mechanics, now_s = fed(EVERY_TILE_STICKS, seed)
    mechanics.drive(Divert(Lane.CHUTE, 2), now_s)
    mechanics.drive(Turn(Sensor.HOME), now_s + 1)
    assert mechanics.hands.stuck()
    for attempt in range(3):
        mechanics.drive(LOOSEN, now_s + 4 * attempt + 1)
        mechanics.advance(now_s + 4 * attempt + 5)
    assert not mechanics.hands.stuck()
    assert tiles(mechanics) == 136
    assert not mechanics.census()["shuttles"], "the chute that it was led to has been forgotten"


def test_two_tiles_that_slide_in_together_show_two_edges_and_go_back_together() -> None:
    mechanics, now_s = fed(FaultPlan(unread=0.0, double_feed=1.0), seed=3)
    reading = None
    while reading is None or reading.edges == 1:
        mechanics.drive(DRUM_TURNS, now_s)
        mechanics.drive(Divert(Lane.DRUM), now_s)
        edge = run_until(mechanics, Sensor.GATE)
        now_s, reading = edge.at_s, edge.reading
    assert reading.edges == 2
    assert reading.width > 400
    assert present(mechanics.gate_tile()).obscured
    pair = set(mechanics.census()["gate"][:2])
    mechanics.drive(Divert(Lane.DRUM), now_s)
    run_until(mechanics, Sensor.DRUM_MOUTH)
    assert pair <= set(mechanics.census()["drum"])


def test_a_tile_that_was_not_turned_shows_its_back_to_the_camera_and_no_colour_to_the_sensor() -> None:
    mechanics = machine(faults=FaultPlan(unread=0.0, face_down=1.0))
    mechanics.drive(DRUM_TURNS, 0.0)
    reading, seen = run_until(mechanics, Sensor.GATE).reading, mechanics.gate_tile()
    assert seen is not None
    assert reading is not None
    assert (seen.face, reading.back, reading.edges) == (BACK, 0, 1)


def test_a_gripper_that_stalls_misses_the_tile_some_times() -> None:
    mechanics, now_s = fed(FaultPlan(unread=0.0, shuttle=1.0))
    mechanics.drive(Divert(Lane.CHUTE, 1), now_s)
    now_s = run_until(mechanics, Sensor.CHUTE).at_s
    tries = 0
    while not mechanics.carried:
        tries += 1
        mechanics.drive(Grip(1, None, on=True), now_s)
        now_s += 1
        mechanics.advance(now_s)
    assert tries in (3, 4)
    mechanics.drive(Grip(1, 12, on=False), now_s)
    assert run_until(mechanics, Sensor.TRAY).place == 12
