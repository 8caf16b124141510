"""Folds the seat check of a table: who is asked to sit where, who says to sit where, and whether all four sit right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from twinwall.wire.events.seat_events import SeatsAwaited, SeatsConfirmed, SeatTaken


@dataclass(frozen=True, slots=True)
class SeatsView:
    """``players`` are to sit at the places of their order, and were asked at ``since``; ``taken`` says who says to sit where."""

    session: int
    players: tuple[str, ...]
    since: datetime
    taken: Mapping[int, str] = field(default_factory=dict)
    confirmed: bool = False


def fold_seats(seats: SeatsView | None, event: SeatsAwaited | SeatTaken | SeatsConfirmed, at: datetime) -> SeatsView | None:
    """The seat check after one more of its events; who sits right already stays, while the session is the same."""
    match event:
        case SeatsAwaited(session, players):
            kept = seats.taken if seats is not None and seats.session == session else {}
            return SeatsView(session, players, at, {place: player for place, player in kept.items() if players[place] == player})
        case SeatTaken(place, player) if seats is not None:
            others = {where: who for where, who in seats.taken.items() if who != player}
            return replace(seats, taken={**others, place: player}, confirmed=False)
        case SeatsConfirmed() if seats is not None:
            return replace(seats, confirmed=True)
        case _:
            return None
