"""Events while the wall is prepared: controller start, opened deal, wall built, checked and raised."""

from collections.abc import Mapping
from typing import Annotated

from twinwall.game.tiles import Seat, TileRow
from twinwall.game.walls import SeatWall
from twinwall.values import frozen
from twinwall.wire.events.definitions import DIGEST, C, Check, DealNumber, HandNumber, P, RuleSetName, Sentence, SessionNumber, T, event


@event(P)
class StartFixed:
    """The start of the event under which this journal's deals are taken.

    It is the first line of every journal; with this journal, the table takes no deal of another start. A journal that ``replaces`` one
    lists in ``finished`` the deals finished there.
    """

    code: Annotated[str, P("the start code", DIGEST)]
    replaces: Annotated[str | None, T("order of the staff by which this journal replaces a lost one", optional=True)] = None
    finished: tuple[int, ...] | None = None


@event(P)
class ControllerStarted:
    """The table's controller is running.

    ``journal`` is its journal's id. Operation numbers below ``first_operation`` are never used again. ``custody``: later deals come from a
    vault, which reports each release.
    """

    journal: str
    version: Annotated[str, P("version of the program")]
    resumed: Annotated[bool, P("whether it continues an earlier journal")]
    first_operation: int
    custody: bool = False


@frozen
class _Deal:
    """Which deal the table plays next."""

    n: DealNumber
    session: SessionNumber
    hand: HandNumber
    rules: RuleSetName


@event(P)
class DealOpened(_Deal):
    """The sealed deal was opened and agrees with its commitment."""

    check: Check
    walls: Mapping[Seat, SeatWall]
    digest: str
    rest: TileRow = ()


@event(P)
class SheetsDue(_Deal):
    """The building sheets of the deal must be opened, at a table without cameras.

    The table's computer does not have the deal: the vault has printed its walls.
    """


@event(P)
class DealRefused:
    """A deal was refused before any tile moved."""

    n: DealNumber
    reason: Annotated[
        str, P("stable word: `format`, `missing`, `signature`, `seal`, or the part of the deal that is not the committed one")
    ]
    sentence: Sentence


@event(P)
class Building:
    """How far the wall is built; batched."""

    placed: Annotated[int, P("tiles in their places")]
    of: Annotated[int, P("tiles of the whole wall")]


@event(P)
class WallReady:
    """Every place is filled, every kind counts four.

    The sensors also report full places, and the digest is the deal's.
    """

    n: DealNumber
    check: Check
    digest: Annotated[str, C("digest of the walls built", DIGEST)]


@event(T)
class ClearingBegan:
    """The magazines drop their tiles into the drum, and players push all others into the well.

    The wall of deal ``n`` is ready and the hand before it is over.
    """

    n: DealNumber
    dropped: Annotated[int, T("tiles that lay in the magazines")]


@event(T)
class WellCounted:
    """Tiles fell into the well."""

    counted: Annotated[int, T("tiles of the set in the drum by now")]
    of: Annotated[int, T("tiles of the whole set")]


@event(T)
class Cleared:
    """The well is shut.

    The wall of deal ``n`` may rise.
    """

    n: DealNumber
    counted: Annotated[int, T("tiles of the set in the drum")]


@event(T)
class TilesWorn:
    """Kinds of a tile set are read with less certainty than before; reported between hands, for played walls."""

    back: int
    set: Annotated[str, T("what people call the set")]
    tiles: Annotated[TileRow | None, T("the kinds; null where there is none any more")]
    looks: Annotated[int, T("looks of the gate at them in the last three walls")]


@event(T)
class WallChecked:
    """Positions of the wall were read again in spare time, during the hand before."""

    n: DealNumber
    read_again: Annotated[int, T("how many")]
    differ: Annotated[int, T("how many of them found another kind, which was corrected")]


@event(P)
class WallRaised:
    """The walls stand at the seats; each player takes the thirteen hand tiles."""

    n: DealNumber


@event(P)
class HandsTaken:
    """Every seat's hand places read empty."""

    n: DealNumber


Preparing = (
    StartFixed
    | ControllerStarted
    | DealOpened
    | SheetsDue
    | DealRefused
    | Building
    | WallReady
    | ClearingBegan
    | WellCounted
    | Cleared
    | TilesWorn
    | WallChecked
    | WallRaised
    | HandsTaken
)
"""In the order of the reference page, as in every such union."""
