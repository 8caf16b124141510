"""Pages of a key slip: who may carry a request, what is asked of the vaults, and what a phone shows."""

import html
from urllib.parse import unquote

import cv2
import numpy as np
import pytest
from playwright.sync_api import Browser

from dashboard.custody.key_slips import MOST_ANSWERS, KeySlips
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.dashboard.staff import form_token
from twinwall.wire.ledger import LedgerPosition
from twinwall.wire.messages.boot_keys import BootSecrets, sign_twice
from twinwall.wire.messages.signing import Signer
from twinwall.wire.messages.vaults.journal_key import give_journal_key
from twinwall.wire.messages.vaults.key_codes import SlipParts, request_text
from twinwall.wire.messages.vaults.key_request import KeyRequest
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
    """A hall that has heard table 1."""
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
    carrying.log_in()
    page = html.unescape(carrying.client.get(request_of()).text)
    assert [topic for topic, _ in broker.sent] == [str(Topic(EVENT, "1", Channel.KEY_REQUEST))]
    assert "No answer yet from vault, vault-witness" in page
    assert f"twinwall vault allow 1 '{BOOT.public.fingerprint}'" in page
    assert 'http-equiv="refresh"' in page
    answer(slips, VAULTS[0])
    assert "No answer yet from vault-witness" in html.unescape(carrying.client.get(request_of()).text)


def test_a_broker_that_is_not_there_is_said(carrying: Hall, slips: KeySlips) -> None:
    Broker(slips).up = False
    carrying.log_in()
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
        picture = cv2.imdecode(np.frombuffer(codes.nth(number).screenshot(), np.uint8), cv2.IMREAD_COLOR)
        assert picture is not None
        for text in QrCodes().read(picture.astype(np.uint8)):
            whole = parts.take(text)
            found |= set() if whole is None else {whole}
    assert (codes.count(), found) == (8, given)
    tab.close()


def test_an_answer_to_other_boot_keys_is_not_shown(carrying: Hall, slips: KeySlips) -> None:
    Broker(slips)
    for vault in VAULTS:
        answer(slips, vault, to=BootSecrets.from_bytes("1", b"c" * 64).sealing.public)
    carrying.log_in()
    assert "No answer yet from vault, vault-witness" in html.unescape(carrying.client.get(request_of()).text)


@pytest.mark.parametrize("text", ["", "hello", "/K/AAAA", "K" * 3000, request_of("nine")])
def test_what_is_no_request_of_a_table_of_this_hall_is_said_and_asks_nobody(carrying: Hall, slips: KeySlips, text: str) -> None:
    broker = Broker(slips)
    carrying.log_in()
    refused = carrying.submit("/key-slip", {"text": text})
    assert (refused.status_code, "This is no request of a table" in refused.text, broker.sent) == (400, True, [])


def test_the_text_of_a_code_may_be_put_in_with_the_address_before_it(carrying: Hall) -> None:
    carrying.log_in()
    answered = carrying.submit("/key-slip", {"text": f"HTTPS://HALL.EXAMPLE{request_of()}\n"})
    assert (answered.status_code, answered.location) == (303, request_of())


def test_a_flood_of_answers_leaves_no_more_than_the_latest(slips: KeySlips) -> None:
    for number in range(3 * MOST_ANSWERS):
        answer(slips, Signer(f"vault-{number}", b"v" * 32))
    slips.hear(str(Topic(EVENT, "1", Channel.JOURNAL_KEY)), b"no JSON")
    slips.hear("no topic", b"{}")
    assert len(slips._answers["1"]) == MOST_ANSWERS


def test_without_a_vault_there_are_no_pages() -> None:
    hall = Hall(settings=OPEN)
    hall.log_in()
    assert hall.client.get("/key-slip").status_code == 404
