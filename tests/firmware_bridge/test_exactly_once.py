"""Whatever a line does to 3 % of its bytes, every operation is carried out once, and every event told once and in order."""

from dataclasses import replace
from itertools import count

import pytest

from firmware_bridge.link.events import OperationRequest
from firmware_bridge.messages import Command, Lock
from tests.support.link.exactly_once import FLOORS, UART_BYTE_S, WORST, Badness, NotOnceError, Trial

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "badness",
    [
        Badness(),
        Badness(lost=0.03),
        Badness(flipped=0.03),
        Badness(doubled=0.03),
        Badness(inserted=0.03),
        Badness(stalled=0.2),
        Badness(cut=0.01),
        Badness(byte_s=UART_BYTE_S),
        WORST,
        replace(WORST, byte_s=UART_BYTE_S),
    ],
    ids=str,
)
def test_every_operation_is_carried_out_once(badness: Badness) -> None:
    tally = Trial(badness, seed=3).run(150)
    assert (tally.done, tally.unknown) == (150, 0)
    assert tally.events >= 14


def test_a_host_that_begins_anew_loses_no_operation_and_repeats_none() -> None:
    tally = Trial(WORST, seed=4, host_restart=0.1).run(200)
    assert tally.done == 200
    assert tally.host_restarts >= 10


def test_a_firmware_that_begins_anew_leaves_at_most_the_operation_in_flight_unknown() -> None:
    tally = Trial(WORST, seed=5, host_restart=0.05, firmware_restart=0.05).run(200)
    assert tally.done + tally.unknown == 200
    assert 0 < tally.unknown <= tally.firmware_restarts


class Quick(Trial):
    """Operations that end at once."""

    @staticmethod
    def _command(number: int) -> Command:
        return Lock(number % 8)

    def _carried_out(self) -> list[Command]:
        return [] if self._in_flight is None else [self._command(self._in_flight)]


def test_over_a_line_of_115200_baud_a_hundred_operations_a_second_come_through() -> None:
    """An operation and its answer are 45 bytes, 4 ms on the line; heartbeats take their share."""
    assert Quick(Badness(byte_s=UART_BYTE_S), seed=7).run(300).simulated_s < 300 / 100


class OrderingTwice(Trial):
    """A host that gives each order a second time, under another number, as one would that numbered its repeats."""

    def _account(self, operation: int) -> None:
        if operation % 2:
            self._number += 1
            self._in_flight = self._number
            self._link.submit(OperationRequest(self._number, self._command(operation)), self._now_s)
        else:
            super()._account(operation)


class OrderingAnother(Trial):
    """A host that notes another floor than it has ordered."""

    @staticmethod
    def _command(number: int) -> Command:
        return FLOORS[next(_TURN) % len(FLOORS)]


_TURN = count()


@pytest.mark.parametrize("trial", [OrderingTwice, OrderingAnother])
def test_the_count_notices_what_is_done_twice_or_otherwise(trial: type[Trial]) -> None:
    with pytest.raises(NotOnceError, match="should have been"):
        trial(Badness(), seed=6).run(50)
