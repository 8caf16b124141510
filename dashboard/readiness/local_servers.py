"""Clients of two servers on this computer's loopback: for phones (roles, codes, dismissal) and for readiness (``twinwall hall readiness``:
cameras, sets, enrolment, trial, recording).

Each request gets one answer, or an error with a sentence.
"""

from typing import ClassVar, TypeVar
from urllib.parse import quote, urlsplit

import msgspec

from twinwall.game import typed_json
from twinwall.game.tiles import Seat, Tile
from twinwall.values import FrozenStruct
from twinwall.web.http_request import ask
from twinwall.wire.shapes.panel import PhoneNow
from twinwall.wire.shapes.readiness import (
    EndedHand,
    HandEnd,
    MatLook,
    NamedPicture,
    Readiness,
    RecordingNow,
    RiverTiles,
    WantedAnswer,
    WantedEnrolment,
    WantedRecording,
)

PATIENCE_S = 10.0
"""A camera may take some seconds to report that it gives no frame."""


class LocalServerError(Exception):
    """The server does not answer, or refuses; the message is its sentence."""


_S = TypeVar("_S")


class LocalServer:
    """A server by its address ``http://127.0.0.1:PORT``; every method raises LocalServerError."""

    NAME: ClassVar[str]
    """Its name for people."""
    COMMAND: ClassVar[str]
    """The command that starts it."""

    def __init__(self, address: str) -> None:
        self._host = urlsplit(address).netloc

    def _ask(self, method: str, path: str, document: object = None, patience_s: float = PATIENCE_S) -> bytes:
        try:
            status, body = ask(self._host, method, path, document, patience_s=patience_s)
        except OSError as problem:
            raise LocalServerError(f"{self.NAME} at {self._host} does not answer: start {self.COMMAND}") from problem
        if status != 200:
            raise LocalServerError(self._decoded(body, dict[str, str]).get("error", self._odd))
        return body

    def _read(self, shape: type[_S], method: str, path: str, document: object = None, patience_s: float = PATIENCE_S) -> _S:
        return self._decoded(self._ask(method, path, document, patience_s), shape)

    def _decoded(self, body: bytes, shape: type[_S]) -> _S:
        try:
            return typed_json.decode(body, shape)
        except msgspec.MsgspecError as problem:
            raise LocalServerError(self._odd) from problem

    @property
    def _odd(self) -> str:
        return f"what answers at {self._host} is not {self.NAME}: see what else has this port"


class TablePhones(LocalServer):
    """The phones' server."""

    NAME, COMMAND = "the phones' server", "twinwall table phones serve"

    def phones(self) -> list[PhoneNow]:
        """Every role."""
        return self._read(list[PhoneNow], "GET", "/phones")

    def offer(self, table: str, name: str) -> str:
        """The address of a code for a role, valid once."""
        return self._read(dict[str, str], "POST", "/codes", {"table": table, "name": name})["link"]

    def dismiss(self, table: str, name: str) -> None:
        """Take a role from its phone."""
        self._ask("POST", "/dismissed", {"table": table, "name": name})


class SeenViolation(FrozenStruct):
    """A possible violation: whose, and the rule that it would break, in English."""

    kind: str
    seat: Seat
    rule: str


class UnsettledEvent(FrozenStruct):
    """Something that the camera alone does not settle: the event's number, the possible kinds of its tile in the camera's order, its place,
    what the record and another reading have, or the possible violation.

    ``about`` distinguishes the questions at this number; it is empty in documents of version 0.9.0, which the first answer makes again.
    ``said`` and ``by`` are empty without an answer; ``given`` is the number of answers.
    """

    seq: int
    kinds: list[str]
    about: str = ""
    x_mm: float = 0.0
    y_mm: float = 0.0
    before_ms: int = 0
    paths: tuple[dict[str, object] | None, dict[str, object] | None] = (None, None)
    violation: SeenViolation | None = None
    said: str = ""
    by: str = ""
    at: str = ""
    given: int = 0

    @property
    def leaves_move_in_doubt(self) -> bool:
        """Whether the record may be wrong there: the question is unanswered, or the answer is "unknown" or "no". A violation is no move."""
        return self.violation is None and self.said in ("", "unknown", "no")


class LeftOpen(FrozenStruct):
    """An event that was one of these ``events``, which no camera can decide; no question is asked about it."""

    seq: int
    events: list[dict[str, object]]


