"""The record of a played hand (``twinwall-hand-1``): who sat where, which deal, every play event, and the scores.

Walls and digest are in a record only after release. Whether its events are legal is decided in ``replay``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from twinwall.game.deals import walls_digest
from twinwall.game.deals.deal import check_walls, walls_from_json, walls_to_json
from twinwall.game.deals.encoding import DIGEST_SIZE
from twinwall.game.documents import DocumentError, DocumentFields, object_of, parse_object, text_of
from twinwall.game.play_events import (
    PlayEvent,
)
from twinwall.game.play_json import from_json as event_from_json
from twinwall.game.play_json import scores_of
from twinwall.game.play_json import to_json as event_to_json
from twinwall.game.session import HANDS
from twinwall.game.tiles import SEATS, Seat, Tile, format_tiles
from twinwall.game.walls import SeatWall

RECORD_FORMAT = "twinwall-hand-1"


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
        fields = DocumentFields(parse_object(text, name), name)
        fields.constant("format", RECORD_FORMAT)
        record = cls(
            event=fields.words("event"),
            session=fields.integer("session", 1),
            hand=fields.integer("hand", 1, HANDS),
            n=fields.integer("n", 1),
            table=fields.words("table"),
            rules=fields.words("rules"),
            options=dict(fields.mapping("options")),
            players={seat: text_of(player, f"the player at {seat.value}") for seat, player in fields.seats("players").items()},
            check=fields.hex("check", DIGEST_SIZE),
            events=tuple(_event(line, number) for number, line in enumerate(fields.items("events"), start=1)),
            scores=scores_of(fields, "scores"),
            digest=fields.hex("digest", DIGEST_SIZE) if "digest" in fields else None,
            walls=walls_from_json(fields, name) if "walls" in fields else None,
            rest=fields.tiles("rest") if "rest" in fields else None,
        )
        fields.done()
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


def _event(line: object, number: int) -> PlayEvent:
    name = f"event {number} of the hand record"
    document = object_of(line, name)
    try:
        return event_from_json(document)
    except DocumentError as error:
        raise DocumentError(f"{name}: {error}") from None
