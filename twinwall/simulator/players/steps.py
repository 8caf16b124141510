"""What a player does next, from what it sees and what it remembers of its own doings.

This is the lamp language (docs/reference/panel.md) read from a player's chair; nothing here
chooses tiles. Every step leaves the table looking different, so a step is not done twice.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto

from twinwall.game.play import Claim
from twinwall.simulator.players.strategy import Answer, Kong
from twinwall.simulator.world.sight import Sight

FULL_HAND = 13


class Step(Enum):
    """One thing to do."""

    WAIT = auto()
    TAKE_HAND = auto()
    DRAW = auto()
    PLAY = auto()
    """Declare a win or discard: fourteen tiles are at hand."""
    DISCARD = auto()
    """Discard after a claim: a win cannot be declared."""
    ANSWER = auto()
    """Decide about the latest discard."""
    EXPOSE = auto()
    ADD_TO_PUNG = auto()
    """Lay the fourth tile on a pung, having called a kong."""
    LAY_FACE_DOWN = auto()
    """Lay the four tiles of a concealed kong, having called it."""
    CONFIRM_KONG = auto()
    """Say that a concealed kong lies."""
    SHOW = auto()
    CONFIRM = auto()
    """Propose the payments, or agree with them."""


@dataclass(frozen=True, slots=True)
class Memory:
    """A player's own doings: ``answer`` was pressed for window ``answered_window``; a self-drawn win was declared
    after ``declared_after`` discards; ``turn_spent`` from a discard until its window has been seen. ``kong`` was called
    at the own turn; ``replacing`` from a kong until the next discard."""

    answer: Answer | None = None
    answered_window: int = 0
    declared_after: int | None = None
    turn_spent: bool = False
    kong: Kong | None = None
    replacing: bool = False

    def with_answer(self, answer: Answer | None, window: int) -> Memory:
        """After a claim window has been decided about."""
        return replace(self, answer=answer, answered_window=window, turn_spent=False, kong=None)

    def with_declaration(self, discards: int) -> Memory:
        """After WIN was pressed with a self-drawn tile and the call lamp came on."""
        return replace(self, declared_after=discards, kong=None)

    def with_kong(self, kong: Kong | None) -> Memory:
        """After KONG was pressed at the own turn and the call lamp came on, or (None) a kong was made with a discard."""
        return replace(self, kong=kong, replacing=True)

    def with_discard(self) -> Memory:
        """After a discard."""
        return replace(self, turn_spent=True, kong=None, replacing=False)


def next_step(sight: Sight, memory: Memory, east_place: int) -> Step:
    """The step that this sight asks for; ``east_place`` is where East sits in this hand."""
    lamps, place = sight.lamps, sight.place
    if lamps.fault:
        return Step.WAIT
    if sight.hand_waiting:
        return Step.TAKE_HAND
    if lamps.window:
        return Step.ANSWER if sight.discards and not sight.answered else Step.WAIT
    if not lamps.turn[place]:
        return Step.WAIT
    if any(sight.shown) or (sum(lamps.turn) > 1 and _may_be_drawn(sight)):
        return _settling(sight, east_place)
    if lamps.call[place]:
        return _called(sight, memory)
    if memory.turn_spent:
        return Step.WAIT
    held = len(sight.rack) + 3 * len(sight.melds[place])
    if held == FULL_HAND:
        return _before_drawing(sight, east_place)
    if held == FULL_HAND + 1:
        return Step.DISCARD if sight.drawn is None else Step.PLAY
    return Step.WAIT


def _before_drawing(sight: Sight, east_place: int) -> Step:
    """Draw through an open gate. East's lit lamp beside a shut gate means a drawn hand, if a wall has run out; else the gate is late."""
    if sight.gate_open:
        return Step.DRAW
    return Step.CONFIRM if sight.place == east_place and _may_be_drawn(sight) else Step.WAIT


def _may_be_drawn(sight: Sight) -> bool:
    """Whether the hand can have ended without a winner: not before a wall has run out."""
    return 0 in sight.draws_left


def _called(sight: Sight, memory: Memory) -> Step:
    """The player's press stands: it is to show what it pressed for."""
    if memory.kong is not None:
        return _laying_kong(sight, memory.kong)
    if memory.declared_after == sight.discards:
        return Step.SHOW
    if memory.answer is None or memory.answered_window != sight.discards:
        return Step.WAIT
    if memory.answer.claim is Claim.WIN:
        return Step.SHOW
    if sight.last_discard is None:
        return Step.WAIT
    river, slot = sight.last_discard
    return Step.WAIT if sight.rivers[river][slot] is None else Step.EXPOSE


def _laying_kong(sight: Sight, kong: Kong) -> Step:
    """The player has called a kong: it lays the tiles, and when they lie face down says so."""
    held = kong.tile.text in sight.rack
    if kong.added:
        return Step.ADD_TO_PUNG if held else Step.WAIT
    return Step.LAY_FACE_DOWN if held else Step.CONFIRM_KONG


def _settling(sight: Sight, east_place: int) -> Step:
    """The hand is over: the winner (East in a drawn hand) proposes, the next person counter-clockwise agrees."""
    lamps, place = sight.lamps, sight.place
    winners = [shown for shown in range(4) if sight.shown[shown]]
    proposer = winners[0] if winners else east_place
    if place == proposer:
        return Step.WAIT if lamps.call[place] else Step.CONFIRM
    agreeing = place == (proposer + 1) % 4 and sum(lamps.turn) > 1 and not lamps.turn[proposer]
    return Step.CONFIRM if agreeing else Step.WAIT
