"""What a store holds: lines of ledgers, slips, what people did, and what was refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from twinwall.event.deal_state import DealStep
from twinwall.event.management.changes import EventChange
from twinwall.event.store.programme import Programme
from twinwall.event.store.store_signatures import LinePlace, SignedHead, StoredAnnouncement
from twinwall.wire.ledger import LedgerPosition


@dataclass(frozen=True, slots=True)
class StoredLine:
    """A line with the hash (hex) that was noted when it was stored."""

    line: bytes
    digest: str


@dataclass(frozen=True, slots=True)
class StoredJournal:
    """One journal of a table, its lines from the first; a table's journals are in the order in which they were followed."""

    table: str
    journal: str
    lines: tuple[StoredLine, ...]

    @property
    def position(self) -> LedgerPosition:
        """Where it stands."""
        return LedgerPosition(self.journal, len(self.lines), self.lines[-1].digest) if self.lines else LedgerPosition(self.journal)


@dataclass(frozen=True, slots=True)
class StoredSlip:
    """A slip's exact bytes, and when it was first received."""

    n: int
    slip: bytes
    at: datetime


@dataclass(frozen=True, slots=True)
class Acknowledgement(LinePlace):
    """Somebody has taken up the call that a line of a ledger is."""

    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class _DealStep:
    """What the account ``by`` did about a table with deal ``n``."""

    table: str
    n: int
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class RefereeLook(_DealStep):
    """Somebody opened the page of a table whose deal was not released."""


@dataclass(frozen=True, slots=True)
class RulingGiven:
    """Somebody ruled: the ruling as it was sent to the table."""

    table: str
    by: str
    at: datetime
    ruling: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class WithdrawalStep(_DealStep):
    """Somebody ordered that a table is withdrawn while it plays deal ``n``, or confirmed what another, ``ordered``, had ordered."""

    ordered: str = ""


@dataclass(frozen=True, slots=True)
class ReplacementStep(LinePlace):
    """Somebody ordered that another controller goes on after this line of a table's ledger, or confirmed what another, ``ordered``, had
    ordered; ``n`` is the deal whose hand was in play, 0 for none."""

    n: int
    reason: str
    by: str
    at: datetime
    ordered: str = ""


@dataclass(frozen=True, slots=True)
class StaffChange:
    """An account of the staff was changed: ``change`` says how, ``roles`` is what it has afterwards.

    ``by`` is the account that did it, empty for the command; ``number`` tells the changes of one staff file apart; ``token`` is the
    label of an API token that was made or withdrawn.
    """

    account: str
    change: str
    roles: tuple[str, ...]
    by: str
    at: datetime
    number: int
    token: str = ""


@dataclass(frozen=True, slots=True)
class ManagementStep:
    """A director changed the event."""

    change: EventChange
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class DealStepTaken:
    """A step towards the event's deals; no name where it follows from the vaults' answers."""

    step: DealStep
    at: datetime
    by: str = ""


@dataclass(frozen=True, slots=True)
class RecordsGivenUp:
    """A director goes on with a store that was put back to an earlier state and lacks ``count`` records of the staff; ``last`` is the
    hash of the last record that was there."""

    count: int
    last: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Complaint:
    """Something of a table was refused, and why."""

    table: str
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Evidence:
    """A line that contradicts a stored one: its bytes, the hash of the line that the table has signed, and the table's last signed
    head, which with the stored lines proves that."""

    table: str
    line: bytes
    signed: str
    head: bytes
    at: datetime


Refused: TypeAlias = Complaint | Evidence
"""What was refused."""
StaffAct: TypeAlias = (
    Acknowledgement
    | RefereeLook
    | RulingGiven
    | WithdrawalStep
    | ReplacementStep
    | StaffChange
    | ManagementStep
    | DealStepTaken
    | RecordsGivenUp
)
"""What somebody did."""
Note: TypeAlias = StaffAct | Refused
"""What somebody did, or what was refused."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Something of a table that cannot stand beside what is stored, and why."""

    table: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Contents:
    """All that a store holds; the last programme is the one in force."""

    programmes: tuple[Programme, ...]
    journals: tuple[StoredJournal, ...]
    slips: tuple[StoredSlip, ...]
    acknowledgements: tuple[Acknowledgement, ...]
    looks: tuple[RefereeLook, ...]
    complaints: tuple[Complaint, ...]
    evidence: tuple[Evidence, ...]
    heads: tuple[SignedHead, ...] = ()
    announcements: tuple[StoredAnnouncement, ...] = ()
    records: tuple[bytes, ...] = ()
    """Signed and chained, in their order."""
    notes_before_records: str = ""
    """Hash of the acknowledgements and looks that are older than records."""

    @property
    def programme(self) -> Programme:
        """The programme in force."""
        return self.programmes[-1]
