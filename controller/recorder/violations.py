"""Violations: acts that the rules do not allow, as a path holds them and as they are reported.

A path holds a violation if gates or camera show an act that no legal play explains. It is reported only with a margin as large as an
event's; below that it becomes a question, and no player is accused. The stable words are those of the event ``violation``.

Paths compare events and violations by marks, which are the same in every process. The ``hash`` of a text is not, and would change the order
in which paths of equal cost are kept.
"""

from collections.abc import Hashable
from enum import StrEnum
from functools import lru_cache
from hashlib import blake2b

from controller.state.broken_rules import BROKEN_RULES
from twinwall.game.tiles import Seat
from twinwall.values import frozen


@lru_cache(maxsize=1 << 14, typed=True)
def mark_of(value: Hashable) -> int:
    """Return a number that equal values share; their ``repr`` must distinguish unequal ones."""
    return int.from_bytes(blake2b(repr(value).encode(), digest_size=7).digest())


class ViolationKind(StrEnum):
    """Kinds of violations by their stable words."""

    DREW_EARLY = "drew-early"
    DREW_OUT_OF_TURN = "drew-out-of-turn"
    DREW_TWICE = "drew-twice"
    PUT_BACK = "put-back"
    DISCARDED_OUT_OF_TURN = "discarded-out-of-turn"
    DISCARDED_TWICE = "discarded-twice"
    FALSE_DISCARD = "false-discard"
    FALSE_CLAIM = "false-claim"
    FALSE_WIN = "false-win"
    EXPOSED_TILES = "exposed-tiles"


RULES = {kind: BROKEN_RULES[kind] for kind in ViolationKind}
"""The rule that each kind breaks, unless the rule set's own sentence is more precise."""


@frozen
class PathViolation:
    """A violation on a path: seat (at a gate, that of the wall, since hands are unknown), rule, time, and the tiles that show it."""

    kind: ViolationKind
    seat: Seat
    rule: str
    at_ms: int
    tracks: tuple[int, ...] = ()
    back_ms: int = 0
    """When a wrongly drawn tile was put back; 0 if it was not, or that is unknown."""

    @property
    def mark(self) -> int:
        """A number of this violation on all paths; of a false win, by its first tile, since more tiles may be laid down later."""
        tracks = (min(self.tracks),) if self.tracks and self.kind is ViolationKind.FALSE_WIN else self.tracks
        return mark_of((self.kind, self.seat, tracks or self.at_ms))


@frozen
class FoundViolation:
    """A violation of the best path; ``margin`` is the log-odds (nats) to the best path without it."""

    violation: PathViolation
    margin: float
    published_ms: int = 0
    """When it was reported, on the table's clock; 0 before."""
