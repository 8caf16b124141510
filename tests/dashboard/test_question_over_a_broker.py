"""A discard in doubt through all layers: table, broker with its rights, listener, page, and the answer's way back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.state.messages import TileTold
from dashboard.access.access_policy import Role
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
from twinwall.game.tiles import Tile, parse_tile
from twinwall.wire.events.hand_events import TileAnswered
from twinwall.wire.messages.commands import AnswerTile, CommandWriter, FromPeople
from twinwall.wire.messages.signing import Counter
from twinwall.wire.mqtt.access import SERVER_USER
from twinwall.wire.mqtt.broker_address import Credentials
from twinwall.wire.mqtt.link import MqttLink
from vision.mat import Area, Slot

__all__ = ["make_rig"]
pytestmark = pytest.mark.slow

PAGE = "/table/1/which-tile"


class Server:
    """The hall's server with a referee who has logged in."""

    def __init__(self, broker: RunningBroker, folder: Path) -> None:
        self.desk = StoreWriter(folder / "event.sqlite", Programme(EVENT, field_of(EntrantKind.INDIVIDUAL, ["1"])), START)
        store, clock = Store("boot"), ListenerClock(lambda: START, lambda: 0.0)
        commands = CommandWriter(EVENT, None, Counter(lambda: 0), lambda: "")
        credentials = Credentials(SERVER_USER, PASSWORDS[SERVER_USER])
        self.listener = HallListener(store, self.desk, broker.address, credentials, clock, commands=commands)
        self.listener.start()
        self.hall = Hall(store=store, settings=OPEN, send=self.listener.send)
        enrol(self.hall.staff, "Abe", roles={Role.REFEREE})
        assert self.hall.log_in("Abe").status_code == 303

    def page(self) -> str:
        return self.hall.client.get(f"{PAGE}?lang=en").text

    def answer(self, tile: str) -> None:
        page = self.page()
        form = {key: re.findall(rf'name="{key}" value="([^"]*)"', page)[0] for key in ("token", "n", "number")}
        answered = self.hall.client.post(PAGE, data={**form, "tile": tile})
        assert answered.headers["Location"].endswith("answered=sent")

    def stop(self) -> None:
        self.listener.close()
        self.desk.close()


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[RunningBroker]:
    folder = tmp_path / "broker"
    folder.mkdir()
    running = new_broker("amqtt", folder, event=EVENT)
    yield running
    running.stop()


@pytest.fixture
def server(broker: RunningBroker, tmp_path: Path) -> Iterator[Server]:
    running = Server(broker, tmp_path)
    yield running
    running.stop()


def connected(rig: Rig, broker: RunningBroker) -> MqttLink:
    """The rig's table on a real broker, under its own account; answers come as a table takes them."""

    def told(command: FromPeople) -> None:
        assert isinstance(command, AnswerTile)
        rig.post(TileTold(command.n, command.number, parse_tile(command.tile), command.referee))

    rig.publisher.disconnected("it moves to another broker")
    rig.broker.unconfirmed.clear()
    rig.publisher.told = told
    rig.publisher.questions = rig.questions.beat
    link = link_of(broker, "1", rig.publisher, *rig.publisher.subscriptions)
    rig.publisher.link = rig.questions.link = link
    eventually(lambda: link.is_connected, "the table is connected")
    rig.publisher.pump()
    return link


def test_the_referee_sees_what_the_camera_saw_and_the_table_goes_on_with_his_answer(
    make_rig: MakeRig, broker: RunningBroker, server: Server
) -> None:
    game = Game(make_rig, walls_of({E: "123456789p 123s 5s"})).take_hands().draw(E)
    rig, link = game.rig, connected(game.rig, broker)
    try:
        rig.mat.blurred.add(Slot(game.place(E), Area.RIVER, 0))
        game.discard(E, "5s")
        eventually(lambda: _settled(rig) and 'value="5s"' in server.page(), "the question is on the page")
        server.answer("5s")
        eventually(lambda: _settled(rig) and bool(rig.happened(TileDiscarded)), "the table has heard the answer")
        eventually(lambda: _settled(rig) and "no doubt about a discard" in server.page(), "the page says that it is read")
    finally:
        link.close()
    assert rig.happened(TileAnswered) == [TileAnswered(E, Tile.S5, "Abe")]
    assert rig.happened(TileDiscarded) == [TileDiscarded(E, Tile.S5)]


def _settled(rig: Rig) -> bool:
    rig.settle()
    return True
