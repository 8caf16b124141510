"""Webhooks: news of what everybody may know, signed, sent until a real receiver takes it, also after a restart."""

import hmac
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import cast

import pytest

from dashboard.access.access_policy import SPECTATOR, AccessPolicy
from dashboard.access.api_tokens import TokenScope
from dashboard.api.webhook_sender import Post, WebhookSender, post
from dashboard.api.webhooks import BACK_OFF_S, Webhooks, news_of
from tests.support.answering import Answering, answering
from tests.support.dashboard.api import Program
from tests.support.dashboard.desks import MemoryDesk
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.dashboard.staff import new_staff
from tests.support.dashboard.two_sessions import DEALS, FIELD, TABLES, rule_late, script
from tests.support.event.managed import PREPARED_TEAMS
from tests.support.event.sessions import left_out
from tests.support.patience import PATIENCE_S
from tests.support.wire.brokers import eventually, free_port
from tests.support.wire.streams import START
from twinwall.event.management.changes import ResultsHeld, ResultsReleased, SessionEnded, SessionStarted
from twinwall.event.player_names import NamesShown

START_S = int(START.timestamp())


@dataclass
class Receiver:
    """A club's own server, at a port that it keeps when it is started again."""

    port: int = field(default_factory=free_port)
    status: int = 204
    taken: list[tuple[dict[str, str], bytes]] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/news?club=1"

    def kinds(self) -> list[str]:
        return [json.loads(body)["news"]["kind"] for _, body in self.taken]

    @contextmanager
    def listening(self) -> Iterator[None]:
        receiver = self

        class Handler(Answering):
            def do_POST(self) -> None:
                receiver.taken.append((dict(self.headers), self.content()))
                self.answer(receiver.status)

        with answering(Handler, self.port):
            yield


class Event:
    """Two sessions of four teams, with a program that registers webhooks, and what sends."""

    def __init__(self, folder: Path) -> None:
        self.staff = new_staff(folder / "staff.sqlite")
        self.hall = Hall(desk=MemoryDesk(FIELD), staff=self.staff, settings=OPEN)
        for table in TABLES:
            self.hall.feed(script(table), table)
        self.program = Program(self.hall)
        self.send: Post = post
        self.sender = self.new_sender()

    def new_sender(self) -> WebhookSender:
        """The sender of another run: it knows what the staff file has."""
        scope = AccessPolicy(self.hall.views, self.hall.desk, lambda: START, NamesShown.NUMBER, None).results(SPECTATOR)
        return WebhookSender(
            Webhooks(self.staff, OPEN.event, self.now_s), scope, lambda: news_of(scope, self.hall.desk.steps), self.now_s, self.send
        )

    def tick(self) -> None:
        """Look for news once, and try everything that is due."""
        self.sender.tick()
        self.sender.settle(PATIENCE_S)

    def now_s(self) -> int:
        return START_S + int(self.hall.seconds)

    def register(self, receiver: Receiver) -> dict[str, object]:
        return self.program.do("/webhooks", {"address": receiver.address})

    def release(self, n: int) -> None:
        session, hand = DEALS[n]
        self.hall.release(n, session, hand)

    def deliveries(self) -> list[dict[str, object]]:
        return cast(list[dict[str, object]], self.program.read("/webhooks/1/deliveries")["deliveries"])


@pytest.fixture
def event(tmp_path: Path) -> Event:
    return Event(tmp_path)


def test_an_opened_deal_is_told_once_and_signed(event: Event) -> None:
    receiver = Receiver()
    event.release(1)
    made = event.register(receiver)
    with receiver.listening():
        event.tick()
        assert receiver.taken == [], "what was there before is no news"
        event.release(2)
        event.tick()
        event.tick()
    ((headers, body),) = receiver.taken
    news = json.loads(body)
    assert news["event"] == OPEN.event
    assert news["news"] == {"key": "deal 2", "kind": "deal-opened", "read": "/api/v1/deals/2", "session": 2, "deal": 2, "hand": 1}
    at, signed = (part.split("=")[1] for part in headers["Twinwall-Signature"].split(","))
    assert hmac.new(str(made["secret"]).encode(), f"{at}.".encode() + body, "sha256").hexdigest() == signed
    assert int(at) == event.now_s()
    assert event.deliveries()[0]["problem"] == ""
    assert event.deliveries()[0]["due"] is None


def test_a_receiver_that_was_away_gets_everything_after_a_restart_of_both(event: Event) -> None:
    receiver = Receiver()
    event.register(receiver)
    event.release(1)
    event.tick()
    (waiting,) = event.deliveries()
    assert (waiting["tries"], waiting["delivered"]) == (1, None)
    assert "refused" in str(waiting["problem"])
    with receiver.listening():
        event.sender = event.new_sender()
        event.tick()
        assert receiver.taken == [], "it is not due yet"
        event.hall.seconds += BACK_OFF_S[0]
        event.tick()
    assert receiver.kinds() == ["deal-opened"]
    assert event.deliveries()[0]["delivered"] is not None


def test_an_address_of_an_earlier_version_that_no_server_can_have_is_tried_like_any_other(event: Event) -> None:
    event.register(Receiver())
    with event.staff.transaction() as execute:
        execute("UPDATE webhooks SET address = 'https://a..b/'")
    event.release(1)
    event.tick()
    assert [(each["tries"], "idna" in str(each["problem"])) for each in event.deliveries()] == [(1, True)]


