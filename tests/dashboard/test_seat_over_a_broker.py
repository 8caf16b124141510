"""A press on the page of a seat through all layers: page, listener, broker with its rights, table, and the table's answer on the page."""

from collections.abc import Callable

import pytest

from tests.support.controller.fixtures import make_rig
from tests.support.controller.rigs import MakeRig, set_up
from tests.support.dashboard.server_on_broker import ServerOnBroker, broker, connected, server, until
from tests.support.dashboard.staff import form_token
from tests.support.wire.brokers import RunningBroker
from twinwall.wire.events.seat_events import SeatsConfirmed, SeatTaken

__all__ = ["broker", "make_rig", "server"]
pytestmark = pytest.mark.slow
PLAYERS = ("11", "12", "13", "14")


class SeatPage:
    """The page of a seat on a player's phone."""

    def __init__(self, server: ServerOnBroker, place: int) -> None:
        self._phone, self._path = server.hall.new_client(), f"/seat/1/{place}"

    def says(self, words: str) -> Callable[[], bool]:
        return lambda: words in self._phone.get(f"{self._path}?lang=en").text

    def press(self, **form: str) -> None:
        token = form_token(self._phone.get(self._path).text)
        assert self._phone.post(self._path, data={"token": token, **form}).status_code == 303


def test_players_say_who_sits_where_two_swap_and_the_table_hears_it(
    make_rig: MakeRig, broker: RunningBroker, server: ServerOnBroker
) -> None:
    rig = make_rig(setup=set_up(names=PLAYERS, seat_check=True), raised=True)
    phones = [SeatPage(server, place) for place in range(4)]
    with connected(rig, broker):
        until(rig, phones[3].says('name="player" value="14"'), "the page asks who sits here")
        for phone, player in zip(phones, ("12", "11", "13", "14"), strict=True):
            phone.press(player=player)
        until(rig, phones[0].says('name="swap"'), "the page names the wrong seat")
        assert rig.happened(SeatsConfirmed) == []
        phones[0].press(swap="1")
        until(rig, phones[0].says("You are 11"), "the page says who sits here now")
        until(rig, lambda: bool(rig.happened(SeatsConfirmed)), "the table has heard all four")
    assert [(taken.place, taken.player) for taken in rig.happened(SeatTaken)][:4] == [(0, "12"), (1, "11"), (2, "13"), (3, "14")]
    assert rig.happened(SeatsConfirmed)[0].players == PLAYERS
