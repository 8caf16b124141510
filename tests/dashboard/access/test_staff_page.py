"""The page of the staff: accounts, invitations, sessions, and tokens of the API, which go with their account."""

import html
import re
import sqlite3
from itertools import product
from pathlib import Path

import pytest
from werkzeug.test import TestResponse

from dashboard.access.api_tokens import LONGEST_LABEL, TokenScope, make_token, token_used, tokens_of
from dashboard.access.seat_codes import seat_code
from dashboard.access.staff_file import IDLE_S, LONGEST_NAME, TOTAL_S, OrderRefusedError, StaffFile, StaffOrder
from dashboard.access.staff_schema import VERSION, Role
from dashboard.i18n.words import Words
from tests.support.dashboard.hall import Hall
from tests.support.dashboard.staff import CHEAP, EVERYTHING, NAME, PASSWORD, enrol, form_token, new_staff
from tests.support.narrowed import present
from tests.support.wire.streams import START

NOW = int(START.timestamp())
LINK = re.compile(r"<code translate=\"no\">(http://localhost/invitation/[\w-]{43})</code>")


def state(hall: Hall, name: str) -> int:
    return next(entry.state for entry in hall.staff.entries(NOW) if entry.account.name == name)


def order(hall: Hall, do: str, name: str, seen: int, *roles: str) -> TestResponse:
    return hall.submit("/staff", {"do": do, "name": name, "seen": str(seen), "role": list(roles)})


def said(answer: TestResponse, key: str, name: str = "") -> bool:
    return Words("en")(key, name=f"\u2068{name}\u2069", longest=LONGEST_NAME) in html.unescape(answer.text)


@pytest.mark.parametrize("role", [Role.REFEREE, Role.SCORER])
def test_the_page_is_named_to_directors_alone(hall: Hall, role: Role) -> None:
    enrol(hall.staff, "Abe", roles={role})
    hall.log_in("Abe")
    assert not re.search(r'href="/(?:staff|event)"', hall.client.get("/").text)
    hall.submit("/staff", {"do": "withdraw", "name": NAME, "seen": state(hall, NAME)})
    assert not hall.staff.known(NAME).revoked


def test_an_invitation_is_shown_once_as_text_and_picture_and_opens_the_account(entered: Hall) -> None:
    answer = order(entered, "invite", "Mei  Abe", 0, "referee")
    assert answer.status_code == 200
    link = present(LINK.search(answer.text))
    assert 'src="data:image/svg+xml;' in answer.text
    assert link[1] not in entered.client.get("/staff").text
    person = entered.new_client()
    token = form_token(person.get(link[1]).text)
    assert person.post(link[1], data={"token": token, "password": PASSWORD, "again": PASSWORD}).status_code == 303
    assert person.get("/calls").status_code == 200


@pytest.mark.parametrize(
    ("name", "seen", "roles", "problem"),
    [
        ("", 0, ["scorer"], "name"),
        ("x" * (LONGEST_NAME + 1), 0, ["scorer"], "name"),
        ("Abe\u202eetihw", 0, ["scorer"], "name"),
        (NAME.upper(), 0, ["scorer"], "taken"),
        ("Abe", 0, [], "roles"),
        ("Abe", 9, ["scorer"], "changed"),
        (NAME, 2, ["director"], "changed"),
    ],
)
def test_an_invitation_that_cannot_be_is_refused_in_a_sentence(entered: Hall, name: str, seen: int, roles: list[str], problem: str) -> None:
    before = entered.staff.entries(NOW)
    answer = order(entered, "invite", name, seen, *roles)
    assert answer.status_code == 409
    sentence = Words("en")(f"staff.problem.{problem}", name="#", longest=LONGEST_NAME).split("#")[-1]
    assert sentence in html.unescape(answer.text)
    assert entered.staff.entries(NOW) == before


@pytest.mark.parametrize("do", ["withdraw", "end"])
def test_an_account_is_out_at_once_and_its_password_fits_only_if_it_is_not_withdrawn(entered: Hall, do: str) -> None:
    enrol(entered.staff, "Abe", roles={Role.SCORER})
    other = entered.new_client()
    entered.log_in("Abe", client=other)
    assert said(order(entered, do, "Abe", state(entered, "Abe")), f"staff.done.{do}", "Abe")
    assert other.get("/calls").status_code == 302
    assert (Words("en")("staff.withdrawn") in entered.client.get("/staff").text) is (do == "withdraw")
    assert entered.log_in("Abe", client=other).status_code == (401 if do == "withdraw" else 303)


def test_a_director_who_withdraws_himself_is_out_and_the_last_director_stays(entered: Hall) -> None:
    entered.staff.invite("Abe", {Role.DIRECTOR}, NOW + 60, StaffOrder(NOW))
    for do in ("withdraw", "invite"):
        answer = order(entered, do, NAME, state(entered, NAME), "director")
        assert (answer.status_code, said(answer, "staff.problem.last-director", NAME)) == (409, True)
    enrol(entered.staff, "Abe")
    assert Words("en")("staff.withdraw.own") in entered.client.get("/staff").text
    assert order(entered, "withdraw", NAME, state(entered, NAME)).location == "/login"
    assert entered.client.get("/staff").status_code == 302


