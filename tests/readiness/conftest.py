"""A table whose readiness is asked."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.readiness.rig import ReadinessRig


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[ReadinessRig]:
    made = ReadinessRig(tmp_path / "recorded")
    yield made
    made.table.close()
