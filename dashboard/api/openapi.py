"""The OpenAPI 3.1 document of the API, made from the declared operations.

``python -m tools.api_page`` writes it into ``docs/reference``. Schemas are msgspec's; patterns end in Python's ``\\Z``, which becomes JSON
Schema's ``$``.
"""

import inspect
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

import msgspec

from dashboard.access.api_tokens import TokenScope
from dashboard.api.operations import PROBLEM_TYPE, EmptyBody, Operation, Problem, ProblemKind
from twinwall.game.documents import pretty_json

PREFIX = "/api/v1"
COMMON = (ProblemKind.INVALID, ProblemKind.NO_TOKEN, ProblemKind.FORBIDDEN, ProblemKind.NOT_FOUND, ProblemKind.UNAVAILABLE)
"""Problems of every operation."""
CHANGING = (ProblemKind.CHANGED, ProblemKind.REFUSED, ProblemKind.NO_VERSION)
KEYED = (ProblemKind.KEY_IN_USE, ProblemKind.KEY_REUSED)
_Schema = dict[str, object]
_REF = "#/components/schemas/{name}"
_TEXT: _Schema = {"type": "string"}
_VERSION = {"description": "The version of the event when this was answered.", "schema": {"type": "integer"}}


def problems_of(operation: Operation) -> tuple[ProblemKind, ...]:
    """Every problem that an operation may answer, by status."""
    kinds = {*COMMON, *operation.problems, *(CHANGING if operation.takes_version else ()), *(KEYED if operation.method != "GET" else ())}
    kinds |= {ProblemKind.TOO_LONG} if operation.body is not EmptyBody else set()
    return tuple(kind for kind in ProblemKind if kind in kinds)


def openapi(operations: Sequence[Operation]) -> _Schema:
    shapes: list[object] = [
        Problem,
        *(shape for each in operations for shape in (each.body, each.answer) if shape not in (EmptyBody, type(None), bytes)),
    ]
    found, components = msgspec.json.schema_components(shapes, schema_hook=_exact, ref_template=_REF)
    schemas = {shape: _clean(schema) for shape, schema in zip(shapes, found, strict=True)}
    paths: dict[str, _Schema] = {}
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation, schemas)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Twinwall", "version": "1", "description": "Every operation of the event that the dashboard serves."},
        "servers": [{"url": PREFIX}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": {name: _clean(schema) for name, schema in components.items()},
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "description": "A token that a director made at the page /staff."}
            },
        },
    }


def openapi_file(operations: Sequence[Operation]) -> bytes:
    """The document's file."""
    return pretty_json(openapi(operations))


def scopes_of(operation: Operation) -> str:
    """The tokens that may use it; empty if all may."""
    scopes = operation.scopes
    return "" if scopes == frozenset(TokenScope) else ", ".join(scope.value for scope in TokenScope if scope in scopes)


def _exact(shape: type) -> _Schema:
    """The schema of a type that msgspec does not know: exact fractions are text."""
    if shape is Fraction:
        return _TEXT
    raise NotImplementedError(f"{shape.__name__} has no form in an answer")


def _clean(value: object) -> object:
    """A schema with JSON Schema's patterns and descriptions without Python's indentation."""
    if isinstance(value, dict):
        return {key: _clean_text(key, each) if isinstance(each, str) else _clean(each) for key, each in value.items()}
    return [_clean(each) for each in value] if isinstance(value, list) else value


def _clean_text(key: str, text: str) -> str:
    match key:
        case "pattern":
            return text.replace(r"\Z", "$")
        case "description":
            return inspect.cleandoc(text)
        case _:
            return text


def _operation(operation: Operation, schemas: Mapping[object, object]) -> _Schema:
    document: _Schema = {
        "operationId": operation.name,
        "summary": operation.summary,
        "description": f"Tokens of the scope {scopes_of(operation)}.",
        "parameters": [*_parameters(operation)],
        "responses": {"200": _answer(operation, schemas), **_problems(operation)},
    }
    if operation.body is not EmptyBody:
        document["requestBody"] = {"required": True, "content": {"application/json": {"schema": schemas[operation.body]}}}
    return document


def _answer(operation: Operation, schemas: Mapping[object, object]) -> _Schema:
    plain = {bytes: _TEXT, type(None): {"type": "object"}}
    schema = plain[operation.answer] if operation.answer in plain else schemas[operation.answer]
    return {"description": operation.summary, "headers": {"Event-Version": _VERSION}, "content": {operation.media_type: {"schema": schema}}}


def _problems(operation: Operation) -> _Schema:
    by_status: dict[int, list[str]] = {}
    for kind in problems_of(operation):
        by_status.setdefault(kind.status, []).append(f"{kind.word}: {kind.title}.")
    content = {PROBLEM_TYPE: {"schema": {"$ref": _REF.format(name="Problem")}}}
    return {str(status): {"description": " ".join(description), "content": content} for status, description in sorted(by_status.items())}


def _parameters(operation: Operation) -> Iterator[_Schema]:
    name = operation.parameters.__name__
    of = msgspec.json.schema_components([operation.parameters])[1][name]
    for name, schema in of["properties"].items():
        where = "path" if f"{{{name}}}" in operation.path else "query"
        yield {"name": name, "in": where, "required": name in of["required"] or where == "path", "schema": _clean(schema)}
    if operation.takes_version:
        yield _header("Event-Version", "The version of the event that the program has read last.", {"type": "integer", "minimum": 0}, True)
    if operation.method != "GET":
        description = "Another request with the same key and the same content has no effect and gets the same answer, for two days."
        yield _header("Idempotency-Key", description, {"type": "string", "minLength": 1, "maxLength": 200}, False)


def _header(name: str, description: str, schema: object, required: bool) -> _Schema:
    return {"name": name, "in": "header", "required": required, "description": description, "schema": schema}
