"""The only writer of a store: received lines go into its database and into the hall computed from it.

Opened on an existing store, it knows the contents, and from which line each table's ledger must be asked for. While the database refuses,
the hall continues and lines wait in memory; after a restart the tables are asked again.
"""

import logging
import threading
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import reduce
from pathlib import Path

from twinwall.event.deal_state import DealState
from twinwall.event.management.change_checks import ChangeRefusedError, refusal
from twinwall.event.management.managed_event import ManagedEvent, apply, managed_event
from twinwall.event.store.databases.opening import copy_store
from twinwall.event.store.databases.port import StoreAddress, StoreError
from twinwall.event.store.hall import Hall, Released, open_slip
from twinwall.event.store.programme import Programme
from twinwall.event.store.store_contents import (
    Acknowledgement,
    Contents,
    Contradiction,
    Evidence,
    ManagementStep,
    Note,
    Proof,
    RulingGiven,
    SignedHead,
    StoredSlip,
    acts_of,
)
from twinwall.event.store.store_loading import load
from twinwall.event.store.store_records import Record, RecordsCopy
from twinwall.event.store.store_rows import StoreRows
from twinwall.game.deals import StartedPlan
from twinwall.wire.ledger import PublicEvent
from twinwall.wire.messages.ruling import Ruling
from twinwall.wire.messages.signing import Signer
from twinwall.wire.receiver import KnownJournal

_LOG = logging.getLogger(__name__)
MOST_UNKEPT = 10_000
"""Most signatures, and most pieces of evidence, that wait for the disk: forged lines must not fill the memory while the disk is full."""


