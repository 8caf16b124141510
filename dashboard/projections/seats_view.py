"""Folds the seat check of a table: who is asked to sit where, who says to sit where, and whether all four sit right."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from twinwall.game.documents import DocumentError, DocumentFields, text_of

SEAT_FIELDS: Mapping[str, tuple[str, ...]] = {
    "seats-awaited": ("session", "players"),
    "seat-taken": ("place", "player"),
    "seats-confirmed": (),
}
"""What is kept of each event of the seat check."""


@dataclass(frozen=True, slots=True)
class SeatsView:
    """``players`` are to sit at the places of their order, and were asked at ``since``; ``taken`` says who says to sit where."""

    session: int
    players: tuple[str, ...]
    since: datetime
    taken: Mapping[int, str] = field(default_factory=dict)
    confirmed: bool = False


def fold_seats(seats: SeatsView | None, type_: str, at: datetime, fields: DocumentFields) -> SeatsView | None:
    """The seat check after one more of its events; raises DocumentError for fields that are none."""
    if type_ == "seats-awaited":
        return _awaited(seats, at, fields)
    return None if seats is None else _CHANGES[type_](seats, fields)


def _awaited(seats: SeatsView | None, at: datetime, fields: DocumentFields) -> SeatsView:
    """Who sits right already stays, while the session is the same."""
    session, given = fields.integer("session", 1), fields.take("players")
    if not isinstance(given, list) or len(given) != 4:
        raise DocumentError("players: four are needed")
    players = tuple(text_of(player, "a player") for player in given)
    kept = seats.taken if seats is not None and seats.session == session else {}
    return SeatsView(session, players, at, {place: player for place, player in kept.items() if players[place] == player})


def _taken(seats: SeatsView, fields: DocumentFields) -> SeatsView:
    place, player = fields.integer("place", 0), fields.text("player")
    others = {where: who for where, who in seats.taken.items() if who != player}
    return replace(seats, taken={**others, place: player}, confirmed=False)


_CHANGES: Mapping[str, Callable[[SeatsView, DocumentFields], SeatsView]] = {
    "seat-taken": _taken,
    "seats-confirmed": lambda seats, _: replace(seats, confirmed=True),
}
