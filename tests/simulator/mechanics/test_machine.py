"""The machine: no tile is lost, times are the reference table's, and people's actions."""

from collections import Counter
from contextlib import suppress
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.electrics.wired_machine import (
    CollisionError,
    Divert,
    Drive,
    Edge,
    Exchange,
    GateLock,
    Grip,
    Lane,
    Loosen,
    Part,
    ReleaseCell,
    Sensor,
    Switch,
    Turn,
    WellDoor,
    capabilities_of,
)
from firmware_bridge.electrics.wiring import Output
from simulator.mechanics import FaultPlan, FeederView, Mechanics, MechanicsSettings
from simulator.tabletop import FLOWER, NotPossibleError, PhysicalTile, tile_set
from tests.support.narrowed import present
from tests.support.tiers import examples

READABLE = FaultPlan(unread=0.0)
DRUM_TURNS = Switch(Output.DRUM, True)
MISCHIEF = FaultPlan(unread=0.3, jam=0.3, jam_needs_hand=0.3, double_feed=0.3, face_down=0.3, shuttle=0.3)


def machine(tiles: tuple[PhysicalTile, ...] | None = None, *, speed: float = 1.0, seed: int = 1, faults: FaultPlan = READABLE) -> Mechanics:
    return Mechanics(MechanicsSettings(speed=speed), faults, tile_set(0) if tiles is None else tiles, seed)


def run_until(mechanics: Mechanics, sensor: Sensor) -> Edge:
    """Let time pass until an edge of this kind."""
    while (due_s := mechanics.next_edge_s()) is not None:
        for edge in mechanics.advance(due_s):
            if edge.sensor is sensor and edge.level:
                return edge
    raise AssertionError(f"no edge of {sensor} is coming")


def place(mechanics: Mechanics, now_s: float, seat: int, position: int) -> float:
    """Bring the gate's tile to a position; return when it dropped."""
    if mechanics.gate_tile() is None:
        now_s = run_until(mechanics, Sensor.GATE).at_s
    mechanics.drive(Divert(Lane.CHUTE, seat), now_s)
    now_s = run_until(mechanics, Sensor.CHUTE).at_s
    mechanics.drive(Grip(seat, None, on=True), now_s)
    column = capabilities_of(mechanics.settings).column_of(position)
    mechanics.drive(Grip(seat, column, on=False), run_until(mechanics, Sensor.PICK).at_s)
    dropped = run_until(mechanics, Sensor.TRAY)
    assert dropped.place == position
    return dropped.at_s


def fill_magazines(mechanics: Mechanics) -> float:
    """Fill a tray of one seat, lift the walls and return the time."""
    mechanics.drive(DRUM_TURNS, 0.0)
    now_s = 0.0
    for position in reversed(range(34)):
        now_s = place(mechanics, now_s, 0, position)
    mechanics.drive(Turn(Sensor.LIFT), now_s)
    return run_until(mechanics, Sensor.LIFT).at_s


# Invariant I1 ---------------------------------------------------------------------------------------

seats = st.integers(0, 3)
drives: st.SearchStrategy[Drive] = st.one_of(
    st.builds(Switch, st.just(Output.DRUM), st.just(True)),
    st.builds(Switch, st.just(Output.DRUM), st.booleans()),
    st.builds(Divert, st.sampled_from(Lane), seats),
    st.builds(Divert, st.just(Lane.CHUTE), seats),
    st.builds(ReleaseCell, seats, seats),
    st.builds(Grip, seats, st.none() | st.integers(0, 36), st.booleans()),
    st.builds(Turn, st.sampled_from([Sensor.FLOOR, Sensor.MAGAZINE_FLOOR]), seats),
    st.builds(Turn, st.sampled_from([Sensor.LIFT, Sensor.HOME])),
    st.builds(WellDoor, st.booleans()),
    st.builds(GateLock, seats, st.booleans()),
    st.builds(Switch, st.just(Output.MOTOR_POWER), st.just(True)),
    st.builds(Switch, st.just(Output.MOTOR_POWER), st.booleans()),
    st.builds(Loosen, st.just(Part.DIVERTER), st.just(0)),
)
drives_of_several_gates: st.SearchStrategy[Drive] = st.one_of(
    drives,
    st.builds(Switch, st.just(Output.DRUM), st.just(True)),
    st.builds(Divert, st.just(Lane.POCKET), st.just(0), seats),
    st.builds(Divert, st.just(Lane.CHUTE), st.integers(0, 7), seats),
    st.builds(ReleaseCell, st.integers(0, 15), st.integers(0, 7), st.sampled_from([Lane.CHUTE, Lane.POCKET])),
    st.builds(Exchange, st.integers(0, 1), seats, st.integers(0, 7)),
    st.builds(Loosen, st.just(Part.EXCHANGER), st.integers(0, 1)),
)
hands = st.sampled_from(["take", "draw", "put back", "drop", "lid", "stop", "free"])


