"""Tables of the hall that a director lets be simulated beside real ones, for a rehearsal.

The page and the program that serves the hall share a file in the folder of the events: which tables may be simulated, and which shall.
There is none where no program simulates tables, and then no page offers it.
"""

from pathlib import Path

import msgspec

from dashboard.events_folder import SharedFile
from twinwall.values import Shape

FILE = "rehearsed-tables.json"


class RehearsedTables(Shape, tag_field="format", tag="twinwall-rehearsed-tables-1"):
    """``offered``: tables that may be simulated, none while no program would do it; ``wanted``: those that a director has chosen."""

    offered: tuple[str, ...] = ()
    wanted: tuple[str, ...] = ()

    def with_table(self, table: str, *, simulated: bool) -> "RehearsedTables":
        """With one table simulated or no more; unchanged for a table that is not offered."""
        if table not in self.offered:
            return self
        others = tuple(name for name in self.wanted if name != table)
        return msgspec.structs.replace(self, wanted=(*others, table) if simulated else others)


class RehearsalFile(SharedFile[RehearsedTables]):
    """The file, in the folder of a hall's events."""

    def __init__(self, events: Path) -> None:
        super().__init__(events / FILE, RehearsedTables)

    def tables(self) -> RehearsedTables:
        """What it says; nothing where there is no such file."""
        return self.read() or RehearsedTables()
