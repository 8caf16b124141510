"""An event from its description to its results, run by a client that knows the OpenAPI document and nothing of the product."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from cli.demo.command import PUBLIC
from dashboard.access.api_tokens import TokenScope
from tests.support.dashboard.api import api_token
from tests.support.dashboard.custody.vaults import CommittingVaults
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.event.sessions import Play, hand_lines, left_out, paid
from tests.support.narrowed import of_type
from tests.support.wire.streams import Line, public_events

_TYPES: Mapping[str, Callable[[object], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
}
_HOLDS: Mapping[str, Callable[[Any, Any], bool]] = {
    "type": lambda value, said: _TYPES[said](value),
    "enum": lambda value, said: value in said,
    "minLength": lambda value, said: not isinstance(value, str) or len(value) >= said,
    "maxLength": lambda value, said: not isinstance(value, str) or len(value) <= said,
    "minItems": lambda value, said: not isinstance(value, list) or len(value) >= said,
    "maxItems": lambda value, said: not isinstance(value, list) or len(value) <= said,
    "minimum": lambda value, said: not isinstance(value, int | float) or value >= said,
    "maximum": lambda value, said: not isinstance(value, int | float) or value <= said,
    "pattern": lambda value, said: not isinstance(value, str) or re.search(said, value) is not None,
}
_OF_PARTS = frozenset({"properties", "required", "additionalProperties", "propertyNames", "items", "prefixItems"})
_SAYS_NOTHING = frozenset({"title", "description", "default", "format", "discriminator"})


class SchemaMismatchError(AssertionError):
    """Something that is sent or answered is not as the document says."""


@dataclass(frozen=True)
class Answered:
    """An answer: its status, its headers in small letters, and its content."""

    status: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def document(self) -> dict[str, object]:
        read: dict[str, object] = json.loads(self.content)
        return read


Transport = Callable[[str, str, Mapping[str, str], bytes | None], Answered]
"""Sends a request, by its method, to an address of the server, with headers and a body."""


class OpenApiClient:
    def __init__(self, document: bytes, send: Transport, token: str) -> None:
        self._document, self._send, self._token = json.loads(document), send, token
        self._base = self._document["servers"][0]["url"]
        self._operations = {
            operation["operationId"]: (method.upper(), path, operation)
            for path, methods in self._document["paths"].items()
            for method, operation in methods.items()
        }
        self.headers: dict[str, str] = {}
        """Values of header parameters, sent to the operations that declare them."""

    @property
    def operations(self) -> tuple[str, ...]:
        return tuple(self._operations)

    def needed(self, operation_id: str) -> tuple[str, ...]:
        return tuple(each["name"] for each in self._operations[operation_id][2]["parameters"] if each["in"] == "path")

    def call(self, operation_id: str, body: object = None, **parameters: object) -> Answered:
        """Call an operation; raises SchemaMismatchError when request or answer is not as the document says."""
        method, path, operation = self._operations[operation_id]
        headers, query = {"Authorization": f"Bearer {self._token}"}, {}
        for declared in operation["parameters"]:
            name = declared["name"]
            given = self.headers.get(name) if declared["in"] == "header" else parameters.pop(name, None)
            if given is None:
                if declared["required"]:
                    raise SchemaMismatchError(f"{operation_id} needs the parameter {name}")
                continue
            whole = declared["in"] == "header" and declared["schema"]["type"] == "integer"
            self.check(int(str(given)) if whole else given, declared["schema"], name)
            match declared["in"]:
                case "path":
                    path = path.replace(f"{{{name}}}", quote(str(given), safe=""))
                case "query":
                    query[name] = str(given)
                case "header":
                    headers[name] = str(given)
        if parameters:
            raise SchemaMismatchError(f"{operation_id} has no parameter {', '.join(parameters)}")
        if "requestBody" in operation:
            self.check(body, operation["requestBody"]["content"]["application/json"]["schema"], "body")
            headers["Content-Type"] = "application/json"
        elif body is not None:
            raise SchemaMismatchError(f"{operation_id} takes no body")
        address = f"{self._base}{path}{f'?{urlencode(query)}' if query else ''}"
        answered = self._send(method, address, headers, None if body is None else json.dumps(body).encode())
        self._check_answer(operation_id, operation, answered)
        return answered

    def _check_answer(self, operation_id: str, operation: Mapping[str, Any], answered: Answered) -> None:
        declared = operation["responses"].get(str(answered.status))
        if declared is None:
            raise SchemaMismatchError(f"{operation_id} answered {answered.status}, which the document does not have: {answered.content!r}")
        kind = answered.headers["content-type"].partition(";")[0]
        content = declared["content"]
        if kind not in content:
            raise SchemaMismatchError(f"{operation_id} answered {kind}, not {', '.join(content)}")
        if kind.endswith("json"):
            self.check(json.loads(answered.content), content[kind]["schema"], operation_id)

    def check(self, value: object, schema: Mapping[str, Any], place: str) -> None:
        """Raise SchemaMismatchError, which names the place, where a value is not as a schema says."""
        problem = next(self._problems(value, schema, place), None)
        if problem is not None:
            raise SchemaMismatchError(problem)

    def _problems(self, value: object, schema: Mapping[str, Any], place: str) -> Iterator[str]:
        for keyword, said in schema.items():
            if keyword in _HOLDS:
                if not _HOLDS[keyword](value, said):
                    yield f"{place} is {value!r}, against {keyword} {said}"
            elif keyword == "$ref":
                yield from self._problems(value, self._document["components"]["schemas"][said.rpartition("/")[2]], place)
            elif keyword == "anyOf":
                if all(any(True for _ in self._problems(value, of, place)) for of in said):
                    yield f"{place} is {value!r}, which fits none of {len(said)} schemas"
            elif keyword not in _OF_PARTS | _SAYS_NOTHING:
                raise NotImplementedError(f"the check does not know {keyword}: {said!r}")
        if isinstance(value, dict):
            fields, others = schema.get("properties", {}), schema.get("additionalProperties", True)
            yield from (f"{place} lacks {name}" for name in schema.get("required", ()) if name not in value)
            for name, each in value.items():
                yield from self._problems(name, schema.get("propertyNames", {}), f"the key {name} of {place}")
                yield from self._of_part(each, fields.get(name, others), f"{place}.{name}")
        if isinstance(value, list):
            first, others = schema.get("prefixItems", []), schema.get("items", True)
            for index, each in enumerate(value):
                yield from self._of_part(each, first[index] if index < len(first) else others, f"{place}[{index}]")

    def _of_part(self, value: object, schema: Mapping[str, Any] | bool, place: str) -> Iterator[str]:
        """What is wrong with a field or an item, whose schema may say that anything or nothing can be there."""
        if schema is False:
            yield f"{place} is there, which the schema does not have"
        elif not isinstance(schema, bool):
            yield from self._problems(value, schema, place)


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
        self.hall.views.connection(True)
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


def seats_of(program: Director) -> dict[str, list[str]]:
    seats: dict[str, list[str]] = {}
    for seat in rows(program.do("readSeats", session=1), "seats"):
        seats.setdefault(str(seat["table"]), []).append(str(seat["number"]))
    return seats


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
    seats = seats_of(program)
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
    assert len(rows(viewer.call("readPlayer", player="1").document, "hands")) == 2


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
    world.play(1, 1, seats_of(program))
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
    return of_type(list, document[key])
