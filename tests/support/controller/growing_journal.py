"""A journal that a controller under test appends to, read as it stands: each line once, until the file is cut or replaced."""

from __future__ import annotations

import json
from pathlib import Path

from controller.ledger.journal import JournalEntry
from controller.ledger.journal_events import event_from_json
from controller.ledger.journal_lines import JournalChain


class GrowingJournal:
    """The entries of a journal in clear; each is read from the disk and checked against the chain of those before it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._forget()

    def _forget(self) -> None:
        self._seen = b""
        self._chain = JournalChain(None)
        self._entries: list[JournalEntry] = []

    def entries(self) -> tuple[JournalEntry, ...]:
        """All that the journal says now."""
        content = self._path.read_bytes()
        if not content.startswith(self._seen):
            self._forget()
        for line in content[len(self._seen) :].splitlines(keepends=True):
            self._entries.append(self._read(line))
        self._seen = content
        return tuple(self._entries)

    def _read(self, line: bytes) -> JournalEntry:
        written = json.loads(self._chain.read(line))
        written.pop("left", None)
        return JournalEntry(written.pop("seq"), written.pop("at"), event_from_json(written))
