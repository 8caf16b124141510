"""What a record loses in a form: the record that comes back is compared with the one that went in."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from twinwall.event.forms.following import record_of
from twinwall.event.forms.form import HandForm
from twinwall.event.record_versions import differing_fields, field_text, without_order
from twinwall.game.play_json import to_json
from twinwall.game.record import HandRecord

_TILES = ("walls", "rest", "digest")


def came_back(form: HandForm, record: HandRecord, text: str) -> HandRecord:
    """What a form gives back of a record that it has written; its reader knows the rules and their options."""
    sheet = next(form.sheets(text))
    return record_of(replace(sheet, rules=sheet.rules or record.rules, options=sheet.options or record.options), lenient=True).record


def lost_fields(before: HandRecord, after: HandRecord) -> tuple[str, ...]:
    """What a record that came back lacks or has otherwise beside its play; empty where it is the same."""
    found = [f"{name} ({field_text(before, name)})" for name in differing_fields(before, after) if name not in _TILES]
    if (before.walls, before.rest) != (after.walls, after.rest):
        found.append("the undrawn tiles, and the order in which hands were dealt")
    return tuple(found)


def lost_events(before: HandRecord, after: HandRecord) -> Iterator[str]:
    """The events that did not come back, by name and number.

    In which order the tiles of a shown hand or of a chow lay is no difference: no form holds it.
    """
    went, came = [*map(without_order, before.events)], [*map(without_order, after.events)]
    if went == came:
        return
    kept = Counter(map(repr, came))
    lost: dict[str, list[int]] = {}
    for number, event in enumerate(went, 1):
        written = repr(event)
        if kept[written]:
            kept[written] -= 1
        else:
            lost.setdefault(str(to_json(event)["type"]), []).append(number)
    for name, numbers in lost.items():
        yield f"{name} (event {', '.join(map(str, numbers))})"
    if not lost:
        yield "the order of events"
