"""What arrives for the hall reaches the store, and nothing that arrives ends the listening."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest

from dashboard.listening import Clock, HallListener
from dashboard.store import COMPLAINT_S, Store
from tests.dashboard.conftest import Hall
from tests.dashboard.example import START, building, ledger_lines
from tests.wire.brokers import eventually, free_port
from twinwall.wire.commands import CommandWriter, Health, write_health
from twinwall.wire.ledger import PublicEvent
from twinwall.wire.mqtt import BrokerAddress, Credentials
from twinwall.wire.signing import Counter
from twinwall.wire.topics import Channel, Topic

EVENTS = str(Topic("e", "1", Channel.EVENTS))
HEALTH = str(Topic("e", "1", Channel.HEALTH))
LINES = ledger_lines([*building()])


class FaultyStore(Store):
    """A store with a defect: it cannot take a given line."""

    bad_seq = 0

    def add(self, event: PublicEvent, heard: datetime) -> None:
        if event.seq == self.bad_seq:
            raise RuntimeError("a defect of the store")
        super().add(event, heard)


@pytest.fixture
def store() -> FaultyStore:
    return FaultyStore("boot")


@pytest.fixture
def listener(store: FaultyStore) -> Iterator[HallListener]:
    """A listener whose broker is not there: the test plays the link."""
    address, clock = BrokerAddress("127.0.0.1", free_port()), Clock(lambda: START, lambda: 0.0)
    unsigned = CommandWriter("e", None, Counter(lambda: 0), lambda: "")
    listening = HallListener(store, "e", address, Credentials("server", "x"), clock, commands=unsigned)
    listening.start()
    yield listening
    listening.close()


def complaint(store: Store, table: str = "1") -> str:
    status = store.table(table)
    return (status.complaint or "") if status is not None else ""


def taken(store: Store) -> int:
    status = store.table("1")
    return len(status.view.log) if status is not None else 0


@pytest.mark.parametrize("poison", [b'{"n":1e999}\n', b'{"n":' + b"9" * 5000 + b"}\n", rb'{"n":"\ud800"}' + b"\n", b"\xff", b""])
@pytest.mark.parametrize("topic", [EVENTS, HEALTH])
def test_a_poisonous_message_is_complained_of_and_the_next_line_is_taken(
    listener: HallListener, store: FaultyStore, topic: str, poison: bytes
) -> None:
    listener.message(topic, poison)
    eventually(lambda: complaint(store) != "", "the page complains")
    listener.message(EVENTS, LINES[0])
    eventually(lambda: complaint(store) == "", "the next line is taken, and the complaint is over")
    assert listener.is_alive


def test_a_defect_at_one_line_is_logged_and_told_and_the_next_lines_are_taken(
    listener: HallListener, store: FaultyStore, caplog: pytest.LogCaptureFixture
) -> None:
    store.bad_seq = 2
    for line in LINES[:2]:
        listener.message(EVENTS, line)
    eventually(lambda: "a defect of the store" in complaint(store), "the page tells of the defect")
    before = taken(store)
    for line in LINES[2:]:
        listener.message(EVENTS, line)
    eventually(lambda: taken(store) > before, "the lines after it are taken")
    assert listener.is_alive
    assert any(record.exc_info for record in caplog.records)


def test_a_problem_of_the_link_is_logged(listener: HallListener, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        listener.problem("the broker refused a subscription")
    assert "the broker refused a subscription" in caplog.text


def test_a_table_that_goes_back_to_a_former_journal_is_named_on_its_page(listener: HallListener, store: FaultyStore) -> None:
    newer = ledger_lines([*building()], journal="j2")
    for line in (LINES[0], *newer[:2], LINES[1]):
        listener.message(EVENTS, line)
    eventually(lambda: "'j1'" in complaint(store), "the complaint names the journal")
    listener.message(HEALTH, write_health(Health("1", "j2", 2, START)))
    listener.message(EVENTS, newer[2])
    eventually(lambda: complaint(store) == "", "the true stream goes on")


def test_a_complaint_is_over_by_itself_after_a_while(store: FaultyStore) -> None:
    store.complain("1", "not understood", START)
    store.tick(START + timedelta(seconds=COMPLAINT_S))
    assert complaint(store) == "not understood"
    before = store.sequence
    store.tick(START + timedelta(seconds=COMPLAINT_S + 1))
    assert complaint(store) == ""
    assert store.sequence == before + 1, "the pages are told"


def test_it_is_said_not_to_be_alive_once_nothing_is_heard_any_more() -> None:
    hall = Hall()
    assert hall.client.get("/alive").status_code == 200
    hall.listening = False
    assert hall.client.get("/alive").status_code == 503


def test_a_listener_that_was_closed_is_not_alive(listener: HallListener) -> None:
    assert listener.is_alive
    listener.close()
    assert not listener.is_alive
