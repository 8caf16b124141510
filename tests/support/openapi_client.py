"""A client of any API that an OpenAPI 3.1 document describes: it knows the document and nothing of the program that wrote it.

Operations are called by their id. What is sent and what comes back is checked against the document's schemas; a keyword of JSON Schema
that the check does not know is an error, so that nothing passes unseen.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import quote, urlencode

_TYPES: Mapping[str, Callable[[object], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
}
_SAYS_NOTHING = frozenset({"title", "description", "default", "format", "discriminator", "properties", "required"})


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
        """The content as a JSON object."""
        read: dict[str, object] = json.loads(self.content)
        return read


class Transport(Protocol):
    """Sends a request."""

    def __call__(self, method: str, address: str, headers: Mapping[str, str], body: bytes | None) -> Answered:
        """Send a request to an address of the server; the answer."""
        ...


class OpenApiClient:
    """Calls operations of a document with one token."""

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
        """The ids of all operations."""
        return tuple(self._operations)

    def needed(self, operation_id: str) -> tuple[str, ...]:
        """The parameters that an operation's address needs."""
        declared = self._operations[operation_id][2]["parameters"]
        return tuple(each["name"] for each in declared if each["in"] == "path")

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

    def _check_answer(self, operation_id: str, operation: Mapping[str, Mapping[str, Mapping[str, object]]], answered: Answered) -> None:
        declared = operation["responses"].get(str(answered.status))
        if declared is None:
            raise SchemaMismatchError(f"{operation_id} answered {answered.status}, which the document does not have: {answered.content!r}")
        kind = answered.headers["content-type"].partition(";")[0]
        content = declared["content"]
        assert isinstance(content, dict)
        if kind not in content:
            raise SchemaMismatchError(f"{operation_id} answered {kind}, not {', '.join(content)}")
        if kind.endswith("json"):
            self.check(json.loads(answered.content), content[kind]["schema"], operation_id)

    def check(self, value: object, schema: Mapping[str, object], place: str) -> None:
        """Raise SchemaMismatchError, which names the place, where a value is not as a schema says."""
        problem = next(self._problems(value, schema, place), None)
        if problem is not None:
            raise SchemaMismatchError(problem)

    def _problems(self, value: object, schema: Mapping[str, object], place: str) -> Iterator[str]:
        for keyword, said in schema.items():
            if keyword not in _SAYS_NOTHING:
                yield from self._keyword(keyword, said, value, schema, place)
        yield from self._fields(value, schema, place)

    def _fields(self, value: object, schema: Mapping[str, object], place: str) -> Iterator[str]:
        """What is wrong with the fields of an object that the schema names."""
        if not isinstance(value, dict):
            return
        fields, required = schema.get("properties", {}), schema.get("required", [])
        assert isinstance(fields, dict)
        assert isinstance(required, list)
        yield from (f"{place} lacks {name}" for name in required if name not in value)
        for name, of in fields.items():
            if name in value:
                yield from self._problems(value[name], of, f"{place}.{name}")

    def _keyword(self, keyword: str, said: object, value: object, schema: Mapping[str, object], place: str) -> Iterator[str]:
        match keyword, said:
            case "$ref", str():
                of = self._document["components"]["schemas"][said.rpartition("/")[2]]
                yield from self._problems(value, of, place)
            case "type", str():
                if not _TYPES[said](value):
                    yield f"{place} is {value!r}, not {said}"
            case "anyOf", list():
                if all(any(True for _ in self._problems(value, of, place)) for of in said):
                    yield f"{place} is {value!r}, which fits none of {len(said)} schemas"
            case "enum", list():
                if value not in said:
                    yield f"{place} is {value!r}, not one of {said}"
            case (("items" | "prefixItems" | "minItems" | "maxItems"), _):
                yield from self._array(keyword, said, value, schema, place)
            case (("additionalProperties" | "propertyNames"), _):
                yield from self._further(keyword, said, value, schema, place)
            case (("minLength" | "maxLength" | "minimum" | "maximum" | "pattern"), _):
                if not _is_within(keyword, said, value):
                    yield f"{place} is {value!r}, against {keyword} {said}"
            case _:
                raise NotImplementedError(f"the check does not know {keyword}: {said!r}")

    def _array(self, keyword: str, said: object, value: object, schema: Mapping[str, object], place: str) -> Iterator[str]:
        if not isinstance(value, list):
            return
        first = schema.get("prefixItems", [])
        assert isinstance(first, list)
        match keyword, said:
            case "minItems", int() if len(value) < said:
                yield f"{place} has {len(value)} items, not {said} or more"
            case "maxItems", int() if len(value) > said:
                yield f"{place} has {len(value)} items, more than {said}"
            case "prefixItems", list():
                for index, (each, of) in enumerate(zip(value, said, strict=False)):
                    yield from self._problems(each, of, f"{place}[{index}]")
            case "items", dict():
                for index, each in enumerate(value[len(first) :], len(first)):
                    yield from self._problems(each, said, f"{place}[{index}]")
            case "items", False if len(value) > len(first):
                yield f"{place} has more than {len(first)} items"

    def _further(self, keyword: str, said: object, value: object, schema: Mapping[str, object], place: str) -> Iterator[str]:
        if not isinstance(value, dict):
            return
        known = schema.get("properties", {})
        assert isinstance(known, dict)
        for name, each in value.items():
            match keyword, said:
                case "propertyNames", dict():
                    yield from self._problems(name, said, f"the key {name} of {place}")
                case "additionalProperties", dict() if name not in known:
                    yield from self._problems(each, said, f"{place}.{name}")
                case "additionalProperties", False if name not in known:
                    yield f"{place} has {name}, which the schema does not have"


def _is_within(keyword: str, said: object, value: object) -> bool:
    match keyword, said, value:
        case "minLength", int(), str():
            return len(value) >= said
        case "maxLength", int(), str():
            return len(value) <= said
        case "minimum", int() | float(), int() | float():
            return value >= said
        case "maximum", int() | float(), int() | float():
            return value <= said
        case "pattern", str(), str():
            return re.search(said, value) is not None
        case _:
            return True
