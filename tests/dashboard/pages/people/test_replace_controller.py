"""The page on which the controller of a table is replaced: who may order it, and what the order says."""

import html
from datetime import timedelta

import pytest

from dashboard.access.staff_file import StaffOrder
from dashboard.access.staff_schema import Role
from dashboard.i18n.words import Words
from tests.support.dashboard.example import SELF_DRAWN, closed_hand, play
from tests.support.dashboard.hall import Hall
from tests.support.dashboard.ordering_hall import OTHER, SERVER, as_other, staffed_hall
from tests.support.dashboard.staff import NAME, PASSWORD
from tests.support.wire.streams import START
from twinwall.wire.messages.signing import SignatureError
from twinwall.wire.messages.staff_orders import ReplacementOrder, read_replacement

PAGE, ORDER = "/table/1/replace", "/table/1/replacement.json"


def form_of(page: str, reason: str = "the disk is broken") -> dict[str, str]:
    """What the page's button sends."""
    return {"line": page.split('name="line" value="')[1].split('"', maxsplit=1)[0], "reason": reason}


def press(hall: Hall, reason: str = "the disk is broken") -> str:
    """Press the page's button, if there is one; the page afterwards."""
    page = hall.client.get(PAGE).text
    if 'name="line"' in page:
        hall.submit(PAGE, form_of(page, reason))
    return hall.client.get(PAGE).text


def given(hall: Hall) -> ReplacementOrder:
    return read_replacement(hall.client.get(ORDER).data, hall.settings.event, "1", SERVER.public)


def test_two_accounts_order_it_during_a_hand_and_the_order_names_what_the_server_has() -> None:
    hall = staffed_hall(Role.REFEREE)
    assert "another person must confirm" in press(hall)
    assert hall.client.get(ORDER).status_code == 404
    assert f'href="{PAGE}"' in hall.client.get("/calls").text, "the others are asked to confirm"
    as_other(hall)
    assert "the disk is broken" in hall.client.get(PAGE).text
    assert "replacement.json" in press(hall)
    assert hall.store.waits == ()
    reached = hall.desk.hall.reached("1")
    assert reached is not None
    order = given(hall)
    assert (order.former, order.finished, order.n) == (reached.position, (), 1)
    assert (order.ordered, order.confirmed, order.reason) == (NAME, OTHER, "the disk is broken")
    assert [(step.by, step.ordered, step.n) for step in hall.desk.replacements] == [(NAME, "", 1), (OTHER, NAME, 1)]


def test_one_person_gets_no_order_during_a_hand_however_often_nor_by_an_account_of_today() -> None:
    hall = staffed_hall(Role.REFEREE)
    now, page = int(START.timestamp()), hall.client.get(PAGE).text
    form = form_of(page)
    second = hall.staff.invite("Second", {Role.REFEREE}, now + 60, StaffOrder(now, NAME))
    hall.staff.accept(second, PASSWORD, now)
    for name in (NAME, NAME, "Second"):
        hall.client = hall.new_client()
        hall.log_in(name)
        hall.submit(PAGE, form)
        assert hall.client.get(ORDER).status_code == 404
    assert [step.by for step in hall.desk.replacements] == [NAME]


def test_between_two_hands_one_person_orders_it_and_another_may_confirm_it_too() -> None:
    hall = staffed_hall(Role.REFEREE)
    hall.feed(closed_hand("1"))
    press(hall)
    order = given(hall)
    assert (order.finished, order.n, order.persons) == ((1,), 0, (NAME,))
    as_other(hall)
    press(hall)
    assert given(hall).persons == (NAME, OTHER)


@pytest.mark.parametrize(
    ("full", "status", "said"),
    [
        (False, 409, "The table has gone on since this page was opened, so nothing was ordered."),
        (True, 503, Words("en")("error.store")),
    ],
    ids=["the table has gone on", "the disk is full"],
)
def test_an_order_that_is_refused_says_why_and_the_reason_that_was_typed_stays(full: bool, status: int, said: str) -> None:
    hall = staffed_hall(Role.REFEREE)
    page, hall.desk.full = hall.client.get(PAGE).text, full
    if not full:
        hall.feed([*play(SELF_DRAWN)][30:31])
    answer = hall.submit(PAGE, form_of(page, "the <disk> is broken"))
    assert answer.status_code == status
    assert said in html.unescape(answer.text)
    assert 'name="reason" maxlength="200" value="the &lt;disk&gt; is broken"' in answer.text
    assert hall.desk.replacements == []
    hall.desk.full = False
    assert "another person must confirm" in press(hall)


def test_a_late_confirmation_is_a_new_order() -> None:
    hall = staffed_hall(Role.DIRECTOR)
    press(hall)
    hall.seconds = 601
    as_other(hall)
    assert "another person must confirm" in press(hall)
    assert hall.client.get(ORDER).status_code == 404


def test_without_a_reason_nothing_is_ordered_and_without_a_second_account_the_page_says_what_to_do() -> None:
    hall = staffed_hall(Role.REFEREE)
    press(hall, reason="  ")
    assert hall.desk.replacements == []
    assert "Invite a second person" in press(staffed_hall())


def test_an_order_is_of_one_table_and_event() -> None:
    hall = staffed_hall(Role.REFEREE)
    press(hall)
    as_other(hall)
    press(hall)
    for event, table in ((hall.settings.event, "2"), ("another", "1")):
        with pytest.raises(SignatureError):
            read_replacement(hall.client.get(ORDER).data, event, table, SERVER.public)


def test_an_order_for_a_table_that_goes_on_is_none_and_the_page_says_so() -> None:
    hall = staffed_hall(Role.REFEREE)
    press(hall)
    hall.feed([*play(SELF_DRAWN)][30:31])
    as_other(hall)
    assert f"The table has gone on since {NAME} ordered this" in hall.client.get(PAGE).text
    assert "has ordered it" not in hall.client.get(PAGE).text
    assert hall.client.get(ORDER).status_code == 404, "the controller lives"
    hall.seconds = 601
    assert "has gone on since" not in hall.client.get(PAGE).text


def test_after_a_signed_order_the_page_says_when_it_was_signed_and_that_nothing_is_to_be_done() -> None:
    hall = staffed_hall(Role.REFEREE)
    press(hall)
    as_other(hall)
    hall.seconds = 90
    press(hall)
    hall.feed([*play(SELF_DRAWN)][30:31])
    page = hall.client.get(PAGE).text
    assert f"has gone on since {NAME} ordered this" not in page
    signed = (START + timedelta(seconds=90)).astimezone().strftime("%Y-%m-%d %H:%M")
    assert f"What {NAME} ordered was signed at {signed}" in page
    assert "If the new controller has taken the order, there is nothing to do." in page
    hall.seconds = 1_000
    assert f"was signed at {signed}" in hall.client.get(PAGE).text
