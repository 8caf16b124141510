"""What a director may do with the event: change it, and enter the names of its players.

Names stand in the names file alone. They are written there, or taken out, before the change that names the players' numbers is
recorded; when the change is refused the names are as before. After a power cut between the two a name stands there without a
player, which no page shows; the player who is entered by that name next gets its number.
"""

import threading
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from pathlib import Path

from dashboard.access.shown_names import NamesFile
from twinwall.event.management.change_checks import ChangeRefusal, ChangeRefusedError, refusal
from twinwall.event.management.changes import EntrantsRemoved, EventChange
from twinwall.event.management.managed_event import ManagedEvent
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
"""Why the hall is not ready for a change though the event could take it; None where it is."""


class NamesNotKeptError(Exception):
    """The names of players cannot be written: there is no names file, or the disk refuses."""


@frozen
class DirectorDesk:
    """The event as one director may change it. ``_changed`` is called after a change is stored: tables and open pages learn of it."""

    _entering = threading.Lock()

    _store: StoreWriter
    _file: NamesFile
    _by: str
    now: Callable[[], datetime]
    _changed: Changed
    _not_yet: NotYet

    @property
    def event(self) -> ManagedEvent:
        """The event as it stands."""
        return self._store.event

    @property
    def hall(self) -> Hall:
        """What the stored lines amount to."""
        return self._store.hall

    @property
    def names(self) -> PlayerNames:
        """The names as they stand."""
        return self._file.names()

    def since(self, seen: int) -> tuple[ManagementStep, ...]:
        """What was changed after a version."""
        return self._store.steps[seen:]

    @property
    def lost(self) -> tuple[Record, ...]:
        """What the staff did that the store lacks, since it was put back to an earlier state."""
        return self._store.lost

    def give_up_lost(self) -> None:
        """Go on without what is lost; raises StoreError."""
        self._store.give_up_lost(self._by, self.now())

    def back_up(self, to: Path) -> None:
        """Copy the store as it stands into a new file; raises StoreError."""
        self._store.back_up(to)

    def manage(self, change: EventChange, seen: int | None) -> ManagedEvent:
        """Change the event; raises ChangeRefusedError, and StoreError when that cannot be stored."""
        not_yet = self._not_yet(self.event, change)
        if not_yet is not None:
            raise ChangeRefusedError(not_yet)
        event = self._store.manage(ManagementStep(change, self._by, self.now()), seen)
        self._changed(event, change, self._by)
        return event

    def enter(self, change: EventChange, names: Mapping[str, str], seen: int | None, forgotten: Collection[str] = ()) -> ManagedEvent:
        """Change the event, enter names by number, and take out those of the numbers that are ``forgotten``, all or nothing.

        Raises:
            ChangeRefusedError: when the event cannot take the change.
            StoreError: when the change cannot be stored.
            NamesNotKeptError: when the names cannot be written, or two players would have one name.
        """
        with self._entering:
            refused = refusal(self.event, change, seen)
            if refused is not None:
                raise ChangeRefusedError(refused)
            before = self.names
            kept = {
                number: name
                for number, name in before.by_number.items()
                if number not in forgotten and (number in self.event.players or name not in names.values())
            }
            self._write(PlayerNames({**kept, **names}))
            try:
                return self.manage(change, seen)
            except BaseException:
                self._write(before)
                raise

    def remove(self, change: EntrantsRemoved, seen: int | None) -> ManagedEvent:
        """Take entrants out and forget their names, both or neither; raises what ``enter`` does."""
        return self.enter(change, {}, seen, change.players)

    def _write(self, names: PlayerNames) -> None:
        if names == self.names:
            return
        try:
            self._file.write(names)
        except (OSError, DocumentError) as error:
            raise NamesNotKeptError(str(error)) from error
