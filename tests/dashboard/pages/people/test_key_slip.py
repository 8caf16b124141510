"""Pages on which people order something of a table: a key slip, and another controller; who may order it, and what the order says."""

import html
from datetime import timedelta
from urllib.parse import unquote

import cv2
import numpy as np
import pytest
from playwright.sync_api import Browser

from dashboard.access.staff_file import StaffOrder
from dashboard.access.staff_schema import Role
from dashboard.custody.key_slips import MOST_ANSWERS, KeySlips
from dashboard.i18n.words import Words
from tests.support.dashboard.example import SELF_DRAWN, closed_hand, play
from tests.support.dashboard.hall import OPEN, OTHER, SERVER, Hall, as_other, must_say, staffed_hall
from tests.support.dashboard.staff import NAME, PASSWORD, form_token
from tests.support.narrowed import present
from tests.support.wire.streams import START
from twinwall.wire.ledger import LedgerPosition
from twinwall.wire.messages.boot_keys import BootSecrets, sign_twice
from twinwall.wire.messages.signing import SignatureError, Signer
from twinwall.wire.messages.staff_orders import ReplacementOrder, read_replacement
from twinwall.wire.messages.vaults.journal_key import KeyRequest, give_journal_key
from twinwall.wire.messages.vaults.key_codes import SlipParts, request_text
from twinwall.wire.mqtt.topics import Channel, Topic
from vision.cameras.qr_codes import QrCodes

EVENT = OPEN.event
BOOT = BootSecrets.from_bytes("1", b"b" * 64)
VAULTS = tuple(Signer(name, name.encode().ljust(32, b"v")) for name in ("vault", "vault-witness"))


def request_of(table: str = "1") -> str:
    """The address of a table's request, as its code holds it after the host."""
    request = KeyRequest.of(BOOT.public, {vault.by: "ab" * 80 for vault in VAULTS})
    return request_text(sign_twice(Signer(table, b"i" * 32), BOOT.signer, request, EVENT, table))


def answer(slips: KeySlips, vault: Signer, table: str = "1", to: bytes = BOOT.sealing.public) -> bytes:
    known = LedgerPosition("0123456789abcdef", 70, "cd" * 32)
    given = give_journal_key(vault, EVENT, table, b"p" * 32, to=to, known=known)
    slips.hear(str(Topic(EVENT, table, Channel.JOURNAL_KEY)), given)
    return given


class Broker:
    """Takes what is published, or nothing."""

    def __init__(self, slips: KeySlips) -> None:
        self.sent: list[tuple[str, bytes]] = []
        self.up = True
        slips.publish = self.take

    def take(self, topic: str, payload: bytes) -> int | None:
        self.sent.append((topic, payload))
        return 1 if self.up else None


@pytest.fixture
def slips() -> KeySlips:
    return KeySlips(EVENT)


@pytest.fixture
def carrying(slips: KeySlips) -> Hall:
    hall = Hall(settings=OPEN, key_slips=slips)
    hall.heartbeat("1")
    return hall


def test_after_the_login_the_request_is_there_that_the_phone_has_scanned(carrying: Hall) -> None:
    wanted = carrying.client.get(request_of()).location
    token = form_token(carrying.client.get(wanted).text)
    form = {"name": "Ota", "password": "correct horse", "token": token, "next": unquote(wanted.partition("next=")[2])}
    assert carrying.client.post("/login", data=form).location == request_of()


def test_the_vaults_are_asked_and_those_that_are_silent_are_named_with_the_digits(carrying: Hall, slips: KeySlips) -> None:
    broker = Broker(slips)
    for vault in VAULTS:
        answer(slips, vault, to=BootSecrets.from_bytes("1", b"c" * 64).sealing.public)
    carrying.log_in()
    page = html.unescape(carrying.client.get(request_of()).text)
    assert [topic for topic, _ in broker.sent] == [str(Topic(EVENT, "1", Channel.KEY_REQUEST))]
    assert "No answer yet from vault, vault-witness" in page, "an answer to other boot keys is none"
    must_say(page, f"twinwall vault allow 1 '{BOOT.public.fingerprint}'", 'http-equiv="refresh"')
    answer(slips, VAULTS[0])
    assert "No answer yet from vault-witness" in html.unescape(carrying.client.get(request_of()).text)
    broker.up = False
    assert "The broker is not reached" in carrying.client.get(request_of()).text


