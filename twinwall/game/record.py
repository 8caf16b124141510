"""The record of a played hand (``twinwall-hand-1``): seats, deal, play events and scores. Walls and digest are known after the release
only; a hand recorded without its deal never has them. ``replay`` judges the events."""

from collections.abc import Mapping
from dataclasses import field
from typing import ClassVar

from twinwall.game.deals import walls_digest
from twinwall.game.deals.deal import check_walls
from twinwall.game.deals.encoding import Digest, Sha256
from twinwall.game.deals.plan import HandNumber
from twinwall.game.documents import DocumentError
from twinwall.game.play_json import PlayEvents
from twinwall.game.typed_json import BySeat, Number, Tiles, Words, plain, read_document
from twinwall.game.walls import SeatWall
from twinwall.values import frozen

NO_CHECK = Sha256(bytes(32))
"""The check of a hand recorded without its deal; no deal has it."""


@frozen
class HandHeading:
    """Which hand it is: its deal, rules with options, and players; ``check`` is the deal's."""

    event: Words
    session: Number
    hand: HandNumber
    n: Number
    table: Words
    rules: Words
    options: Mapping[str, object]
    players: BySeat[str]
    check: Digest


@frozen
class HandRecord(HandHeading):
    """One hand of one table, with the deal's ``digest``, ``walls`` and ``rest`` if known."""

    FORMAT: ClassVar = "twinwall-hand-1"

    digest: Digest | None = field(default=None, kw_only=True)
    walls: BySeat[SeatWall] | None = field(default=None, kw_only=True)
    rest: Tiles | None = field(default=None, kw_only=True)
    events: PlayEvents
    scores: BySeat[int]

    @property
    def without_deal(self) -> bool:
        """Whether a camera recorded the hand without its deal, so that the walls stay unknown. (Other records without walls: not yet
        released.)"""
        return self.walls is None and self.check == NO_CHECK

    def to_json(self) -> dict[str, object]:
        return plain(self)

    @classmethod
    def from_json(cls, text: bytes | str) -> "HandRecord":
        """Read a record; refuses unknown keys, impossible walls, and a digest that does not fit the walls."""
        name = "the hand record"
        record = read_document(text, cls, name)
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
