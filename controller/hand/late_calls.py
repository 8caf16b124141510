"""Late calls: a key pressed, or a meld laid, for a tile that the seat could have called, and after that time.

The press has no effect, and play goes on; the referee is called. Where tiles are laid play waits for him. A press that was never offered
says nothing, and neither does a second one of a seat that has called in time: keys bounce. A press while a seat is to discard, or to lay a
kong or the meld that it has called, says nothing either: the tile that it is for may lie there, and the camera has not read it yet; or it
is a wrong key of that seat. So a press is late until the next draw. WIN and KONG that are pressed by the seat whose turn it is, or laid by
it after its draw, may belong to the draw. Nothing here depends on a concealed tile: what is offered follows from the public state.
"""

from collections.abc import Iterator, Mapping

from controller.hand import referee
from controller.ledger.journal_events import Events
from controller.state.table_state import Setup, TableState
from twinwall.game.play import Phase, PlayState
from twinwall.game.play_events import Claim, Claimed, ClaimsPassed, TileDrawn
from twinwall.game.tiles import Seat
from twinwall.wire.events.trouble_events import TableSubject

_OWN_TURN = frozenset({Claim.WIN, Claim.KONG})


def late_call(setup: Setup, state: TableState, seat: Seat, call: Claim) -> Events:
    """The violation that a seat's press is which the table has refused; nothing where it is none."""
    hand, play = state.playing.hand, state.playing.hand.play
    if play is None or play.phase is not Phase.DRAW or hand.claim is not None or (seat is play.turn and call in _OWN_TURN):
        return ()
    if not _was_offered(setup, state, seat, call):
        return ()
    sentence = f"{seat.name.title()} pressed {call} after the time for it: the call does not count, and play goes on"
    return referee.violated(state, seat, referee.CLAIMED_LATE, sentence)


def meld_laid_late(setup: Setup, state: TableState, seat: Seat, call: Claim, *, in_time: bool) -> Events:
    """What follows when the tiles of a call lie open, without a key, and the table no longer takes it: play waits for the referee. Where
    they lay there ``in_time`` and the decoder was certain too late, the table calls him without an accusation."""
    play = state.playing.hand.play
    drawn = play is not None and seat is play.turn and play.phase is Phase.DISCARD
    if (drawn and call in _OWN_TURN) or not _was_offered(setup, state, seat, call):
        return ()
    if in_time:
        return *referee.call_by_table(state, TableSubject.LAID_IN_TIME), *referee.halt(state, referee.CALLED)
    sentence = f"{seat.name.title()} has laid open a {call} after the time for it, without a key: the referee rules"
    return referee.violated(state, seat, referee.CLAIMED_LATE, sentence, halts=True)


def _was_offered(setup: Setup, state: TableState, seat: Seat, call: Claim) -> bool:
    """Whether a seat that has not called could have called this since the last discard was laid, and play goes on."""
    playing, hand, play = state.playing, state.playing.hand, state.playing.hand.play
    if play is None or play.phase in (Phase.SHOW, Phase.ENDED) or seat in hand.called or playing.halted or playing.fouled:
        return False
    return any(call in offered.get(seat, ()) for offered in _offered(setup, state))


def _offered(setup: Setup, state: TableState) -> Iterator[Mapping[Seat, frozenset[Claim]]]:
    """What each seat could have called since the tile that may be called was laid."""
    since: list[PlayState] = []
    play = setup.rules.start()
    for event in state.playing.hand.events:
        since = [*since, play] if isinstance(event, ClaimsPassed | Claimed | TileDrawn) else []
        play = setup.rules.apply(play, event)
    window = state.playing.hand.window
    if window is not None and not window.open:
        since.append(play)
    claims = (setup.rules.permissions(each).claims for each in since)
    return (each for each in claims if each is not None)
