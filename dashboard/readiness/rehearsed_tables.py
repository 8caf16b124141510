"""Tables of the hall that a director lets be simulated beside real ones, for a rehearsal.

The page and the program that serves the hall share a file in the folder of the events: which tables may be simulated, and which shall.
There is none where no program simulates tables, and then no page offers it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec
from msgspec import Struct

from twinwall.event.store.databases.port import StoreError
from twinwall.game.documents import DocumentError, canonical_json, parse_object
from twinwall.game.typed_json import read_as
from twinwall.wire.durable_file import write_durably

FILE = "rehearsed-tables.json"


class RehearsedTables(Struct, frozen=True, forbid_unknown_fields=True, tag_field="format", tag="twinwall-rehearsed-tables-1"):
    """``offered``: tables that may be simulated, none while no program would do it; ``wanted``: those that a director has chosen."""

    offered: tuple[str, ...] = ()
    wanted: tuple[str, ...] = ()

    def with_table(self, table: str, *, simulated: bool) -> RehearsedTables:
        """With one table simulated or no more; unchanged for a table that is not offered."""
        if table not in self.offered:
            return self
        others = tuple(name for name in self.wanted if name != table)
        return msgspec.structs.replace(self, wanted=(*others, table) if simulated else others)


@dataclass(frozen=True, slots=True)
class RehearsalFile:
    """The file, in the folder of a hall's events."""

    events: Path

    def read(self) -> RehearsedTables:
        """What it says; nothing where there is no such file."""
        try:
            return read_as(parse_object((self.events / FILE).read_bytes()), RehearsedTables)
        except (OSError, DocumentError):
            return RehearsedTables()

    def write(self, tables: RehearsedTables) -> None:
        """Replace it; raises StoreError."""
        try:
            self.events.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_durably(self.events / FILE, canonical_json(msgspec.to_builtins(tables)), 0o600)
        except OSError as error:
            raise StoreError(f"{self.events / FILE} cannot be written ({error.strerror}): make room, or look after the folder") from error
