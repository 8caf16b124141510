"""The reference of the public events, written from their definitions: a page, JSON Schema and AsyncAPI.

``python -m tools.events_reference`` writes the three files into ``docs/reference``; a test keeps them up to date. The page names
concealed fields; both schemas leave them out.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from inspect import cleandoc
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
from msgspec import Struct

from twinwall.wire.events.catalogue import EVENT_TYPES, GROUPS
from twinwall.wire.events.definitions import AT_THE_TABLE, EventType, FieldDefinition, word_kind
from twinwall.wire.events.trouble_events import TablePart
from twinwall.wire.ledger import HEADER_KEYS, LINE_SALT
from twinwall.wire.messages.assignment import Assignment, JoinedTable
from twinwall.wire.messages.boot_keys import Head
from twinwall.wire.messages.commands import (
    AnswerRecord,
    AnswerTile,
    CallReferee,
    ConfirmScore,
    Health,
    PauseClock,
    Resend,
    SwapSeats,
    TakeSeat,
)
from twinwall.wire.messages.tile_question import AskedRecord, AskedTile, ShownCall, ShownViolation
from twinwall.wire.messages.tile_reading import TileOrder, TileReading
from twinwall.wire.mqtt.topics import HALL_ROOT, ROOT, Channel, HallChannel

FOLDER = Path(__file__).parents[1] / "docs" / "reference"

_INTRODUCTION = """# Public events

*Written by `python -m tools.events_reference` from `twinwall/wire/events/`; change it there.*

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
| **C** | not published before release: it never leaves the table |

The class in an event's heading is that of its happening at all: an event of class T is published nowhere else, even without its
fields. A field has the class of its event unless another one stands beside it.

In the lists a *seat* is `E`, `S`, `W` or `N`, a *number* a whole number from 0, a *flag* `true` or `false`, a *hash* a SHA-256
in lower-case hex, a *tile* is written `5p`, *tiles* `1m 2m 3m`, and a *part* of the table is PART. A type
with a question mark may be `null`.

## Common fields

"""
_PART = word_kind("part", TablePart).written
_SHORT = {
    "`E`, `S`, `W` or `N`": "seat",
    "whole number from 0": "number",
    "SHA-256 in lower-case hex": "hash",
    "`true` or `false`": "flag",
    "one tile, `5p`": "tile",
    "tiles, `1m 2m 3m`": "tiles",
    _PART: "part",
}

_ENVELOPE_SCHEMA: Mapping[str, Mapping[str, object]] = {
    "v": {"const": 1},
    "table": {"type": "string", "minLength": 1},
    "journal": {"type": "string", "minLength": 1},
    "seq": {"type": "integer", "minimum": 1},
    "prev": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
    "at": {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$"},
}

_NUMBERED: Mapping[str, object] = {"id": {"type": "string", "minLength": 1}, "counter": {"type": "integer", "minimum": 0}}
"""What a signed command has besides: its id, and the number that rises with each that its signer sends."""
_COMMANDS: Mapping[str, tuple[str, type[Struct]]] = {
    "resend": ("A receiver lacks lines of the ledger.", Resend),
    "seat-taken": ("A player says to sit at a place, for the seat check.", TakeSeat),
    "seats-swapped": ("The players of two places have changed seats.", SwapSeats),
    "score-confirmed": ("A player enters or confirms a hand's score on the page of a seat.", ConfirmScore),
    "referee-called": ("A player calls the referee on the page of a seat.", CallReferee),
    "tile-answered": ("The referee says which tile it is that the camera cannot read.", AnswerTile),
    "record-answered": ("The referee says what happened where the decoder doubts a record.", AnswerRecord),
    "clock-paused": ("No further hand begins, or play goes on.", PauseClock),
}


_COMMON_FROM = 2
"""From this number of events on, a field that they define alike is described once; of two of one name, the more frequent."""


def page() -> str:
    """The page for people, as Markdown."""
    uses = Counter(_written(field) for event in EVENT_TYPES.values() for field in event.fields)
    often = {line.split("`")[1]: line for line, count in reversed(uses.most_common()) if count >= _COMMON_FROM}
    common = set(often.values())
    parts = [_INTRODUCTION.replace("PART", _PART), *sorted(common)]
    for group, types in GROUPS.items():
        parts.append(f"\n## {group}\n")
        parts += [_section(event, common) for event in types]
    return "".join(parts)


def json_schema() -> dict[str, object]:
    """JSON Schema (2020-12) of one line of a public ledger."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "One public event of a Twinwall table",
        "oneOf": [{"$ref": f"#/$defs/{name}"} for name in EVENT_TYPES],
        "$defs": {name: _schema(event) for name, event in EVENT_TYPES.items()},
    }


