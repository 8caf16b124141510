"""Files of hand records: one record, or a list of them as ``twinwall results export`` writes it."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from cli.usage import say, wrong_use
from twinwall.game.documents import DocumentError, parse_list
from twinwall.game.record import HandRecord
from twinwall.game.replay import replay
from twinwall.game.session import hand_name
from twinwall.given_files import given_text


def records_in(path: Path) -> list[HandRecord]:
    """The records of a file; raises UsageError naming it."""
    with wrong_use(path, DocumentError):
        content = given_text(path)
        texts = [json.dumps(item) for item in parse_list(content, "the list of records")] if is_list(content) else [content]
        if not texts:
            raise DocumentError("the list holds no hand records")
        return [HandRecord.from_json(text) for text in texts]


class IllegalEventError(Exception):
    """A record that does not hold to its end; the message is one sentence that names the hand, the event and why."""


def legal_record(record: HandRecord, *, lenient: bool) -> HandRecord:
    """A record all of whose events are legal: of one with an illegal event where ``lenient`` the part before it, which standard error
    names; raises IllegalEventError."""
    found = replay(record).first_illegal
    if found is None:
        return record
    number, verdict = found
    hand = f"deal {record.n} ({hand_name(record.hand)}) at table {record.table}"
    problem = f"{hand}: event {number} is not legal: {verdict.sentence}"
    if not lenient:
        raise IllegalEventError(f"{problem}; --lenient takes the hand up to there")
    say(f"{problem}; the hand is taken up to there")
    return replace(record, events=record.events[: number - 1])


def is_list(content: str) -> bool:
    """Whether the text of a file is a list rather than one record."""
    return content.lstrip().startswith("[")


def records_file(records: Sequence[HandRecord]) -> bytes:
    """One record, or a list of several, as a file."""
    return records_json(records) if len(records) != 1 else (json.dumps(records[0].to_json(), ensure_ascii=False) + "\n").encode()


def records_json(records: Sequence[HandRecord]) -> bytes:
    """A list of records as a file."""
    return (json.dumps([record.to_json() for record in records], ensure_ascii=False, indent=1) + "\n").encode()
