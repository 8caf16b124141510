"""Schedules of individual events: every session of 4 to 256 players in multiples of 4, known before the first."""

from __future__ import annotations

from collections.abc import Sequence

from twinwall.event.movements.constructions import draws
from twinwall.event.movements.labelling import labelled
from twinwall.event.movements.seating import SessionSeating, Who, refuse_repeats


def individual_schedule(players: Sequence[Who], sessions: int) -> tuple[SessionSeating[Who], ...]:
    """Sessions in which pairs of players meet, and are compared, as rarely as a construction allows.

    Sixteen players in five sessions are the affine plane of order 4: every pair meets once and is compared once. With
    16·m players there are m groups of four tables; with other multiples of 4 all tables are one group. ``balance``
    says what was reached.

    Args:
        players: the order decides who is which point of the construction. With more than 64 players those who stand
            near each other in it meet late or never: family and club mates belong side by side.
        sessions: 1 or more.

    Raises:
        MovementError: for a number of players that is no multiple of 4 or above 256, a player twice, or no session.
    """
    refuse_repeats(players)
    return tuple(seating.as_others(lambda index: players[index]) for seating in labelled(draws(len(players), sessions)))