def act(mechanics: Mechanics, what: str, place: int, now_s: float) -> None:
    """One thing that people do, whether or not it is possible."""
    in_play = mechanics.census()["in play"]
    try:
        match what:
            case "take":
                mechanics.hands.take_hand_tile(place, place, now_s)
            case "draw":
                mechanics.hands.lift_draw(place, now_s)
            case "put back" if in_play:
                mechanics.hands.put_back(place, in_play[0], now_s)
            case "drop":
                mechanics.hands.drop_into_well(in_play[:3], now_s)
            case "free":
                for stuck in mechanics.hands.stuck():
                    mechanics.hands.free(stuck, now_s)
                mechanics.hands.empty_reject_cell(now_s)
            case "lid":
                mechanics.hands.set_lid(place == 0, now_s)
            case _:
                mechanics.hands.set_estop(place == 0, now_s)
    except NotPossibleError:
        pass


@settings(max_examples=examples(200))
@given(st.lists(st.tuples(st.floats(0.0, 1.0), drives | st.tuples(hands, seats)), max_size=60), st.integers(0, 1000), st.booleans())
def test_every_tile_is_in_one_place_whatever_happens(acts: list[tuple[float, Drive | tuple[str, int]]], seed: int, mischief: bool) -> None:
    no_tile_is_lost(MechanicsSettings(), acts, seed, mischief)


@settings(max_examples=examples(100))
@given(
    st.lists(st.tuples(st.floats(0.0, 1.0), drives_of_several_gates | st.tuples(hands, seats)), max_size=60),
    st.integers(0, 1000),
    st.booleans(),
)
def test_so_is_every_tile_with_four_gates(acts: list[tuple[float, Drive | tuple[str, int]]], seed: int, mischief: bool) -> None:
    no_tile_is_lost(MechanicsSettings(gates=4, exchangers=2, pocket_places=2, shuttles=2), acts, seed, mischief)


def no_tile_is_lost(sizes: MechanicsSettings, acts: list[tuple[float, Drive | tuple[str, int]]], seed: int, mischief: bool) -> None:
    """Do all this to a machine, and count its tiles after each."""
    tiles = tile_set(0)[:40]
    mechanics = Mechanics(sizes, MISCHIEF if mischief else READABLE, tiles, seed)
    now_s = 0.0
    for wait_s, deed in acts:
        now_s += wait_s
        try:
            mechanics.advance(now_s)
        except CollisionError:
            return  # a real machine would be broken now
        if isinstance(deed, tuple):
            act(mechanics, *deed, now_s)
        else:
            with suppress(CollisionError):  # driven without a tile, which moves nothing
                mechanics.drive(deed, now_s)
        there = [tile for tiles_there in mechanics.census().values() for tile in tiles_there]
        assert sorted(tile.id for tile in there) == sorted(tile.id for tile in tiles)


# Times ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("speed", "catches_per_s", "period_s", "within"), [(1, 1000, 0.6, 0.01), (24, 1000, 0.6, 0.01), (1, 0.5, 2, 0.3)])
def test_tiles_come_in_the_gates_period_or_the_drums_by_speed(speed: float, catches_per_s: float, period_s: float, within: float) -> None:
    mechanics = Mechanics(MechanicsSettings(speed=speed, catches_per_s=catches_per_s), READABLE, tile_set(0), 1)
    mechanics.drive(DRUM_TURNS, 0.0)
    arrivals = []
    for _ in range(40):
        arrivals.append(run_until(mechanics, Sensor.GATE).at_s)
        mechanics.drive(Divert(Lane.REJECT), arrivals[-1])
    periods = [later - earlier for earlier, later in pairwise(arrivals)]
    assert min(periods) == pytest.approx(0.6 / speed)
    assert sum(periods) / len(periods) == pytest.approx(period_s / speed, rel=within)


