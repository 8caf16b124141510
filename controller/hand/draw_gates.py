"""Which draw gate opens (``due``), or which rear gate with a shared tile.

1. A tile that was put back: its gate gives it out again after the ruling.
2. A shared tile to be turned up: its rear gate opens, and the player there lays it face up in the middle of the mat. Play waits for it, so
  that all players decide with the same tiles in sight.
3. Otherwise the draw gate of the seat that draws.

A tile that leaves a closed draw gate is a wrong draw; which one depends on the turn and the draws before.
"""

from controller.ledger.journal_events import Events
from controller.state.faults import no_rear_gate
from controller.state.sides import OpenDeal, Playing
from controller.state.table_state import Setup, TableState
from firmware_bridge.link import events as feeder
from firmware_bridge.messages import REAR_GATE, NakCode, Unlock
from twinwall.game.play import Phase, PlayState
from twinwall.game.play_events import ClaimsPassed, SharedTileTurned
from twinwall.game.tiles import Seat


def due(setup: Setup, playing: Playing) -> int | None:
    play, deal, hand = playing.hand.play, playing.deal, playing.hand
    if play is None or deal is None:
        return None
    if hand.put_back is not None:
        return deal.place(hand.put_back)
    permissions = setup.rules.permissions(play)
    if permissions.turn_up is not None:
        return None if hand.lifted else REAR_GATE + deal.place(seat_of(deal, permissions.turn_up))
    if permissions.draw is None or hand.claim is not None:
        return None
    return deal.place(permissions.draw)


def wrong_draw(setup: Setup, play: PlayState, seat: Seat) -> tuple[str, str]:
    """Return which violation it is that a tile left the wall of a seat that must not draw now: stable word (the decoder's) and what
    happened.

    A gate does not know whose hand it was: a draw that is neither early nor a second one may be from another seat's wall.
    """
    name, turn = seat.name.title(), play.turn.name.title()
    if play.phase is Phase.CLAIMS and seat is _draws_after_claims(setup, play):
        return "drew-early", f"A tile left the wall of {name} before the claims on {turn}'s tile were over"
    if play.phase is Phase.DISCARD and seat is play.turn and play.drew:
        return "drew-twice", f"A second tile left the wall of {name}, which had drawn already"
    if play.phase is Phase.DISCARD and seat is setup.rules.permissions(play).following(play.turn):
        return "drew-early", f"A tile left the wall of {name} before {turn} had discarded"
    return "drew-out-of-turn", f"A tile left the wall of {name}, which was not to draw"


def _draws_after_claims(setup: Setup, play: PlayState) -> Seat | None:
    """Return the seat that draws if the tile is not claimed."""
    if setup.rules.illegal(play, ClaimsPassed()) is not None:
        return None
    return setup.rules.permissions(setup.rules.apply(play, ClaimsPassed())).draw


def refused(setup: Setup, state: TableState, answer: feeder.Done | feeder.OperationRefused) -> Events:
    """Call staff if the machine has no rear gate for a shared tile; it is asked again after CONFIRM."""
    if not isinstance(answer, feeder.OperationRefused) or answer.code is not NakCode.NO_SUCH_PLACE:
        return ()
    gate = due(setup, state.playing)
    pending = state.issued(answer.operation)
    if gate is None or gate < REAR_GATE or not pending or pending.command != Unlock(gate, round(setup.unlock_lease_s * 1000)):
        return ()
    return (no_rear_gate(gate, setup.rules.name),)


def seat_of(deal: OpenDeal, shared: int) -> Seat:
    """Return the seat behind whose wall a shared tile stands."""
    return next(seat for seat in Seat if shared in deal.shared_row(seat))


def tiles_behind(playing: Playing, seat: Seat) -> int:
    """Return how many tiles should be behind a seat's rear gate."""
    deal, hand = playing.deal, playing.hand
    assert deal is not None
    row = deal.shared_row(seat)
    turned = [event.place for event in hand.events if isinstance(event, SharedTileTurned) and event.place in row]
    return len(row) - len(turned) - (hand.lifted is seat)
