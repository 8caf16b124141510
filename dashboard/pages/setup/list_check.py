"""A list of entrants between being pasted and being entered: what the form carries, and what it is read as.

Nothing of it is kept here: the page carries every line, good or not, with its number, so that a line keeps its place while
others are corrected.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass

from werkzeug.datastructures import FileStorage, MultiDict

from twinwall.event.management.entrant_list import MOST_LINES, EntrantList, KnownEntrants, ListColumn, read_entrants
from twinwall.event.management.list_encoding import ListEncoding, decode_list


@dataclass(frozen=True, slots=True)
class CheckedList:
    """A list that was read, and, where its encoding is doubtful, the bytes of its file to read again."""

    entrants: EntrantList
    encoding: ListEncoding | None = None
    content: str = ""
    """The file in Base64; empty where its encoding is certain."""

    @property
    def rows(self) -> tuple[tuple[int, str], ...]:
        """Every line that the form carries, with its number; the heading first."""
        lines = self.entrants.lines
        heading = () if self.entrants.heading is None else (((lines[0].line - 1) if lines else 1, self.entrants.heading),)
        return (*heading, *((line.line, line.text) for line in lines))

    def left(self, teams: bool, known: KnownEntrants) -> CheckedList:
        """The lines that could not be entered, read again beside those that were."""
        kept = [(line.line, line.text) for line in self.entrants.bad]
        return CheckedList(read_entrants(_text(kept), teams=teams, known=known, columns=self.entrants.columns))


def check_list(form: MultiDict[str, str], file: FileStorage | None, teams: bool, known: KnownEntrants) -> CheckedList:
    """Read what a form carries: an uploaded file, the lines of an earlier check, or a pasted text.

    Raises:
        ListTooLongError: for a list that no event has.
        ListEncodingError: for a file that is no text.
    """
    columns = _columns(form)
    chosen = next((each for each in ListEncoding if each.value == form.get("encoding")), None)
    content = file.read() if file is not None and file.filename else _bytes(form.get("content", ""))
    if content and (file is not None or form.get("do") == "decode"):
        read = decode_list(content, chosen)
        kept = base64.b64encode(content).decode() if read.doubtful or chosen is not None else ""
        return CheckedList(read_entrants(read.text, teams=teams, known=known), read.encoding if kept else None, kept)
    lines = _lines(form)
    text = _text(lines) if lines else form.get("list", "")
    return CheckedList(read_entrants(text, teams=teams, known=known, columns=columns if lines else None))


def _columns(form: MultiDict[str, str]) -> tuple[ListColumn, ...]:
    known = {column.value: column for column in ListColumn}
    return tuple(known.get(text, ListColumn.IGNORED) for text in form.getlist("column"))


def _lines(form: MultiDict[str, str]) -> list[tuple[int, str]]:
    numbers = [int(text) if text.isascii() and text.isdigit() and len(text) < 5 else 0 for text in form.getlist("at")]
    return [(number, text) for number, text in zip(numbers, form.getlist("line"), strict=False) if 0 < number <= MOST_LINES + 1]


def _text(lines: Sequence[tuple[int, str]]) -> str:
    """The lines at their numbers, with blank ones between them."""
    at = dict(lines)
    return "\n".join(" ".join(at.get(number, "").splitlines()) for number in range(1, max(at, default=0) + 1))


def _bytes(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""