def test_without_power_nothing_moves_and_with_it_motion_goes_on() -> None:
    mechanics = machine()
    mechanics.drive(DRUM_TURNS, 0.0)
    came_s = run_until(mechanics, Sensor.GATE).at_s
    mechanics.drive(Divert(Lane.CHUTE, 0), came_s)
    mechanics.drive(Switch(Output.MOTOR_POWER, False), came_s + 0.2)
    mechanics.advance(came_s + 0.2)
    assert mechanics.advance(came_s + 9.0) == []
    assert mechanics.next_edge_s() is None
    mechanics.drive(Switch(Output.MOTOR_POWER, True), came_s + 10.0)
    assert run_until(mechanics, Sensor.CHUTE).at_s == pytest.approx(came_s + 10.05)


def test_the_emergency_stop_stops_motors_and_shuts_locks_without_any_firmware() -> None:
    mechanics = machine()
    now_s = fill_magazines(mechanics)
    mechanics.drive(GateLock(0, True), now_s)
    mechanics.hands.set_estop(True, now_s)
    assert mechanics.levels().locks == 0
    mechanics.drive(GateLock(0, True), now_s)
    assert mechanics.levels().locks == 0
    mechanics.drive(WellDoor(True, True), now_s)
    mechanics.advance(now_s + 100)
    assert not mechanics.door_open


# The gate -----------------------------------------------------------------------------------------------


def test_the_same_seed_catches_the_same_tiles_in_the_same_order() -> None:
    def order(seed: int) -> list[int]:
        mechanics = machine(seed=seed)
        mechanics.drive(DRUM_TURNS, 0.0)
        caught = []
        for _ in range(20):
            now_s = run_until(mechanics, Sensor.GATE).at_s
            caught.append(mechanics.census()["gate"][0].id)
            mechanics.drive(Divert(Lane.REJECT), now_s)
        return caught

    assert order(5) == order(5)
    assert order(5) != order(6)


def test_a_tile_lies_in_the_gate_turned_or_not_a_little_off_and_does_not_move_while_it_rests() -> None:
    mechanics = machine()
    mechanics.drive(DRUM_TURNS, 0.0)
    turned = Counter[bool]()
    for _ in range(100):
        now_s = run_until(mechanics, Sensor.GATE).at_s
        seen = present(mechanics.gate_tile())
        assert seen == mechanics.gate_tile()
        assert abs(seen.offset_mm[0]) <= 0.6
        assert abs(seen.angle_deg) <= 1.5
        turned[seen.turned] += 1
        mechanics.drive(Divert(Lane.REJECT), now_s)
        assert mechanics.gate_tile() is None
    assert 30 <= turned[True] <= 70


# What people see of it ----------------------------------------------------------------------------------


def test_whatever_changes_what_people_see_is_noticed() -> None:
    mechanics = machine()
    seen, looks = mechanics.view(), mechanics.looks
    now_s = 0.0

    def expect_change() -> None:
        nonlocal seen, looks
        assert (mechanics.view(), mechanics.looks) != (seen, looks)
        assert mechanics.looks > looks
        seen, looks = mechanics.view(), mechanics.looks

    now_s = fill_magazines(mechanics)
    expect_change()
    mechanics.drive(WellDoor(True, True), now_s)
    now_s = run_until(mechanics, Sensor.DOOR).at_s
    expect_change()
    mechanics.hands.take_hand_tiles(0, 1, now_s)
    expect_change()
    mechanics.drive(GateLock(0, True), now_s)
    expect_change()
    mechanics.hands.lift_draw(0, now_s)
    expect_change()
    mechanics.drive(GateLock(4, True), now_s)
    expect_change()
    mechanics.hands.lift_at_rear(0, now_s)
    expect_change()
    mechanics.drive(Turn(Sensor.MAGAZINE_FLOOR), now_s)
    run_until(mechanics, Sensor.MAGAZINE_FLOOR)
    expect_change()


@pytest.mark.parametrize(
    ("visible", "clearing"),
    [
        (FeederView(well_open=True, walls_ready=True), True),
        (FeederView(well_open=True), False),
        (FeederView(walls_ready=True), False),
        (FeederView(well_open=True, walls_ready=True, draws_left=(0, 0, 3, 0)), False),
        (FeederView(well_open=True, walls_ready=True, waiting=(0, 1, 0, 0)), False),
    ],
)
def test_a_table_is_cleared_only_between_two_hands(visible: FeederView, clearing: bool) -> None:
    assert visible.clearing is clearing


