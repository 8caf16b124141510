"""A discard in doubt through all layers: table, broker with its rights, listener, page, and the answer's way back."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dashboard.access.staff_schema import Role
from dashboard.hall_intake import ListenerClock
from dashboard.listening import HallListener
from dashboard.projections.store import Store
from tests.support.controller.fixtures import make_rig
from tests.support.controller.game import E, Game, walls_of
from tests.support.controller.rigs import EVENT, MakeRig, Rig
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.dashboard.staff import enrol
from tests.support.wire.brokers import PASSWORDS, RunningBroker, eventually, link_of, new_broker
from tests.support.wire.streams import START
from twinwall.event.field import field_of
from twinwall.event.results import EntrantKind
from twinwall.event.store.programme import Programme
from twinwall.event.store.store_writer import StoreWriter
from twinwall.game.play_events import TileDiscarded
from twinwall.game.tiles import Tile
from twinwall.wire.events.hand_events import TileAnswered
from twinwall.wire.events.trouble_events import TablePart
from twinwall.wire.messages.commands import CommandWriter
from twinwall.wire.messages.signing import Counter
from twinwall.wire.mqtt.access import SERVER_USER
from twinwall.wire.mqtt.broker_address import Credentials
from vision.mat import Area, Slot

__all__ = ["make_rig"]
pytestmark = pytest.mark.slow

PAGE = "/table/1/which-tile"


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


def answer(server: ServerOnBroker, tile: str) -> None:
    """The referee presses a tile on the page."""
    page = server.hall.client.get(PAGE).text
    form = {key: re.findall(rf'name="{key}" value="([^"]*)"', page)[0] for key in ("token", "n", "number", "where")}
    answered = server.hall.client.post(PAGE, data={**form, "tile": tile})
    assert answered.headers["Location"].endswith("answered=sent")


def test_the_referee_sees_what_the_camera_saw_and_the_table_goes_on_with_his_answer(
    make_rig: MakeRig, broker: RunningBroker, server: ServerOnBroker
) -> None:
    enrol(server.hall.staff, "Abe", roles={Role.REFEREE})
    assert server.hall.log_in("Abe").status_code == 303

    def page_says(words: str) -> Callable[[], bool]:
        return lambda: words in server.hall.client.get(f"{PAGE}?lang=en").text

    game = Game(make_rig, walls_of({E: "123456789p 123s 5s"})).take_hands().draw(E)
    rig = game.rig
    with connected(rig, broker):
        rig.mat.blurred.add(Slot(game.place(E), Area.RIVER, 0))
        game.discard(E, "5s")
        until(rig, page_says('value="5s"'), "the question is on the page")
        answer(server, "5s")
        until(rig, lambda: bool(rig.happened(TileDiscarded)), "the table has heard the answer")
        until(rig, page_says("no doubt about a tile"), "the page says that it is read")
    assert rig.happened(TileAnswered) == [TileAnswered(E, Tile.S5, "Abe", TablePart.RIVER, 0)]
    assert rig.happened(TileDiscarded) == [TileDiscarded(E, Tile.S5)]
