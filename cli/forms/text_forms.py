"""Export of hands in forms of other programs: one text for all hands, or a file for each, and what each lost on standard error."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from cli.errors import UsageError, say
from twinwall.event.forms.form import HandForm
from twinwall.event.forms.losses import came_back, lost_events, lost_fields
from twinwall.game import typed_json
from twinwall.game.play_events import TileDrawn
from twinwall.game.record import HandRecord
from twinwall.game.session import hand_name
from twinwall.given_files import given_text

Tags = Mapping[str, str]
NamedFile = tuple[str, bytes]
"""A file by its name in a folder, and its content."""


def tags_in(path: Path | None, count: int) -> list[Tags] | None:
    """What goes along with each record, from a file as ``twinwall results import`` writes it; None without one. Raises UsageError."""
    if path is None:
        return None
    try:
        tags = typed_json.decode(given_text(path), list[dict[str, str]])
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
