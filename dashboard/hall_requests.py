"""Directors' requests to the program that serves a hall: a demo championship beside it, and simulated tables beside real ones. Each request
has a file in the folder of the events. Without such a program there is no file, and no page offers the request."""

from enum import StrEnum
from pathlib import Path
from typing import Generic, TypeVar

import msgspec
from msgspec import Struct

from twinwall.event.store.databases.port import StoreError
from twinwall.game.documents import DocumentError, canonical_json, parse_object
from twinwall.game.typed_json import read_as
from twinwall.values import Shape
from twinwall.wire.durable_file import write_durably

_Document = TypeVar("_Document", bound=Struct)


class SharedFile(Generic[_Document]):
    """A document in the folder of the events that pages and the serving program share."""

    def __init__(self, path: Path, shape: type[_Document]) -> None:
        self.path, self._shape = path, shape

    def read(self) -> _Document | None:
        """Its content; None without a file."""
        try:
            return read_as(parse_object(self.path.read_bytes()), self._shape)
        except (OSError, DocumentError):
            return None

    def write(self, document: _Document) -> None:
        """Replace it; raises StoreError."""
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_durably(self.path, canonical_json(msgspec.to_builtins(document)), 0o600)
        except OSError as error:
            raise StoreError(f"{self.path} cannot be written ({error.strerror}): make room, or look after the folder") from error


REQUEST = "demo.json"


class DemoState(StrEnum):
    """How far the demo is."""

    OFFERED = "offered"
    WANTED = "wanted"
    RUNNING = "running"


class DemoStanding(Shape, tag_field="format", tag="twinwall-demo-request-1"):
    """The state of the demo; while it runs, its address and its director's account."""

    state: DemoState
    address: str = ""
    name: str = ""
    password: str = ""


class DemoRequest(SharedFile[DemoStanding]):
    """The state of a hall's demo; no file if no program starts one."""

    def __init__(self, events: Path) -> None:
        super().__init__(events / REQUEST, DemoStanding)

    def ask(self) -> None:
        """Request the demo, once; raises StoreError."""
        found = self.read()
        if found is not None and found.state is DemoState.OFFERED:
            self.write(DemoStanding(DemoState.WANTED))

    def withdraw(self) -> None:
        """No program starts demos any more."""
        self.path.unlink(missing_ok=True)


REHEARSED = "rehearsed-tables.json"


class RehearsedTables(Shape, tag_field="format", tag="twinwall-rehearsed-tables-1"):
    """``offered``: tables that may be simulated, empty while no program would do it; ``wanted``: those that a director has chosen."""

    offered: tuple[str, ...] = ()
    wanted: tuple[str, ...] = ()

    def with_table(self, table: str, *, simulated: bool) -> "RehearsedTables":
        """The same with one table simulated or not; unchanged for a table that is not offered."""
        if table not in self.offered:
            return self
        others = tuple(name for name in self.wanted if name != table)
        return msgspec.structs.replace(self, wanted=(*others, table) if simulated else others)


class RehearsalFile(SharedFile[RehearsedTables]):
    """The file, in the folder of a hall's events."""

    def __init__(self, events: Path) -> None:
        super().__init__(events / REHEARSED, RehearsedTables)

    def tables(self) -> RehearsedTables:
        """Its content, or the empty one without a file."""
        return self.read() or RehearsedTables()
