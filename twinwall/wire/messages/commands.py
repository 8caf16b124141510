"""Commands to a table, and the table's heartbeat.

Both are canonical JSON objects without unknown keys. A command asks for lines again, brings a ruling, tells who sits where, brings what a
player presses on the page of a seat, tells which tile a table cannot read or what was right where a record is doubted, or pauses the
clock. The server or the vault signs it, with an id and a rising counter (``sign_command``); in a rehearsal without signers it travels
bare. The table answers in its ledger: with the lines, with the event ``ruling``, or with ``ruling-refused``. The heartbeat says that the
table is alive, how long its ledger is (a lost last line is noticed), and how good the feeder link is. It goes to the server alone and
tells nothing of the play, so of the link only ratios and latencies travel: the number of frames would tell how much happens at the table.
"""

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
from twinwall.wire.messages.machine import MachineCondition
from twinwall.wire.messages.ruling import Ruling, read_ruling, ruling_fields
from twinwall.wire.messages.signing import Counter, Signer, open_signed

COMMAND = "twinwall-command-1"
"""What a signature under a command is for."""
RESEND, RULING = "resend", "ruling"


class Resend(Shape, tag="resend", rename={"first": "from", "last": "to"}):
    """Send the lines ``first`` to ``last`` (both included) of the ledger ``journal`` again; lines not yet written are left out."""

    journal: Text
    first: Count
    last: Count


Place = Annotated[int, msgspec.Meta(ge=0, le=3)]
"""A place of the table, counter-clockwise."""
Score = Annotated[int, msgspec.Meta(ge=-MOST_SCORE, le=MOST_SCORE)]
"""What a seat gets in a hand; the bound is beyond every rule set."""


class TakeSeat(Shape, tag="seat-taken"):
    """A player says to sit at a place, for the seat check."""

    place: Place
    player: PlayerNumber


class SwapSeats(Shape, tag="seats-swapped"):
    """The players of two places have changed seats, for the seat check."""

    places: tuple[Place, Place]


class PauseClock(Shape, tag="clock-paused"):
    """No further hand begins at the table, or (``paused`` false) play goes on."""

    paused: bool


class ConfirmScore(Shape, tag="score-confirmed"):
    """The player at a place enters the score of deal ``n``, or confirms it: ``payments`` are what he was shown, from East to North, and
    None where he enters it. It has the force of the key CONFIRM there, for that score and no other."""

    place: Place
    n: Number
    payments: tuple[int, int, int, int] | None = None


class BeginHand(Shape, tag="hand-begun"):
    """At a table without cameras the player at a place says that the walls of deal ``n`` stand and play begins."""

    place: Place
    n: Number


class EnterResult(Shape, tag="result-entered", rename={"source": "from"}):
    """At a table without cameras the player at a place says how the hand of deal ``n`` ended.

    That is the winner, who discarded (``source``, None: self-drawn) and what the hand is worth; no winner, for a drawn hand; or the four
    ``scores`` from East to North, where the rule set cannot tell them from less.
    """

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
"""One tile in the notation of the contracts."""


class AnswerTile(Shape, tag="tile-answered"):
    """The referee says which tile it is; ``n``, ``number`` and ``where`` are those of the question that it answers."""

    n: Count
    number: Count
    where: Text
    tile: TileText
    referee: Text


class AnswerRecord(Shape, omit_defaults=True, tag="record-answered"):
    """The referee says what happened where the decoder doubts event ``number`` of the record of deal ``n``, or what ``seat`` did before it;
    ``violation`` is the stable word of what it was, where that seat did what the rules do not allow."""

    n: Number
    number: Number
    right: RecordVerdict
    referee: Text
    seat: Seat | None = None
    violation: Text | None = None


FromPeople = TakeSeat | SwapSeats | ConfirmScore | BeginHand | EnterResult | CallReferee | PauseClock | AnswerTile | AnswerRecord
"""Commands by which the server tells a table what players, directors and referees have pressed on its pages."""
Command = Resend | Ruling | FromPeople
FromServer = Ruling | FromPeople
"""Commands that count from the server alone."""
_STRUCTS: Mapping[str, type[FromPeople]] = {str(each.__struct_config__.tag): each for each in get_args(FromPeople)}
COMMAND_TYPES = (RESEND, RULING, *_STRUCTS)


class FeederLinkQuality(Shape):
    """How good the line to the feeder has been since the table's controller started."""

    round_trip_p50_ms: Count
    """From a heartbeat to its answer, rounded up."""
    round_trip_p99_ms: Count
    damaged_per_10000: Count
    """Of 10,000 frames that came."""
    repeated_per_10000: Count
    """Operations sent again, of 10,000 frames that were sent."""
    losses: Count
    """How often the line was lost."""


class Health(Shape):
    """A table's heartbeat: its ledger's id and last line, the moment, the parts whose link is down, the feeder's line and the machine."""

    table: Text
    journal: Text
    seq: Count
    at: Time
    links_lost: tuple[str, ...] = ()
    feeder_line: FeederLinkQuality | None = None
    """None as long as nothing has been measured."""
    machine: MachineCondition | None = None
    """None where nothing is measured."""


@frozen
class SignedCommand:
    """A command with who signed it: ``identity`` names it for good, ``counter`` rises with each that this signer sends."""

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
    """One sender's commands to the tables of one event: signed, or bare in an unsigned rehearsal.

    ``counter`` must rise across restarts of this sender; ``new_id`` gives a fresh id for each command.
    """

    event: str
    signer: Signer | None
    counter: Counter
    new_id: Callable[[], str]

    @property
    def public(self) -> bytes | None:
        """The key that checks the sender's signature; None in a rehearsal."""
        return None if self.signer is None else self.signer.public

    def write(self, table: str, command: Command) -> bytes:
        """The command as it travels to one table."""
        if self.signer is None:
            return write_command(command)
        return sign_command(self.signer, self.event, table, command, identity=self.new_id(), counter=self.counter.next())


def write_command(command: Command) -> bytes:
    """The command as it travels without a signature."""
    return canonical_json(_document(command))


def sign_command(signer: Signer, event: str, table: str, command: Command, *, identity: str, counter: int) -> bytes:
    """The command as it travels to one table, signed."""
    return signer.sign(COMMAND, event, table, {**_document(command), "id": identity, "counter": counter})


def open_command(payload: bytes, event: str, table: str, trusted: Mapping[str, bytes]) -> SignedCommand:
    """Read a signed command; raises DocumentError when no trusted key signed it for this table, and as ``read_command`` does."""
    read = open_signed(COMMAND, event, table, payload, trusted)
    signed = read_as({key: read.pop(key) for key in ("by", "id", "counter") if key in read}, _Signed)
    return SignedCommand(signed.by, signed.id, signed.counter, _command(read))


def read_command(payload: bytes) -> Command:
    """Read a command that is not signed; raises DocumentError for an unknown type, key or value."""
    return _command(parse_object(payload))


def _document(command: Command) -> dict[str, object]:
    """The command's own keys; a referee's name is ``referee``, since ``by`` names who signed."""
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
    """The heartbeat as it travels."""
    return canonical_json({"v": 1, **{key: value for key, value in sent(health).items() if value is not None}})


def read_health(payload: bytes) -> Health:
    """Read a heartbeat; raises DocumentError for an unknown key or value."""
    read = parse_object(payload)
    if (version := read.pop("v", None)) != 1:
        raise DocumentError(f"version {version!r} of a heartbeat is not known, only 1")
    return read_as(read, Health)
