"""The wiring of the whole machine, for all tests of its hardware."""

import pytest

from hardware.wiring.netlist import Netlist, expand, read


@pytest.fixture(scope="session", name="netlist")
def _netlist() -> Netlist:
    return expand(read())
