"""Play of a hand: draws, calls, claim windows and payments, as they follow from keys and sensors.

The rule set says who may draw, call and win; this module turns that into gates, claim windows and payments. A call binds when its key is
pressed and is judged when its tiles are open (``controller.hand.exposures``). Nothing here depends on concealed tiles.

A call is late if a key is pressed, or a meld laid, after the time in which the seat could have called the tile. A late press has no effect;
the referee is called, and play continues. Play waits for him if tiles were laid. These presses are not late, but ignored:

- a press that was never offered, or a second one of a seat that called in time: keys bounce;
- a press after the next draw, or while a seat must lay its kong or called meld: the tile may be there unread, or the key is wrong;
- WIN and KONG of the seat in turn, pressed or laid after its draw: they may belong to the draw.
"""

from collections.abc import Iterator, Mapping

from controller.hand import draw_gates, referee
from controller.hand.exposures import kong_laid
from controller.ledger.journal_events import Events, PaymentsComputed
from controller.state.faults import BARRING
from controller.state.messages import CallDecoded, Decision, KeyPressed, Refused
from controller.state.sides import Playing, PlayStage
from controller.state.table_state import FEEDER, Setup, TableState, issue
from firmware_bridge.messages import REAR_GATE, Lock, Renew, Unlock
from twinwall.game.play import Phase, PlayState
from twinwall.game.play_events import (
    Claim,
    Claimed,
    ClaimsPassed,
    EndReason,
    HandEnded,
    HandShown,
    Meld,
    MeldType,
    TileDrawn,
    WinDeclared,
    totals,
)
from twinwall.game.rule_set import Win
from twinwall.game.tiles import SEATS, Seat
from twinwall.wire.events.hand_events import (
    ClaimBound,
    ClaimCalled,
    ClaimsClosed,
    ClaimsOpened,
    GateUnlocked,
    HandClosed,
    KongCalled,
    PaymentsConfirmed,
    PaymentsProposed,
    RiichiCalled,
    Settled,
    SharedTileLifted,
    TileTakenAgain,
    WinCalled,
)
from twinwall.wire.events.trouble_events import TableSubject
from twinwall.wire.shapes.panel import Key

CALLS: Mapping[Key, Claim] = {Key(claim.value): claim for claim in Claim}
Claims = Mapping[Seat, frozenset[Claim]]
_SHARED_TILE = "a shared tile is taken when the rules have it turned up"
_GIVEN_OUT_AGAIN = "a tile that was put back is given out again after the referee's ruling"
FACE_DOWN = Meld(MeldType.CONCEALED_KONG, (), None)


def due_events(setup: Setup, state: TableState) -> Events:
    """Return what happens by itself next: a gate unlocks, a window opens, a claim takes effect, a drawn hand is counted. While the referee
    is awaited, only earlier claims take effect and payments are computed."""
    playing, hand, play = state.playing, state.playing.hand, state.playing.hand.play
    if play is None or hand.payments is not None or playing.fouled:
        return ()
    permissions = setup.rules.permissions(play)
    waits = permissions.turn_up is not None
    if play.phase is Phase.SHOW and permissions.show is None and not waits:
        return _judged(setup, state, permissions.claims or {})
    if FEEDER in state.lost:
        return ()
    if permissions.ended is EndReason.DRAWN and not waits:
        return (PaymentsComputed(Seat.EAST, (), 0, totals(setup.rules.payments(play, {}))),)
    gate = None if any(fault.code in BARRING for fault in state.faults) else draw_gates.due(setup, playing)
    if gate is not None and hand.unlock is None and playing.surveyed and playing.blocked is None and not (playing.halted or hand.unseen):
        turn = permissions.draw if hand.put_back is None and not waits else None
        call = () if turn is None else (GateUnlocked(turn),)
        return *call, *issue(state, Unlock(gate, round(setup.unlock_lease_s * 1000)))
    if play.phase is Phase.CLAIMS and not waits:
        return _follow_window(setup, playing, play, permissions.claims or {})
    return ()


def lease_due(setup: Setup, state: TableState, operation: int) -> Decision:
    """Half the lease of an open gate has passed: renew it if a tile must still pass."""
    gate = draw_gates.due(setup, state.playing)
    if gate is None or state.playing.hand.unlock != operation:
        return Refused(f"the lease of operation {operation} is no longer needed")
    return issue(state, Renew(gate, round(setup.unlock_lease_s * 1000)))


