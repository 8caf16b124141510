"""A director's actions on the event: changes, and the names of its players. Only the names file has names. They are written or removed
before the change that names the players' numbers is recorded; if the change is refused, the names are restored. After a power cut between
the two, the file may have a name without a player: no page shows it, and the next player entered by that name gets its number."""

import threading
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path

from dashboard.access.shown_names import NamesFile
from twinwall.event.management.change_checks import ChangeRefusal, ChangeRefusedError, refusal
from twinwall.event.management.changes import EventChange
from twinwall.event.management.managed_event import ManagedEvent, apply
from twinwall.event.player_names import PlayerNames
from twinwall.event.store.hall import Hall
from twinwall.event.store.store_contents import ManagementStep
from twinwall.event.store.store_records import Record
from twinwall.event.store.store_writer import StoreWriter
from twinwall.game.documents import DocumentError
from twinwall.values import frozen

Changed = Callable[[ManagedEvent, EventChange, str], None]
"""Called with the event after a change, the change, and the account that made it."""
NotYet = Callable[[ManagedEvent, EventChange], ChangeRefusal | None]
"""Why the hall is not ready for a change although the event could take it, or None."""
NO_NAMES: Mapping[str, str] = {}


class NamesNotKeptError(Exception):
    """The names of players cannot be written: there is no names file, or the disk refuses."""


@frozen
class DirectorDesk:
    """The event for one director to change. After a change is stored, ``_changed`` informs tables and open pages."""

    _entering = threading.Lock()

    _store: StoreWriter
    _file: NamesFile
    _by: str
    now: Callable[[], datetime]
    _changed: Changed
    _not_yet: NotYet

    @property
    def event(self) -> ManagedEvent:
        return self._store.event

    @property
    def hall(self) -> Hall:
        """The hall computed from the stored lines."""
        return self._store.hall

    @property
    def names(self) -> PlayerNames:
        return self._file.names()

    def since(self, seen: int) -> tuple[ManagementStep, ...]:
        """The changes after a version."""
        return self._store.steps[seen:]

    @property
    def lost(self) -> tuple[Record, ...]:
        """Staff actions that the store lacks because it was put back to an earlier state."""
        return self._store.lost

    def give_up_lost(self) -> None:
        """Continue without what is lost; raises StoreError."""
        self._store.give_up_lost(self._by, self.now())

    def back_up(self, to: Path) -> None:
        """Copy the store's present state to a new file; raises StoreError."""
        self._store.back_up(to)

    def change(self, seen: int, *changes: EventChange, names: Mapping[str, str] = NO_NAMES) -> None:
        """Make all or none of these changes to version ``seen`` of the event; enter names by number, and forget removed players. Raises
        ChangeRefusedError when the event cannot take the changes; StoreError when a change cannot be stored; NamesNotKeptError when the
        names cannot be written, or two players would have one name."""
        with self._entering, self._file.in_turn():
            after = self.event
            refused = refusal(after, *changes, seen=seen)
            for change in changes:
                refused = refused or self._not_yet(after, change)
                if refused is not None:
                    raise ChangeRefusedError(refused)
                after = apply(after, change)
            before = self.names
            kept = {
                number: name
                for number, name in before.by_number.items()
                if number in after.players or (number not in self.event.players and name not in names.values())
            }
            self._write(PlayerNames({**kept, **{number: name for number, name in names.items() if number in after.players}}))
            event, steps = self.event, [ManagementStep(change, self._by, self.now()) for change in changes]
            try:
                if steps:
                    self._store.manage(steps[0], seen, *steps[1:])
            except BaseException:
                if self.event == event:
                    self._write(before)
                raise
            for change in changes:
                event = apply(event, change)
                self._changed(event, change, self._by)

    def _write(self, names: PlayerNames) -> None:
        if names == self.names:
            return
        try:
            self._file.write(names)
        except (OSError, DocumentError) as error:
            raise NamesNotKeptError(str(error)) from error
