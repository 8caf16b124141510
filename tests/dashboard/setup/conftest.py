"""A director before an event that nobody has described."""

from pathlib import Path

import pytest

from tests.support.dashboard.setup import SetUp


@pytest.fixture
def director(tmp_path: Path) -> SetUp:
    return SetUp(tmp_path)