_OVER_MQTT = (
    "Events of one table over MQTT 3.1.1, QoS 1, nothing retained. Spaces follow each document, so that topic and payload together have "
    "1024 bytes, or twice, four times and so on as many; they are no part of it: take them off before hashes and signatures are checked."
)


def async_api() -> dict[str, object]:
    """AsyncAPI 3.0 of what a table publishes and takes."""
    return {
        "asyncapi": "3.0.0",
        "info": {"title": "Twinwall table", "version": "1", "description": _OVER_MQTT},
        "defaultContentType": "application/json",
        "channels": {channel.value: written for channel, written in _channels()},
        "operations": {
            "publishEvents": _operation("send", Channel.EVENTS),
            "publishHeads": _operation("send", Channel.HEAD),
            "publishHealth": _operation("send", Channel.HEALTH),
            "publishQuestion": _operation("send", Channel.QUESTION),
            "takeCommand": _operation("receive", Channel.COMMAND),
            "publishWaiting": _operation("send", HallChannel.WAITING),
            "takeAssignment": _operation("receive", HallChannel.ASSIGNMENT),
            "takeTileOrder": _operation("receive", HallChannel.TILE_ORDER),
            "publishTiles": _operation("send", HallChannel.TILES),
        },
        "components": {"messages": _messages()},
    }


def _channels() -> Iterator[tuple[Channel | HallChannel, dict[str, object]]]:
    yield Channel.EVENTS, _event_channel(Channel.EVENTS, "The public ledger (classes P and T), for the server alone.", *EVENT_TYPES)
    heads = "Signed heads of the ledger, for the server and the vault: after each batch of lines, and again after 4, 8, 16 and 32 s."
    yield Channel.HEAD, _event_channel(Channel.HEAD, heads, "head")
    commands = "From server or vault to the table. All but `resend` are the server's; a ruling has the fields of `ruling`."
    yield Channel.COMMAND, _event_channel(Channel.COMMAND, commands, *(f"command-{name}" for name in _COMMANDS))
    health = "The heartbeat of a table at an event, for the server alone: every 2 s, not signed, and nothing of the play in it."
    yield Channel.HEALTH, _event_channel(Channel.HEALTH, health, "health")
    questions = (
        "Which tile it is, what happened in a doubted record, where a violation was seen, or about which place the table calls, for the "
        "server alone: signed, again every 2 s while it is open."
    )
    asked = ("question", "record-question", "violation-pictures", "call-picture")
    yield Channel.QUESTION, _event_channel(Channel.QUESTION, questions, *asked)
    waiting = "The heartbeat of a table that has joined the hall, for the server: every 2 s."
    yield HallChannel.WAITING, _hall_channel(HallChannel.WAITING, waiting)
    assigned = "What the server assigns to a table, again at each heartbeat until the table has accepted it."
    yield HallChannel.ASSIGNMENT, _hall_channel(HallChannel.ASSIGNMENT, assigned)
    ordered = "Read the tiles that are drawn for an event's public value; the server sends it once."
    yield HallChannel.TILE_ORDER, _hall_channel(HallChannel.TILE_ORDER, ordered)
    tiles = "What the table's camera has read of them, for the server: once, as the answer to an order."
    yield HallChannel.TILES, _hall_channel(HallChannel.TILES, tiles)


def _operation(action: str, channel: Channel | HallChannel) -> dict[str, object]:
    """What a table does with a channel."""
    bindings: dict[str, object] = {"qos": 1, "retain": False} if action == "send" else {"qos": 1}
    return {"action": action, "channel": {"$ref": f"#/channels/{channel}"}, "bindings": {"mqtt": bindings}}


