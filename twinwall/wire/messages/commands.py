"""What travels besides events: commands to a table, and a table's heartbeat.

Both are small canonical JSON objects without unknown keys. A command asks for lines again or brings a
ruling. It is signed by the server or the vault and carries an id and a rising counter
(``sign_command``); where no signer is set up, as in a rehearsal, it travels bare. A table answers in
its ledger: with the lines, with the event ``ruling``, or with ``ruling-refused`` and the reason. A heartbeat tells that the table is
alive and how long its ledger is, so that a lost last line is noticed, and how good the line to its feeder is; it tells nothing of
the play and goes to the server alone. Of the feeder's line only shares and times travel: how many frames
there were would tell how much is going on at the table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import assert_never

from twinwall.wire.canonical_json import FormError, canonical, read_object, read_time, write_time
from twinwall.wire.messages.ruling import Ruling, read_ruling, ruling_fields
from twinwall.wire.messages.signing import Counter, SignatureError, Signer, open_signed

COMMAND = "twinwall-command-1"
"""What a signature under a command is for."""
RESEND, RULING = "resend", "ruling"


class CommandError(ValueError):
    """A command or heartbeat that is not as written here; the message names the part."""


@dataclass(frozen=True, slots=True)
class Resend:
    """Send the lines ``first`` to ``last`` (both included) of the ledger ``journal`` again; lines not yet written are left out."""

    journal: str
    first: int
    last: int


Command = Resend | Ruling


@dataclass(frozen=True, slots=True)
class FeederLinkQuality:
    """How good the line to the feeder has been since the table's controller started."""

    round_trip_p50_ms: int
    """From a heartbeat to its answer, rounded up."""
    round_trip_p99_ms: int
    damaged_per_10000: int
    """Of 10,000 frames that came."""
    repeated_per_10000: int
    """Operations sent again, of 10,000 frames that were sent."""
    losses: int
    """How often the line was lost."""


@dataclass(frozen=True, slots=True)
class Health:
    """A table's heartbeat: its ledger's id and last line, the moment, the parts whose link is down, and the feeder's line."""

    table: str
    journal: str
    seq: int
    at: datetime
    links_lost: tuple[str, ...] = ()
    feeder_line: FeederLinkQuality | None = None
    """None as long as nothing has been measured."""


@dataclass(frozen=True, slots=True)
class SignedCommand:
    """A command with who signed it: ``identity`` names it for good, ``counter`` rises with each that this signer sends."""

    by: str
    identity: str
    counter: int
    command: Command


class CommandWriter:
    """One sender's commands to the tables of one event: signed, or bare in a rehearsal where nobody signs."""

    def __init__(self, event: str, signer: Signer | None, counter: Counter, new_id: Callable[[], str]) -> None:
        """``counter`` must rise across restarts of this sender; ``new_id`` gives a fresh id for each command."""
        self._event, self._signer, self._counter, self._new_id = event, signer, counter, new_id

    def write(self, table: str, command: Command) -> bytes:
        """The command as it travels to one table."""
        if self._signer is None:
            return write_command(command)
        return sign_command(self._signer, self._event, table, command, identity=self._new_id(), counter=self._counter.next())


def write_command(command: Command) -> bytes:
    """The command as it travels without a signature."""
    return canonical(_document(command))


def sign_command(signer: Signer, event: str, table: str, command: Command, *, identity: str, counter: int) -> bytes:
    """The command as it travels to one table, signed."""
    return signer.sign(COMMAND, event, table, {**_document(command), "id": identity, "counter": counter})


def open_command(payload: bytes, event: str, table: str, trusted: Mapping[str, bytes]) -> SignedCommand:
    """Read a signed command; raises MessageError when no trusted key signed it for this table, and as ``read_command`` does."""
    try:
        read = open_signed(COMMAND, event, table, payload, trusted)
    except (FormError, SignatureError) as problem:
        raise CommandError(str(problem)) from None
    by, identity, counter = _text(read, "by"), _text(read, "id"), _count(read, "counter")
    return SignedCommand(by, identity, counter, _command({key: read[key] for key in read if key not in ("by", "id", "counter")}))


