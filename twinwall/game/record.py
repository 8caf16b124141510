"""The record of a played hand (``twinwall-hand-1``): who sat where, which deal, every play event, and the scores.

Walls and digest are in a record only after release. A hand that was recorded without its deal has no check, and nothing of it is ever
released. Whether its events are legal is decided in ``replay``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from msgspec import Struct
from msgspec.structs import asdict

from twinwall.game.deals import walls_digest
from twinwall.game.deals.deal import Walls, check_walls, seat_walls, walls_to_json
from twinwall.game.deals.encoding import Sha256
from twinwall.game.deals.plan import HandNumber
from twinwall.game.documents import DocumentError
from twinwall.game.play_events import (
    PlayEvent,
)
from twinwall.game.play_json import from_json as event_from_json
from twinwall.game.play_json import to_json as event_to_json
from twinwall.game.tiles import SEATS, Seat, Tile, format_tiles
from twinwall.game.typed_json import FourSeats, Number, Tiles, Words, read_document
from twinwall.game.walls import SeatWall

RECORD_FORMAT = "twinwall-hand-1"
NO_CHECK = Sha256(bytes(32))
"""What stands for the check of a hand that is recorded without its deal; no deal has it."""


class _RecordForm(Struct, forbid_unknown_fields=True, tag_field="format", tag=RECORD_FORMAT):
    event: Words
    session: Number
    hand: HandNumber
    n: Number
    table: Words
    rules: Words
    options: dict[str, object]
    players: FourSeats[str]
    check: Sha256
    events: list[dict[str, object]]
    scores: FourSeats[int]
    digest: Sha256 | None = None
    walls: Walls | None = None
    rest: Tiles | None = None


@dataclass(frozen=True, slots=True)
class HandRecord:
    """One hand of one table; ``check`` and ``digest`` are raw bytes, ``options`` those of the rule set."""

    event: str
    session: int
    hand: int
    n: int
    table: str
    rules: str
    options: Mapping[str, object]
    players: Mapping[Seat, str]
    check: bytes
    events: tuple[PlayEvent, ...]
    scores: Mapping[Seat, int]
    digest: bytes | None = None
    walls: Mapping[Seat, SeatWall] | None = None
    rest: tuple[Tile, ...] | None = None

    @property
    def without_deal(self) -> bool:
        """Whether the hand was recorded without its deal, by a camera that saw an ordinary hand: its walls are unknown. Any other
        record without walls is of a deal that is not released."""
        return self.walls is None and self.check == NO_CHECK

    def to_json(self) -> dict[str, object]:
        """The record's object; ``digest``, ``walls`` and ``rest`` only where they are known."""
        released: dict[str, object] = {}
        if self.digest is not None:
            released["digest"] = self.digest.hex()
        if self.walls is not None:
            released["walls"] = walls_to_json(self.walls)
        if self.rest is not None:
            released["rest"] = format_tiles(self.rest)
        return {
            "format": RECORD_FORMAT,
            "event": self.event,
            "session": self.session,
            "hand": self.hand,
            "n": self.n,
            "table": self.table,
            "rules": self.rules,
            "options": dict(self.options),
            "players": {seat.value: self.players[seat] for seat in SEATS},
            "check": self.check.hex(),
            **released,
            "events": [event_to_json(event) for event in self.events],
            "scores": {seat.value: self.scores[seat] for seat in SEATS},
        }

    @classmethod
    def from_json(cls, text: bytes | str) -> HandRecord:
        """Read a record; refuses unknown keys, impossible walls, and a digest that is not that of the walls."""
        name = "the hand record"
        read = read_document(text, _RecordForm, name)
        changed: dict[str, object] = {
            "players": read.players.by_seat,
            "scores": read.scores.by_seat,
            "events": tuple(_event(line, number) for number, line in enumerate(read.events, start=1)),
            "walls": None if read.walls is None else seat_walls(read.walls),
        }
        record = cls(**{**asdict(read), **changed})
        record._check_release(name)
        return record

    def _check_release(self, name: str) -> None:
        if self.walls is None:
            if self.rest is not None:
                raise DocumentError(f"{name} has the key 'rest' without 'walls'")
            return
        check_walls(self.rules, self.walls, self.rest or (), name)
        if self.digest is not None and walls_digest(self.walls, self.rest or ()) != self.digest:
            raise DocumentError(f"'digest' of {name} is not that of its walls")


def _event(document: Mapping[str, object], number: int) -> PlayEvent:
    try:
        return event_from_json(document)
    except DocumentError as error:
        raise DocumentError(f"event {number} of the hand record: {error}") from None