def _follow_window(setup: Setup, playing: Playing, play: PlayState, claims: Claims) -> Events:
    """Open the window, or let the calls take effect in their order, as far as earlier ones leave them standing."""
    window = playing.hand.window
    if window is None:
        assert play.last_discard is not None
        return () if playing.halted else (ClaimsOpened(play.turn, play.last_discard, setup.claim_window_s),)
    if window.open:
        return ()
    first = next((seat for seat in window.granted if window.bound[seat] in claims.get(seat, ())), None)
    if first is None:
        return () if playing.halted else (ClaimsPassed(),)
    if window.bound[first] is Claim.WIN:
        return (WinDeclared(first, play.turn, play.last_discard),)
    return ()


def _judged(setup: Setup, state: TableState, also: Claims) -> Events:
    """All hands that had to be shown are open: the next seat that called a win on the same tile shows its hand, if the rules allow several
    winners; otherwise compute the payments."""
    hand, play, deal = state.playing.hand, state.playing.hand.play, state.playing.deal
    assert play is not None
    assert deal is not None
    called = () if hand.window is None else [seat for seat in hand.window.granted if hand.window.bound[seat] is Claim.WIN]
    following = next((seat for seat in called if Claim.WIN in also.get(seat, frozenset())), None)
    if following is not None:
        return (WinDeclared(following, play.turn, play.last_discard),)
    shown = {event.seat: event for event in hand.events if isinstance(event, HandShown) and play.seat(event.seat).shown is not None}
    judged = {seat: setup.rules.score(setup.rules.winning_hand(play, event, deal.round)) for seat, event in shown.items()}
    wins = {seat: win for seat, win in judged.items() if isinstance(win, Win)}
    payments = totals(setup.rules.payments(play, wins))
    fans = tuple(fan for win in wins.values() for fan in win.fans)
    return (PaymentsComputed(next(iter(wins), Seat.EAST), fans, sum(win.total for win in wins.values()), payments),)


def drawn(setup: Setup, state: TableState, gate: int) -> Decision:
    hand, deal = state.playing.hand, state.playing.deal
    if deal is None or hand.play is None:
        return Refused(f"a tile left gate {gate}, but no hand is being played")
    seat = deal.seat(gate % REAR_GATE)
    if hand.play.phase is Phase.ENDED:
        return Refused(f"{seat.name.title()} drew a tile, but the hand is over")
    if gate >= REAR_GATE:
        if draw_gates.due(setup, state.playing) == gate:
            return (SharedTileLifted(seat),)
        sentence = f"{seat.name.title()} took a shared tile that is not to be turned up: the referee rules"
        return referee.violated(state, seat, "drew-out-of-turn", sentence, rule=_SHARED_TILE, halts=True)
    if hand.put_back is seat:
        sentence = f"{seat.name.title()} took the tile that it had put back out of its locked gate: the referee rules"
        if not state.playing.halted:
            return (TileTakenAgain(seat),)
        return TileTakenAgain(seat), *referee.violated(state, seat, "drew-out-of-turn", sentence, rule=_GIVEN_OUT_AGAIN, halts=True)
    if hand.play.phase is not Phase.DRAW or hand.play.turn is not seat:
        what, happened = draw_gates.wrong_draw(setup, hand.play, seat)
        return referee.violated(state, seat, what, f"{happened}: the referee asks who took it, and rules", halts=True)
    return (TileDrawn(seat),)


def put_back(state: TableState, gate: int) -> Decision:
    """The last tile taken is in its gate again: it may be another one, so the referee looks and rules; then the gate gives it out again."""
    if state.playing.deal is None or state.playing.hand.play is None:
        return Refused(f"a tile was put back at gate {gate}, but no hand is being played")
    seat = state.playing.deal.seat(gate % REAR_GATE)
    sentence = f"{seat.name.title()} put a drawn tile back into the gate: the referee rules, and then the gate gives it out again"
    return referee.violated(state, seat, referee.PUT_BACK, sentence, halts=True)


