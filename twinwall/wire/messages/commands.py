"""Commands to a table, and the table's heartbeat, as canonical JSON without unknown keys. The server or the vault signs a command, with an
id and a rising counter (unsigned in a rehearsal without signers). The table answers in its ledger: with the lines, with ``ruling``, or with
``ruling-refused``. The heartbeat goes only to the server. It has the ledger's length, so that a lost last line is noticed, and reveals
nothing of play: the feeder link has ratios and latencies only, because the number of frames would show how much happens.
The machine's figures are coarse for the same reason: operations up to the last start, frame ages in minutes."""

from collections.abc import Callable, Mapping
from typing import Annotated, get_args

import msgspec
from msgspec import Struct

from twinwall.game.documents import DocumentError, canonical_json, parse_object
from twinwall.game.tiles import Seat
from twinwall.game.typed_json import Count, Number, Text, Time, plain, read_as, sent
from twinwall.game.typed_scores import MOST_SCORE
from twinwall.values import Shape, frozen
from twinwall.wire.events.hand_events import RecordVerdict
from twinwall.wire.events.trouble_events import CallSubject
from twinwall.wire.messages.assignment import PlayerNumber
from twinwall.wire.messages.ruling import Ruling, read_ruling, ruling_fields
from twinwall.wire.messages.signing import Counter, Signer, open_signed

Percent = Annotated[int, msgspec.Meta(ge=0, le=100)]


class CameraCondition(Shape):
    """One camera by its name in ``link-lost``; None: not measured."""

    name: Text
    frame_age_min: Count | None = None
    """Whole minutes since the last frame; frames are taken only while a tile is awaited."""
    light_percent: Percent | None = None
    """Mean brightness in steps of ten; camera above the table only."""
    moved_mm: Count | None = None
    """How far mat or camera has moved since calibration; camera above the table only."""
    edge_tenths_mm: Count | None = None
    """Apparent width of a marker's edge on the mat in tenths of a millimetre: wider is less sharp; camera above the table only."""


class MachineCondition(Shape):
    """The table's computer, its cameras, and the work of its feeder."""

    version: Text
    """The program's version."""
    up_min: Count
    """Whole minutes since the controller started."""
    disk_free_mib: Count
    """Of the journal's disk, in steps of a hundred."""
    temperature_c: int | None = None
    """Of the processor; None if the computer does not say."""
    feeder_operations: Count = 0
    """Up to the controller's last start, in this event's journal."""
    cameras: tuple[CameraCondition, ...] = ()
    weak_power: bool = False
    """Whether a Raspberry Pi's firmware has found undervoltage since its start."""
    slowed: bool = False
    """Whether it has slowed the processor since its start, because of heat or undervoltage."""
    written_gib_a_day: Count | None = None
    """Whole GiB written to its card since the start, a day, of less than a day altogether; None if it has no card."""
    worn_percent: Count | None = None
    """How much of its life an eMMC has spent, in steps of ten, 110 beyond its end; None if it does not say."""
    disk_fails: bool = False
    """Whether the journal's disk cannot be written, or a file system has errors."""


COMMAND = "twinwall-command-1"
"""The purpose of a command's signature."""
RESEND, RULING = "resend", "ruling"


class Resend(Shape, tag="resend", rename={"first": "from", "last": "to"}):
    """Send lines ``first`` to ``last`` (inclusive) of the ledger ``journal`` again, without lines not yet written."""

    journal: Text
    first: Count
    last: Count


Place = Annotated[int, msgspec.Meta(ge=0, le=3)]
"""Counter-clockwise."""
Score = Annotated[int, msgspec.Meta(ge=-MOST_SCORE, le=MOST_SCORE)]
"""A seat's score of a hand; the bound is beyond every rule set."""


class TakeSeat(Shape, tag="seat-taken"):
    """A player says where he sits, for the seat check."""

    place: Place
    player: PlayerNumber


class SwapSeats(Shape, tag="seats-swapped"):
    """The players of two places have changed seats, for the seat check."""

    places: tuple[Place, Place]


class PauseClock(Shape, tag="clock-paused"):
    """No further hand begins at the table, or (``paused`` false) play goes on."""

    paused: bool


class ConfirmScore(Shape, tag="score-confirmed"):
    """The player at a place enters or confirms the score of deal ``n``, like the key CONFIRM, but for this score only. ``payments``: what
    he was shown, from East to North; None if he enters it."""

    place: Place
    n: Number
    payments: tuple[int, int, int, int] | None = None


class BeginHand(Shape, tag="hand-begun"):
    """At a table without cameras, the player at a place says that the walls of deal ``n`` are built and play begins."""

    place: Place
    n: Number


class EnterResult(Shape, tag="result-entered", rename={"source": "from"}):
    """At a table without cameras, the player at a place says how the hand of deal ``n`` ended. Either winner, discarder (``source``, None:
    self-drawn) and value; or no winner, for a drawn hand; or the four ``scores`` from East to North, if the rule set needs them."""

    place: Place
    n: Number
    winner: Seat | None = None
    source: Seat | None = None
    total: Annotated[int, msgspec.Meta(ge=0, le=MOST_SCORE)] = 0
    scores: tuple[Score, Score, Score, Score] | None = None


class CallReferee(Shape, tag="referee-called"):
    """The player at a place calls the referee, as with the key, and says what it is about."""

    place: Place
    about: CallSubject


TileText = Annotated[str, msgspec.Meta(pattern=r"^([1-9][mps]|[ESWNCFP])\Z")]
"""One tile in notation."""


