"""Keys on phones: each press once, in order, never late; lamps as the controller lights them."""

from tableside.phones.phone_keys import FRESH_S, LATE_S, SentLamps, TableKeys
from tests.phones.conftest import Clock
from twinwall.wire.shapes.panel import Key, KeyLamps


def heard() -> tuple[TableKeys, Clock]:
    """Keys for which the controller asks."""
    clock = Clock()
    keys = TableKeys(clock)
    assert keys.presses("", 0, 0.0).presses == []
    return keys, clock


def test_presses_come_in_their_order_and_each_once() -> None:
    keys, _ = heard()
    assert keys.press("first press", 2, Key.PUNG)
    assert keys.press("second press", 0, Key.WIN)
    assert [(press.number, press.place, press.key) for press in keys.presses(keys.run, 0, 0.0).presses] == [(1, 2, "pung"), (2, 0, "win")]
    assert [press.number for press in keys.presses(keys.run, 1, 0.0).presses] == [2]
    assert [press.number for press in keys.presses("another run", 7, 0.0).presses] == [1, 2], "a number of another run is no number here"


def test_a_press_that_is_sent_again_counts_once_and_a_late_one_is_refused() -> None:
    keys, _ = heard()
    assert not keys.press("a press", 2, Key.PUNG, late=True)
    assert keys.presses(keys.run, 0, 0.0).presses == []
    assert keys.press("a press", 2, Key.PUNG)
    assert keys.press("a press", 2, Key.PUNG)
    assert len(keys.presses(keys.run, 0, 0.0).presses) == 1


def test_a_press_is_refused_while_the_controller_does_not_ask_and_left_out_when_it_has_waited_too_long() -> None:
    assert not TableKeys(Clock()).press("a press", 2, Key.PUNG)
    keys, clock = heard()
    assert keys.press("a press", 2, Key.PUNG)
    clock.now_s = FRESH_S
    assert not keys.press("another press", 2, Key.PUNG)
    assert keys.presses("", 0, 0.0).presses == []


def test_lamps_have_a_version_that_changes_with_them_alone() -> None:
    keys = TableKeys()
    version, lamps = keys.lamps(0, 0.0)
    assert lamps == KeyLamps()
    keys.show(KeyLamps())
    assert keys.lamps(0, 0.0)[0] == version
    keys.show(KeyLamps(turn=frozenset({1}), window=True))
    assert keys.lamps(version, 0.0) == (version + 1, KeyLamps(turn=frozenset({1}), window=True))


def test_a_press_is_late_when_what_the_phone_was_told_last_is_too_old_or_never_was() -> None:
    clock = Clock()
    told = SentLamps(clock)
    assert [told.is_late(number) for number in (0, 1)] == [True, True]
    first = told.next()
    clock.now_s = LATE_S - 0.1
    assert not told.is_late(first)
    second = told.next()
    clock.now_s = LATE_S
    assert told.is_late(first)
    assert not told.is_late(second)
    numbers = [told.next() for _ in range(1000)]
    assert [told.is_late(number) for number in (0, numbers[0], numbers[-1], numbers[-1] + 1)] == [True, True, False, True]
