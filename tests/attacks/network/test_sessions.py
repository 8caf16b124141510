"""A captured cookie, wrong passwords on purpose, and an account that was withdrawn: at the login and at the session behind it."""

from dataclasses import replace
from pathlib import Path

import pytest
from flask import session
from flask.testing import FlaskClient

from dashboard.access import staff_file
from dashboard.access.login_attempts import FIRST_WAIT_S, FREE_TRIES, FREE_TRIES_EVERYWHERE, LONGEST_WAIT_S
from dashboard.access.passwords import password_fits
from dashboard.access.staff_file import StaffFile, StaffOrder
from tests.support.dashboard.example import whole_hand
from tests.support.dashboard.hall import SETTINGS, Hall
from tests.support.dashboard.staff import EVERYTHING, NAME, PASSWORD, enrol, form_token, log_in, new_staff, submit
from tests.support.narrowed import present
from tests.support.wire.streams import START

HERE, ELSEWHERE = "192.0.2.7", "198.51.100.9"


def with_cookie(hall: Hall, cookie: str) -> FlaskClient:
    thief = hall.new_client()
    thief.set_cookie("twinwall", cookie)
    return thief


def captured(hall: Hall) -> str:
    """The cookie of a login, as a listener has it."""
    assert hall.log_in().status_code == 303
    return present(hall.client.get_cookie("twinwall")).value


def log_out(client: FlaskClient) -> None:
    assert submit(client, "/logout").status_code == 303


def test_a_cookie_captured_before_log_out_opens_nothing_after_it() -> None:
    hall = Hall()
    cookie = captured(hall)
    assert with_cookie(hall, cookie).get("/calls").status_code == 200, "the control: it is as good as the password until then"
    log_out(hall.client)
    assert with_cookie(hall, cookie).get("/calls").status_code == 302


def test_control_a_session_that_lives_in_the_cookie_alone_outlives_log_out() -> None:
    """What the signature of a cookie proves is only that the server made it once."""
    hall = Hall()
    cookie = captured(hall)
    log_out(hall.client)
    with hall.app.test_request_context(headers={"Cookie": f"twinwall={cookie}"}):
        assert "session" in session, "its signature still holds; only the server's list says that the session is over"


def test_the_cookie_holds_no_password_and_no_name() -> None:
    hall = Hall()
    cookie = captured(hall)
    with hall.app.test_request_context(headers={"Cookie": f"twinwall={cookie}"}):
        told = str(dict(session))
    assert PASSWORD not in told
    assert NAME not in told


def test_a_withdrawn_account_is_out_at_once_and_so_are_its_open_streams() -> None:
    hall = Hall()
    hall.feed(whole_hand())
    cookie = captured(hall)
    assert "event: beat" in hall.stream("/events?table=1")
    hall.turns_left = 100
    answer = hall.client.get("/events?table=1", buffered=False)
    pieces = iter(answer.response)
    assert "event: boot" in str(next(pieces))
    hall.staff.revoke(NAME, StaffOrder(0))
    assert len(list(pieces)) < 10, "the stream ends, though the server would go on"
    answer.close()
    assert with_cookie(hall, cookie).get("/calls").status_code == 302
    assert hall.log_in(client=hall.new_client()).status_code == 401


@pytest.mark.parametrize("change", ["password", "invitation"])
def test_a_login_that_was_under_way_with_the_old_password_opens_no_session(monkeypatch: pytest.MonkeyPatch, change: str) -> None:
    hall = Hall()

    def replaced_meanwhile(password: str, kept: str) -> bool:
        if change == "password":
            hall.staff.set_password(NAME, "another password", StaffOrder(0))
        else:
            hall.staff.invite(NAME, EVERYTHING, 10**10, StaffOrder(0))
        return password_fits(password, kept)

    wrong_passwords(hall, NAME, HERE, FREE_TRIES - 1)
    monkeypatch.setattr(staff_file, "password_fits", replaced_meanwhile)
    assert log_in(hall.client, NAME, PASSWORD, HERE).status_code == 401
    assert hall.client.get("/calls").status_code == 302
    assert log_in(hall.client, NAME, PASSWORD, HERE).status_code == 429, "it counts as a wrong one"


def test_another_password_ends_the_sessions_of_the_old_one() -> None:
    hall = Hall()
    cookie = captured(hall)
    hall.staff.set_password(NAME, "another password", StaffOrder(0))
    assert with_cookie(hall, cookie).get("/calls").status_code == 302


