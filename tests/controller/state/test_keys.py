"""Debouncing: a key press counts once however its contacts bounce."""

from hypothesis import given
from hypothesis import strategies as st

from controller.state.keys import Debouncer, KeyPressed
from twinwall.wire.shapes.panel import KEYS, Key

PUNG, WIN = (2, Key.PUNG), (0, Key.WIN)
HOLD_S = 0.02


NONE: set[tuple[int, Key]] = set()


def pressed(scans: list[tuple[float, set[tuple[int, Key]]]]) -> list[KeyPressed]:
    """What counts as pressed over scans (seconds, closed keys)."""
    debouncer = Debouncer(HOLD_S)
    return [press for now, closed in scans for press in debouncer.scanned(frozenset(closed), now)]


def test_a_key_held_for_long_enough_counts_once() -> None:
    assert pressed([(0.001 * scan, {PUNG}) for scan in range(200)]) == [KeyPressed(*PUNG)]


def test_a_touch_that_is_too_short_does_not_count() -> None:
    assert pressed([(0.0, {PUNG}), (0.019, {PUNG}), (0.0195, set()), (0.1, set())]) == []


def test_a_bouncing_contact_counts_when_it_has_been_still() -> None:
    bouncing: list[tuple[float, set[tuple[int, Key]]]] = [(0.001 * scan, {PUNG} if scan % 2 else set()) for scan in range(10)]
    still: list[tuple[float, set[tuple[int, Key]]]] = [(0.010 + 0.001 * scan, {PUNG}) for scan in range(40)]
    assert pressed(bouncing) == []
    assert pressed(bouncing + still) == [KeyPressed(*PUNG)]


def test_it_counts_again_only_after_it_has_been_let_go_for_as_long() -> None:
    down, short, long = {PUNG}, 0.005, 0.03
    again_too_soon = [(0.0, down), (0.02, down), (0.021, NONE), (0.021 + short, down), (0.08, down)]
    assert pressed(again_too_soon) == [KeyPressed(*PUNG)]
    let_go = [
        (0.0, down),
        (0.02, down),
        (0.021, NONE),
        (0.021 + long, NONE),
        (0.06, down),
        (0.09, down),
    ]
    assert pressed(let_go) == [KeyPressed(*PUNG)] * 2


def test_keys_pressed_in_one_scan_come_in_order_of_place_and_key() -> None:
    closed = {(3, Key.CHOW), (0, Key.WIN), (0, Key.CHOW)}
    assert pressed([(0.0, closed), (0.05, closed)]) == [KeyPressed(0, Key.CHOW), KeyPressed(0, Key.WIN), KeyPressed(3, Key.CHOW)]


keys = st.frozensets(st.tuples(st.integers(0, 3), st.sampled_from(KEYS)), max_size=3)


@given(st.lists(st.tuples(st.integers(1, 15), keys), max_size=60))
def test_a_key_never_counts_twice_without_having_been_seen_open_in_between(steps: list[tuple[int, frozenset[tuple[int, Key]]]]) -> None:
    debouncer, now_ms = Debouncer(HOLD_S), 0
    counted: set[tuple[int, Key]] = set()
    for step_ms, closed in steps:
        now_ms += step_ms
        counted -= {key for key in counted if key not in closed and key not in debouncer._down}
        for press in debouncer.scanned(closed, now_ms / 1000):
            key = (press.place, press.key)
            assert key in closed
            assert key not in counted
            counted.add(key)
        counted &= debouncer._down