@pytest.mark.nightly
def test_the_codes_on_the_page_are_the_answers_as_the_vaults_have_signed_them(carrying: Hall, slips: KeySlips, browser: Browser) -> None:
    broker = Broker(slips)
    given = {answer(slips, vault) for vault in VAULTS}
    carrying.log_in()
    page = carrying.client.get(request_of()).text
    assert broker.sent == [], "all vaults have answered"
    assert 'http-equiv="refresh"' not in page
    tab = browser.new_page(viewport={"width": 390, "height": 844})
    tab.set_content(page)
    codes = tab.locator(".slip img")
    parts, found = SlipParts("1", BOOT.sealing.public), set()
    for number in range(codes.count()):
        picture = present(cv2.imdecode(np.frombuffer(codes.nth(number).screenshot(), np.uint8), cv2.IMREAD_COLOR))
        for text in QrCodes().read(picture.astype(np.uint8)):
            whole = parts.take(text)
            found |= set() if whole is None else {whole}
    assert (codes.count(), found) == (8, given)
    tab.close()


@pytest.mark.parametrize("text", ["", "hello", "/K/AAAA", "K" * 3000, request_of("nine")])
def test_what_is_no_request_of_a_table_of_this_hall_is_said_and_asks_nobody(carrying: Hall, slips: KeySlips, text: str) -> None:
    broker = Broker(slips)
    carrying.log_in()
    refused = carrying.submit("/key-slip", {"text": text})
    assert (refused.status_code, "This is no request of a table" in refused.text, broker.sent) == (400, True, [])


def test_the_text_of_a_code_may_be_put_in_with_the_address_before_it_and_without_a_vault_there_are_no_pages(carrying: Hall) -> None:
    carrying.log_in()
    answered = carrying.submit("/key-slip", {"text": f"HTTPS://HALL.EXAMPLE{request_of()}\n"})
    assert (answered.status_code, answered.location) == (303, request_of())
    without = Hall(settings=OPEN)
    without.log_in()
    assert without.client.get("/key-slip").status_code == 404


def test_a_flood_of_answers_leaves_no_more_than_the_latest(slips: KeySlips) -> None:
    for number in range(3 * MOST_ANSWERS):
        answer(slips, Signer(f"vault-{number}", b"v" * 32))
    slips.hear(str(Topic(EVENT, "1", Channel.JOURNAL_KEY)), b"no JSON")
    slips.hear("no topic", b"{}")
    assert len(slips._answers["1"]) == MOST_ANSWERS


PAGE, ORDER = "/table/1/replace", "/table/1/replacement.json"


def form_of(page: str, reason: str = "the disk is broken") -> dict[str, str]:
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
    assert hall.views.waits == ()
    reached = present(hall.desk.hall.reached("1"))
    order = given(hall)
    assert (order.former, order.finished, order.n) == (reached.position, (), 1)
    assert (order.ordered, order.confirmed, order.reason) == (NAME, OTHER, "the disk is broken")
    assert [(step.by, step.ordered, step.n) for step in hall.desk.replacements] == [(NAME, "", 1), (OTHER, NAME, 1)]
    for event, table in ((hall.settings.event, "2"), ("another", "1")):
        with pytest.raises(SignatureError):
            read_replacement(hall.client.get(ORDER).data, event, table, SERVER.public)


def test_one_person_gets_no_order_during_a_hand_however_often_nor_by_an_account_of_today() -> None:
    hall = staffed_hall(Role.REFEREE)
    now, page = int(START.timestamp()), hall.client.get(PAGE).text
    form = form_of(page)
    hall.staff.accept(hall.staff.invite("Second", {Role.REFEREE}, now + 60, StaffOrder(now, NAME)), PASSWORD, now)
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
    [(False, 409, "The table has gone on since this page was opened, so nothing was ordered."), (True, 503, Words("en")("error.store"))],
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


def test_without_a_reason_nothing_is_ordered_and_without_a_second_account_the_page_says_what_to_do() -> None:
    hall = staffed_hall(Role.REFEREE)
    press(hall, reason="  ")
    assert hall.desk.replacements == []
    assert "Invite a second person" in press(staffed_hall())


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
    must_say(page, f"What {NAME} ordered was signed at {signed}", "If the new controller has taken the order, there is nothing to do.")
    hall.seconds = 1_000
    assert f"was signed at {signed}" in hall.client.get(PAGE).text
