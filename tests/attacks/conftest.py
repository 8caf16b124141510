"""A hall for attacks on what tables and vaults send each other."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.custody.hall import Hall, play


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    """Table 1 has finished deal 1, table 2 still plays it."""
    hall = Hall(tmp_path).with_tables()
    play(hall, "1")
    hall.tables["2"].open_next()
    hall.run()
    yield hall
    hall.close()