class AnswerTile(Shape, tag="tile-answered"):
    """The referee names a tile; ``n``, ``number`` and ``where`` are those of the question."""

    n: Count
    number: Count
    where: Text
    tile: TileText
    referee: Text


class AnswerRecord(Shape, omit_defaults=True, tag="record-answered"):
    """The referee says what happened where the decoder doubts event ``number`` of the record of deal ``n``, or what ``seat`` did before it;
    ``violation`` is the stable word of what it did against the rules."""

    n: Number
    number: Number
    right: RecordVerdict
    referee: Text
    seat: Seat | None = None
    violation: Text | None = None


FromPeople = TakeSeat | SwapSeats | ConfirmScore | BeginHand | EnterResult | CallReferee | PauseClock | AnswerTile | AnswerRecord
"""Commands for what players, directors and referees press on the server's pages."""
Command = Resend | Ruling | FromPeople
FromServer = Ruling | FromPeople
"""Commands that only the server may send."""
_STRUCTS: Mapping[str, type[FromPeople]] = {str(each.__struct_config__.tag): each for each in get_args(FromPeople)}
COMMAND_TYPES = (RESEND, RULING, *_STRUCTS)


class FeederLinkQuality(Shape):
    """The quality of the feeder link since the controller started."""

    round_trip_p50_ms: Count
    """From heartbeat to answer, rounded up."""
    round_trip_p99_ms: Count
    damaged_per_10000: Count
    """Damaged frames of 10,000 received."""
    repeated_per_10000: Count
    """Operations sent again, of 10,000 frames sent."""
    losses: Count
    """How often the link was lost."""


class Health(Shape):
    """A table's heartbeat: its ledger's id and last line, the time, parts without link, the feeder link and the machine."""

    table: Text
    journal: Text
    seq: Count
    at: Time
    links_lost: tuple[str, ...] = ()
    feeder_line: FeederLinkQuality | None = None
    """None while nothing is measured."""
    machine: MachineCondition | None = None
    """None if nothing is measured."""


@frozen
class SignedCommand:
    """A command and its signer: ``identity`` is unique, ``counter`` rises with each command of this signer."""

    by: str
    identity: str
    counter: int
    command: Command


class _Signed(Struct):
    by: Text
    id: Text
    counter: Count


@frozen
class CommandWriter:
    """Writes one sender's commands to the tables of one event, signed or (in a rehearsal) bare. ``counter`` must rise across restarts of
    the sender; ``new_id`` returns a fresh id."""

    event: str
    signer: Signer | None
    counter: Counter
    new_id: Callable[[], str]

    @property
    def public(self) -> bytes | None:
        """The sender's public key; None in a rehearsal."""
        return None if self.signer is None else self.signer.public

    def write(self, table: str, command: Command) -> bytes:
        if self.signer is None:
            return write_command(command)
        return sign_command(self.signer, self.event, table, command, identity=self.new_id(), counter=self.counter.next())


def write_command(command: Command) -> bytes:
    return canonical_json(_document(command))


def sign_command(signer: Signer, event: str, table: str, command: Command, *, identity: str, counter: int) -> bytes:
    return signer.sign(COMMAND, event, table, {**_document(command), "id": identity, "counter": counter})


def open_command(payload: bytes, event: str, table: str, trusted: Mapping[str, bytes]) -> SignedCommand:
    """Read a signed command; raises DocumentError, also if no trusted key signed it for this table."""
    read = open_signed(COMMAND, event, table, payload, trusted)
    signed = read_as({key: read.pop(key) for key in ("by", "id", "counter") if key in read}, _Signed)
    return SignedCommand(signed.by, signed.id, signed.counter, _command(read))


def read_command(payload: bytes) -> Command:
    """Read an unsigned command; raises DocumentError for an unknown type, key or value."""
    return _command(parse_object(payload))


def _document(command: Command) -> dict[str, object]:
    """The command's keys; a referee's name is ``referee``, because ``by`` is the signer."""
    if not isinstance(command, Ruling):
        return plain(command)
    fields = ruling_fields(command)
    return {"type": RULING, "referee": fields.pop("by"), **fields}


def _command(read: Mapping[str, object]) -> Command:
    match read.get("type"):
        case "resend":
            resend = read_as(read, Resend)
            if not 1 <= resend.first <= resend.last:
                raise DocumentError(f"lines {resend.first} to {resend.last} are no range from 1")
            return resend
        case "ruling":
            return _ruling(read)
        case str(name) if name in _STRUCTS:
            return read_as(read, _STRUCTS[name])
        case other:
            raise DocumentError(f"command type {other!r} is not known, only {', '.join(COMMAND_TYPES)}")


def _ruling(read: Mapping[str, object]) -> Ruling:
    if "by" in read:
        raise DocumentError("key 'by' is not known")
    if "referee" not in read:
        raise DocumentError("the ruling lacks the key 'referee'")
    fields = {"by" if key == "referee" else key: value for key, value in read.items() if key != "type"}
    return read_ruling(fields)


def write_health(health: Health) -> bytes:
    return canonical_json({"v": 1, **{key: value for key, value in sent(health).items() if value is not None}})


def read_health(payload: bytes) -> Health:
    """Read a heartbeat; raises DocumentError for an unknown key or value."""
    read = parse_object(payload)
    if (version := read.pop("v", None)) != 1:
        raise DocumentError(f"version {version!r} of a heartbeat is not known, only 1")
    return read_as(read, Health)