def key(setup: Setup, state: TableState, press: KeyPressed) -> Decision:
    assert state.playing.deal is not None
    seat = state.playing.deal.seat(press.place)
    if press.key is Key.REFEREE:
        return referee.key_pressed(state, seat)
    if press.key is Key.CONFIRM:
        return _kong_confirmed(setup, state) if state.playing.hand.kong is seat else _confirm(setup, state, seat)
    decided = _call(setup, state, seat, press.key)
    late = late_call(setup, state, seat, CALLS[press.key]) if isinstance(decided, Refused) and press.key in CALLS else ()
    return late or decided


def _kong_confirmed(setup: Setup, state: TableState) -> Decision:
    """The seat that called a kong confirms that four tiles are face down."""
    play = state.playing.hand.play
    assert play is not None
    if setup.rules.permissions(play).face_up:
        return Refused(f"{play.turn.name.title()} pressed confirm, but one tile of its kong is to lie face up")
    return kong_laid(setup, state, FACE_DOWN)


def called_aloud(setup: Setup, state: TableState, call: CallDecoded) -> Decision:
    """The tiles of a call are open without its key: it counts as if the key had been pressed now."""
    playing, seat = state.playing, call.seat
    if playing.deal is None or (playing.deal.n, len(playing.hand.events)) != (call.n, call.events):
        return Refused(f"{seat.name.title()} has called {call.call} aloud in deal {call.n}, which has gone on since")
    decided = _call(setup, state, seat, Key(call.call.value))
    late = meld_laid_late(setup, state, seat, call.call, in_time=call.in_time) if isinstance(decided, Refused) else ()
    return (*late, *_shut(state)) if late else decided


def awaits_confirm(state: TableState, place: int) -> bool:
    """Whether CONFIRM at a place belongs to the hand: everywhere during settlement, and at a seat that has called a kong."""
    playing = state.playing
    if playing.stage is PlayStage.SETTLING:
        return True
    return playing.hand.kong is not None and playing.deal is not None and playing.deal.place(playing.hand.kong) == place


def _call(setup: Setup, state: TableState, seat: Seat, pressed: Key) -> Decision:
    hand = state.playing.hand
    play, window = hand.play, hand.window
    if play is None:
        return Refused(f"{seat.name.title()} pressed {pressed} before play began")
    permissions = setup.rules.permissions(play)
    if state.playing.halted and (window is None or not window.open):
        return Refused(f"{seat.name.title()} pressed {pressed} while the referee is waited for")
    if seat in (hand.kong, hand.win, hand.riichi, None if hand.claim is None else play.turn):
        return Refused(f"{seat.name.title()} pressed {pressed} but is bound by what it called at its turn")
    if pressed is Key.RIICHI:
        return (RiichiCalled(seat),) if permissions.riichi is seat else Refused(f"{seat.name.title()} may not declare riichi now")
    if pressed is Key.WIN and permissions.win is seat:
        return (WinCalled(seat) if permissions.face_up else WinDeclared(seat, None, None),)
    if pressed is Key.KONG and permissions.kong is seat:
        return (KongCalled(seat),)
    if permissions.draw is seat and permissions.turn_up is None and CALLS[pressed] in (permissions.claims or {}).get(seat, frozenset()):
        return ClaimCalled(seat, CALLS[pressed]), *_shut(state)
    if window is None or not window.open or permissions.claims is None:
        return Refused(f"{seat.name.title()} pressed {pressed} while no claims were open")
    if seat in window.bound:
        return Refused(f"{seat.name.title()} pressed {pressed} but is bound by {window.bound[seat]}")
    if CALLS[pressed] not in permissions.claims.get(seat, frozenset()):
        return Refused(f"{seat.name.title()} may not call {pressed} on this tile")
    return (ClaimBound(seat, CALLS[pressed]),)


def _shut(state: TableState) -> Events:
    """Lock the gate of a seat that claims instead of drawing."""
    playing = state.playing
    if playing.hand.unlock is None or playing.hand.play is None or playing.deal is None:
        return ()
    return issue(state, Lock(playing.deal.place(playing.hand.play.turn)))


def window_over(setup: Setup, state: TableState, number: int) -> Decision:
    hand = state.playing.hand
    if hand.window is None or not hand.window.open or hand.window.number != number or hand.play is None:
        return Refused(f"claim window {number} is over already")
    if state.playing.halted:
        return Refused(f"claim window {number} stays open until the referee has ruled")
    return (ClaimsClosed(setup.rules.priority(hand.play, hand.window.bound)),)


