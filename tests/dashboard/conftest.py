"""A hall before and after the login, and one in which two sessions were played."""

import pytest

from tests.support.dashboard.desks import MemoryDesk
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.dashboard.two_sessions import FIELD, play_two_sessions


@pytest.fixture
def hall() -> Hall:
    """A hall whose login is still closed."""
    return Hall()


@pytest.fixture
def entered(hall: Hall) -> Hall:
    assert hall.log_in().status_code == 303
    return hall


@pytest.fixture(scope="module")
def played() -> Hall:
    hall = Hall(desk=MemoryDesk(FIELD), settings=OPEN)
    play_two_sessions(hall)
    hall.log_in()
    return hall
