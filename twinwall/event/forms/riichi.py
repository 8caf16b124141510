"""What the two forms that were made for riichi share: the indicators apart from those below them, and the sticks in what each seat gets."""

from __future__ import annotations

from collections.abc import Mapping

from twinwall.event.forms.moves import ReleasedHand
from twinwall.game.play_events import SharedTileTurned
from twinwall.game.rules.seigo.settlement import STICK, sticks_laid
from twinwall.game.rules.seigo.state import INDICATOR_PLACES, SeigoState
from twinwall.game.tiles import SEATS, Seat, Tile


def is_indicator(event: SharedTileTurned) -> bool:
    """Whether the tile turned up is a dora indicator, and not one from below it."""
    return event.place in INDICATOR_PLACES


def indicators(released: ReleasedHand) -> tuple[list[Tile], list[Tile]]:
    """The dora indicators turned up, and those below them."""
    turned = [event for event in released.record.events if isinstance(event, SharedTileTurned)]
    upper, below = ([event.tile for event in turned if is_indicator(event) is wanted] for wanted in (True, False))
    return upper, below


def laid_sticks(released: ReleasedHand) -> tuple[Seat, ...]:
    """Who laid a riichi stick."""
    state = released.played.state
    return sticks_laid(state) if isinstance(state, SeigoState) else ()


def gains(released: ReleasedHand, winner: Seat | None) -> Mapping[Seat, int]:
    """What each seat gets for a win, or in a drawn hand (no winner), after the sticks were laid; the first winner takes them all."""
    played, sticks = released.played, laid_sticks(released)
    if winner is None:
        return {seat: released.record.scores[seat] + STICK * (seat in sticks) for seat in SEATS}
    first = min(played.wins, key=played.state.turn.turns_until)
    taken = STICK * len(sticks) if winner is first else 0
    return {seat: paid + taken * (seat is winner) for seat, paid in played.wins[winner].payments.items()}
