"""Next step of a simulated player (``next_step``: key, draw or tile), from what it sees alone: the lamp language (docs/reference/panel.md)
as a player reads it.

Every step changes what is seen, so no step is done twice, and a player that begins in the middle of a hand continues
it. The strategy chooses tiles.
"""

from enum import Enum, auto
from typing import assert_never

from simulator.world.visible_table import VisibleTable
from twinwall.game.tiles import Seat, seat_at
from twinwall.wire.shapes.panel import Key

FULL_HAND = 13
BOX_PLACE = 0
"""The place whose player pours the box, and looks under the table when tiles are short."""


class Manners(Enum):
    """What people show by the rules that are played (``Permissions.face_up``), and when they claim."""

    PLAIN = auto()
    """A self-drawn win is shown at once, a concealed kong is not."""
    FACE_UP = auto()
    """The tile of a self-drawn win and one of a concealed kong lie face up; hands are shown at the end."""
    EVEN_TURNS = auto()
    """So they do, and a declared hand is shown at once; discards wait for one's own turn, whose number is the place in the river."""


class PlayerStep(Enum):
    WAIT = auto()
    TAKE_HAND = auto()
    DRAW = auto()
    PLAY = auto()
    """Declare a win, call a kong or discard: fourteen tiles are at hand."""
    DISCARD = auto()
    """Discard after a claim: a win cannot be declared."""
    DISCARD_IN_RIICHI = auto()
    """Lay the discard with which riichi is declared."""
    CLAIM_WAITING = auto()
    """Make the meld that was called at the own turn, of a discard that waited."""
    TURN_UP = auto()
    """Take the shared tile out of the rear gate and lay it open in the middle."""
    ANSWER = auto()
    """Decide about the latest discard."""
    SAY_ANSWERED = auto()
    """The claim is pressed already: be done with the window."""
    EXPOSE = auto()
    LAY_KONG = auto()
    """Lay the tiles of the kong that was called: the fourth on a pung, or four face down."""
    CONFIRM_KONG = auto()
    """Say that a concealed kong lies."""
    SHOW = auto()
    LAY_APART = auto()
    """Lay the winning tile that was drawn face up, where play goes on after a win."""
    CONFIRM = auto()
    """Propose the payments, or agree with them."""
    PUSH_IN = auto()
    """Everything of the own place goes into the well."""
    POUR_BOX = auto()
    SEARCH = auto()
    """Tiles are short: look under the table, or say that nothing was found."""


def next_step(visible: VisibleTable, *, searched: bool = False, manners: Manners = Manners.PLAIN) -> PlayerStep:
    """The step that the visible table asks for; ``searched``: whether the person has looked for lost tiles in this hand."""
    lamps, place = visible.lamps, visible.place
    if visible.clearing:
        return _clearing(visible, searched)
    if visible.hand_waiting:
        return PlayerStep.TAKE_HAND
    if visible.rear_gate_open:
        return PlayerStep.TURN_UP
    if lamps.window:
        return _before_window(visible)
    if place not in lamps.turn:
        return PlayerStep.WAIT
    if len(lamps.call) == 4:
        return PlayerStep.SHOW
    if place in lamps.call and not visible.shown[place]:
        return _called(visible, manners)
    if any(visible.shown) or (len(lamps.turn) > 1 and _may_be_drawn(visible)):
        return _settling(visible)
    if visible.own_window_open:
        return PlayerStep.WAIT
    held = len(visible.rack) + 3 * len(visible.melds[place])
    if held == FULL_HAND:
        return _before_drawing(visible)
    if held == FULL_HAND + 1:
        return PlayerStep.DISCARD if visible.drawn is None else PlayerStep.PLAY
    return PlayerStep.WAIT


def declared_on_draw(visible: VisibleTable) -> bool:
    """Whether the person has declared a win on its own draw since the latest discard."""
    pressed = visible.pressed
    return pressed is not None and pressed.key is Key.WIN and not pressed.in_window and pressed.discards == visible.discards


