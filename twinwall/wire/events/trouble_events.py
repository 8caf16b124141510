"""Events of trouble: violations, calls for the referee, parts of the table that are not heard or need a person."""

from enum import StrEnum
from typing import Annotated

from twinwall.game.tiles import Seat, TileRow
from twinwall.wire.events.definitions import Actor, P, Sentence, T, event, word_kind


@event(T)
class Violation:
    """Something happened that the rules do not allow.

    A violation that the referee confirms after the hand names the deal and changes nothing at the table.
    """

    seat: Actor
    what: Annotated[str, T("stable word")]
    sentence: Sentence
    rule: Annotated[str | None, T("the rule that it breaks, for people")] = None
    n: Annotated[int | None, P("number of the deal, of a violation that was confirmed after its hand")] = None
    number: Annotated[int | None, T("before which event of the hand's record, from 1")] = None
    by: Annotated[str | None, T("the referee who confirmed it")] = None


class CallSubject(StrEnum):
    """What a player calls the referee about, on the page of a seat."""

    SCORE = "score"
    TILE = "tile"
    SEAT = "seat"
    PLAY = "play"
    OTHER = "other"


class TableSubject(StrEnum):
    """What the table itself calls the referee about; it accuses no seat."""

    HAND_OVERDUE = "hand-overdue"
    LAID_IN_TIME = "laid-in-time"
    """The tiles of a call were exposed in time and without a key, but the decoder was certain of them too late."""
    MAT_DIFFERS = "mat-differs"
    DEAL_FOULED = "deal-fouled"
    ANSWER_DOUBTED = "answer-doubted"
    """The called meld is not there or does not win, and includes a tile that the referee has named: his answer may be wrong."""
    SEAT_WRONG = "seat-wrong"


@event(P)
class RefereeCalled:
    """A seat, or the table itself, called the referee.

    A seat calls by its key or its page, or through a violation that the table has just reported. The table's own call accuses no seat.
    """

    seat: Annotated[Seat | None, T("the seat that called; left out where the table calls")] = None
    about: Annotated[
        CallSubject | TableSubject | None,
        T("what it is about, as a stable word; left out of a call by key", word_kind("about", CallSubject, TableSubject)),
    ] = None


@event(T)
class DealFouled:
    """This table's wall was not the deal."""

    reason: Annotated[str, T("why, for people")]


VAULT_OF = "vault:"
"""Prefix of a seed holder's name in ``what``: his vault is not heard."""

MAT_OF = "mat-of:"
"""Prefix of a table's name in ``why``: the mat below the camera names that table."""


@event(P)
class LinkLost:
    """The controller does not hear a part of the table."""

    what: Annotated[
        str,
        P("`feeder`, `gate-camera` (further gates: `gate-camera-1`, …), `table-camera`, `panel`, `broker`, `vault:` and a holder's name"),
    ]


@event(P)
class CameraTrouble:
    """What is wrong with a camera that is not heard.

    ``why`` is a word of ``vision.cameras.port.CameraFault``, or names the other table whose mat the camera sees.
    """

    what: Annotated[str, P("`gate-camera` (further gates: `gate-camera-1`, …) or `table-camera`")]
    why: Annotated[
        str,
        P(
            "stable word: `absent`, `silent`, `broken`, `stale`, `frozen`, `size`, `dark`, `glare`, `no-mat`, `failed`; or `mat-of:` and "
            "the table that the mat names, which is another one"
        ),
    ]


@event(P)
class LinkRestored:
    """The part is heard again."""

    what: Annotated[str, P("as in `link-lost`")]


class TablePart(StrEnum):
    """The part of a fault: of the feeder by PROTOCOL.md, of the mat by area, or another."""

    SHUTTLE = "shuttle"
    GATE = "gate"
    DIVERTER = "diverter"
    DRUM = "drum"
    WELL = "well"
    TABLE = "table"
    TRAY = "tray"
    MAGAZINE = "magazine"
    CELL = "cell"
    OTHER_GATE = "other-gate"
    OTHER_DIVERTER = "other-diverter"
    EXCHANGER = "exchanger"
    RETURN_LANE = "return-lane"
    REJECT_CELL = "reject-cell"
    DRAW_GATE = "draw-gate"
    REAR_GATE = "rear-gate"
    RIVER = "river"
    MELD = "meld"
    HAND = "hand"
    WIN = "win"
    SHARED = "shared"
    WALL = "wall"
    SERIAL_PORT = "serial-port"


@event(T, name="fault")
class TableFault:
    """A part of the table needs a person."""

    code: Annotated[str, T("stable word")]
    where: Annotated[str, T("part and place as one text; programs read `part`, `place` and `number`")]
    sentence: Sentence
    tiles: Annotated[TileRow | None, T("the tiles that a fifth copy or a missing tile is; left out of other faults")] = None
    part: Annotated[TablePart | None, T("the part, as a stable word", word_kind("part", TablePart))] = None
    place: Annotated[int | None, T("the seat's place, 0 to 3, of a gate or slot")] = None
    number: Annotated[int | None, T("which of several parts or slots, from 0")] = None


@event(T)
class FaultCleared:
    """The fault is gone.

    Staff have dealt with it.
    """

    code: Annotated[str, T("as in `fault`")]


Trouble = Violation | RefereeCalled | DealFouled | LinkLost | CameraTrouble | LinkRestored | TableFault | FaultCleared
