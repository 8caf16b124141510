"""Memory of a demo: every descendant process counts, at one moment."""

import subprocess
import sys
from collections.abc import Iterator

import pytest

from cli.demo.supervisor import MemoryMeter, resident_kib
from tests.support.patience import PATIENCE_S

MIB = 24
GRANDCHILD = f"import sys; held = b'x' * ({MIB} << 20); print('held', flush=True); sys.stdin.read()"
CHILD = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {GRANDCHILD!r}])"


@pytest.fixture
def child() -> Iterator[int]:
    """A process whose own child holds some memory."""
    command = [sys.executable, "-c", CHILD]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process.pid
        process.communicate("", timeout=PATIENCE_S)


def test_the_memory_of_a_grandchild_counts(child: int) -> None:
    meter = MemoryMeter()
    meter.look(child)
    assert meter.peak_mib >= MIB + resident_kib(child) / 1024


def test_a_process_that_has_ended_holds_nothing_and_the_highest_sum_stays(child: int) -> None:
    meter = MemoryMeter(period_s=0.0)
    meter.look(child)
    highest = meter.peak_mib
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait(PATIENCE_S)
    assert resident_kib(ended.pid) == 0.0
    meter.look(ended.pid)
    assert meter.peak_mib == highest > 0
