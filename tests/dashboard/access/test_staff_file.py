"""The staff file: how long a session, an invitation and an account last; and the codes of seats."""

from itertools import product

import pytest

from dashboard.access.seat_codes import seat_code
from dashboard.access.staff_file import IDLE_S, TOTAL_S, StaffFile, StaffOrder
from tests.support.dashboard.staff import EVERYTHING, NAME, PASSWORD, new_staff

LATER = 100


@pytest.fixture
def staff() -> StaffFile:
    return new_staff()


def test_a_session_that_is_used_lasts_a_long_day_and_no_longer(staff: StaffFile) -> None:
    token = staff.begin_session(staff.known(NAME), 0)
    for now in range(0, TOTAL_S + 1, IDLE_S // 2):
        assert staff.session(token, now) is not None
    assert staff.session(token, TOTAL_S + 1) is None


def test_a_page_that_asks_by_itself_keeps_no_session_open(staff: StaffFile) -> None:
    token = staff.begin_session(staff.known(NAME), 0)
    assert all(staff.session(token, now, used=False) is not None for now in range(0, IDLE_S + 1, 60))
    assert staff.session(token, IDLE_S + 1) is None


def test_an_account_that_is_withdrawn_leaves_no_session_and_no_invitation(staff: StaffFile) -> None:
    token = staff.begin_session(staff.known(NAME), 0)
    invitation = staff.invite("Ben", EVERYTHING, LATER, StaffOrder(0))
    for name in (NAME, "Ben"):
        staff.revoke(name, StaffOrder(1))
    assert (staff.session(token, 1), staff.invited(invitation, 1), staff.password_fits(staff.known(NAME), PASSWORD)) == (None, None, False)


def test_an_invitation_is_good_once_and_until_its_time(staff: StaffFile) -> None:
    invitation = staff.invite("Ben", EVERYTHING, LATER, StaffOrder(0))
    assert staff.invited(invitation, LATER + 1) is None
    assert staff.accept(invitation, PASSWORD, LATER) is not None
    assert staff.accept(invitation, "another horse", LATER) is None
    assert staff.password_fits(staff.known("Ben"), PASSWORD)


def test_no_two_seats_tables_events_or_servers_share_a_code() -> None:
    seats = [*product((b"one", b"two"), ("Autumn", "Autumn\x00 1"), ("1", "11"), range(4))]
    codes = {seat_code(*seat) for seat in seats}
    assert len(codes) == len(seats)
    assert {len(code) for code in codes} == {13}
