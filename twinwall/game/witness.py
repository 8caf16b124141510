"""What only somebody who knows every tile can see of a hand: duties, and wins that were let pass.

At the table nothing may depend on a concealed hand, so a rule that does is checked afterwards, when the walls are
known: a rule set gives a ``Witness`` that looks on while a record is replayed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from twinwall.game.play import PlayState
from twinwall.game.play_events import PlayEvent
from twinwall.game.rule_set import Illegal
from twinwall.game.tiles import Seat, Tile

Hands = Mapping[Seat, tuple[Tile, ...]]
"""What each seat conceals, in the order of its wall: a tile drawn last stands last."""


class Witness(Protocol):
    """Looks on while one hand is replayed with its walls."""

    def objection(self, state: PlayState, event: PlayEvent, hands: Hands) -> Illegal | None:
        """Why an event that all can see to be legal breaks a duty; ``state`` and ``hands`` are those before it."""
        ...

    def see(self, state: PlayState, event: PlayEvent, hands: Hands) -> None:
        """Take note of an event that stands; ``state`` and ``hands`` are those before it."""
        ...


class NothingToSee:
    """The witness of rules whose every duty lies open."""

    def objection(self, state: PlayState, event: PlayEvent, hands: Hands) -> Illegal | None:
        """Nothing."""

    def see(self, state: PlayState, event: PlayEvent, hands: Hands) -> None:
        """Nothing."""
