"""Hand that the table's decoders follow (``controller.recorder``), as far as the table's own record has come."""

from collections.abc import Mapping
from dataclasses import field

from controller.state.open_deal import OpenDeal
from controller.state.playing import KnownViolation
from controller.state.watches import Watch
from twinwall.game.play_events import PlayEvent
from twinwall.game.tiles import Tile
from twinwall.values import frozen
from vision.mat import Slot


@frozen
class HandToDecode:
    """``events`` are those of the table's record so far; ``awaited`` is the watch that stands now, but for shared tiles; None where none
    does; ``last_discard`` is the watch for the discard that lay last before the controller was away, while that stands; ``back`` is the
    number of the backs of the set in play; ``answers`` are the tiles in slots of the awaited watch of which the referee has said what they
    are; ``rulings`` counts the referee's so far; ``violations`` are those that the table has reported of the hand."""

    deal: OpenDeal
    back: int | None
    events: tuple[PlayEvent, ...]
    awaited: Watch | None = None
    closed: bool = False
    answers: Mapping[Slot, Tile] = field(default_factory=dict)
    rulings: int = 0
    last_discard: Watch | None = None
    violations: tuple[KnownViolation, ...] = ()
