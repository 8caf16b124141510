"""A demo with several gates: machine, cameras and controller get the same settings."""

import pytest

from cli import main
from cli.demo.setup import with_gates
from controller.device_settings import FeederSection
from simulator.mechanics import MechanicsSettings


@pytest.mark.parametrize("gates", range(1, 5))
def test_machine_and_controller_are_told_the_same_of_the_gates(gates: int) -> None:
    machine, told = with_gates(MechanicsSettings(), gates), with_gates(FeederSection("/dev/feeder"), gates)
    assert (machine.gates, machine.exchangers, machine.pocket_places, machine.shuttles) == (
        told.gates,
        told.exchangers,
        told.pocket_places,
        told.shuttles,
    )
    assert machine.gates == gates


def test_walls_by_hand_have_no_gates(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--gates", "2", "--feeder", "manual"]) == 2
    assert "the boards of make firmware have one gate" in capsys.readouterr().err
