"""What a store holds: lines of ledgers, slips, what people did, and what was refused."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import TypeVar

from twinwall.event.deal_state import DealStep
from twinwall.event.management.changes import EventChange
from twinwall.event.store.programme import Programme
from twinwall.event.store.store_records import RESTORED, read_records
from twinwall.game.documents import Reading, read_time
from twinwall.game.typed_json import read_as
from twinwall.values import FrozenStruct, frozen


@frozen
class SignedHead:
    """A head of a table's ledger, byte for byte as it was received and checked; ``seq`` counts from 1."""

    table: str
    journal: str
    seq: int
    head: bytes


@frozen
class StoredAnnouncement:
    """The vault's announcement of the tables' boot signing keys, byte for byte, and the vault's key that it was checked with."""

    announcement: bytes
    vault_key: bytes
    at: datetime


StoredLine = tuple[bytes, str]
"""A line with the hash (hex) that was noted when it was stored."""


@frozen
class StoredJournal:
    """One journal of a table, its lines from the first; a table's journals are in the order in which they were followed."""

    table: str
    journal: str
    lines: tuple[StoredLine, ...]


@frozen
class StoredSlip:
    """A slip's exact bytes, and when it was first received."""

    n: int
    slip: bytes
    at: datetime


class _Act(FrozenStruct, omit_defaults=True, tag_field="kind", rename={"by": "staff", "seq": "line", "count": "records"}):
    """What the account ``by`` did, as its record has it: the tag is the record's kind, and what is empty is left out."""


class Acknowledgement(_Act, tag="acknowledgement"):
    """Somebody has taken up the call that a line of a ledger is."""

    table: str
    journal: str
    seq: int
    by: str
    at: datetime


class _DealAct(_Act):
    """What somebody did about a table with deal ``n``."""

    table: str
    n: int


class RefereeLook(_DealAct, tag="look"):
    """Somebody opened the page of a table whose deal was not released."""

    by: str
    at: datetime


class RulingGiven(_Act, tag="ruling"):
    """Somebody ruled: the ruling as it was sent to the table."""

    table: str
    by: str
    at: datetime
    ruling: dict[str, object]


class WithdrawalStep(_DealAct, tag="withdrawal"):
    """Somebody ordered that a table is withdrawn while it plays deal ``n``, or confirmed what another, ``ordered``, had ordered."""

    by: str
    at: datetime
    ordered: str = ""


class ReplacementStep(_Act, tag="replacement"):
    """Somebody ordered that another controller goes on after this line of a table's ledger, or confirmed what another, ``ordered``, had
    ordered; ``n`` is the deal whose hand was in play, 0 for none."""

    table: str
    journal: str
    seq: int
    n: int
    reason: str
    by: str
    at: datetime
    ordered: str = ""


class StaffChange(_Act, tag="staff"):
    """An account of the staff was changed: ``change`` says how, ``roles`` is what it has afterwards.

    ``number`` tells the changes of one staff file apart; ``by`` is empty for the command; ``token`` is the label of an API token that was
    made or withdrawn.
    """

    account: str
    change: str
    roles: tuple[str, ...]
    at: datetime
    number: int
    by: str = ""
    token: str = ""


class ManagementStep(_Act, tag="management"):
    """A director changed the event."""

    change: EventChange
    by: str
    at: datetime


class DealStepTaken(_Act, tag="deals"):
    """A step towards the event's deals; no name where it follows from the vaults' answers."""

    step: DealStep
    at: datetime
    by: str = ""


class RecordsGivenUp(_Act, tag=RESTORED):
    """A director goes on with a store that was put back to an earlier state and lacks ``count`` records of the staff; ``last`` is the
    hash of the last record that was there."""

    count: int
    last: str
    by: str
    at: datetime


@frozen
class Complaint:
    """Something of a table was refused, and why."""

    table: str
    reason: str
    at: datetime


@frozen
class Evidence:
    """A line that contradicts a stored one: its bytes, the hash of the line that the table has signed, and the table's last signed
    head, which with the stored lines proves that."""

    table: str
    line: bytes
    signed: str
    head: bytes
    at: datetime


StaffAct = (
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
Note = StaffAct | Complaint | Evidence
"""What somebody did, or what was refused."""
_A = TypeVar("_A", bound=StaffAct)


def acts_of(records: Iterable[bytes], kind: type[_A]) -> Iterator[_A]:
    """What staff did of one kind by the stored records; raises DocumentError, which names the record."""
    for record in read_records(records):
        if record.kind == kind.__struct_config__.tag:
            with Reading(f"{record}"):
                yield read_as({**record.fields, "at": read_time(record.text("at"))}, kind)


Contradiction = tuple[str, str]
"""A table of which something cannot stand beside what is stored, and why."""


@frozen
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
