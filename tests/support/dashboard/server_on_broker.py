"""The hall's server and a table's rig on one real broker: what people press on a page reaches the controller, and its answer the page."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dashboard.hall_intake import ListenerClock
from dashboard.listening import HallListener
from dashboard.projections.store import Store
from tests.support.controller.rigs import EVENT, Rig
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.wire.brokers import PASSWORDS, RunningBroker, eventually, link_of, new_broker
from tests.support.wire.streams import START
from twinwall.event.field import field_of
from twinwall.event.results import EntrantKind
from twinwall.event.store.programme import Programme
from twinwall.event.store.store_writer import StoreWriter
from twinwall.wire.messages.commands import CommandWriter
from twinwall.wire.messages.signing import Counter
from twinwall.wire.mqtt.access import SERVER_USER
from twinwall.wire.mqtt.broker_address import Credentials


class ServerOnBroker:
    """The hall's server; ``hall`` has its pages."""

    def __init__(self, broker: RunningBroker, folder: Path) -> None:
        self.desk = StoreWriter(folder / "event.sqlite", Programme(EVENT, field_of(EntrantKind.INDIVIDUAL, ["1"])), START)
        store, clock = Store("boot"), ListenerClock(lambda: START, lambda: 0.0)
        commands = CommandWriter(EVENT, None, Counter(lambda: 0), lambda: "")
        credentials = Credentials(SERVER_USER, PASSWORDS[SERVER_USER])
        self.listener = HallListener(store, self.desk, broker.address, credentials, clock, commands=commands)
        self.listener.start()
        self.hall = Hall(store=store, settings=OPEN, send=self.listener.send)

    def stop(self) -> None:
        self.listener.close()
        self.desk.close()


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[RunningBroker]:
    """A real broker with the event's rights."""
    folder = tmp_path / "broker"
    folder.mkdir()
    running = new_broker("amqtt", folder, event=EVENT)
    yield running
    running.stop()


@pytest.fixture
def server(broker: RunningBroker, tmp_path: Path) -> Iterator[ServerOnBroker]:
    """The hall's server on that broker."""
    running = ServerOnBroker(broker, tmp_path)
    yield running
    running.stop()


@contextmanager
def connected(rig: Rig, broker: RunningBroker) -> Iterator[None]:
    """The rig's table on a real broker, under its own account; it takes what people press as ``twinwall table run`` does."""
    rig.publisher.disconnected("it moves to another broker")
    rig.broker.unconfirmed.clear()
    rig.publisher.from_server = rig.post
    rig.publisher.questions = rig.questions.beat
    link = link_of(broker, "1", rig.publisher, *rig.publisher.subscriptions)
    rig.publisher.link = rig.questions.link = link
    try:
        eventually(lambda: link.is_connected, "the table is connected")
        rig.publisher.pump()
        yield
    finally:
        link.close()


def until(rig: Rig, seen: Callable[[], bool], meaning: str) -> None:
    """Let the table take what comes until something is so."""

    def settled() -> bool:
        rig.settle()
        return seen()

    eventually(settled, meaning)
