"""A hand as forms of other programs hold it: starting hands, then moves, each with the tile that it moved.

A form reads its text into a ``HandSheet`` or writes one. Which events of play the moves were is found by the rules
(``rebuilding``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

from twinwall.game.documents import DocumentError
from twinwall.game.tiles import SEATS, Seat, Tile

UNKNOWN = "?"
"""What stands for a text that a form does not have."""


class FormTextError(DocumentError):
    """A text that is not written as its form says; the message names the hand, the place in it and what is allowed."""


class MoveType(Enum):
    """What a seat did."""

    DRAW = auto()
    DISCARD = auto()
    CHOW = auto()
    PUNG = auto()
    KONG = auto()
    ADDED_KONG = auto()
    CONCEALED_KONG = auto()
    WIN = auto()


@dataclass(frozen=True, slots=True)
class HandMove:
    """Something that a seat did; ``tile`` was drawn, discarded, claimed, laid as a kong or won with."""

    type: MoveType
    seat: Seat
    tile: Tile
    run: tuple[Tile, ...] = ()
    """The three tiles of a chow, the lowest first."""
    source: Seat | None = None
    """Whose discard was claimed or won on; None also where a form does not say it."""
    drawn: bool = False
    """Whether a discard was the tile drawn in the same turn."""
    riichi: bool = False


@dataclass(frozen=True, slots=True)
class HandSheet:
    """What a form says of one hand. Whatever a form does not say has its default here."""

    hands: Mapping[Seat, tuple[Tile, ...]]
    """Starting hands; their order counts only where ``walls`` are known."""
    moves: tuple[HandMove, ...]
    scores: Mapping[Seat, int] | None = None
    players: Mapping[Seat, str] = field(default_factory=lambda: dict.fromkeys(SEATS, UNKNOWN))
    event: str = UNKNOWN
    session: int = 1
    hand: int = 1
    """Of the session, from 1."""
    n: int = 1
    table: str = "1"
    rules: str | None = None
    options: Mapping[str, object] = field(default_factory=dict)
    check: bytes | None = None
    walls: Mapping[Seat, tuple[Tile, ...]] | None = None
    """Whole walls in their order, where a form has the undrawn tiles."""
    rest: tuple[Tile, ...] = ()
    broken_off: str = ""
    """Where and why the text has no further move that can be read; empty where it goes on to its end."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """What the form says beside, by the form's own names, in its order: it goes along with a record and back into the form."""