def read_command(payload: bytes) -> Command:
    """Read a command that is not signed; raises MessageError for an unknown type, key or value."""
    return _command(_read(payload))


def _document(command: Command) -> dict[str, object]:
    """The command's own keys; a referee's name is ``referee``, since ``by`` names who signed."""
    match command:
        case Resend(journal, first, last):
            return {"type": RESEND, "journal": journal, "from": first, "to": last}
        case Ruling():
            fields = ruling_fields(command)
            return {"type": RULING, "referee": fields.pop("by"), **fields}
        case _:
            assert_never(command)


def _command(read: Mapping[str, object]) -> Command:
    match read.get("type"):
        case "resend":
            return _resend(read)
        case "ruling":
            return _ruling(read)
        case other:
            raise CommandError(f"command type {other!r} is not known, only {RESEND!r} and {RULING!r}")


def _resend(read: Mapping[str, object]) -> Resend:
    _only_keys(read, {"type", "journal", "from", "to"})
    first, last = _count(read, "from"), _count(read, "to")
    if not 1 <= first <= last:
        raise CommandError(f"lines {first} to {last} are no range from 1")
    return Resend(_text(read, "journal"), first, last)


def _ruling(read: Mapping[str, object]) -> Ruling:
    fields = {key: value for key, value in read.items() if key not in ("type", "referee")}
    if "by" in fields:
        raise CommandError("key 'by' is not known")
    try:
        return read_ruling({**fields, "by": _text(read, "referee")})
    except FormError as problem:
        raise CommandError(str(problem)) from None


def write_health(health: Health) -> bytes:
    """The heartbeat as it travels."""
    line = {} if health.feeder_line is None else {"feeder_line": asdict(health.feeder_line)}
    return canonical(
        {
            "v": 1,
            "table": health.table,
            "journal": health.journal,
            "seq": health.seq,
            "at": write_time(health.at),
            "links_lost": list(health.links_lost),
            **line,
        }
    )


def read_health(payload: bytes) -> Health:
    """Read a heartbeat; raises MessageError for an unknown key or value."""
    read = _read(payload)
    _only_keys(read, {"v", "table", "journal", "seq", "at", "links_lost", "feeder_line"})
    if read.get("v") != 1:
        raise CommandError(f"version {read.get('v')!r} of a heartbeat is not known, only 1")
    links = read.get("links_lost")
    if not isinstance(links, list) or not all(isinstance(link, str) for link in links):
        raise CommandError("links_lost is not a list of names")
    try:
        at = read_time(_text(read, "at"))
    except FormError as problem:
        raise CommandError(str(problem)) from None
    return Health(_text(read, "table"), _text(read, "journal"), _count(read, "seq"), at, tuple(links), _feeder_line(read))


def _feeder_line(read: Mapping[str, object]) -> FeederLinkQuality | None:
    if "feeder_line" not in read:
        return None
    line = read["feeder_line"]
    if not isinstance(line, dict):
        raise CommandError("feeder_line is not an object")
    names = [field.name for field in fields(FeederLinkQuality)]
    _only_keys(line, set(names))
    return FeederLinkQuality(**{name: _count(line, name) for name in names})


def _read(payload: bytes) -> dict[str, object]:
    try:
        return read_object(payload)
    except FormError as problem:
        raise CommandError(str(problem)) from None


def _only_keys(read: Mapping[str, object], keys: set[str]) -> None:
    unknown = sorted(set(read) - keys)
    if unknown:
        raise CommandError(f"key {unknown[0]!r} is not known")


def _text(read: Mapping[str, object], key: str) -> str:
    value = read.get(key)
    if not isinstance(value, str) or not value:
        raise CommandError(f"{key} {value!r} is not a text")
    return value


def _count(read: Mapping[str, object], key: str) -> int:
    value = read.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise CommandError(f"{key} {value!r} is not a whole number from 0")
    return value
