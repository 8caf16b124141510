"""The readiness of the hall's own tables, asked of ``twinwall hall readiness``: cameras, sets, what is enrolled, tried or recorded."""

from __future__ import annotations

from urllib.parse import quote

import msgspec
from msgspec import Struct

from dashboard.readiness.local_server import LocalServer, LocalServerError
from twinwall.game.tiles import Seat, Tile
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


class SeenViolation(Struct, frozen=True):
    """A violation that is asked about: whose, and the rule that it would break, in English."""

    kind: str
    seat: Seat
    rule: str


class UnsettledEvent(Struct, frozen=True):
    """Something that the camera alone does not settle: the event's number, the kinds that its tile may have in the order of what the camera
    thinks, where it lies, what the record and another reading hold, or which violation it would be. ``about`` tells it from what else is
    asked at this number; it is empty in documents of version 0.9.0, whose first answer makes them again. What was ``said`` of it ``by``
    whom is empty without an answer; ``given``: the number of answers."""

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
        """Whether the record may be wrong there: it is not answered, unknown, or was otherwise. A violation is no move."""
        return self.violation is None and self.said in ("", "unknown", "no")


class RecordedDocument(Struct, frozen=True):
    """What the decoder made of a recorded hand: ``questions`` are open, and ``answered`` are those that somebody has answered."""

    record: msgspec.Raw
    complete: bool
    questions: list[UnsettledEvent]
    unseen_s: float
    answered: list[UnsettledEvent] = []


DECODING_S = 180.0
"""How long is waited until a hand has been decoded again with an answer."""
READING_S = 30.0
"""How long a reading of all rivers over several frames is waited for."""
# Made before there are threads: the first use of a type in two threads at once ends the process.
_FACTS, _MAT, _TILES = msgspec.json.Decoder(Readiness), msgspec.json.Decoder(MatLook), msgspec.json.Decoder(RiverTiles)
_RECORDED = msgspec.json.Decoder(RecordedDocument)
_RECORDING: msgspec.json.Decoder[RecordingNow | None] = msgspec.json.Decoder(RecordingNow | None)


class TableReadiness:
    """The server of readiness, by its address on loopback; every method raises LocalServerError."""

    def __init__(self, address: str) -> None:
        """``address`` is ``http://127.0.0.1:PORT``."""
        self._server = LocalServer(address, "the server of the tables' readiness", "twinwall hall readiness")

    def tables(self) -> list[str]:
        """The tables' names."""
        return msgspec.json.decode(self._server.ask("GET", "/"), type=list[str])

    def facts(self, table: str) -> Readiness:
        """What there is."""
        return _FACTS.decode(self._server.ask("GET", _path(table)))

    def enrol(self, table: str, which: str) -> None:
        """Begin the enrolment of the set ``first`` or ``second``."""
        self._server.ask("POST", f"{_path(table)}/enrolment", WantedEnrolment(which))

    def all_shown(self, table: str) -> None:
        """No tile of the set is left."""
        self._server.ask("POST", f"{_path(table)}/all-shown", {})

    def question(self, table: str, number: int) -> bytes:
        """The picture of a question, a PNG file's bytes."""
        return self._server.ask("GET", f"{_path(table)}/question/{number}.png")

    def answer(self, table: str, number: int, tile: Tile | None) -> None:
        """What a picture shows; None to leave it out."""
        self._server.ask("POST", f"{_path(table)}/answer", NamedPicture(number, "" if tile is None else tile.text))

    def try_draws(self, table: str) -> None:
        """Begin a trial of four draws."""
        self._server.ask("POST", f"{_path(table)}/trial", {})

    def look_at_mat(self, table: str) -> MatLook:
        """A new picture of the mat, checked; refused while the table plays."""
        return _MAT.decode(self._server.ask("POST", f"{_path(table)}/mat", {}))

    def read_rivers(self, table: str) -> RiverTiles:
        """Read the tiles that lie in a table's rivers; refused while the table plays."""
        return _TILES.decode(self._server.ask("POST", f"{_path(table)}/tiles", {}, READING_S))

    def record(self, table: str, rules: str, hand: int, which: str) -> None:
        """Begin to record a hand of which no deal is known: its rule set, its number in a session, and the set in play."""
        self._server.ask("POST", f"{_path(table)}/recording", WantedRecording(rules, hand, which))

    def recording(self, table: str) -> RecordingNow | None:
        """The last recording; no camera is asked, so it may be asked for while the table plays."""
        return _RECORDING.decode(self._server.ask("GET", f"{_path(table)}/recording"))

    def end_hand(self, table: str, name: str, end: HandEnd) -> None:
        """End the recording of the hand ``name``."""
        self._server.ask("POST", f"{_path(table)}/recording/end", EndedHand(name, end))

    def recorded(self, table: str, name: str) -> RecordedDocument:
        """What the decoder made of a recorded hand."""
        try:
            return _RECORDED.decode(self.recorded_file(table, name, "json"))
        except (msgspec.DecodeError, ValueError) as damaged:
            raise LocalServerError(f"the document of the hand {name} is damaged: {damaged}") from None

    def recorded_file(self, table: str, name: str, suffix: str) -> bytes:
        """A file of a recorded hand: ``json``, or the observations (``jsonl``)."""
        return self._server.ask("GET", f"{_path(table)}/recorded/{quote(name, safe='')}.{suffix}")

    def answer_recorded(self, table: str, name: str, answer: WantedAnswer) -> None:
        """Answer a question of a recorded hand, whose record is then made again."""
        self._server.ask("POST", f"{_path(table)}/recorded/{quote(name, safe='')}/answer", answer, DECODING_S)

    def mat_picture(self, table: str, number: int) -> bytes:
        """The picture of the last look at the mat, a JPEG file's bytes."""
        return self._server.ask("GET", f"{_path(table)}/mat/{number}.jpg")

    def stop(self, table: str) -> None:
        """End the enrolment or the trial under way."""
        self._server.ask("POST", f"{_path(table)}/stop", {})


def _path(table: str) -> str:
    return f"/{quote(table, safe='')}"