def test_of_two_directors_the_second_is_told_and_overwrites_nothing(entered: Hall) -> None:
    enrol(entered.staff, "Abe", roles={Role.SCORER})
    seen = state(entered, "Abe")
    assert order(entered, "invite", "Abe", seen, "referee").status_code == 200
    answer = order(entered, "withdraw", "Abe", seen)
    assert answer.status_code == 409
    assert said(answer, "staff.problem.changed", "Abe")
    account = entered.staff.known("Abe")
    assert (account.revoked, account.roles) == (False, frozenset({Role.REFEREE}))


def test_every_change_is_recorded_under_the_name_of_who_made_it(entered: Hall) -> None:
    entered.desk.staff_changes.clear()
    entered.staff.invite("Weber", {Role.SCORER}, NOW + 60, StaffOrder(NOW))
    order(entered, "invite", "Abe", 0, "referee", "scorer")
    order(entered, "withdraw", "Abe", state(entered, "Abe"))
    told = [(change.by, change.account, change.change, change.roles) for change in entered.desk.staff_changes]
    assert told[-3:] == [
        ("", "Weber", "invited", ("scorer",)),
        (NAME, "Abe", "invited", ("referee", "scorer")),
        (NAME, "Abe", "withdrawn", ("referee", "scorer")),
    ]
    numbers = [change.number for change in entered.desk.staff_changes]
    assert numbers == sorted(set(numbers))


def test_an_account_is_withdrawn_also_while_the_disk_is_full_and_recorded_later(entered: Hall) -> None:
    enrol(entered.staff, "Abe", roles={Role.SCORER})
    entered.client.get("/staff")
    entered.desk.full = True
    answer = order(entered, "withdraw", "Abe", state(entered, "Abe"))
    assert Words("en")("staff.unwritten") in html.unescape(answer.text)
    assert entered.staff.known("Abe").revoked
    entered.desk.full = False
    assert Words("en")("staff.unwritten") not in html.unescape(entered.client.get("/staff").text)
    assert entered.desk.staff_changes[-1].change == "withdrawn"


@pytest.mark.parametrize(("do", "seen"), [("withdraw", 0), ("withdraw", 1), ("end", 0)])
def test_an_order_for_a_name_without_account_is_refused_and_is_no_failure_of_the_file(entered: Hall, do: str, seen: int) -> None:
    answer = order(entered, do, "Nemo", seen)
    assert (answer.status_code, said(answer, "staff.problem.changed", "Nemo")) == (409, True)


@pytest.mark.parametrize("form", [{"do": "withdraw"}, {"do": "erase", "seen": "1"}, {"do": "end", "seen": "-1"}])
def test_a_form_that_the_page_does_not_have_is_refused(entered: Hall, form: dict[str, str]) -> None:
    assert entered.submit("/staff", {**form, "name": NAME}).status_code == 400


def test_a_staff_file_of_the_first_version_is_brought_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "staff.sqlite"
    StaffFile(path, CHEAP).close()
    with sqlite3.connect(path) as old:
        old.executescript(
            "DROP TABLE api_answers; DROP TABLE api_tokens; DROP TABLE deliveries; DROP TABLE webhooks; DROP TABLE news;"
            "DROP TABLE changes;"
            "ALTER TABLE accounts DROP COLUMN since; ALTER TABLE accounts DROP COLUMN entered;"
        )
        old.execute("INSERT INTO accounts (name, name_key, roles) VALUES ('Abe', 'abe', 'director')")
        old.execute("PRAGMA user_version = 1")
    old.close()
    staff = StaffFile(path, CHEAP)
    (entry,) = staff.entries(NOW)
    assert (entry.account.name, entry.since, entry.entered, entry.sessions, entry.state) == ("Abe", None, None, 0, 1)
    staff.close()
    with sqlite3.connect(path) as new:
        assert new.execute("PRAGMA user_version").fetchone() == (VERSION,)
    new.close()


LATER = 100


@pytest.fixture
def staff() -> StaffFile:
    return new_staff()


