"""The OpenAPI 3.1 document of the API, and its table for people, made of the declared operations.

``python -m tools.api_page`` writes both into ``docs/reference``. Schemas are msgspec's; its patterns end in ``\\Z`` as Python has
it, which JSON Schema calls ``$``.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import fill

import msgspec

from dashboard.access.api_tokens import TokenScope
from dashboard.api.operations import Form, Nothing, Operation
from dashboard.api.problems import PROBLEM_TYPE, Problem, ProblemKind

PREFIX = "/api/v1"
COMMON = (ProblemKind.INVALID, ProblemKind.NO_TOKEN, ProblemKind.FORBIDDEN, ProblemKind.NOT_FOUND, ProblemKind.UNAVAILABLE)
"""Problems of every operation."""
CHANGING = (ProblemKind.CHANGED, ProblemKind.REFUSED, ProblemKind.NO_VERSION)
KEYED = (ProblemKind.KEY_IN_USE, ProblemKind.KEY_REUSED)
_REF = "#/components/schemas/{name}"
_TEXT = {"type": "string"}
_VERSION = {"description": "The version of the event when this was answered.", "schema": {"type": "integer"}}


def problems_of(operation: Operation) -> tuple[ProblemKind, ...]:
    """Every problem that an operation may answer, by status."""
    declared = operation.declared
    kinds = {*COMMON, *declared.problems, *(CHANGING if declared.takes_version else ()), *(KEYED if declared.method != "GET" else ())}
    kinds |= {ProblemKind.TOO_LONG} if operation.body is not Nothing else set()
    return tuple(kind for kind in ProblemKind if kind in kinds)


@dataclass(frozen=True, slots=True)
class _Schemas:
    """The schema of each type by its place, and the schemas that they name."""

    of: Mapping[int, object]
    components: Mapping[str, object]


def openapi(operations: Sequence[Operation]) -> dict[str, object]:
    """The document."""
    schemas = _schemas([Problem, *(shape for each in operations for shape in (each.parameters, each.body, each.answer))])
    paths: dict[str, dict[str, object]] = {}
    for operation in operations:
        paths.setdefault(operation.declared.path, {})[operation.declared.method.lower()] = _operation(operation, schemas)
    inlined = {each.parameters.__name__ for each in operations}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Twinwall", "version": "1", "description": "Every operation of the event that the dashboard serves."},
        "servers": [{"url": PREFIX}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": {name: schema for name, schema in schemas.components.items() if name not in inlined},
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "description": "A token that a director made at the page /staff."}
            },
        },
    }


def openapi_file(operations: Sequence[Operation]) -> bytes:
    """The document as its file has it."""
    return (json.dumps(openapi(operations), ensure_ascii=False, indent=1) + "\n").encode()


def operations_list(operations: Sequence[Operation]) -> str:
    """The operations as a list in Markdown."""
    said = ((each.declared, _scopes(each)) for each in operations)
    rows = (f"- `{one.name}`, `{one.method} {one.path}`{scopes and f' ({scopes})'}: {one.summary}" for one, scopes in said)
    return "".join(fill(row, 100, subsequent_indent="  ", break_on_hyphens=False) + "\n" for row in rows)


def problems_list() -> str:
    """The kinds of problems as a list in Markdown."""
    return "".join(f"- `{kind.word}`, {kind.status}: {kind.title}\n" for kind in ProblemKind)


def _scopes(operation: Operation) -> str:
    scopes = operation.declared.scopes
    return "" if scopes == frozenset(TokenScope) else ", ".join(scope.value for scope in TokenScope if scope in scopes)


def _schemas(shapes: Sequence[object]) -> _Schemas:
    wanted = [shape for shape in shapes if shape not in (Nothing, bytes)]
    found, components = msgspec.json.schema_components(wanted, ref_template=_REF)
    by_shape = {id(shape): _clean(schema) for shape, schema in zip(wanted, found, strict=True)}
    return _Schemas(by_shape, {name: _clean(schema) for name, schema in components.items()})


def _clean(value: object) -> object:
    """A schema with patterns as JSON Schema writes them and descriptions without Python's indentation."""
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


def _operation(operation: Operation, schemas: _Schemas) -> dict[str, object]:
    declared = operation.declared
    document: dict[str, object] = {
        "operationId": declared.name,
        "summary": declared.summary,
        "description": f"Tokens of the scope {_scopes(operation)}.",
        "parameters": [*_parameters(operation, schemas)],
        "responses": {"200": _answer(operation, schemas), **_problems(operation)},
    }
    if operation.body is not Nothing:
        document["requestBody"] = {"required": True, "content": {"application/json": {"schema": schemas.of[id(operation.body)]}}}
    return document


def _answer(operation: Operation, schemas: _Schemas) -> dict[str, object]:
    schema = _TEXT if operation.declared.form is Form.CSV else {"type": "object"} if operation.answer is Nothing else None
    content = {operation.declared.form.value: {"schema": schema or schemas.of[id(operation.answer)]}}
    return {"description": operation.declared.summary, "headers": {"Event-Version": _VERSION}, "content": content}


def _problems(operation: Operation) -> dict[str, object]:
    by_status: dict[int, list[str]] = {}
    for kind in problems_of(operation):
        by_status.setdefault(kind.status, []).append(f"{kind.word}: {kind.title}.")
    content = {PROBLEM_TYPE: {"schema": {"$ref": _REF.format(name="Problem")}}}
    return {str(status): {"description": " ".join(said), "content": content} for status, said in sorted(by_status.items())}


def _parameters(operation: Operation, schemas: _Schemas) -> Iterator[dict[str, object]]:
    declared = operation.declared
    if operation.parameters is not Nothing:
        for name, schema, required in _fields(schemas.of[id(operation.parameters)], schemas):
            where = "path" if name in declared.in_path else "query"
            yield {"name": name, "in": where, "required": required or where == "path", "schema": schema}
    if declared.takes_version:
        yield _header("Event-Version", "The version of the event that the program has read last.", {"type": "integer", "minimum": 0}, True)
    if declared.method != "GET":
        said = "Another request with the same key and the same content has no effect and gets the same answer, for two days."
        yield _header("Idempotency-Key", said, {"type": "string", "minLength": 1, "maxLength": 200}, False)


def _header(name: str, description: str, schema: object, required: bool) -> dict[str, object]:
    return {"name": name, "in": "header", "required": required, "description": description, "schema": schema}


def _fields(schema: object, schemas: _Schemas) -> Iterable[tuple[str, object, bool]]:
    """The fields of a struct's schema: name, schema, and whether it is required."""
    assert isinstance(schema, dict)
    found = schemas.components[str(schema["$ref"]).rpartition("/")[2]]
    assert isinstance(found, dict)
    return [(name, of, name in found.get("required", ())) for name, of in found["properties"].items()]
