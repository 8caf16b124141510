"""Login: nothing is shown before it, and the number of attempts is limited."""

import html
import re
import stat
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from dashboard.access import login, login_attempts, staff_file
from dashboard.access.login import SECRET_BYTES, SESSION, load_secret
from dashboard.access.login_attempts import FIRST_WAIT_S, FREE_TRIES, FREE_TRIES_EVERYWHERE
from dashboard.access.passwords import password_fits
from dashboard.access.staff_file import OrderRefusedError, StaffFile, StaffOrder
from dashboard.access.staff_schema import Role
from dashboard.app import create_app
from dashboard.projections.hall_views import HallViews
from tests.support.dashboard.desks import MemoryDesk
from tests.support.dashboard.example import NAMES, whole_hand
from tests.support.dashboard.hall import SETTINGS, Hall
from tests.support.dashboard.staff import NAME, PASSWORD, enrol, form_token, log_in, new_staff
from tests.support.narrowed import present


def pages(hall: Hall) -> list[str]:
    """Every route that answers a GET, with its arguments filled in."""
    return [
        str(rule).replace("<path:name>", "1").replace("<path:filename>", "style.css")
        for rule in hall.app.url_map.iter_rules()
        if "GET" in (rule.methods or set())
    ]


def test_every_page_but_the_door_and_static_files_asks_for_the_login(hall: Hall) -> None:
    hall.feed(whole_hand())
    open_pages = {page for page in pages(hall) if hall.ask(page).status_code == 200}
    assert open_pages == {"/login", "/tiles.svg", f"{hall.app.static_url_path}/style.css", "/alive", "/metrics", "/api/v1/openapi.json"}


@pytest.mark.parametrize("path", ["/", "/table/1", "/events", "/events?table=1", "/login", "/nothing", "/table/%3Cscript%3E"])
def test_nothing_of_a_table_is_told_before_the_login(hall: Hall, path: str) -> None:
    hall.feed(whole_hand())
    answer = hall.client.get(path, follow_redirects=True)
    told = answer.text + str(answer.headers)
    for secret in (*NAMES.values(), "East wind", "t-5p", "mcr", "turn", "+75", "Autumn"):
        assert secret not in told


def test_the_right_password_alone_opens_the_hall_by_a_cookie_for_this_site_and_not_for_scripts(hall: Hall) -> None:
    wrong = hall.log_in(password="wrong")
    assert wrong.status_code == 401
    assert "not right" in wrong.text
    assert hall.client.get("/").status_code == 302
    answer = hall.log_in()
    assert (answer.status_code, answer.location) == (303, "/")
    assert {"HttpOnly", "SameSite=Strict"} <= set(answer.headers["Set-Cookie"].split("; "))
    assert hall.client.get("/").status_code == 200


def test_the_table_that_was_asked_for_is_opened_after_the_login_whatever_happens_at_the_door(hall: Hall) -> None:
    hall.feed(whole_hand(), "Nord 1")
    asked = hall.client.get("/table/Nord%201?lang=ja")
    assert asked.location == "/login?next=/table/Nord%25201"
    door = hall.client.get(asked.location)
    assert 'href="?lang=en&amp;next=/table/Nord%25201"' in door.text, "changing the language does not lose it"
    wanted = present(re.search(r'name="next" value="([^"]+)"', door.text))
    form = {"token": form_token(door.text), "next": html.unescape(wanted[1])}
    failed = hall.client.post("/login", data={**form, "name": NAME, "password": "wrong"})
    assert wanted[0] in failed.text
    entered = hall.client.post("/login", data={**form, "name": NAME, "password": PASSWORD})
    assert (entered.status_code, entered.location) == (303, "/table/Nord%201")
    assert hall.client.get(entered.location).status_code == 200
    assert hall.client.get("/login?next=/table/1").location == "/table/1"