@pytest.mark.parametrize(("wall_tiles", "ready"), [(27, True), (None, False)])
def test_walls_are_ready_when_they_are_as_long_as_the_rules_want(wall_tiles: int | None, ready: bool) -> None:
    mechanics = Mechanics(MechanicsSettings(two_high=False, wall_tiles=wall_tiles), READABLE, tile_set(0)[:108], 1)
    mechanics.drive(DRUM_TURNS, 0.0)
    now_s = 0.0
    for number in range(108):
        assert not mechanics.view().walls_ready
        now_s = place(mechanics, now_s, *divmod(number, 27))
    assert mechanics.view().walls_ready is ready


def test_tiles_behind_the_rear_gates_are_no_draws_but_belong_to_a_wall_that_is_ready() -> None:
    mechanics = Mechanics(MechanicsSettings(two_high=False, wall_tiles=31, rear_tiles=True), READABLE, tile_set(0), 1)
    now_s = fill_magazines(mechanics)
    assert mechanics.view().draws_left == (18, 0, 0, 0)
    mechanics.drive(GateLock(4, True), now_s)
    assert mechanics.view().rear_gates_open == (True, False, False, False)
    assert mechanics.view().gates_open == (False,) * 4
    assert mechanics.hands.lift_draw(0, now_s) is None
    assert mechanics.hands.lift_at_rear(0, now_s) is not None
    assert (mechanics.view().draws_left, mechanics.view().rear_gates_open) == ((18, 0, 0, 0), (False,) * 4)


# Faults of the set -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tiles", "count", "face", "copies"),
    [(tile_set(0, missing=["3p"]), 135, "3p", 3), (tile_set(0, extra=["5m"]), 137, "5m", 5), (tile_set(0, foreign=1), 137, FLOWER, 1)],
)
def test_tiles_missing_extra_or_foreign_come_as_all_others_do(tiles: tuple[PhysicalTile, ...], count: int, face: str, copies: int) -> None:
    mechanics = machine(tiles)
    mechanics.drive(DRUM_TURNS, 0.0)
    seen = Counter[str]()
    for _ in range(count):
        now_s = run_until(mechanics, Sensor.GATE).at_s
        tile = present(mechanics.gate_tile())
        seen[tile.face] += 1
        mechanics.drive(Divert(Lane.REJECT), now_s)
    run_until(mechanics, Sensor.REJECT)
    assert mechanics.drum_empty
    assert (seen.total(), seen[face]) == (count, copies)


# Hands ----------------------------------------------------------------------------------------------------


def test_draws_come_one_at_a_time_in_order_and_only_through_an_open_lock() -> None:
    mechanics = machine()
    now_s = fill_magazines(mechanics)
    assert mechanics.hands.lift_draw(0, now_s) is None
    wall = mechanics.census()["magazines"]
    drawn = []
    for _ in range(21):
        mechanics.drive(GateLock(0, True), now_s)
        drawn.append(mechanics.hands.lift_draw(0, now_s))
        assert mechanics.hands.lift_draw(0, now_s) is None
        mechanics.drive(GateLock(0, False), now_s)
    assert drawn == [*wall[13:]]
    assert mechanics.view().draws_left[0] == 0


def test_a_tile_put_back_is_the_next_to_be_drawn() -> None:
    mechanics = machine()
    now_s = fill_magazines(mechanics)
    mechanics.drive(GateLock(0, True), now_s)
    tile = present(mechanics.hands.lift_draw(0, now_s))
    mechanics.hands.put_back(0, tile, now_s)
    for opened in (False, True):
        mechanics.drive(GateLock(0, opened), now_s)
    assert mechanics.hands.lift_draw(0, now_s) == tile


def test_no_tile_comes_from_nowhere_into_a_gate_and_none_is_there_twice() -> None:
    mechanics = machine()
    now_s = fill_magazines(mechanics)
    mechanics.drive(GateLock(0, True), now_s)
    assert mechanics.hands.lift_draw(0, now_s) is not None
    with pytest.raises(NotPossibleError, match="not in play"):
        mechanics.hands.put_back(0, PhysicalTile(999, "1m", 1), now_s)
    mechanics.hands.set_lid(True, now_s)
    with pytest.raises(NotPossibleError, match="in the table already"):
        mechanics.hands.add_to_drum(mechanics.census()["magazines"][:1], now_s)


# Collisions -----------------------------------------------------------------------------------------------


def test_settings_that_no_machine_can_have_are_refused() -> None:
    with pytest.raises(ValueError, match="speed is 0"):
        MechanicsSettings(speed=0)
    with pytest.raises(ValueError, match="places must rise"):
        MechanicsSettings(wall_places=38)
    with pytest.raises(ValueError, match="unread is a chance"):
        FaultPlan(unread=1.5)