def score_entered(setup: Setup, state: TableState, place: int, n: int, payments: tuple[int, int, int, int] | None) -> Decision:
    """A player enters or confirms the score on a page, for this deal and these payments alone: a page may be behind."""
    deal, due = state.playing.deal, state.playing.hand.payments
    if deal is None or deal.n != n:
        return Refused(f"place {place} confirms the score of deal {n}, which is not at the table")
    seat = deal.seat(place)
    if state.playing.hand.proposed == (payments is None):
        return Refused(f"{seat.name.title()} {'enters' if payments is None else 'confirms'} a score that has moved on since")
    if due is not None and payments is not None and payments != tuple(due.payments[each] for each in SEATS):
        return Refused(f"{seat.name.title()} confirms {payments}, and the table has counted other payments")
    return _confirm(setup, state, seat)


def _confirm(setup: Setup, state: TableState, seat: Seat) -> Decision:
    hand, deal = state.playing.hand, state.playing.deal
    due = hand.payments
    assert deal is not None
    if due is None or state.playing.stage is not PlayStage.SETTLING:
        return Refused(f"{seat.name.title()} pressed confirm, but nothing waits for it")
    if state.playing.halted:
        return Refused(f"{seat.name.title()} pressed confirm, but the referee is waited for")
    if not hand.proposed:
        if seat is not due.seat:
            return Refused(f"{due.seat.name.title()} enters the payments, not {seat.name.title()}")
        return (PaymentsProposed(seat, due.fans, due.total, due.payments),)
    if seat is due.seat:
        return Refused(f"{seat.name.title()} entered the payments: another seat confirms them")
    reason = EndReason.ENTERED if setup.paper else EndReason.WON if due.total else EndReason.DRAWN
    return closed(deal.n, seat, due.payments, reason)


def closed(n: int, seat: Seat, payments: Mapping[Seat, int], reason: EndReason) -> Events:
    """Return the end of a hand whose payments this seat has confirmed."""
    return PaymentsConfirmed(seat), Settled(payments), HandEnded(reason, payments), HandClosed(n)


_OWN_TURN = frozenset({Claim.WIN, Claim.KONG})


def late_call(setup: Setup, state: TableState, seat: Seat, call: Claim) -> Events:
    """Return the violation of a refused press that was late; nothing otherwise."""
    hand, play = state.playing.hand, state.playing.hand.play
    if play is None or play.phase is not Phase.DRAW or hand.claim is not None or (seat is play.turn and call in _OWN_TURN):
        return ()
    if not _was_offered(setup, state, seat, call):
        return ()
    sentence = f"{seat.name.title()} pressed {call} after the time for it: the call does not count, and play goes on"
    return referee.violated(state, seat, referee.CLAIMED_LATE, sentence)


def meld_laid_late(setup: Setup, state: TableState, seat: Seat, call: Claim, *, in_time: bool) -> Events:
    """Return what follows from the open tiles of a refused call without a key: play waits for the referee. If they were laid ``in_time``
    and only the decoder was late, no seat is accused."""
    play = state.playing.hand.play
    drawn = play is not None and seat is play.turn and play.phase is Phase.DISCARD
    if (drawn and call in _OWN_TURN) or not _was_offered(setup, state, seat, call):
        return ()
    if in_time:
        return *referee.call_by_table(state, TableSubject.LAID_IN_TIME), *referee.halt(state, referee.CALLED)
    sentence = f"{seat.name.title()} has laid open a {call} after the time for it, without a key: the referee rules"
    return referee.violated(state, seat, referee.CLAIMED_LATE, sentence, halts=True)


def _was_offered(setup: Setup, state: TableState, seat: Seat, call: Claim) -> bool:
    """Whether a seat that has not called could have called this since the last discard, and play continues."""
    playing, hand, play = state.playing, state.playing.hand, state.playing.hand.play
    if play is None or play.phase in (Phase.SHOW, Phase.ENDED) or seat in hand.called or playing.halted or playing.fouled:
        return False
    return any(call in offered.get(seat, ()) for offered in _offered(setup, state))


def _offered(setup: Setup, state: TableState) -> Iterator[Mapping[Seat, frozenset[Claim]]]:
    """Yield what each seat could have called since the tile was laid."""
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
