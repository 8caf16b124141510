"""A discard in doubt through all layers: table, broker with its rights, listener, page, and the answer's way back."""

import re
from collections.abc import Callable

import pytest

from dashboard.access.roles import Role
from tests.support.controller.fixtures import make_rig
from tests.support.controller.game import E, Game, walls_of
from tests.support.controller.rigs import MakeRig
from tests.support.dashboard.server_on_broker import ServerOnBroker, broker, connected, server, until
from tests.support.dashboard.staff import enrol
from tests.support.wire.brokers import RunningBroker
from twinwall.game.play_events import TileDiscarded
from twinwall.game.tiles import Tile
from twinwall.wire.events.hand_events import TileAnswered
from twinwall.wire.events.trouble_events import TablePart
from vision.mat import Area, Slot

__all__ = ["broker", "make_rig", "server"]
pytestmark = pytest.mark.slow

PAGE = "/table/1/which-tile"


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
