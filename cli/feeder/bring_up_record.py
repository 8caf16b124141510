"""Record of a table's bring-up: each line that was tried, whether it passed, when, by whom, and what was seen on the way.

It is on disk after each line. A line has passed when its last attempt has.
"""

from datetime import datetime
from pathlib import Path
from typing import Literal

from msgspec.structs import replace

from cli.files import PUBLISHED, read_file, refuse_no_file, write_file
from cli.usage import UsageError
from firmware_bridge.board.table_record import NAMELESS
from twinwall.game.documents import parse_object, pretty_json, write_time
from twinwall.game.typed_json import Text, plain, read_as
from twinwall.values import Shape


class Attempt(Shape):
    """A line that was tried."""

    line: Text
    passed: bool
    at: Text
    by: Text
    notes: tuple[str, ...] = ()


class BringUpRecord(Shape):
    """Everything that was tried at the board ``uid``."""

    uid: Text
    tried: tuple[Attempt, ...] = ()
    form: Literal["twinwall-bring-up-1"] = "twinwall-bring-up-1"

    @property
    def passed(self) -> frozenset[str]:
        """The lines that have passed."""
        return frozenset(line for line, passed in {each.line: each.passed for each in self.tried}.items() if passed)

    def with_attempt(self, line: str, passed: bool, at: datetime, by: str, notes: tuple[str, ...]) -> "BringUpRecord":
        """The record with one attempt more."""
        return replace(self, tried=(*self.tried, Attempt(line, passed, write_time(at), by, notes)))


def record_at(path: Path, uid: str = "") -> BringUpRecord:
    """The record in a file, a new one where there is no file; raises UsageError for another board's, for a file that is none, and for a
    board without a number of its own. Without a ``uid`` any board's will do."""
    refuse_no_file(path)
    if uid == NAMELESS.hex():
        raise UsageError(
            "the board at this port has no record of its table, and so no number of its own: write one with twinwall feeder record and "
            "make flash (docs/how-to/table/bring-up.md, step 0)"
        )
    if not path.exists():
        return BringUpRecord(uid)
    record = read_file(path, lambda content: read_as(parse_object(content, "the record of a bring-up"), BringUpRecord))
    if uid not in ("", record.uid):
        raise UsageError(f"{path} is the record of board {record.uid}, and board {uid} is at this port: name another file")
    return record


def write_record(path: Path, record: BringUpRecord) -> None:
    """Put the record on disk; raises UsageError where that cannot be, or another board's has come there, and the file stays."""
    record_at(path, record.uid)
    write_file(path, pretty_json(plain(record)), PUBLISHED, force=True)
