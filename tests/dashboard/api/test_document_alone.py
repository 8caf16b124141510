"""An event from its description to its results, run by a client that knows the OpenAPI document and nothing of the product."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from cli.demo.event_demo import PUBLIC
from dashboard.access.api_tokens import TokenScope
from tests.support.dashboard.api import api_token
from tests.support.dashboard.custody.committing_vaults import CommittingVaults
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.event.sessions import Play, hand_lines, left_out, paid
from tests.support.openapi_client import Answered, OpenApiClient, SchemaMismatchError
from tests.support.wire.streams import Line, public_events

DOCUMENT = (Path(__file__).parents[3] / "docs" / "reference" / "openapi.json").read_bytes()
PLAYERS = [f"Player {letter}" for letter in "ABCDEFGHIJKLMNOP"]


class World:
    """The hall as far as no program rules it: tables that play what they are told, and the vaults."""

    def __init__(self, folder: Path) -> None:
        self.sent: list[tuple[str, object]] = []
        self.hall = Hall(settings=replace(OPEN, names=folder / "names.json"), deals=CommittingVaults(), send=self._send)
        self.scripts: dict[str, list[Line]] = {}

    def _send(self, table: str, command: object) -> bool:
        self.sent.append((table, command))
        return True

    def client(self, scope: TokenScope) -> OpenApiClient:
        return OpenApiClient(DOCUMENT, self.send, api_token(self.hall, scope))

    def send(self, method: str, address: str, headers: Mapping[str, str], body: bytes | None) -> Answered:
        answer = self.hall.new_client().open(address, method=method, headers=dict(headers), data=body)
        return Answered(answer.status_code, {name.lower(): value for name, value in answer.headers.items()}, answer.data)

    def play(self, n: int, hand: int, seats: Mapping[str, list[str]]) -> None:
        """Each table plays a deal, another seat winning at each; then the vault releases it."""
        self.hall.store.connection(True)
        for winner, (table, players) in enumerate(seats.items()):
            self.add(table, *hand_lines(Play(n, 1, hand, table, players, paid(winner % 4, 16, None))))
        self.hall.release(n, 1, hand)

    def add(self, table: str, *lines: Line) -> None:
        script = self.scripts.setdefault(table, [])
        before = len(script)
        script += lines
        self.hall.add(public_events(script, table)[before:])


class Director(OpenApiClient):
    """A program that sends the version of the event that it has read last."""

    def do(self, operation_id: str, body: object = None, **parameters: object) -> dict[str, object]:
        """Call an operation that is carried out."""
        answered = self.call(operation_id, body, **parameters)
        assert answered.status == 200, (operation_id, answered.content)
        self.headers["Event-Version"] = answered.headers["event-version"]
        return answered.document

    def change(self, type_: str, **fields: object) -> None:
        self.do("changeEvent", {"change": {"type": type_, **fields}})


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def director(world: World) -> Director:
    client = Director(DOCUMENT, world.send, api_token(world.hall, TokenScope.DIRECTOR))
    client.do("readEvent")
    return client


def test_an_event_is_run_from_its_description_to_its_results(world: World) -> None:
    program = director(world)
    program.change("event-described", kind="individual", rules="mcr-duplicate", hands=2)
    program.headers["Idempotency-Key"] = "the list"
    entered = program.do("enterList", {"list": "\n".join(["name,club", *(f"{name},Plum" for name in PLAYERS)])})
    assert program.do("enterList", {"list": "\n".join(["name,club", *(f"{name},Plum" for name in PLAYERS)])}) == entered
    del program.headers["Idempotency-Key"]
    program.do("changeEvent", {"change": program.do("proposeSeats", session=1)["seating"]})
    program.do("makeDeals", {"source": "tiles: 32", "passphrase": "correct horse battery"})
    program.do("fixStart", {"public": PUBLIC})
    program.change("announced", texts={"en": "Please take your seats."})
    program.change("session-started", session=1)
    seats: dict[str, list[str]] = {}
    for seat in rows(program.do("readSeats", session=1), "seats"):
        seats.setdefault(str(seat["table"]), []).append(str(seat["number"]))
    for n in (1, 2):
        world.play(n, n, seats)
    program.change("session-ended", session=1)
    program.change("event-closed")
    viewer = world.client(TokenScope.VIEWER)
    assert viewer.call("readEvent").document["stage"] == "closed"
    assert [deal["state"] for deal in rows(viewer.call("readDeals").document, "deals")] == ["released", "released"]
    assert len(rows(viewer.call("readDeal", deal=1).document, "hands")) == 4
    (group,) = rows(viewer.call("readStandings").document, "groups")
    assert {rank["entrant"] for rank in rows(group, "ranking")} == set(PLAYERS)
    assert viewer.call("readResultsCsv").content.count(b"\n") == 1 + 2 * 16
    card = viewer.call("readPlayer", player="1").document
    assert len(rows(card, "hands")) == 2


def test_what_everybody_may_not_do_is_answered_as_the_document_says(world: World) -> None:
    viewer = world.client(TokenScope.VIEWER)
    viewer.headers["Event-Version"] = "0"
    assert viewer.call("changeEvent", {"change": {"type": "event-closed"}}).status == 403
    assert viewer.call("readDeal", deal=7).status == 404
    program = director(world)
    program.headers["Event-Version"] = "4"
    assert program.call("changeEvent", {"change": {"type": "event-closed"}}).document["type"] == "urn:twinwall:problem:changed"


def test_a_correction_is_ruled_and_told(world: World) -> None:
    program = director(world)
    program.change("event-described", kind="individual", rules="mcr-duplicate", hands=1)
    program.do("enterList", {"list": "\n".join(PLAYERS)})
    program.do("changeEvent", {"change": program.do("proposeSeats", session=1)["seating"]})
    program.change("session-started", session=1)
    seats: dict[str, list[str]] = {}
    for seat in rows(program.do("readSeats", session=1), "seats"):
        seats.setdefault(str(seat["table"]), []).append(str(seat["number"]))
    world.play(1, 1, seats)
    referee = world.client(TokenScope.REFEREE)
    play = referee.call("readPlay", table="1").document
    assert "average" in list(map(str, play["choices"] if isinstance(play["choices"], list) else []))
    ruled = referee.call("rule", {"deal": 1, "choice": "average", "seat": "E", "reason": "a wrong tile"}, table="1")
    assert ruled.status == 200, ruled.content
    assert world.sent[-1][0] == "1"
    world.add("1", left_out(str(ruled.document["identity"]), 1))
    assert rows(program.do("readStandings"), "corrections")[0]["deal"] == 1


def test_the_client_refuses_what_the_document_does_not_have(world: World) -> None:
    program = director(world)
    for body in ({"change": {"type": "event-painted"}}, {"change": {"type": "session-started"}}, {"more": 1}, None):
        with pytest.raises(SchemaMismatchError):
            program.call("changeEvent", body)
    with pytest.raises(SchemaMismatchError):
        program.call("readDeal", deal=0)
    with pytest.raises(SchemaMismatchError):
        program.call("readEvent", colour="red")


def test_every_operation_is_answered_as_the_document_says_in_every_scope(world: World) -> None:
    values: dict[str, object] = {"session": 1, "deal": 1, "player": "1", "table": "1", "webhook": 1, "since": 0}
    for scope in TokenScope:
        client = world.client(scope)
        client.headers["Event-Version"] = "0"
        for operation_id in client.operations:
            if operation_id.startswith(("read", "propose", "tell", "withdraw")):
                asked = {name: values[name] for name in client.needed(operation_id)}
                assert client.call(operation_id, **asked).status in (200, 403, 404, 409), operation_id


def rows(document: Mapping[str, object], key: str) -> list[dict[str, object]]:
    found = document[key]
    assert isinstance(found, list)
    return found
