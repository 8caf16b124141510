"""A board with its wires, which the commands of ``feeder`` reach through a serial port."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.simulator.wired_bench import WiredBench


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[WiredBench]:
    bench = WiredBench(tmp_path / "feeder", {}, ())
    bench.feeder.start()
    yield bench
    bench.feeder.stop()