@pytest.mark.parametrize(
    "elsewhere",
    [
        "https://evil.example/table/1",
        "//evil.example/table/1",
        "/\\evil.example/table/1",
        "///evil.example",
        "\\\\evil.example",
        "javascript:alert(1)",
        "/events",
        "/logout",
        "/login",
        "/nothing",
        "table/1@evil.example",
        "",
        "\r\nLocation: https://evil.example",
    ],
)
def test_the_door_leads_nowhere_else(hall: Hall, elsewhere: str) -> None:
    token = form_token(hall.client.get("/login", query_string={"next": elsewhere}).text)
    answer = hall.client.post("/login", data={"name": NAME, "password": PASSWORD, "token": token, "next": elsewhere})
    assert (answer.status_code, answer.location) == (303, "/")
    assert hall.client.get("/login", query_string={"next": elsewhere}).location == "/"


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Of each password that is compared, the cost of the work."""
    tried = list[str]()

    def counted(password: str, kept: str) -> bool:
        tried.append(kept.rsplit("$", 2)[0])
        return password_fits(password, kept)

    monkeypatch.setattr(staff_file, "password_fits", counted)
    return tried


def test_a_name_that_nobody_has_costs_the_same_work_as_one_that_an_account_has(hall: Hall, compared: list[str]) -> None:
    hall.staff.invite("Invited", {Role.REFEREE}, 10**10, StaffOrder(0))
    enrol(hall.staff, "Withdrawn")
    hall.staff.revoke("Withdrawn", StaffOrder(0))
    for name in (NAME, "Nobody", "", "Invited", "Withdrawn"):
        compared.clear()
        assert (hall.log_in(name, PASSWORD if name != NAME else "wrong").status_code, len(compared)) == (401, 1), name
        assert compared[0].startswith("$argon2id$v=19$m=8,t=1,p=1"), "of the same cost"


def test_control_where_only_accounts_have_a_password_to_compare_the_work_tells_them(
    hall: Hall, compared: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    fits = StaffFile.password_fits
    monkeypatch.setattr(StaffFile, "password_fits", lambda staff, account, typed: account is not None and fits(staff, account, typed))
    work = []
    for name in (NAME, "Nobody"):
        compared.clear()
        hall.log_in(name, "wrong")
        work.append(len(compared))
    assert work == [1, 0]


def waits(hall: Hall, name: str, tries: int = FREE_TRIES + 1) -> list[float]:
    """How long each wrong password must wait, one after the other and each in a browser of its own."""
    return [float(log_in(hall.new_client(), name, "wrong").headers.get("Retry-After", 0)) for _ in range(tries)]


@pytest.mark.parametrize("owner_enters", [False, True])
def test_a_name_that_nobody_has_may_be_tried_as_often_as_one_that_an_account_has(hall: Hall, owner_enters: bool) -> None:
    for number in range(FREE_TRIES_EVERYWHERE + 1):
        assert waits(hall, f"Nobody {number}", 1) == [0], "another name's tries are not this one's"
    assert waits(hall, NAME) == waits(hall, "Nobody") == [0] * FREE_TRIES + [FIRST_WAIT_S]
    assert waits(hall, f" {NAME.upper()} ", 1) == waits(hall, "NOBODY ", 1) == [FIRST_WAIT_S], "however it is written"
    hall.seconds += FIRST_WAIT_S
    assert not owner_enters or hall.log_in().status_code == 303
    assert waits(hall, NAME, 2) == waits(hall, "Nobody", 2) == [0, 2 * FIRST_WAIT_S]


def test_control_where_unknown_names_share_one_count_the_tries_tell_the_accounts(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(login, "name_key", lambda name: name if hall.staff.account(name) else "")
    waits(hall, "Nobody", FREE_TRIES)
    assert [waits(hall, name, 1) for name in (NAME, "Somebody")] == [[0], [FIRST_WAIT_S]]


def test_tries_for_many_names_make_none_forgotten_and_keep_no_known_browser_out(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(login_attempts, "BUCKETS", 8)
    assert hall.log_in().status_code == 303
    waits(hall, NAME)
    for number in range(100):
        waits(hall, f"Nobody {number}", 1)
    assert waits(hall, NAME, 1) >= [FIRST_WAIT_S]
    assert hall.log_in().status_code == 303


@pytest.mark.parametrize("token", ["", "guessed", None, "of another session"])
def test_a_login_form_without_its_sessions_token_is_refused(hall: Hall, token: str | None) -> None:
    hall.client.get("/login")
    sent = form_token(hall.new_client().get("/login").text) if token == "of another session" else token
    form = {"name": NAME, "password": PASSWORD} | ({} if sent is None else {"token": sent})
    assert hall.client.post("/login", data=form).status_code == 400
    assert hall.client.get("/").status_code == 302


def test_a_language_that_is_chosen_stays_for_a_season_and_an_answer_that_changes_nothing_leaves_the_cookie_alone(entered: Hall) -> None:
    entered.client.get("/?lang=ja")
    assert present(present(entered.client.get_cookie("twinwall")).expires) - datetime.now(UTC) > timedelta(days=300)
    for path in ("/", "/table/Nord%201"):
        answer = entered.client.get(path)
        assert '<html lang="ja"' in answer.text
        assert "Set-Cookie" not in answer.headers, "sent late, it would take back a language that is chosen in the meantime"


@pytest.mark.parametrize("path", ["/login", "/", "/static/live.js", "/tiles.svg", "/nothing", "/alive"])
def test_every_answer_carries_the_security_headers(hall: Hall, path: str) -> None:
    headers = hall.ask(path).headers
    assert headers["Content-Security-Policy"].startswith("default-src 'self'; img-src 'self' data:")
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert (headers["X-Content-Type-Options"], headers["X-Frame-Options"]) == ("nosniff", "DENY")


@pytest.mark.parametrize(
    ("host", "address", "asked", "status"),
    [
        ("127.0.0.1", None, "evil.example", 400),
        ("127.0.0.1", None, "localhost:8080", 200),
        ("::1", None, "[::1]:8080", 200),
        ("0.0.0.0", None, "hall.example", 200),
        ("0.0.0.0", "http://hall.example:8080", "hall.example:8080", 200),
        ("0.0.0.0", "https://hall.example", "hall.example", 200),
        ("0.0.0.0", "https://hall.example", "127.0.0.1:8080", 200),
        ("0.0.0.0", "https://hall.example", "evil.example", 400),
        ("127.0.0.1", None, "evil.example/127.0.0.1", 400),
        ("127.0.0.1", None, "127.0.0.1@evil.example", 400),
    ],
)
def test_on_loopback_only_its_own_names_are_answered_to(host: str, address: str | None, asked: str, status: int) -> None:
    app = create_app(replace(SETTINGS, host=host, address=address), HallViews("boot"), MemoryDesk(), new_staff())
    assert app.test_client().get("/login", headers={"Host": asked}).status_code == status


def test_the_secret_is_made_once_and_private_and_one_that_is_too_short_is_named(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    secret = load_secret(path)
    assert load_secret(path) == secret
    assert len(secret) == SECRET_BYTES
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.write_bytes(b"short")
    with pytest.raises(ValueError, match="delete it"):
        load_secret(path)


def test_logging_out_closes_the_door_and_needs_the_token(entered: Hall) -> None:
    assert entered.client.post("/logout").status_code == 400
    assert entered.client.get("/").status_code == 200
    with entered.client.session_transaction() as kept:
        old = kept["token"]
    assert entered.submit("/logout").status_code == 303
    with entered.client.session_transaction() as kept:
        assert SESSION not in kept
        assert kept.get("token") != old
    assert entered.client.get("/").status_code == 302


def test_a_login_that_comes_too_late_leaves_the_session_of_before(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    hall.log_in()
    with monkeypatch.context() as changed:
        changed.setattr(StaffFile, "begin_session", refuse)
        assert hall.log_in().status_code == 401
    assert hall.client.get("/").status_code == 200


def test_a_browser_is_logged_out_though_the_disk_is_full(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    hall.log_in()
    with monkeypatch.context() as full:
        full.setattr(StaffFile, "end_session", refuse)
        assert hall.submit("/logout").status_code == 503
    assert hall.client.get("/").status_code == 302


def refuse(*_asked: object) -> None:
    raise OrderRefusedError("changed", "the disk is full, or the password was changed")