def test_sessions_survive_a_restart_of_the_dashboard(tmp_path: Path) -> None:
    hall = Hall(staff=new_staff(tmp_path / "staff.sqlite"))
    cookie = captured(hall)
    hall.staff.close()
    again = Hall(staff=StaffFile(tmp_path / "staff.sqlite"))
    assert with_cookie(again, cookie).get("/calls").status_code == 200
    again.staff.close()


@pytest.mark.parametrize("address", [None, "http://hall.example", "https://hall.example"])
def test_cookies_travel_by_tls_only_where_tls_is_on(address: str | None) -> None:
    hall = Hall(settings=replace(SETTINGS, address=address))
    cookie = hall.client.get("/login", base_url=address or "http://127.0.0.1").headers["Set-Cookie"]
    assert ("Secure" in cookie) is (address is not None and address.startswith("https"))
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie


def wrong_passwords(hall: Hall, name: str, address: str, count: int = FREE_TRIES) -> None:
    for _ in range(count):
        assert log_in(hall.new_client(), name, "a wrong password", address).status_code == 401


def test_five_wrong_passwords_lock_out_neither_others_at_that_address_nor_the_account_elsewhere() -> None:
    hall = Hall()
    enrol(hall.staff, "Abe")
    wrong_passwords(hall, NAME, HERE)
    assert log_in(hall.new_client(), NAME, PASSWORD, HERE).status_code == 429, "the control: guessing is slow"
    assert log_in(hall.new_client(), "Abe", PASSWORD, HERE).status_code == 303
    assert log_in(hall.new_client(), NAME, PASSWORD, ELSEWHERE).status_code == 303


def test_a_browser_that_has_entered_before_is_not_locked_out_by_others() -> None:
    hall = Hall()
    assert log_in(hall.client, NAME, PASSWORD, HERE).status_code == 303
    wrong_passwords(hall, NAME, HERE)
    assert hall.client.get("/calls", environ_base={"REMOTE_ADDR": HERE}).status_code == 200, "its session goes on"
    log_out(hall.client)
    assert log_in(hall.client, NAME, PASSWORD, HERE).status_code == 303, "and it may enter again"
    assert log_in(hall.new_client(), NAME, PASSWORD, HERE).status_code == 429


def test_an_invitation_is_a_way_round_a_locked_account() -> None:
    hall = Hall()
    wrong_passwords(hall, NAME, HERE)
    token = hall.staff.invite(NAME, hall.staff.known(NAME).roles, int(START.timestamp()) + 60, StaffOrder(int(START.timestamp())))
    door = hall.client.get(f"/invitation/{token}", environ_base={"REMOTE_ADDR": HERE})
    form = {"token": form_token(door.text), "password": "a new password", "again": "a new password"}
    assert hall.client.post(f"/invitation/{token}", data=form, environ_base={"REMOTE_ADDR": HERE}).status_code == 303
    assert hall.client.get("/calls").status_code == 200


def test_each_wrong_password_doubles_the_wait_up_to_a_limit() -> None:
    hall = Hall()
    wrong_passwords(hall, NAME, HERE)
    waits = []
    for _ in range(8):
        answer = log_in(hall.new_client(), NAME, PASSWORD, HERE)
        assert answer.status_code == 429
        waits.append(int(answer.headers["Retry-After"]))
        hall.seconds += waits[-1]
        wrong_passwords(hall, NAME, HERE, 1)
    assert waits == [min(LONGEST_WAIT_S, FIRST_WAIT_S * 2**step) for step in range(8)]


def test_guessing_from_many_addresses_is_slow_too() -> None:
    hall = Hall()
    for number in range(FREE_TRIES_EVERYWHERE):
        wrong_passwords(hall, NAME, f"198.51.100.{number}", 1)
    assert log_in(hall.new_client(), NAME, PASSWORD, "203.0.113.5").status_code == 429


def test_the_addresses_of_one_ipv6_network_are_one() -> None:
    hall = Hall()
    for number in range(FREE_TRIES):
        wrong_passwords(hall, NAME, f"2001:db8:1:2::{number:x}", 1)
    assert log_in(hall.new_client(), NAME, PASSWORD, "2001:db8:1:2:ffff::1").status_code == 429
    assert log_in(hall.new_client(), NAME, PASSWORD, "2001:db8:1:3::1").status_code == 303