def test_a_session_that_is_used_lasts_a_long_day_and_no_longer_and_a_page_that_asks_by_itself_keeps_none_open(staff: StaffFile) -> None:
    used, unused = (staff.begin_session(staff.known(NAME), 0) for _ in range(2))
    for now in range(0, TOTAL_S + 1, IDLE_S // 2):
        assert staff.session(used, now) is not None
    assert staff.session(used, TOTAL_S + 1) is None
    assert all(staff.session(unused, now, used=False) is not None for now in range(0, IDLE_S + 1, 60))
    assert staff.session(unused, IDLE_S + 1) is None


def test_an_invitation_is_good_once_for_its_time_and_a_withdrawn_account_leaves_none_and_no_session(staff: StaffFile) -> None:
    token = staff.begin_session(staff.known(NAME), 0)
    invitations = [staff.invite(name, EVERYTHING, LATER, StaffOrder(0)) for name in ("Ben", "Cleo")]
    for name in (NAME, "Cleo"):
        staff.revoke(name, StaffOrder(1))
    open_to = staff.session(token, 1), staff.invited(invitations[1], 1), staff.password_fits(staff.known(NAME), PASSWORD)
    assert open_to == (None, None, None)
    assert staff.invited(invitations[0], LATER + 1) is None
    assert staff.accept(invitations[0], PASSWORD, LATER) is not None
    assert staff.accept(invitations[0], "another horse", LATER) is None
    assert staff.password_fits(staff.known("Ben"), PASSWORD)


def test_no_two_seats_tables_events_or_servers_share_a_code() -> None:
    seats = [*product((b"one", b"two"), ("Autumn", "Autumn\x00 1"), ("1", "11"), range(4))]
    codes = {seat_code(*seat) for seat in seats}
    assert len(codes) == len(seats)
    assert {len(code) for code in codes} == {13}


EVENT = "Autumn & <friends>"


def token_order(hall: Hall, do: str, **fields: str) -> TestResponse:
    return hall.submit("/staff", {"do": do, **fields})


def shown(answer: TestResponse) -> str:
    return present(re.search(r'id="new-token">([\w-]+)<', answer.text))[1]


def test_a_token_is_shown_once_and_asks_in_its_scope_under_the_account_s_name_and_its_label(entered: Hall) -> None:
    token = shown(token_order(entered, "make-token", label="scoring  laptop", scope="scorer"))
    assert token not in entered.client.get("/staff").text
    found = present(token_used(entered.staff, EVENT, token, 7))
    assert found.viewer.name == f"{NAME} (scoring laptop)"
    assert found.viewer.roles == TokenScope.SCORER.roles
    assert token_used(entered.staff, "Spring", token, 7) is None, "it is of one event"
    assert token_used(entered.staff, EVENT, token[:-1], 7) is None


def test_making_and_withdrawing_stand_in_the_signed_records(entered: Hall) -> None:
    token = shown(token_order(entered, "make-token", label="clock", scope="viewer"))
    number = str(tokens_of(entered.staff, EVENT)[0].number)
    answer = token_order(entered, "withdraw-token", number=number)
    assert "works no more" in answer.text
    assert token_used(entered.staff, EVENT, token, 7) is None
    changes = [(each.change, each.token, each.by) for each in entered.desk.staff_changes[-2:]]
    assert changes == [("token-made", "clock (viewer)", NAME), ("token-withdrawn", "clock (viewer)", NAME)]
    assert token_order(entered, "withdraw-token", number=number).status_code == 409


@pytest.mark.parametrize(
    ("label", "scope", "said"),
    [
        *((label, "viewer", f"1 to {LONGEST_LABEL} characters") for label in ("", " ", "x" * (LONGEST_LABEL + 1), "a\u202eb")),
        ("<b>clock</b>", "director", "There is a token \u2068<b>clock</b>\u2069 already"),
        ("<b>ＣＬＯＣＫ</b>\u200b", "viewer", "already"),
        ("other", "king", ""),
    ],
)
def test_a_token_is_refused_whose_label_or_scope_cannot_be_or_whose_label_another_has(
    entered: Hall, label: str, scope: str, said: str
) -> None:
    token_order(entered, "make-token", label="<b>clock</b>", scope="viewer")
    answer = token_order(entered, "make-token", label=label, scope=scope)
    assert answer.status_code == 409
    assert said in html.unescape(answer.text)
    assert len(tokens_of(entered.staff, EVENT)) == 1


def made(staff: StaffFile, by: str) -> str:
    return make_token(staff, EVENT, "clock", TokenScope.DIRECTOR, StaffOrder(1, by))


def test_whatever_ends_an_account_withdraws_its_tokens() -> None:
    staff = new_staff()
    for end in (
        lambda: staff.revoke("Abe", StaffOrder(2, NAME)),
        lambda: staff.invite("Abe", [], 9, StaffOrder(2, NAME)),
        lambda: staff.set_password("Abe", PASSWORD, StaffOrder(2)),
    ):
        enrol(staff, "Abe")
        token = made(staff, "Abe")
        assert token_used(staff, EVENT, token, 3) is not None
        end()
        assert token_used(staff, EVENT, token, 3) is None


def test_the_file_holds_no_token(entered: Hall) -> None:
    token = made(entered.staff, NAME)
    with entered.staff.transaction() as execute:
        rows = execute("SELECT * FROM api_tokens").fetchall()
    assert token not in repr(rows)
    with pytest.raises(OrderRefusedError):
        made(entered.staff, NAME)
