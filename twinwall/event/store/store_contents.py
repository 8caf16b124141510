"""The contents of a store: lines of ledgers, slips, actions of people, and refusals."""

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
    """A head of a table's ledger, as received and checked, byte for byte; ``seq`` counts from 1."""

    table: str
    journal: str
    seq: int
    head: bytes


@frozen
class StoredAnnouncement:
    """The vault's announcement of the tables' boot signing keys, byte for byte, and the vault's key that checked it."""

    announcement: bytes
    vault_key: bytes
    at: datetime


StoredLine = tuple[bytes, str]
"""A line with its hash (hex) when it was stored."""


@frozen
class StoredJournal:
    """One journal of a table, from its first line; a table's journals are in the order in which they were followed."""

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
    """An action of the account ``by``, as in its record: the tag is the record's kind, and empty fields are left out."""


class Acknowledgement(_Act, tag="acknowledgement"):
    """A person answers the call in a line of a ledger."""

    table: str
    journal: str
    seq: int
    by: str
    at: datetime


class _DealAct(_Act):
    """An action about a table with deal ``n``."""

    table: str
    n: int


class RefereeLook(_DealAct, tag="look"):
    """A person opened the page of a table with an unreleased deal."""

    by: str
    at: datetime


class RulingGiven(_Act, tag="ruling"):
    """A person ruled: the ruling as sent to the table."""

    table: str
    by: str
    at: datetime
    ruling: dict[str, object]


class WithdrawalStep(_DealAct, tag="withdrawal"):
    """A person ordered the withdrawal of a table during deal ``n``, or confirmed the order of another, ``ordered``."""

    by: str
    at: datetime
    ordered: str = ""


class ReplacementStep(_Act, tag="replacement"):
    """A person ordered that another controller continues after this line of a table's ledger, or confirmed the order of another,
    ``ordered``. ``n`` is the deal of the hand in play, 0 for none."""

    table: str
    journal: str
    seq: int
    n: int
    reason: str
    by: str
    at: datetime
    ordered: str = ""


class StaffChange(_Act, tag="staff"):
    """A staff account was changed; ``change`` says how, ``roles`` are those afterwards.

    ``number`` distinguishes the changes of one staff file. ``by`` is empty for the command. ``token`` is the label of an API token that was
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
    change: EventChange
    by: str
    at: datetime


class DealStepTaken(_Act, tag="deals"):
    """A step towards the event's deals; ``by`` is empty if it follows from the vaults' answers."""

    step: DealStep
    at: datetime
    by: str = ""


class RecordsGivenUp(_Act, tag=RESTORED):
    """A director continues with a store that was put back to an earlier state and lacks ``count`` staff records; ``last`` is the hash of
    the last record before."""

    count: int
    last: str
    by: str
    at: datetime


@frozen
class Complaint:
    """Something from a table was refused, with the reason."""

    table: str
    reason: str
    at: datetime


@frozen
class Evidence:
    """A line that contradicts a stored one: its bytes, the hash that the table has signed, and the table's last signed head, which proves
    that together with the stored lines."""

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
"""An action of the staff."""
Proof = Evidence | SignedHead | StoredAnnouncement
"""What was received with a signature, beside the lines themselves."""
Note = StaffAct | Complaint | Proof
"""An action of the staff, a refusal, or a proof."""
_A = TypeVar("_A", bound=StaffAct)


def acts_of(records: Iterable[bytes], kind: type[_A]) -> Iterator[_A]:
    """The staff's actions of one kind in the records; raises DocumentError, which names the record."""
    for record in read_records(records):
        if record.kind == kind.__struct_config__.tag:
            with Reading(f"{record}"):
                yield read_as({**record.fields, "at": read_time(record.text("at"))}, kind)


Contradiction = tuple[str, str]
"""A table, and why something of it contradicts what is stored."""


@frozen
class Contents:
    """All contents of a store; the last programme is in force."""

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
    """Signed and chained, in order."""
    notes_before_records: str = ""
    """Hash of the acknowledgements and looks from before there were records."""

    @property
    def programme(self) -> Programme:
        return self.programmes[-1]
