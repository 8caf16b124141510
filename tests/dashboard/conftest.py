"""A hall before and after the login."""

import pytest

from tests.support.dashboard.hall import Hall


@pytest.fixture
def hall() -> Hall:
    """A hall whose login is still closed."""
    return Hall()


@pytest.fixture
def entered(hall: Hall) -> Hall:
    assert hall.log_in().status_code == 303
    return hall
