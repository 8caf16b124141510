"""Violations: what people did that the rules do not allow, as a path holds it and as it is told.

A path holds a violation where gates or camera show an act that no legal play explains. It is told only with a margin as large as
an event's; below that it becomes a question, and nobody is accused. The stable words are those of the event ``violation``.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from controller.recorder.marks import mark_of
from twinwall.game.tiles import Seat


class ViolationKind(StrEnum):
    """Kinds of violations, by their stable words."""

    DREW_EARLY = "drew-early"
    DREW_OUT_OF_TURN = "drew-out-of-turn"
    DREW_TWICE = "drew-twice"
    PUT_BACK = "put-back"
    DISCARDED_OUT_OF_TURN = "discarded-out-of-turn"
    DISCARDED_TWICE = "discarded-twice"
    FALSE_DISCARD = "false-discard"
    FALSE_CLAIM = "false-claim"
    FALSE_WIN = "false-win"
    EXPOSED_TILES = "exposed-tiles"


RULES = MappingProxyType(
    {
        ViolationKind.DREW_EARLY: "a seat draws when the discard before its turn lies there and nobody claims it",
        ViolationKind.DREW_OUT_OF_TURN: "a tile is drawn by the seat whose turn it is, from its own wall",
        ViolationKind.DREW_TWICE: "a seat draws one tile a turn",
        ViolationKind.PUT_BACK: "a drawn tile stays in the hand: put back it proves nothing",
        ViolationKind.DISCARDED_OUT_OF_TURN: "a seat discards when it is its turn and it has drawn or claimed",
        ViolationKind.DISCARDED_TWICE: "a seat discards one tile a turn",
        ViolationKind.FALSE_DISCARD: "this tile may not be discarded now",
        ViolationKind.FALSE_CLAIM: "tiles are laid open for a meld that they make with a discard that may be claimed",
        ViolationKind.FALSE_WIN: "a win is declared on a hand that wins",
        ViolationKind.EXPOSED_TILES: "tiles of a hand stay concealed until they are discarded, laid as a meld or shown",
    }
)
"""The rule that each kind breaks, where the rule set's own sentence does not say it better."""


@dataclass(frozen=True, slots=True)
class PathViolation:
    """A violation on a path: by whom (of a draw: from whose wall, since a gate does not know hands), which rule it breaks, when,
    and the tiles that show it."""

    kind: ViolationKind
    seat: Seat
    rule: str
    at_ms: int
    tracks: tuple[int, ...] = ()

    @property
    def mark(self) -> int:
        """A number that the same violation has on all paths. A hand that does not win may get further tiles while it is laid down."""
        tracks = (min(self.tracks),) if self.tracks and self.kind is ViolationKind.FALSE_WIN else self.tracks
        return mark_of((self.kind, self.seat, tracks or self.at_ms))


@dataclass(frozen=True, slots=True)
class FoundViolation:
    """A violation of the best path; ``margin`` is the log-odds (nats) to the best path without it."""

    violation: PathViolation
    margin: float
    published_ms: int = 0
    """When it was told, on the table's clock; 0 while it was not."""
