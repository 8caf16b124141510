"""Numbers of the signals, and single wires: levels over time, as quick as firmware can read them."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.electrics.actuators import steps_per_position
from firmware_bridge.electrics.wires import BOUNCE_S, PULSE_S, SLOW_PULSE_S, Wires
from firmware_bridge.electrics.wiring import BARRIERS, FAST_INPUTS, Input, Output, lane_of

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
def test_a_wire_that_is_set_rests_at_its_last_level_and_never_moves_faster_than_it_can_be_read(
    settings: list[tuple[int, bool, float]],
) -> None:
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
