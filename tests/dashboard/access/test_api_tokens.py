"""Tokens of the API on ``/staff``: made and withdrawn by directors, shown once, recorded, and gone with their account."""

import html
import re

import pytest
from werkzeug.test import TestResponse

from dashboard.access.api_tokens import LONGEST_LABEL, TokenScope, make_token, token_used, tokens_of
from dashboard.access.staff_file import OrderRefusedError, StaffFile, StaffOrder
from tests.support.dashboard.hall import Hall
from tests.support.dashboard.staff import NAME, PASSWORD, enrol, new_staff

EVENT = "Autumn & <friends>"


def order(hall: Hall, do: str, **fields: str) -> TestResponse:
    return hall.submit("/staff", {"do": do, **fields})


def shown(answer: TestResponse) -> str:
    found = re.search(r'id="new-token">([\w-]+)<', answer.text)
    assert found is not None
    return found[1]


def test_a_token_is_shown_once_and_asks_in_its_scope_under_the_account_s_name_and_its_label(entered: Hall) -> None:
    token = shown(order(entered, "make-token", label="scoring  laptop", scope="scorer"))
    assert token not in entered.client.get("/staff").text
    found = token_used(entered.staff, EVENT, token, 7)
    assert found is not None
    assert found.viewer.name == f"{NAME} (scoring laptop)"
    assert found.viewer.roles == TokenScope.SCORER.roles
    assert token_used(entered.staff, "Spring", token, 7) is None, "it is of one event"
    assert token_used(entered.staff, EVENT, token[:-1], 7) is None


def test_making_and_withdrawing_stand_in_the_signed_records(entered: Hall) -> None:
    token = shown(order(entered, "make-token", label="clock", scope="viewer"))
    number = str(tokens_of(entered.staff, EVENT)[0].number)
    answer = order(entered, "withdraw-token", number=number)
    assert "works no more" in answer.text
    assert token_used(entered.staff, EVENT, token, 7) is None
    changes = [(each.change, each.token, each.by) for each in entered.desk.staff_changes[-2:]]
    assert changes == [("token-made", "clock (viewer)", NAME), ("token-withdrawn", "clock (viewer)", NAME)]
    assert order(entered, "withdraw-token", number=number).status_code == 409


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
    order(entered, "make-token", label="<b>clock</b>", scope="viewer")
    answer = order(entered, "make-token", label=label, scope=scope)
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
