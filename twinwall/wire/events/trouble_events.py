"""Events of trouble: violations, calls for the referee, parts of the table that are not heard or need a person."""

from __future__ import annotations

from typing import Annotated

from twinwall.game.tiles import Seat, Tile
from twinwall.wire.events.common_fields import Actor, Sentence
from twinwall.wire.events.definitions import P, T, event


@event(T)
class Violation:
    """Something happened that the rules do not allow."""

    seat: Actor
    what: Annotated[str, T("stable word")]
    sentence: Sentence


@event(P)
class RefereeCalled:
    """A seat called the referee."""

    seat: Annotated[Seat, T("the seat that called")]


@event(T)
class DealFouled:
    """This table's wall was not the deal."""

    reason: Annotated[str, T("why, for people")]


@event(P)
class LinkLost:
    """The controller does not hear a part of the table."""

    what: Annotated[str, P("`feeder`, `gate-camera` (further gates: `gate-camera-1`, …), `table-camera`, `panel`, `broker`")]


@event(P)
class CameraTrouble:
    """What is wrong with a camera that is not heard.

    ``why`` is one of the words of ``vision.cameras.port.CameraFault``.
    """

    what: Annotated[str, P("`gate-camera` (further gates: `gate-camera-1`, …) or `table-camera`")]
    why: Annotated[str, P("stable word: `absent`, `silent`, `broken`, `stale`, `frozen`, `size`, `dark`, `glare`, `no-mat`, `failed`")]


@event(P)
class LinkRestored:
    """The part is heard again."""

    what: Annotated[str, P("as in `link-lost`")]


@event(T, name="fault")
class TableFault:
    """A part of the table needs a person."""

    code: Annotated[str, T("stable word")]
    where: Annotated[str, T("the part and place")]
    sentence: Sentence
    tiles: Annotated[tuple[Tile, ...] | None, T("the tiles that a fifth copy or a missing tile is; left out of other faults")] = None


@event(T)
class FaultCleared:
    """The fault is gone.

    Staff have dealt with it.
    """

    code: Annotated[str, T("as in `fault`")]
