"""The folder of a hall's events, which directors make in the browser: one folder each, with store and players' names. The dashboard serves
one event at a time; the file ``open`` has the name of its folder."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Struct

from twinwall.event.management.managed_event import EventFile
from twinwall.event.player_names import PlayerNames
from twinwall.event.store.databases.port import PostgresAddress, StoreAddress, StoreError
from twinwall.event.store.programme import Programme
from twinwall.event.store.store_contents import ManagementStep
from twinwall.event.store.store_rows import is_begun, read_store
from twinwall.event.store.store_writer import StoreWriter
from twinwall.game.documents import DocumentError, canonical_json, parse_object
from twinwall.game.typed_json import read_as
from twinwall.values import frozen
from twinwall.wire.durable_file import write_durably
from twinwall.wire.messages.signing import Signer
from twinwall.wire.names import cleaned, name_key, name_problem

LONGEST_EVENT_NAME = 80
HEADING, OPEN = "event.json", "open"

NO_PEOPLE = EventFile(())
"""The people of an event that begins empty."""
EventName = Annotated[str, msgspec.Meta(pattern=r"^\S(.*\S)?\Z", max_length=LONGEST_EVENT_NAME)]


class EventNameError(ValueError):
    """A name that a new event cannot have."""


class _Heading(Struct, forbid_unknown_fields=True):
    format: Literal["twinwall-event-folder-1"]
    name: EventName


@frozen
class FolderEvent:
    """An event of the folder."""

    name: str
    folder: Path
    database: PostgresAddress | None = None
    """The hall's database, if it has one."""

    @property
    def store(self) -> StoreAddress:
        """The address of its store: a file in its folder, or its own schema of the hall's database."""
        file = self.folder / "event.sqlite"
        return file if self.database is None or file.exists() else replace(self.database, schema=f"event_{self.folder.name}")

    @property
    def names(self) -> Path:
        """The file of its players' names."""
        return self.folder / "names.json"

    @property
    def records(self) -> Path:
        """The second copy of its records."""
        return self.folder / "records"

    @property
    def counter(self) -> Path:
        """A counter, so that tables do not take commands after a restart for repeats."""
        return self.folder / "commands.counter"


@frozen
class EventsFolder:
    """The events of a hall with these ``tables``; ``new_programme`` makes the first programme of a named event. ``database`` is for stores
    of new events; None for files."""

    path: Path
    tables: tuple[str, ...]
    new_programme: Callable[[str], Programme]
    database: PostgresAddress | None = None

    def events(self) -> tuple[FolderEvent, ...]:
        """All events, the latest first; raises StoreError if a folder cannot be read."""
        numbered = [each for each in self.path.glob("*") if each.name.isdecimal() and (each / HEADING).is_file()]
        return tuple(
            FolderEvent(_name(each), each, self.database) for each in sorted(numbered, key=lambda each: int(each.name), reverse=True)
        )

    def opened(self) -> FolderEvent | None:
        """The open event, or None. Raises StoreError as ``events``."""
        try:
            folder = self.path / (self.path / OPEN).read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StoreError(f"{self.path / OPEN} cannot be read ({error.strerror}): is the folder this user's?") from error
        return FolderEvent(_name(folder), folder, self.database)

    def programme(self, event: FolderEvent) -> Programme:
        """An event's programme in force; raises StoreError and DocumentError."""
        return read_store(event.store).programme

    def begin(self, name: str, at: datetime, signer: Signer | None, people: EventFile = NO_PEOPLE, by: str = "") -> FolderEvent:
        """Begin an event and open it, optionally with the ``people`` of another event, whom ``by`` enters. Raises EventNameError for an
        invalid name, or another event's; StoreError when it cannot be written; then no event has begun."""
        name = cleaned(name)
        try:
            heading = read_as({"format": "twinwall-event-folder-1", "name": name}, _Heading)
        except DocumentError as error:
            raise EventNameError(str(error)) from None
        if name_problem(name) is not None:
            raise EventNameError(name)
        known = self.events()
        if name_key(name) in {name_key(event.name) for event in known}:
            raise EventNameError(name)
        taken = [int(each.name) for each in self.path.glob("*") if each.name.isdecimal()]
        event = FolderEvent(name, self.path / f"{1 + max(taken, default=0):04d}", self.database)
        try:
            event.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if is_begun(event.store):
                raise StoreError(f"{event.store}: there is the store of an earlier event already: give each hall a database of its own")
            with closing(StoreWriter(event.store, self.new_programme(name), at, signer, event.records)) as writer:
                for change in people.changes:
                    writer.manage(ManagementStep(change, by, at), None)
            if people.names:
                write_durably(event.names, PlayerNames(people.names).document, 0o600)
            write_durably(event.folder / HEADING, canonical_json(msgspec.to_builtins(heading)), 0o600)
        except OSError as error:
            raise StoreError(f"{event.folder} cannot be written ({error.strerror}): make room, or look after the folder") from error
        self.open(event)
        return event

    def open(self, event: FolderEvent | None) -> None:
        """Open an event, or none; the dashboard serves it from its next start. Raises StoreError."""
        try:
            if event is None:
                (self.path / OPEN).unlink(missing_ok=True)
            else:
                write_durably(self.path / OPEN, f"{event.folder.name}\n".encode(), 0o600)
        except OSError as error:
            raise StoreError(f"{self.path / OPEN} cannot be written ({error.strerror}): make room, or look after the folder") from error


def _name(folder: Path) -> str:
    try:
        return read_as(parse_object((folder / HEADING).read_bytes()), _Heading).name
    except (OSError, DocumentError) as error:
        raise StoreError(f"{folder / HEADING}: {error}: this is no event's folder, or it is damaged") from error
