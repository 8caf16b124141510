"""Violations: what people did that the rules do not allow, as a path holds it and as it is reported.

A path holds a violation where gates or camera show an act that no legal play explains. It is reported only with a margin as large as
an event's; below that it becomes a question, and no player is accused. The stable words are those of the event ``violation``.

Paths compare events and violations by marks, numbers that are the same in every process. ``hash`` of a text differs between processes, and
with it the order in which paths that cost the same are kept.
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
    """A number that equal values share; what a value says of itself (``repr``) must tell it from others."""
    return int.from_bytes(blake2b(repr(value).encode(), digest_size=7).digest())


class ViolationKind(StrEnum):
    """Kinds of violations, by their stable words."""

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
"""The rule that each kind breaks, where the rule set's own sentence does not say it better."""


@frozen
class PathViolation:
    """A violation on a path: by whom (of a draw: from whose wall, since a gate does not know hands), which rule it breaks, when,
    and the tiles that show it."""

    kind: ViolationKind
    seat: Seat
    rule: str
    at_ms: int
    tracks: tuple[int, ...] = ()
    back_ms: int = 0
    """When a tile that was drawn wrongly was put back; 0 where it was not, or that is unknown."""

    @property
    def mark(self) -> int:
        """A number that the same violation has on all paths. A hand that does not win may get further tiles while it is laid down."""
        tracks = (min(self.tracks),) if self.tracks and self.kind is ViolationKind.FALSE_WIN else self.tracks
        return mark_of((self.kind, self.seat, tracks or self.at_ms))


@frozen
class FoundViolation:
    """A violation of the best path; ``margin`` is the log-odds (nats) to the best path without it."""

    violation: PathViolation
    margin: float
    published_ms: int = 0
    """When it was reported, on the table's clock; 0 while it was not."""