@pytest.mark.parametrize("status", [500, 302])
def test_what_a_receiver_refuses_or_sends_elsewhere_is_tried_further_apart_and_given_up_in_the_end(event: Event, status: int) -> None:
    receiver = Receiver(status=status)
    event.register(receiver)
    event.release(1)
    with receiver.listening():
        for wait_s in (0, *BACK_OFF_S):
            event.hall.seconds += wait_s
            event.tick()
    assert len(receiver.taken) == len(BACK_OFF_S) + 1
    assert len({headers["Twinwall-Delivery"] for headers, _ in receiver.taken}) == 1
    assert (event.deliveries()[0]["due"], event.deliveries()[0]["problem"]) == (None, f"the receiver answered {status}")


def test_a_session_s_end_a_correction_and_a_release_are_told(event: Event) -> None:
    receiver = Receiver()
    event.release(1)
    event.register(receiver)
    event.hall.manage(*PREPARED_TEAMS, SessionStarted(1), SessionEnded(1))
    event.hall.desk.hall.set_programme(replace(event.hall.desk.hall.programme, field=FIELD))
    rule_late(event.hall, "4", left_out("r1", 1))
    event.hall.views.touch()
    with receiver.listening():
        event.tick()
        assert sorted(receiver.kinds()) == ["results-corrected", "session-ended"]
        event.hall.manage(ResultsHeld(1), ResultsReleased(1))
        event.hall.views.touch()
        event.tick()
    assert sorted(receiver.kinds())[-2:] == ["results-released", "session-ended"]


def test_nothing_is_told_of_a_session_that_is_held_back_until_it_is_released(event: Event) -> None:
    receiver = Receiver()
    event.hall.desk.hall.set_programme(replace(event.hall.desk.hall.programme, held_sessions=(1,)))
    event.register(receiver)
    event.release(1)
    rule_late(event.hall, "4", left_out("r1", 1))
    with receiver.listening():
        event.tick()
        assert receiver.taken == []
        event.hall.desk.hall.set_programme(replace(event.hall.desk.hall.programme, held_sessions=()))
        event.hall.views.touch()
        event.tick()
    assert sorted(receiver.kinds()) == ["deal-opened", "results-corrected"]


REFUSED = (
    "http://192.168.1.7/x",
    "http://club.example/x",
    "ftp://127.0.0.1/x",
    "https://",
    "https://me:pw@club.example/",
    "https://a b/",
    "https://a/\t",
    "https://a..b/",
    f"https://{'a' * 64}.b/",
    "x",
)
TAKEN = ("https://club.example/x", "http://localhost:9/x", "http://[::1]:9/x", "https://10.0.0.7:8443/x")


def test_a_webhook_that_is_withdrawn_gets_nothing_and_its_secret_is_shown_once(event: Event) -> None:
    receiver = Receiver()
    assert str(event.register(receiver)["secret"]) not in str(event.program.read("/webhooks"))
    event.release(1)
    assert event.program.ask("DELETE", "/webhooks/1").status_code == 200
    with receiver.listening():
        event.tick()
    assert receiver.taken == []
    assert event.program.refused("/webhooks/1", None, "DELETE")["status"] == 404
    assert event.program.refused("/webhooks/1/deliveries", None, "GET")["status"] == 404


def test_directors_alone_have_webhooks_and_none_beyond_this_machine_without_tls(event: Event) -> None:
    for address in REFUSED:
        problem = event.program.refused("/webhooks", {"address": address})
        assert (problem["status"], problem["reason"]) == (409, "address"), address
    for scope in (TokenScope.VIEWER, TokenScope.SCORER, TokenScope.REFEREE):
        assert Program(event.hall, scope).refused("/webhooks", {"address": TAKEN[0]})["status"] == 403
    assert event.program.read("/webhooks")["webhooks"] == []
    for address in TAKEN:
        event.program.do("/webhooks", {"address": address})


def told_so_often(receiver: Receiver, times: int) -> bool:
    return len(receiver.taken) == times


def test_a_receiver_that_never_answers_holds_up_no_other_and_is_asked_once_at_a_time(event: Event) -> None:
    never, other = Receiver(), Receiver()
    asked: list[str] = []
    answers = threading.Event()

    def send(address: str, body: bytes, headers: dict[str, str]) -> int:
        if address != never.address:
            return post(address, body, headers)
        asked.append(headers["Twinwall-Delivery"])
        answers.wait(PATIENCE_S)
        raise TimeoutError("timed out")

    event.send = send
    event.sender = event.new_sender()
    event.register(never)
    event.register(other)
    with other.listening():
        for told, n in enumerate(DEALS, 1):
            event.release(n)
            event.sender.tick()
            eventually(partial(told_so_often, other, told), "the other receiver is told")
        eventually(lambda: bool(asked), "the silent receiver is asked")
        assert len(asked) == 1, "what comes meanwhile waits for the one that is under way"
        answers.set()
        event.sender.settle(PATIENCE_S)
    assert len(asked) == len(DEALS)
    assert [each["problem"] for each in event.deliveries()] == ["timed out"] * len(DEALS)
