"""``twinwall feeder link`` over a real pseudo-terminal."""

import json
import re
from collections.abc import Iterator

import pytest

from cli import main
from simulator.feeder_simulator import FeederSimulator
from simulator.mechanics import MechanicsSettings


@pytest.fixture
def simulator() -> Iterator[FeederSimulator]:
    feeder = FeederSimulator(MechanicsSettings(speed=100.0), 3)
    feeder.start()
    yield feeder
    feeder.stop()


def test_what_the_line_has_been_through_is_counted(simulator: FeederSimulator, capsys: pytest.CaptureFixture[str]) -> None:
    """A machine with much other work may lose the line and repeat; how many frames it takes is measured by ``benchmarks.firmware.link``."""
    assert main(["feeder", "link", simulator.path, "--seconds", "0.5", "--json"]) == 0
    measured = json.loads(capsys.readouterr().out)
    assert measured["uid"] == b"TWSIM001".hex()
    assert measured["line"]["frames"] >= 1
    assert measured.keys() >= {"times_lost", "repeats"}
    assert 0 < measured["round_trip_p50_ms"] <= measured["round_trip_p99_ms"]


def test_the_figures_are_told_in_words(simulator: FeederSimulator, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["feeder", "link", simulator.path, "--seconds", "0.3"]) == 0
    out = capsys.readouterr().out
    assert "feeder 545753494d303031" in out
    assert "0 damaged" in out
    assert re.search(r"lost \d+ times", out)
