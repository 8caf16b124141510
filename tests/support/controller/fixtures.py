"""Fixtures of the controller rig, for a conftest to import."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from controller.state.sides import OpenDeal
from tests.support.controller.rigs import MakeRig, Rig, opened
from tests.support.game.tables import random_walls
from twinwall.wire.events.wall_events import DealRefused


@pytest.fixture
def make_rig(tmp_path: Path) -> Iterator[MakeRig]:
    rigs: list[Rig] = []

    def make(*deals: OpenDeal | DealRefused, seed: int = 1, **how: Any) -> Rig:
        folder = tmp_path / f"table-{len(rigs)}"
        folder.mkdir()
        rigs.append(Rig(folder, *(deals or (opened(random_walls(seed)),)), seed=seed, **how))
        return rigs[-1]

    yield make
    for rig in rigs:
        rig.stop()


@pytest.fixture
def rig(make_rig: MakeRig) -> Rig:
    return make_rig()
