"""The reference of the public events, written from their definitions: a page, JSON Schema and AsyncAPI.

``python -m twinwall.wire.events.reference`` writes the three files into ``docs/reference``; a test keeps them up to date. The page names
concealed fields; both schemas leave them out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from inspect import cleandoc
from pathlib import Path

import msgspec
from msgspec import Struct

from twinwall.wire.events.catalogue import EVENT_TYPES, GROUPS
from twinwall.wire.events.definitions import AT_THE_TABLE, EventType, FieldDefinition
from twinwall.wire.ledger import HEADER_KEYS, LINE_SALT
from twinwall.wire.messages.assignment import Assignment, JoinedTable
from twinwall.wire.messages.head import Head
from twinwall.wire.mqtt.topics import HALL_ROOT, ROOT, Channel, HallChannel

FOLDER = Path(__file__).parents[3] / "docs" / "reference"

_INTRODUCTION = """# Public events

*Written by `python -m twinwall.wire.events.reference` from `twinwall/wire/events/`; change it there.*

A table publishes one event a line, as canonical JSON (keys sorted, no spaces, not escaped to ASCII, one line feed at the end):

| key | holds |
|---|---|
| `v` | version of the envelope, 1 |
| `table` | name of the table |
| `journal` | id of the ledger; it changes only when the table's controller is replaced |
| `seq` | number of the line, from 1 without gaps |
| `prev` | SHA-256 of the line before with its line feed, lower-case hex; 64 zeros on the first line |
| `at` | when, in UTC: `2026-11-20T10:02:03.123Z` |
| `type` | one of the types below; its fields stand beside these keys |
| `salt` | class T, where a vault gives the deals: 16 bytes in lower-case hex, so that the hash tells nothing of the line |

A salt is the first 16 bytes of HMAC-SHA256, under the journal's key, over `twinwall-line-salt-2`, the line's number (8 bytes,
big-endian) and the journal's id.

Receivers keep lines of types (and fields) that they do not know, in their place.

Every event and every field has a class:

| class | who may know |
|---|---|
| **P** | everybody, at once |
| **T** | that table and its referee; everybody else once all tables have finished the deal |
| **C** | nobody before release: it never leaves the table |

The class of an event is that of its happening at all: an event of class T is not told elsewhere even without its fields.
"""

_ENVELOPE_SCHEMA: Mapping[str, Mapping[str, object]] = {
    "v": {"const": 1},
    "table": {"type": "string", "minLength": 1},
    "journal": {"type": "string", "minLength": 1},
    "seq": {"type": "integer", "minimum": 1},
    "prev": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
    "at": {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$"},
}


def page() -> str:
    """The page for people, as Markdown."""
    parts = [_INTRODUCTION]
    for group, types in GROUPS.items():
        parts.append(f"\n## {group}\n")
        parts += [_section(event) for event in types]
    return "".join(parts)


def json_schema() -> dict[str, object]:
    """JSON Schema (2020-12) of one line of a public ledger."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "One public event of a Twinwall table",
        "oneOf": [{"$ref": f"#/$defs/{name}"} for name in EVENT_TYPES],
        "$defs": {name: _schema(event) for name, event in EVENT_TYPES.items()},
    }


def async_api() -> dict[str, object]:
    """AsyncAPI 3.0 of what a table publishes."""
    return {
        "asyncapi": "3.0.0",
        "info": {"title": "Twinwall table", "version": "1", "description": "Events of one table over MQTT 3.1.1, QoS 1, nothing retained."},
        "defaultContentType": "application/json",
        "channels": {
            Channel.EVENTS.value: {
                "address": f"{ROOT}/{{event}}/{{table}}/{Channel.EVENTS}",
                "description": "The public ledger (classes P and T), for the server alone.",
                "parameters": {name: {"description": f"name of the {name}, percent-encoded"} for name in ("event", "table")},
                "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in EVENT_TYPES},
            },
            Channel.HEAD.value: {
                "address": f"{ROOT}/{{event}}/{{table}}/{Channel.HEAD}",
                "description": "Signed heads of the ledger, for the server and the vault: after each batch of lines, and again every 2 s.",
                "parameters": {name: {"description": f"name of the {name}, percent-encoded"} for name in ("event", "table")},
                "messages": {"head": {"$ref": "#/components/messages/head"}},
            },
            HallChannel.WAITING.value: _hall_channel(
                HallChannel.WAITING, "The heartbeat of a table that has joined the hall, for the server: every 2 s."
            ),
            HallChannel.ASSIGNMENT.value: _hall_channel(
                HallChannel.ASSIGNMENT, "What the server assigns to a table, again at each heartbeat until the table has accepted it."
            ),
        },
        "operations": {
            "publishEvents": {
                "action": "send",
                "channel": {"$ref": f"#/channels/{Channel.EVENTS}"},
                "bindings": {"mqtt": {"qos": 1, "retain": False}},
            },
            "publishHeads": {
                "action": "send",
                "channel": {"$ref": f"#/channels/{Channel.HEAD}"},
                "bindings": {"mqtt": {"qos": 1, "retain": False}},
            },
            "publishWaiting": {
                "action": "send",
                "channel": {"$ref": f"#/channels/{HallChannel.WAITING}"},
                "bindings": {"mqtt": {"qos": 1, "retain": False}},
            },
            "takeAssignment": {
                "action": "receive",
                "channel": {"$ref": f"#/channels/{HallChannel.ASSIGNMENT}"},
                "bindings": {"mqtt": {"qos": 1}},
            },
        },
        "components": {
            "messages": {
                name: {"name": name, "summary": event.meaning, "payload": {"$ref": f"./events.schema.json#/$defs/{name}"}}
                for name, event in EVENT_TYPES.items()
            }
            | {
                name: {"name": name, "summary": summary, "payload": _signed_schema(shape)}
                for name, summary, shape in (
                    ("head", "It covers its line and every line before it.", Head),
                    (HallChannel.WAITING.value, "Signed under the identity key that it names.", JoinedTable),
                    (HallChannel.ASSIGNMENT.value, "Signed by the server; its number rises.", Assignment),
                )
            }
        },
    }