def _clearing(visible: VisibleTable, searched: bool) -> PlayerStep:
    """The well is open between two hands. A lit fault lamp says that tiles are short."""
    place = visible.place
    river = (face for face in visible.rivers[place] if face is not None)
    if visible.rack or any(river) or visible.melds[place] or visible.shown[place]:
        return PlayerStep.PUSH_IN
    if place != BOX_PLACE:
        return PlayerStep.WAIT
    if visible.box:
        return PlayerStep.POUR_BOX
    return PlayerStep.SEARCH if visible.lamps.fault and not searched else PlayerStep.WAIT


def _before_window(visible: VisibleTable) -> PlayerStep:
    """A window is open. A claim whose call lamp is lit stands already, and so does the win of a seat that has left play."""
    if not visible.discards or visible.answered:
        return PlayerStep.WAIT
    pressed = visible.pressed
    if pressed is None or visible.place not in visible.lamps.call:
        return PlayerStep.ANSWER
    stands = pressed.in_window and pressed.discards == visible.discards
    return PlayerStep.SAY_ANSWERED if stands or pressed.key is Key.WIN else PlayerStep.ANSWER


def _before_drawing(visible: VisibleTable) -> PlayerStep:
    """Draw through an open gate. East's lit lamp beside a shut gate means a drawn hand, if a wall has run out; else the gate is late."""
    if visible.gate_open:
        return PlayerStep.DRAW
    return PlayerStep.CONFIRM if _may_be_drawn(visible) and seat_at(visible.place, visible.hand) is Seat.EAST else PlayerStep.WAIT


def _may_be_drawn(visible: VisibleTable) -> bool:
    """Whether the hand can have ended without a winner: not before a wall has run out."""
    return 0 in visible.draws_left


def _called(visible: VisibleTable, manners: Manners) -> PlayerStep:
    """The player's press stands: it is to show what it pressed for, if that was about the latest discard or its own draw."""
    pressed = visible.pressed
    if pressed is None or pressed.discards != visible.discards:
        return PlayerStep.WAIT
    if not pressed.in_window:
        return _called_at_turn(pressed.key, manners, drew=visible.drawn is not None)
    if pressed.key is Key.WIN:
        return PlayerStep.SHOW
    if visible.last_discard is None:
        return PlayerStep.WAIT
    river, slot = visible.last_discard
    return PlayerStep.WAIT if visible.rivers[river][slot] is None else PlayerStep.EXPOSE


def _called_at_turn(key: Key, manners: Manners, *, drew: bool) -> PlayerStep:
    """What was pressed for at the own turn is to be shown; without a drawn tile at hand that has been done, or it was a claim."""
    if drew:
        return _after_drawing(key, manners)
    match manners:
        case Manners.PLAIN:
            return PlayerStep.SHOW if key is Key.WIN else PlayerStep.CONFIRM_KONG
        case Manners.FACE_UP:
            return PlayerStep.WAIT
        case Manners.EVEN_TURNS:
            return {Key.WIN: PlayerStep.SHOW, Key.RIICHI: PlayerStep.WAIT}.get(key, PlayerStep.CLAIM_WAITING)
        case _:
            assert_never(manners)


def _after_drawing(key: Key, manners: Manners) -> PlayerStep:
    if key is Key.WIN:
        return PlayerStep.SHOW if manners is Manners.PLAIN else PlayerStep.LAY_APART
    return PlayerStep.DISCARD_IN_RIICHI if key is Key.RIICHI else PlayerStep.LAY_KONG


def _settling(visible: VisibleTable) -> PlayerStep:
    """The hand is over: the winner (East in a drawn hand) proposes, the next person counter-clockwise agrees."""
    lamps, place = visible.lamps, visible.place
    proposer = _proposer(visible)
    if place == proposer:
        return PlayerStep.WAIT if place in lamps.call else PlayerStep.CONFIRM
    agreeing = proposer is not None and place == (proposer + 1) % 4 and len(lamps.turn) > 1 and proposer not in lamps.turn
    return PlayerStep.CONFIRM if agreeing else PlayerStep.WAIT


def _proposer(visible: VisibleTable) -> int | None:
    """Who enters the payments: whose turn lamp is unlike the others."""
    lit = visible.lamps.turn
    if len(lit) == 1:
        return next(iter(lit))
    return next(place for place in range(4) if place not in lit) if len(lit) == 3 else None
