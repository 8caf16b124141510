"""Whatever a line does to 3 % of its bytes, every operation is carried out once, and every event told once and in order."""

from __future__ import annotations

from dataclasses import replace

import pytest

from firmware_bridge.link.events import OperationRequest
from tests.support.link.exactly_once import UART_BYTE_S, WORST, Badness, NotOnceError, Trial


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


def test_over_a_line_of_115200_baud_a_hundred_operations_a_second_come_through() -> None:
    """An operation and its answer are 45 bytes, 4 ms on the line; heartbeats take their share."""
    assert Trial(Badness(byte_s=UART_BYTE_S), seed=7).run(300).simulated_s < 300 / 100


class OrderingTwice(Trial):
    """A host that gives each order under two numbers, as one would that numbered its repeats."""

    def _submit(self) -> None:
        super()._submit()
        self._link.submit(OperationRequest(self._number + 1_000_000, self._command(self._number)), self._now_s)


class OrderingAnother(Trial):
    """A machine that locks another gate than it was told."""

    def _submit(self) -> None:
        super()._submit()
        self._number += 1
        self._in_flight = self._number - 1
        self._plant.drives.append(9)


@pytest.mark.parametrize("trial", [OrderingTwice, OrderingAnother])
def test_the_count_notices_what_is_done_twice_or_otherwise(trial: type[Trial]) -> None:
    with pytest.raises(NotOnceError):
        trial(Badness(), seed=6).run(50)
