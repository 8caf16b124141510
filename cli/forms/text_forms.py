"""Export of hands in forms of other programs: one text for all hands, or a file for each, and what each lost on standard error."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from cli.usage import UsageError, say
from twinwall.event.forms.following import record_of
from twinwall.event.forms.registry import HandForm
from twinwall.event.record_versions import differing_fields, field_text, without_order
from twinwall.game import typed_json
from twinwall.game.play_events import TileDrawn
from twinwall.game.play_json import to_json
from twinwall.game.record import HandRecord
from twinwall.game.tiles import hand_name
from twinwall.given_files import limited_text

Tags = Mapping[str, str]
NamedFile = tuple[str, bytes]
"""A file by its name in a folder, and its content."""


def tags_in(path: Path | None, count: int) -> list[Tags] | None:
    """What goes along with each record, from a file as ``twinwall results import`` writes it; None without one. Raises UsageError."""
    if path is None:
        return None
    try:
        tags = typed_json.decode(limited_text(path), list[dict[str, str]])
    except msgspec.MsgspecError as error:
        raise UsageError(f"{path} is not a list of objects with texts, one for each hand: {error}") from None
    if len(tags) != count:
        raise UsageError(f"{path} has tags for {len(tags)} hands, and {count} are exported: write one object for each")
    return list(tags)


def was_played(record: HandRecord) -> bool:
    """Whether play was recorded; says on standard error where it was not."""
    played = any(isinstance(event, TileDrawn) for event in record.events)
    if not played:
        _say(record, "no play was recorded, so there is none to write")
    return played


def text_files(form: HandForm, records: Sequence[HandRecord], tags: Sequence[Tags]) -> list[NamedFile]:
    """Each hand as a file name and its content; says on standard error what was left out."""
    files: list[NamedFile] = []
    seen: Counter[str] = Counter()
    lossy = form.read is None
    for record, along in zip(records, tags, strict=True):
        if not was_played(record):
            continue
        text = form.write(record, along)
        lossy |= form.read is not None and _lost(form, record, text)
        table = "".join(letter if letter.isalnum() or letter in "-_" else "-" for letter in record.table)
        name = f"deal-{record.n:04d}-table-{table}"
        seen[name] += 1
        again = f"-{seen[name]}" if seen[name] > 1 else ""
        files.append((f"{name}{again}{form.suffix}", text.encode()))
    for rules in sorted({record.rules for record in records} - set(form.rules)):
        say(f"{rules} is not standard in {form.name}: other programs may not read it")
    if lossy:
        say(f"{form.name} leaves out {form.loses}")
    return files


def _lost(form: HandForm, record: HandRecord, text: str) -> bool:
    """Whether something of the record is not in the text; events that are not are named."""
    after = came_back(form, record, text)
    lost = tuple(lost_events(record, after))
    if lost:
        _say(record, f"left out: {'; '.join(lost)}")
    return bool(lost or lost_fields(record, after))


def _say(record: HandRecord, sentence: str) -> None:
    say(f"deal {record.n} ({hand_name(record.hand)}) at table {record.table}: {sentence}")


_TILES = ("walls", "rest", "digest")


def came_back(form: HandForm, record: HandRecord, text: str) -> HandRecord:
    """What a form gives back of a record that it has written; its reader knows the rules and their options."""
    sheet = next(form.sheets(text))
    return record_of(replace(sheet, rules=sheet.rules or record.rules, options=sheet.options or record.options), lenient=True)[0]


def lost_fields(before: HandRecord, after: HandRecord) -> tuple[str, ...]:
    """What a record that came back lacks or has otherwise beside its play; empty where it is the same."""
    found = [f"{name} ({field_text(before, name)})" for name in differing_fields(before, after) if name not in _TILES]
    if (before.walls, before.rest) != (after.walls, after.rest):
        found.append("the undrawn tiles, and the order in which hands were dealt")
    return tuple(found)


def lost_events(before: HandRecord, after: HandRecord) -> Iterator[str]:
    """The events that did not come back, by name and number. In which order the tiles of a shown hand or of a chow lay is no difference: no
    form holds it."""
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
