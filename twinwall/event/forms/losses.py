"""What a record loses in a form: the record that comes back is compared with the one that went in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace

from twinwall.event.forms.form import HandForm
from twinwall.event.forms.rebuilding import record_of
from twinwall.game.play_events import Claimed, HandLaidOpen, HandShown, PlayEvent
from twinwall.game.play_json import to_json
from twinwall.game.record import HandRecord
from twinwall.game.tiles import Seat

_TILES = ("walls", "rest", "digest")


def came_back(form: HandForm, record: HandRecord, text: str) -> HandRecord:
    """What a form gives back of a record that it has written; whoever reads it knows the rules and their options."""
    sheet = next(form.sheets(text))
    return record_of(replace(sheet, rules=sheet.rules or record.rules, options=sheet.options or record.options), lenient=True).record


def lost_fields(before: HandRecord, after: HandRecord) -> tuple[str, ...]:
    """What a record that came back lacks or has otherwise beside its play; empty where it is the same."""
    found = [
        f"{name} ({_words(getattr(before, name))})"
        for name in (field.name for field in fields(HandRecord))
        if name not in (*_TILES, "events") and _plain(getattr(before, name)) != _plain(getattr(after, name))
    ]
    if (before.walls, before.rest) != (after.walls, after.rest):
        found.append("the tiles that nobody drew, and the order in which hands were dealt")
    return tuple(found)


def _plain(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else value


def _words(value: object) -> str:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Mapping):
        return ", ".join(f"{key.value if isinstance(key, Seat) else key} {of}" for key, of in value.items())
    return str(value)


def lost_events(before: HandRecord, after: HandRecord) -> Iterator[str]:
    """The events that did not come back, by name and number.

    In which order the tiles of a shown hand or of a chow lay is no difference: no form holds it.
    """
    kept = Counter(repr(_in_order(event)) for event in after.events)
    lost: dict[str, list[int]] = {}
    for number, event in enumerate(before.events, 1):
        written = repr(_in_order(event))
        if kept[written]:
            kept[written] -= 1
        else:
            lost.setdefault(str(to_json(event)["type"]), []).append(number)
    for name, numbers in lost.items():
        yield f"{name} (event {', '.join(map(str, numbers))})"
    if not lost and [*map(_in_order, before.events)] != [*map(_in_order, after.events)]:
        yield "the order of events"


def _in_order(event: PlayEvent) -> PlayEvent:
    match event:
        case HandShown() | HandLaidOpen():
            return replace(event, concealed=tuple(sorted(event.concealed)))
        case Claimed(_, meld):
            return replace(event, meld=replace(meld, tiles=tuple(sorted(meld.tiles))))
        case _:
            return event
