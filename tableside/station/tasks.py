"""The kinds of tasks for people at a station; ``manual_state`` makes them. A task never says why."""

from collections import Counter
from enum import Enum

from firmware_bridge.messages import Capabilities
from twinwall.values import frozen

WHOLE_TABLE = -1
"""Instead of a seat: all four."""


class Do(Enum):
    """What must be done. The values are the screen's names."""

    REST = "rest"
    """Nothing: the table's computer is not ready for the next tile, or is silent."""
    SHOW = "show"
    """Show the next tile of the heap to the camera."""
    READING = "reading"
    """Leave the tile in the frame until it has been read."""
    PUT = "put"
    """The tile in hand goes to a place of a wall."""
    ASIDE = "aside"
    """The tile in hand goes to a spot beside the table."""
    FROM_ASIDE = "from-aside"
    """The tile from a spot goes to a place of a wall."""
    HEAP = "heap"
    """The tile in hand goes back to the heap."""
    REJECT = "reject"
    """The tile in hand goes into the box of tiles that do not belong here."""
    FETCH = "fetch"
    """Take the tile from a place of a wall and show it."""
    EMPTY_WALL = "empty-wall"
    """A wall being built goes back to the heap."""
    EMPTY_PLAYED = "empty-played"
    """The rest of the walls in play goes back to the heap."""
    RAISE = "raise"
    """Set the four walls before the players."""
    HANDS = "hands"
    """Everybody takes the hand tiles."""
    DRAW = "draw"
    """The seat draws the next tile of its wall; seats from 4 take the shared tile at the other end."""
    GATHER = "gather"
    """All tiles on the table go to the heap."""
    RECOVER = "recover"
    """What was in hand at a power cut goes back to the heap, also from the place where it may be by now."""
    CONNECT = "machine-connect"
    EXCHANGE = "machine-exchange"
    """The device that answers is not the machine that brings the tiles."""
    RELEASE_STOP = "machine-release-stop"
    SHUT_LID = "machine-shut-lid"
    FREE_GATE = "machine-free-gate"
    FREE_DIVERTER = "machine-free-diverter"
    FREE_DRUM = "machine-free-drum"
    FREE_WELL = "machine-free-well"
    EMPTY_LANE = "machine-empty-lane"
    """A seat's lane and its switch must be empty before the next tile comes. What is there may be the tile of the place."""
    LOOK = "machine-look"
    """The machine has halted for another reason: check that nothing is in its way."""
    FILL = "machine-fill"
    """Its drum is empty, and tiles are wanted."""


class Unread(Enum):
    """Why a tile cannot be read, by light, focus and outline alone; no kind is used. The values are the screen's names."""

    DARK = "dark"
    GLARE = "glare"
    BLURRED = "blurred"
    COVERED = "covered"
    ASKEW = "askew"


IN_HAND = frozenset({Do.PUT, Do.ASIDE, Do.HEAP, Do.REJECT})
"""Tasks for the tile that was just read: showing the next tile confirms them."""

INTO_WELL = frozenset({Do.EMPTY_WALL, Do.EMPTY_PLAYED, Do.RECOVER})
"""Tasks with tiles that go into the well of a machine that brings the tiles."""


@frozen
class Task:
    """``place`` is a tray position (PUT, FROM_ASIDE, FETCH, EMPTY_LANE) and ``spot`` a bypass cell; ``number`` is never reused."""

    do: Do
    number: int = 0
    seat: int = WHOLE_TABLE
    place: int = -1
    spot: int = -1


@frozen
class SpokenPlace:
    """A place of a wall in people's terms: ``row`` is hand, upper, lower, single or shared, ``count`` is from 1 in the order of draws."""

    row: str
    count: int


def spoken_place(place: int, sizes: Capabilities) -> SpokenPlace:
    """A tray position in people's terms: the hand's tiles in a row, then stacks of two in the order of draws."""
    if place < sizes.hand_places:
        return SpokenPlace("hand", place + 1)
    if place >= sizes.wall_places:
        return SpokenPlace("spare", place - sizes.wall_places + 1)
    stack = (place - sizes.hand_places) // 2 + 1 if sizes.two_high else place - sizes.hand_places + 1
    if sizes.support_below(place) is not None:
        return SpokenPlace("upper", stack)
    return SpokenPlace("lower" if sizes.covered_by(place) is not None else "single", stack)


def wall_sizes(sizes: Capabilities) -> dict[str, int]:
    """The numbers of tiles and stacks in a wall's picture; ``single`` is the tile without one on top."""
    rows = Counter(spoken_place(place, sizes).row for place in range(sizes.wall_places))
    return {"hand": rows["hand"], "stacks": rows["lower"], "single": rows["single"]}
