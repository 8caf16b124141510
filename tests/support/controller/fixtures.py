"""Fixtures of the controller rig, for a conftest to import."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.state.making import OpenDeal
from controller.state.table_state import Setup
from tests.support.controller.feeder import Face
from tests.support.controller.rigs import MakeRig, Rig, opened
from tests.support.game.tables import random_walls
from twinwall.wire.events.wall_events import DealRefused


@pytest.fixture
def make_rig(tmp_path: Path) -> Iterator[MakeRig]:
    rigs: list[Rig] = []

    def make(
        *deals: OpenDeal | DealRefused,
        seed: int = 1,
        faces: list[Face] | None = None,
        setup: Setup | None = None,
        raised: bool = False,
    ) -> Rig:
        folder = tmp_path / f"table-{len(rigs)}"
        folder.mkdir()
        rigs.append(Rig(folder, *(deals or (opened(random_walls(seed)),)), seed=seed, faces=faces, setup=setup, raised=raised))
        return rigs[-1]

    yield make
    for rig in rigs:
        rig.stop()


@pytest.fixture
def rig(make_rig: MakeRig) -> Rig:
    return make_rig()
