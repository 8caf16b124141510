"""A broker of each kind, a vault on it, and its tables, each put away afterwards."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.custody.hall import NAMES, Hall, PlayedTable
from tests.support.custody.wired import RunningVault, WiredTable
from tests.support.wire.brokers import KINDS, RunningBroker, new_broker


@pytest.fixture(params=KINDS)
def broker(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RunningBroker]:
    folder = tmp_path / "broker"
    folder.mkdir()
    running = new_broker(request.param, folder)
    yield running
    if running.process is not None:
        running.stop()


@pytest.fixture
def vault(broker: RunningBroker, tmp_path: Path) -> Iterator[RunningVault]:
    vault = RunningVault(tmp_path / "vault", broker_port=broker.port)
    vault.set_up()
    vault.start()
    yield vault
    if vault.process is not None:
        vault.stop()


@pytest.fixture
def tables(broker: RunningBroker, tmp_path: Path) -> Iterator[list[WiredTable]]:
    wired = [WiredTable(PlayedTable(name, tmp_path / name), broker) for name in NAMES]
    for each in wired:
        each.plug_in()
    yield wired
    for each in wired:
        each.pull()
        each.table.close()


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    hall = Hall(tmp_path).with_tables()
    yield hall
    hall.close()
