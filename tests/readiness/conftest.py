"""A table whose readiness is asked."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.readiness.rig import ReadinessRig


@pytest.fixture
def rig() -> Iterator[ReadinessRig]:
    made = ReadinessRig()
    yield made
    made.table.close()
