"""Export of hands in forms of other programs: one text for all hands, or a file for each, and what each lost on standard error."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from twinwall.cli.errors import UsageError
from twinwall.cli.record_files import text_of_file
from twinwall.event.forms.form import HandForm
from twinwall.event.forms.losses import differences
from twinwall.event.forms.rebuilding import record_of
from twinwall.game.play_events import TileDrawn
from twinwall.game.record import HandRecord
from twinwall.game.replay import replay
from twinwall.game.session import hand_name

Tags = Mapping[str, str]
NamedFile = tuple[str, bytes]
"""A file by its name in a folder, and its content."""


def tags_in(path: Path | None, count: int) -> list[Tags] | None:
    """What goes along with each record, from a file as ``twinwall import`` writes it; None without one. Raises UsageError."""
    if path is None:
        return None
    try:
        tags = msgspec.json.decode(text_of_file(path), type=list[dict[str, str]])
    except msgspec.MsgspecError as error:
        raise UsageError(f"{path} is not a list of objects with texts, one for each hand: {error}") from None
    if len(tags) != count:
        raise UsageError(f"{path} has tags for {len(tags)} hands, and {count} are exported: write one object for each")
    return list(tags)


def text_files(form: HandForm, records: Sequence[HandRecord], tags: Sequence[Tags], *, lenient: bool) -> list[NamedFile]:
    """Each hand as a file name and its content; says on standard error what was left out. Raises UsageError for an illegal event."""
    files = []
    for record, along in zip(records, tags, strict=True):
        if not any(isinstance(event, TileDrawn) for event in record.events):
            print(f"twinwall: {_name(record)}: no play was recorded, so there is none to write", file=sys.stderr)
            continue
        whole = _legal(record, lenient=lenient)
        text = form.write(whole, along)
        _say_losses(form, whole, text)
        table = "".join(letter if letter.isalnum() or letter in "-_" else "-" for letter in record.table)
        files.append((f"deal-{record.n:04d}-table-{table}{form.suffix}", text.encode()))
    return files


def _legal(record: HandRecord, *, lenient: bool) -> HandRecord:
    """The record, or where that is asked for its part before the first illegal event."""
    found = next(((index, verdict) for index, verdict in enumerate(replay(record).verdicts) if verdict is not None), None)
    if found is None:
        return record
    index, verdict = found
    sentence = f"{_name(record)}: event {index + 1} is not legal: {verdict.sentence}"
    if not lenient:
        raise UsageError(f"{sentence}; --lenient writes the hand up to there")
    print(f"twinwall: {sentence}; the hand is written up to there", file=sys.stderr)
    return replace(record, events=record.events[:index])


def _name(record: HandRecord) -> str:
    return f"deal {record.n} ({hand_name(record.hand)}) at table {record.table}"


def _say_losses(form: HandForm, record: HandRecord, text: str) -> None:
    if record.rules not in form.rules:
        print(f"twinwall: {_name(record)}: {record.rules} is not standard in {form.name}; other programs may not read it", file=sys.stderr)
    if form.read is None:
        print(f"twinwall: {_name(record)}: {form.name} leaves out {form.loses}", file=sys.stderr)
        return
    came_back = record_of(next(iter(form.read(text))), lenient=True)
    lost = differences(record, came_back.record)
    if lost:
        print(f"twinwall: {_name(record)}: left out are {'; '.join(lost)}", file=sys.stderr)