def _messages() -> dict[str, object]:
    events: dict[str, object] = {
        name: {"name": name, "summary": event.meaning, "payload": {"$ref": f"./events.schema.json#/$defs/{name}"}}
        for name, event in EVENT_TYPES.items()
    }
    signed = (
        ("head", "It covers its line and every line before it.", _signed_schema(Head)),
        ("question", "Pictures of the place before and after, and the kinds that can be answered.", _signed_schema(AskedTile)),
        ("record-question", "Pictures of the place of an event whose record is doubted.", _signed_schema(AskedRecord)),
        ("violation-pictures", "Pictures of the place of a violation that the table has reported.", _signed_schema(ShownViolation)),
        ("call-picture", "A picture of the place about which the table itself calls the referee.", _signed_schema(ShownCall)),
        *((f"command-{name}", summary, _signed_schema(shape, _NUMBERED)) for name, (summary, shape) in _COMMANDS.items()),
        (HallChannel.WAITING.value, "Signed under the identity key that it names.", _signed_schema(JoinedTable)),
        (HallChannel.ASSIGNMENT.value, "Signed by the server; its number rises.", _signed_schema(Assignment)),
        (HallChannel.TILE_ORDER.value, "Signed by the server; its number rises.", _signed_schema(TileOrder)),
        (HallChannel.TILES.value, "Signed under the table's identity key, with the order in it.", _signed_schema(TileReading)),
    )
    beats = {
        "name": "health",
        "summary": "The table lives; how long its ledger is, and how its machine does.",
        "payload": _plain_schema(Health),
    }
    return events | {"health": beats} | {name: {"name": name, "summary": summary, "payload": payload} for name, summary, payload in signed}


def _event_channel(channel: Channel, description: str, *messages: str) -> dict[str, object]:
    """A channel of a table at an event."""
    return {
        "address": f"{ROOT}/{{event}}/{{table}}/{channel}",
        "description": description,
        "parameters": {name: {"description": f"name of the {name}, percent-encoded"} for name in ("event", "table")},
        "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in messages},
    }


def _hall_channel(channel: HallChannel, description: str) -> dict[str, object]:
    """A channel between a table and the hall, whatever the event."""
    return {
        "address": f"{HALL_ROOT}/{{table}}/{channel}",
        "description": description,
        "parameters": {"table": {"description": "name of the table, percent-encoded"}},
        "messages": {channel.value: {"$ref": f"#/components/messages/{channel}"}},
    }


def _plain_schema(shape: type[Struct]) -> dict[str, object]:
    """JSON Schema of an unsigned document; its version besides."""
    schema, properties = _components_of(shape)
    return {**schema, "properties": {"v": {"const": 1}, **properties}, "required": ["v", *schema["required"]]}


def _components_of(shape: type[Struct]) -> tuple[dict[str, Any], dict[str, object]]:
    """A shape's JSON Schema, and its properties with what they refer to in its place."""
    _, components = msgspec.json.schema_components([shape], ref_template="{name}")
    schema = components[shape.__name__]
    return schema, {name: _inlined(field, components) for name, field in schema["properties"].items()}


def _signed_schema(shape: type[Struct], more: Mapping[str, object] = MappingProxyType({})) -> dict[str, object]:
    """JSON Schema of a signed document: the shape's own keys and ``more``, who signed, and the signature."""
    signed: dict[str, object] = {**more, "by": {"type": "string"}, "signature": {"type": "string", "pattern": "^[0-9a-f]{128}$"}}
    schema, properties = _components_of(shape)
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


def _section(event: EventType, common: set[str]) -> str:
    heading = f"\n### `{event.name}` ({event.secrecy.value})\n\n{event.meaning[0].upper()}{event.meaning[1:]}.\n"
    named, own = [], []
    for field in event.fields:
        other = "" if field.secrecy is event.secrecy else f" {field.secrecy.value}"
        if (line := _written(field)) in common:
            named.append(f"`{field.name}`{other}")
        else:
            own.append(line.replace("`,", f"`{other},", 1))
    return heading + (f"\nCommon: {', '.join(named)}\n" if named else "") + ("\n" + "".join(own) if own else "")


def _written(field: FieldDefinition) -> str:
    return f"- `{field.name}`, {_SHORT.get(field.kind.written, field.kind.written)}{'?' if field.nullable else ''}: {field.meaning}\n"


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
