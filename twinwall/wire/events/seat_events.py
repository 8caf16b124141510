"""Events between two hands: players say where they sit, the table checks it, and pauses of the clock."""

from typing import Annotated

from twinwall.wire.events.definitions import PLAYERS, P, SessionNumber, event

Place = Annotated[int, P("place of the seat, 0 to 3 counter-clockwise")]
Player = Annotated[str, P("the player's number as text")]
PlayersByPlace = Annotated[tuple[str, ...], P("players' numbers by place", PLAYERS)]


@event(P)
class SeatsAwaited:
    """The table asks its players who they are; before all four have said it, no wall rises and no hand starts."""

    session: SessionNumber
    players: PlayersByPlace


@event(P)
class SeatTaken:
    """A player has said where he sits.

    A place that the same player said before is free again.
    """

    place: Place
    player: Player


@event(P)
class SeatWrong:
    """That player does not belong at this place."""

    place: Place
    player: Player
    belongs: Annotated[int | None, P("the player's own place; null for a player of another table")]


@event(P)
class SeatsConfirmed:
    """All four players sit where they belong: the hand may start."""

    session: SessionNumber
    players: PlayersByPlace


@event(P)
class ClockPaused:
    """The director has paused the clocks: a hand in play is finished, and no other begins.

    Not ``published`` in journals of an earlier program, whose public ledgers omit it.
    """

    published: bool = False


@event(P)
class ClockResumed:
    """Play goes on."""

    published: bool = False


SeatChecked = SeatsAwaited | SeatTaken | SeatWrong | SeatsConfirmed
Clocks = ClockPaused | ClockResumed
