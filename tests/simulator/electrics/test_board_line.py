"""Wires and the line between a board and the physics: numbers and levels of signals, clock, order of reports, invalid lines."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.electrics.wired_core import Electrics
from firmware_bridge.electrics.wired_machine import CollisionError, steps_per_position
from firmware_bridge.electrics.wires import BOUNCE_S, PULSE_S, SLOW_PULSE_S, Wires
from firmware_bridge.electrics.wiring import BARRIERS, FAST_INPUTS, INPUT_BYTES, OUTPUT_BYTES, Input, Output, lane_of
from simulator.electrics.board import HANDS_S, BoardLine, BoardLineError, greeting
from simulator.mechanics import FaultPlan, Mechanics, MechanicsSettings
from simulator.tabletop import tile_set
from tests.support.narrowed import present

BEGIN_S = 100.0
SLICE_S = 0.0002
"""A board asks so much after an announced moment at the latest."""
MOST_AHEAD_US = 2000
"""A board goes on by so much before it waits for an answer."""


def a_line(*, speed: float = 1.0) -> tuple[BoardLine, Mechanics]:
    mechanics = Mechanics(MechanicsSettings(speed=speed), FaultPlan(unread=0.0), tile_set(1), 1, BEGIN_S)
    return BoardLine(Electrics(mechanics, 1, BEGIN_S), BEGIN_S), mechanics


def at(seconds: float) -> int:
    return round(1e6 * (BEGIN_S + seconds))


def outputs(*bits: int) -> str:
    return sum(1 << bit for bit in bits).to_bytes(OUTPUT_BYTES, "little").hex()


def say(line: BoardLine, *lines: str) -> list[list[str]]:
    """Say some lines and return the answer, word by word."""
    return [answer.split() for answer in line.hear("".join(f"{text}\n" for text in lines).encode()).decode().splitlines()]


def test_a_board_is_greeted_with_the_machine_and_every_input() -> None:
    mechanics = Mechanics(MechanicsSettings(speed=8.0), FaultPlan(), tile_set(1), 1, BEGIN_S)
    first, second = greeting(Electrics(mechanics, 1, BEGIN_S), 8.0, BEGIN_S).decode().splitlines()
    assert first == "TWP 1 8 4 116 0 0 0 0"
    kind, at_us, image = second.split()
    assert (kind, int(at_us), len(image)) == ("I", at(0.0), 2 * INPUT_BYTES)
    levels = int.from_bytes(bytes.fromhex(image), "little")
    assert levels >> Input.DOOR_IS_SHUT & 1
    assert not levels >> Input.LID_OPEN & 1


def test_the_physics_comes_as_far_as_the_board_and_announces_what_comes_next() -> None:
    line, mechanics = a_line()
    assert say(line, f"T {at(1.0)}") == [["T", str(at(1.0)), "-1"]]
    *_, answer = say(line, f"O {at(1.0)} {outputs(Output.MOTOR_POWER, Output.DRUM, Output.BELT)}", f"T {at(1.001)}")
    assert answer[:2] == ["T", str(at(1.001))]
    assert int(answer[2]) == round(1e6 * present(mechanics.next_edge_s()))


def test_no_input_changes_before_the_board_can_have_heard_of_it() -> None:
    line, _ = a_line(speed=8.0)
    clock_s, changes = 0.0, 0
    say(line, f"O {at(0.0)} {outputs(Output.MOTOR_POWER, Output.DRUM, Output.BELT)}")
    while clock_s < 1.0:
        *told, (_, come_us, next_us) = say(line, f"T {at(clock_s)}")
        for kind, at_us, *_ in told:
            assert kind == "i"
            assert int(at_us) >= int(come_us) + MOST_AHEAD_US
            changes += 1
        announced_s = float("inf") if next_us == "-1" else int(next_us) / 1e6 - BEGIN_S
        clock_s = min(max(announced_s, clock_s) + SLICE_S, clock_s + 0.01)
    assert changes == 6  # the drivers' supply, a drum that turns, a shadow, the colour of a back, a tile at rest


def test_what_hands_move_is_told_unasked_and_later() -> None:
    line, mechanics = a_line()
    say(line, f"T {at(1.0)}")
    mechanics.hands.set_lid(True, line.now_s)
    *told, answer = [text.split() for text in line.touched(line.now_s).decode().splitlines()]
    assert answer[:2] == ["T", str(at(1.0))]
    assert {int(bit) for _, _, bit, _ in told} == {Input.LID_OPEN}
    assert min(int(at_us) for _, at_us, _, _ in told) == at(1.0 + HANDS_S)
    assert told[-1][3] == "1"


def test_a_board_that_goes_back_in_time_is_taken_to_stand_still() -> None:
    line, _ = a_line()
    say(line, f"T {at(2.0)}")
    assert say(line, f"T {at(1.0)}") == [["T", str(at(2.0)), "-1"]]


@given(st.lists(st.integers(1, 40), max_size=30))
def test_lines_may_come_in_pieces_of_any_size(sizes: list[int]) -> None:
    said = f"A {at(0.1)} 0 32 0 0\nS {at(0.2)} 1500\nO {at(0.3)} {outputs(Output.MOTOR_POWER)}\nT {at(0.4)}\n".encode()
    line, _ = a_line()
    answer = b""
    for size in sizes:
        answer += line.hear(said[:size])
        said = said[size:]
    answer += line.hear(said)
    assert answer.decode().splitlines()[-1] == f"T {at(0.4)} -1"


@pytest.mark.parametrize(
    "words",
    [
        "X 1",
        "",
        "T",
        "T one",
        f"O 1 {'0' * 8}",
        f"O 1 {'z' * 10}",
        "A 1 2 3",
        "A 1 0 0 0 left",
        "S 1",
        "S 1 wide",
        "i 1 2 1",
        "T 1 2",
        "\xff",
    ],
)
def test_a_line_that_is_none_is_refused_with_its_words(words: str) -> None:
    line, _ = a_line()
    with pytest.raises(BoardLineError, match="a board said"):
        line.hear(f"{words}\n".encode("latin-1"))


def test_a_line_without_an_end_is_refused() -> None:
    line, _ = a_line()
    with pytest.raises(BoardLineError, match="without an end"):
        line.hear(b"O" * 70_000)


def test_a_collision_is_no_error_of_the_line() -> None:
    line, _ = a_line()
    with pytest.raises(CollisionError, match="between two places"):
        say(line, f"A {at(0.1)} 5 0 0 0", f"O {at(0.2)} {outputs(Output.MOTOR_POWER, Output.PICKER)}")


BOARD_HEADER = Path(__file__).parents[3] / "firmware" / "core" / "board" / "board.h"


@pytest.mark.parametrize(("prefix", "signals"), [("IN", Input), ("OUT", Output)])
def test_every_signal_has_the_number_that_the_firmware_gives_it(prefix: str, signals: type[Input] | type[Output]) -> None:
    found = re.findall(rf"#define TWF_{prefix}_(\w+) (\d+)u", BOARD_HEADER.read_text(encoding="utf-8"))
    assert {name: int(number) for name, number in found} == {signal.name: signal.value for signal in signals}


@given(st.integers(0, 8), st.data())
def test_the_pulse_of_every_lane_leads_to_that_lane(cells: int, data: st.DataObject) -> None:
    lanes = 6 + cells
    lane = data.draw(st.integers(0, lanes - 1))
    assert lane_of(1000 + 1000 * lane // (lanes - 1), cells) == lane


# Wires ------------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(0, 47), st.booleans(), st.floats(0, 0.1)), max_size=40))
def test_a_wire_that_is_set_rests_at_its_last_level_and_is_never_too_fast_to_be_read(settings: list[tuple[int, bool, float]]) -> None:
    wires, at_s, wanted = Wires(1), 0.0, dict.fromkeys(range(48), False)
    for bit, level, wait_s in settings:
        at_s += wait_s
        wires.set(bit, level, at_s)
        wanted[bit] = level
    changes = wires.take()
    for bit, level in wanted.items():
        own = [change for change in changes if change.bit == bit]
        assert not own or own[-1].level is level
        rests = [change for change in own if bit in BARRIERS] or own[::3]
        shortest_s = PULSE_S if bit in FAST_INPUTS else SLOW_PULSE_S
        assert all(later.at_s - earlier.at_s > shortest_s - 1e-9 for earlier, later in pairwise(rests))


def test_a_switch_bounces_for_a_millisecond_at_most_and_a_barrier_does_not() -> None:
    wires = Wires(1)
    wires.set(Input.PICKED, True, 1.0)
    wires.set(Input.GATE_FULL, True, 1.0)
    changes = wires.take()
    assert [change.level for change in changes if change.bit == Input.PICKED] == [True, False, True]
    assert max(change.at_s for change in changes) < 1.0 + BOUNCE_S
    assert len([change for change in changes if change.bit == Input.GATE_FULL]) == 1


@given(st.floats(0.1, 100.0))
def test_a_faster_machine_is_geared_higher_and_always_by_whole_steps(speed: float) -> None:
    assert steps_per_position(speed) == max(1, round(32 / speed))