class StoreWriter:
    """A store that is being written, and its hall; any thread may call every method."""

    def __init__(
        self,
        address: StoreAddress,
        programme: Programme,
        at: datetime,
        signer: Signer | None = None,
        copy: Path | None = None,
        *,
        patience_s: float = 0.0,
    ) -> None:
        """Open or begin the store, and compute the hall from it; ``signer`` signs what staff do, None in a rehearsal.

        ``copy`` is the file outside the store that shows missing records; None if no person would be asked about them. A process that is
        ending may hold the store for ``patience_s`` more.

        Raises StoreError when the store cannot be used; DocumentError when it is another event's; DamagedStoreError when its contents were
        changed.
        """
        self.address = address
        self._rows = StoreRows(
            address, programme, at, patience_s=patience_s, signer=signer, copy=None if copy is None else RecordsCopy(copy)
        )
        try:
            contents = self._rows.contents()
            loaded = load(contents)
        except BaseException:
            self._rows.close()
            raise
        self.hall: Hall = loaded.hall
        self.found: Mapping[str, tuple[PublicEvent, ...]] = loaded.events
        """The lines of each table at the start."""
        self.known: Mapping[str, tuple[KnownJournal, ...]] = _known(contents)
        """Each table's journals at the start, for its receiver to continue."""
        self.announced = contents.announcements[-1].announcement if contents.announcements else None
        """The vault's last announcement of keys at the start."""
        self._ruled = None if copy is None else {str(given.ruling.get("ruling")) for given in acts_of(contents.records, RulingGiven)}
        """The recorded rulings; None if they are not compared with the tables'."""
        self.steps: tuple[ManagementStep, ...] = loaded.steps
        """Every change of the event, in order."""
        self.deals: DealState = loaded.deals
        """How far the making of the event's deals was at the start."""
        self._mutex = threading.Lock()
        self._waiting: list[PublicEvent] = []
        self._unkept_signatures: dict[Hashable, Proof] = {}
        """Announcements that the disk refused, and the newest head of each journal, which covers the earlier ones."""
        self._unkept_evidence: dict[Hashable, Proof] = {}
        """Evidence that the disk refused, counted separately, so that forged lines displace no signature."""
        self._followed = loaded.hall.programme
        """The last stored programme."""
        self._follow(managed_event(step.change for step in loaded.steps), at)

    @property
    def event(self) -> ManagedEvent:
        return self.hall.event

    def manage(self, step: ManagementStep, seen: int | None, *further: ManagementStep) -> ManagedEvent:
        """Apply a director's changes, all or none, and return the event; ``seen`` is the version that the director's page showed.

        The change counts once it is stored. The programme can be made from the changes again, so if the disk refuses only the programme,
        that is logged, and tried again with the next change and at the next start.

        Raises ChangeRefusedError when the event cannot take it; StoreError when the disk refuses the change; nothing has changed then.
        """
        with self._mutex:
            steps = step, *further
            changes = [each.change for each in steps]
            refused = refusal(self.event, *changes, seen=seen)
            if refused is not None:
                raise ChangeRefusedError(refused)
            event = reduce(apply, changes, self.event)
            self._rows.add_note(*steps)
            self.steps += steps
            try:
                self._follow(event, step.at)
            except StoreError as error:
                _LOG.error("the change is stored, and the programme that follows from it is not yet: %s", error)
            return event

    @property
    def programme(self) -> Programme:
        return self.hall.programme

    @property
    def lost(self) -> tuple[Record, ...]:
        """Staff actions that the store lacks because it was put back to an earlier state."""
        return self._rows.lost

    def give_up_lost(self, by: str, at: datetime) -> None:
        """Note that a director continues without what is lost; raises StoreError."""
        self._rows.give_up_lost(by, at)

    def back_up(self, to: Path) -> None:
        """Copy the store's present state to a new file; raises StoreError."""
        copy_store(self.address, to)

    def give_custody(self, custody: StartedPlan, at: datetime) -> None:
        """Play under this plan and start from now on. Raises DocumentError when the event has another start, or tables have played without
        one; StoreError when the disk refuses; nothing has changed then."""
        with self._mutex:
            programme = replace(self.hall.programme, custody=custody)
            if programme != self.hall.programme:
                self._rows.set_programme(programme, at)
                self._followed = programme
                self.hall.set_programme(programme)

    def _follow(self, event: ManagedEvent, at: datetime) -> None:
        """Compare by the event's programme and store it; after a power cut before that, the next start stores it."""
        programme = self.hall.manage(event)
        if programme != self._followed:
            self._rows.set_programme(programme, at)
            self._followed = programme

    def close(self) -> None:
        """Store what waits, if the database accepts it, and close the store."""
        try:
            self.store_waiting()
            self.store_waiting()  # now no line waits
        except StoreError as error:
            _LOG.error("lines that were not stored are asked for again at the next start: %s", error)
        finally:
            self._rows.close()

    def take(self, events: Sequence[PublicEvent]) -> tuple[Contradiction, ...]:
        """Add the next lines of tables, each table's in order; return what contradicts known lines. Raises StoreError when the disk
        refuses; the lines are in the hall and wait to be stored."""
        problems: list[Contradiction] = []
        for event in events:
            second = self.hall.take(event)
            if second is not None:
                problems.append((event.table, second))
            if (unknown := self._unknown_ruling(event)) is not None:
                problems.append((event.table, unknown))
        with self._mutex:
            self._waiting += events
        return (*problems, *self.store_waiting())

    def _unknown_ruling(self, event: PublicEvent) -> str | None:
        """Why a ruling in a table's ledger is not one that this store has noted; None for every other line."""
        if self._ruled is None or not isinstance(event.body, Ruling) or event.body.identity in self._ruled:
            return None
        name = f"table {event.table}, journal {event.journal!r}, line {event.seq}"
        return f"{name}: a ruling of which the store has no record: it was put back to an earlier state, or another server ruled"

    @property
    def waiting_tables(self) -> tuple[str, ...]:
        with self._mutex:
            return tuple(dict.fromkeys(event.table for event in self._waiting))

    def store_waiting(self) -> tuple[Contradiction, ...]:
        """Store waiting lines, or proofs if no line waits; return lines that contradict what is stored. Raises StoreError."""
        with self._mutex:
            if not self._waiting:
                self._keep_proofs()
                return ()
            refused = self._rows.add_lines(self._waiting)
            self._waiting = []
            return refused

    def slip(self, payload: bytes, at: datetime) -> Released | None:
        """Add a slip that the vault released; None for a known one. Raises SlipRefusedError when it is not of this event. Only one slip of
        a deal is; StoreError when the disk refuses; the slip comes again."""
        opened = open_slip(payload, self.hall.programme.custody, at)
        if self.hall.released(opened.n) is not None:
            return None
        self._rows.add_slip(StoredSlip(opened.n, payload, at))
        self.hall.release(opened)
        return opened

    def acknowledge(self, acknowledgement: Acknowledgement) -> bool:
        """Note who answers a call; False if there is no such call. Raises StoreError, and then the call is not answered."""
        if not any(
            (call.table, call.journal, call.seq) == (acknowledgement.table, acknowledgement.journal, acknowledgement.seq)
            for call in self.hall.calls()
        ):
            return False
        self._rows.add_note(acknowledgement)
        return self.hall.acknowledge(acknowledgement)

    def note(self, note: Note) -> None:
        """Store a staff action, a refusal, or a proof. Raises StoreError when the disk refuses; a proof waits to be stored, a head in place
        of an earlier one of its journal."""
        if isinstance(note, Proof):
            of: Hashable = (note.table, note.journal) if isinstance(note, SignedHead) else note
            self._keep(self._unkept_evidence if isinstance(note, Evidence) else self._unkept_signatures, of, note)
        else:
            self._rows.add_note(note)
        if self._ruled is not None and isinstance(note, RulingGiven):
            self._ruled.add(str(note.ruling.get("ruling")))

    def _keep(self, waiting: dict[Hashable, Proof], of: Hashable, proof: Proof) -> None:
        with self._mutex:
            try:
                self._keep_proofs()
            except StoreError as error:
                if of not in waiting and len(waiting) >= MOST_UNKEPT:
                    raise StoreError(f"{error}; {MOST_UNKEPT} wait already, and this one is lost") from None
                waiting[of] = proof
                raise
            waiting[of] = proof
            self._keep_proofs()

    def _keep_proofs(self) -> None:
        for waiting in (self._unkept_signatures, self._unkept_evidence):
            for of, proof in tuple(waiting.items()):
                self._rows.add_note(proof)
                del waiting[of]


def _known(contents: Contents) -> dict[str, tuple[KnownJournal, ...]]:
    journals: dict[str, tuple[KnownJournal, ...]] = {}
    for stored in contents.journals:
        known = KnownJournal(stored.journal, tuple(digest for _line, digest in stored.lines))
        journals[stored.table] = (*journals.get(stored.table, ()), known)
    return journals