class RecordedDocument(FrozenStruct):
    """The decoder's result for a recorded hand: ``questions`` are open, ``answered`` have an answer."""

    record: msgspec.Raw
    complete: bool
    questions: list[UnsettledEvent]
    unseen_s: float
    answered: list[UnsettledEvent] = []  # noqa: RUF012 - msgspec copies it
    open: list[LeftOpen] = []  # noqa: RUF012 - the same


DECODING_S = 180.0
"""How long to wait for the decoding of a hand after an answer."""
READING_S = 30.0
"""How long to wait for a reading of all rivers over several frames."""
# Made before there are threads: two threads that use a type for the first time at once would end the process.
RECORDED = msgspec.json.Decoder(RecordedDocument)
_RECORDING: msgspec.json.Decoder[RecordingNow | None] = msgspec.json.Decoder(RecordingNow | None)


class TableReadiness(LocalServer):
    """The server of readiness."""

    NAME, COMMAND = "the server of the tables' readiness", "twinwall hall readiness"

    def tables(self) -> list[str]:
        return self._read(list[str], "GET", "/")

    def facts(self, table: str) -> Readiness:
        return self._read(Readiness, "GET", _path(table))

    def enrol(self, table: str, which: str) -> None:
        """Begin the enrolment of the set ``first`` or ``second``."""
        self._ask("POST", f"{_path(table)}/enrolment", WantedEnrolment(which))

    def all_shown(self, table: str) -> None:
        """Report that no tile of the set is left."""
        self._ask("POST", f"{_path(table)}/all-shown", {})

    def question(self, table: str, number: int) -> bytes:
        """The picture of a question, a PNG file's bytes."""
        return self._ask("GET", f"{_path(table)}/question/{number}.png")

    def answer(self, table: str, number: int, tile: Tile | None) -> None:
        """Say what a picture shows; None leaves it out."""
        self._ask("POST", f"{_path(table)}/answer", NamedPicture(number, "" if tile is None else tile.text))

    def try_draws(self, table: str) -> None:
        self._ask("POST", f"{_path(table)}/trial", {})

    def look_at_mat(self, table: str) -> MatLook:
        """Take and check a new picture of the mat; refused while the table plays."""
        return self._read(MatLook, "POST", f"{_path(table)}/mat", {})

    def read_rivers(self, table: str) -> RiverTiles:
        """Read the tiles in a table's rivers; refused while the table plays."""
        return self._read(RiverTiles, "POST", f"{_path(table)}/tiles", {}, READING_S)

    def record(self, table: str, rules: str, hand: int, which: str) -> None:
        """Begin to record a hand with an unknown deal: its rule set, its number in a session, and the set in play."""
        self._ask("POST", f"{_path(table)}/recording", WantedRecording(rules, hand, which))

    def recording(self, table: str) -> RecordingNow | None:
        """The last recording; it uses no camera, so it is available while the table plays."""
        return _RECORDING.decode(self._ask("GET", f"{_path(table)}/recording"))

    def end_hand(self, table: str, name: str, end: HandEnd) -> None:
        self._ask("POST", f"{_path(table)}/recording/end", EndedHand(name, end))

    def recorded(self, table: str, name: str) -> RecordedDocument:
        """The decoder's result for a recorded hand."""
        try:
            return RECORDED.decode(self.recorded_file(table, name, "json"))
        except (msgspec.DecodeError, ValueError) as damaged:
            raise LocalServerError(f"the document of the hand {name} is damaged: {damaged}") from None

    def recorded_file(self, table: str, name: str, suffix: str) -> bytes:
        """A file of a recorded hand: ``json``, or the observations (``jsonl``)."""
        return self._ask("GET", f"{_path(table)}/recorded/{quote(name, safe='')}.{suffix}")

    def answer_recorded(self, table: str, name: str, answer: WantedAnswer) -> None:
        """Answer a question about a recorded hand; its record is then made again."""
        self._ask("POST", f"{_path(table)}/recorded/{quote(name, safe='')}/answer", answer, DECODING_S)

    def mat_picture(self, table: str, number: int) -> bytes:
        """The picture of the last look at the mat, a JPEG file's bytes."""
        return self._ask("GET", f"{_path(table)}/mat/{number}.jpg")

    def stop(self, table: str) -> None:
        self._ask("POST", f"{_path(table)}/stop", {})


def _path(table: str) -> str:
    return f"/{quote(table, safe='')}"