def _hall_channel(channel: HallChannel, description: str) -> dict[str, object]:
    """A channel between a table and the hall, whatever the event."""
    return {
        "address": f"{HALL_ROOT}/{{table}}/{channel}",
        "description": description,
        "parameters": {"table": {"description": "name of the table, percent-encoded"}},
        "messages": {channel.value: {"$ref": f"#/components/messages/{channel}"}},
    }


def _signed_schema(shape: type[Struct]) -> dict[str, object]:
    """JSON Schema of a signed document: the shape's own keys, who signed, and the signature."""
    signed: dict[str, object] = {"by": {"type": "string"}, "signature": {"type": "string", "pattern": "^[0-9a-f]{128}$"}}
    _, components = msgspec.json.schema_components([shape], ref_template="{name}")
    schema = components[shape.__name__]
    properties = {name: _inlined(field, components) for name, field in schema["properties"].items()}
    return {**schema, "properties": {**properties, **signed}, "required": [*schema["required"], *signed]}


def _inlined(schema: object, components: Mapping[str, object]) -> object:
    """A part of a schema with what it refers to in its place; what Python's regular expressions write as \\Z is $ in JSON Schema."""
    if isinstance(schema, list):
        return [_inlined(each, components) for each in schema]
    if not isinstance(schema, dict):
        return schema
    found = components.get(str(schema.get("$ref")), schema)
    assert isinstance(found, dict)
    written = {"pattern": lambda pattern: pattern.removesuffix(r"\Z") + "$", "description": cleandoc}
    return {
        key: written[key](part) if key in written and isinstance(part, str) else _inlined(part, components) for key, part in found.items()
    }


def files() -> dict[str, str]:
    """Every generated file's name and text."""
    return {
        "events.md": page(),
        "events.schema.json": _pretty(json_schema()),
        "asyncapi.json": _pretty(async_api()),
    }


def write(folder: Path) -> None:
    """Write the generated files into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files().items():
        (folder / name).write_text(text, encoding="utf-8")


def _section(event: EventType) -> str:
    heading = f"\n### `{event.name}` · {event.secrecy.value}\n\n{event.meaning[0].upper()}{event.meaning[1:]}.\n"
    if not event.fields:
        return heading
    rows = "".join(f"| `{field.name}` | {field.secrecy.value} | {_holds(field)} | {field.meaning} |\n" for field in event.fields)
    return f"{heading}\n| field | class | holds | meaning |\n|---|---|---|---|\n{rows}"


def _holds(field: FieldDefinition) -> str:
    return field.kind.written + (" or `null`" if field.nullable else "")


def _schema(event: EventType) -> dict[str, object]:
    public = event.visible(AT_THE_TABLE)
    properties: dict[str, object] = dict(_ENVELOPE_SCHEMA)
    properties["type"] = {"const": event.name}
    properties[LINE_SALT.name] = _field_schema(LINE_SALT)
    properties |= {field.name: _field_schema(field) for field in public}
    return {
        "type": "object",
        "description": f"{event.meaning} (class {event.secrecy.value})",
        "properties": properties,
        "required": [*HEADER_KEYS, *(field.name for field in public if not field.optional)],
        "additionalProperties": False,
    }


def _field_schema(field: FieldDefinition) -> dict[str, object]:
    described = {"description": field.meaning, "x-class": field.secrecy.value}
    if field.nullable:
        return {"oneOf": [dict(field.kind.schema), {"type": "null"}], **described}
    return {**field.kind.schema, **described}


def _pretty(value: Mapping[str, object]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    write(FOLDER)
