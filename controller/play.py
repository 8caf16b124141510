"""Playing the hand: what follows from keys, sensors and what the overhead camera saw.

The rule set says who may draw, call and win; this module turns that into gates, windows and
judgements. A call is bound when its key is pressed and judged when its tiles lie open; until then
nothing here looks at concealed tiles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from controller.events import (
    ClaimBound,
    ClaimRefused,
    ClaimsClosed,
    ClaimsOpened,
    DealFouled,
    Fault,
    FaultCleared,
    GateUnlocked,
    HandClosed,
    JournalEvent,
    OperationIssued,
    PaymentsComputed,
    PaymentsConfirmed,
    PaymentsProposed,
    RefereeCalled,
    Settled,
    SightDoubted,
    Violation,
)
from controller.keys import Key, KeyPressed
from controller.messages import Refused, SlotsSeen
from controller.operations import FEEDER
from controller.state import Hand, Setup, Stage, TableState
from firmware_bridge.messages import Renew, Unlock
from twinwall.game.play import (
    Claim,
    Claimed,
    ClaimsPassed,
    EndReason,
    HandEnded,
    HandShown,
    Meld,
    MeldType,
    NoWin,
    Phase,
    PlayState,
    TileDiscarded,
    TileDrawn,
    Win,
    WinDeclared,
    WinRefused,
)
from twinwall.game.record import concealed
from twinwall.game.tiles import SEATS, Seat, Tile
from vision.mat import Area, Slot

Decision = tuple[JournalEvent, ...] | Refused

CALLS: Mapping[Key, Claim] = {Key.CHOW: Claim.CHOW, Key.PUNG: Claim.PUNG, Key.KONG: Claim.KONG, Key.WIN: Claim.WIN}
MELDS: Mapping[Claim, MeldType] = {Claim.CHOW: MeldType.CHOW, Claim.PUNG: MeldType.PUNG, Claim.KONG: MeldType.KONG}
UNREAD = "unread-tile"
LOOKS_TO_BELIEVE = 2
"""What cannot lie on the table must be seen in so many looks of their own before a deal is fouled for it."""


def follow(setup: Setup, state: TableState) -> tuple[JournalEvent, ...]:
    """What happens by itself next: a gate unlocks, a window opens, a claim takes effect, a drawn hand is counted."""
    hand, play = state.hand, state.hand.play
    if play is None or hand.payments is not None or state.fouled or FEEDER in state.lost:
        return ()
    permissions = setup.rules.permissions(play)
    if permissions.ended is EndReason.DRAWN:
        return (PaymentsComputed(Seat.EAST, (), 0, dict.fromkeys(SEATS, 0)),)
    if permissions.draw is not None and hand.unlock is None and state.build.surveyed and not state.build.blocked:
        return (GateUnlocked(permissions.draw), _unlock(setup, state, permissions.draw))
    if play.phase is Phase.CLAIMS:
        return _follow_window(setup, hand, play)
    return ()


def _unlock(setup: Setup, state: TableState, seat: Seat) -> OperationIssued:
    assert state.deal is not None
    return OperationIssued(state.next_operation, Unlock(state.deal.place(seat), round(setup.unlock_lease_s * 1000)), None)


def lease_due(setup: Setup, state: TableState, operation: int) -> Decision:
    """Half the lease of an open draw gate has passed: prolong it while the seat has still to draw."""
    hand, deal = state.hand, state.deal
    if deal is None or hand.play is None or hand.play.phase is not Phase.DRAW or hand.unlock != operation:
        return Refused(f"the lease of operation {operation} is no longer needed")
    renew = Renew(deal.place(hand.play.turn), round(setup.unlock_lease_s * 1000))
    return (OperationIssued(state.next_operation, renew, None),)


def _follow_window(setup: Setup, hand: Hand, play: PlayState) -> tuple[JournalEvent, ...]:
    window = hand.window
    if window is None:
        assert play.last_discard is not None
        return (ClaimsOpened(play.turn, play.last_discard, setup.claim_window_s),)
    if window.open:
        return ()
    if not window.granted:
        return (ClaimsPassed(),)
    first = window.granted[0]
    if window.bound[first] is Claim.WIN:
        return (WinDeclared(first, play.turn, play.last_discard),)
    return ()


def drawn(state: TableState, place: int) -> Decision:
    """A tile left a draw gate."""
    hand, deal = state.hand, state.deal
    if deal is None or hand.play is None:
        return Refused(f"a tile was drawn at place {place}, but no hand is being played")
    seat = deal.seat(place)
    if hand.play.phase is not Phase.DRAW or hand.play.turn is not seat:
        return (
            Violation(seat, "drew-out-of-turn", f"{seat.name.title()} drew a tile while it was not to draw: call the referee"),
            *_call_referee(state, seat),
        )
    return (TileDrawn(seat),)


def put_back(state: TableState, place: int) -> Decision:
    """The tile lifted last lies in the draw gate again: it proves nothing, it could be another one."""
    if state.deal is None or state.hand.play is None:
        return Refused(f"a tile was put back at place {place}, but no hand is being played")
    seat = state.deal.seat(place)
    sentence = f"{seat.name.title()} put a drawn tile back into the gate: the referee has it read again"
    return Violation(seat, "put-back", sentence), *_call_referee(state, seat)


def key(setup: Setup, state: TableState, press: KeyPressed) -> Decision:
    """A key was pressed while a hand is played or settled."""
    assert state.deal is not None
    seat = state.deal.seat(press.place)
    if press.key is Key.REFEREE:
        return _call_referee(state, seat)
    if press.key is Key.CONFIRM:
        return _confirm(state, seat)
    return _call(setup, state, seat, press.key)


def _call_referee(state: TableState, seat: Seat) -> tuple[JournalEvent, ...]:
    return () if seat in state.referee else (RefereeCalled(seat),)


def _call(setup: Setup, state: TableState, seat: Seat, pressed: Key) -> Decision:
    play, window = state.hand.play, state.hand.window
    if play is None:
        return Refused(f"{seat.name.title()} pressed {pressed} before play began")
    permissions = setup.rules.permissions(play)
    if pressed is Key.WIN and permissions.win is seat:
        return (WinDeclared(seat, None, None),)
    if window is None or not window.open or permissions.claims is None:
        return Refused(f"{seat.name.title()} pressed {pressed} while no claims were open")
    if seat in window.bound:
        return Refused(f"{seat.name.title()} pressed {pressed} but is bound by {window.bound[seat]}")
    if CALLS[pressed] not in permissions.claims.get(seat, frozenset()):
        return Refused(f"{seat.name.title()} may not call {pressed} on this discard")
    return (ClaimBound(seat, CALLS[pressed]),)


def window_over(setup: Setup, state: TableState, number: int) -> Decision:
    """The claim window with this number has lasted its time."""
    hand = state.hand
    if hand.window is None or not hand.window.open or hand.window.number != number or hand.play is None:
        return Refused(f"claim window {number} is over already")
    return (ClaimsClosed(setup.rules.priority(hand.play, hand.window.bound)),)


def watched(state: TableState) -> tuple[str, tuple[Slot, ...]] | None:
    """What the overhead camera has to look for now: a name for the watch, and the slots that must all hold a tile.

    A look that could not be believed gives the watch another name, so that the camera looks and votes anew.
    """
    looked_for = _looked_for(state)
    if looked_for is None or not state.hand.doubted_looks:
        return looked_for
    name, slots = looked_for
    return f"{name} look {state.hand.doubted_looks + 1}", slots


def _looked_for(state: TableState) -> tuple[str, tuple[Slot, ...]] | None:
    hand, deal, play = state.hand, state.deal, state.hand.play
    if play is None or deal is None or hand.payments is not None or state.fouled:
        return None
    match play.phase:
        case Phase.DISCARD:
            seat = play.turn
            index = len(play.seat(seat).river)
            return f"discard {seat.value} {index}", (Slot(deal.place(seat), Area.RIVER, index),)
        case Phase.CLAIMS if hand.window is not None and not hand.window.open and hand.window.granted:
            seat = hand.window.granted[0]
            group = len(play.seat(seat).melds)
            return f"meld {seat.value} {group}", tuple(Slot(deal.place(seat), Area.MELD, 4 * group + i) for i in range(3))
        case Phase.SHOW if play.winner is not None:
            seat = play.winner
            count = 13 - 3 * len(play.seat(seat).melds)
            shown = tuple(Slot(deal.place(seat), Area.HAND, index) for index in range(count))
            return f"show {seat.value} {hand.windows}", (*shown, Slot(deal.place(seat), Area.WIN, 0)) if _self_drawn(hand) else shown
        case _:
            return None


def is_exposure(watch: str) -> bool:
    """Whether a watch waits for a meld or a hand to be laid open (and not for a discard)."""
    return not watch.startswith("discard ")


def not_shown(state: TableState, watch: str) -> Decision:
    """A meld or hand that was called has not been laid open in time."""
    watched_now = watched(state)
    if watched_now is None or watched_now[0] != watch:
        return Refused(f"{watch} has been settled")
    seat = Seat(watch.split()[1])
    sentence = f"{seat.name.title()} called and has not laid the tiles open: the referee rules"
    return Violation(seat, "not-shown", sentence), *_call_referee(state, seat)


def seen(setup: Setup, state: TableState, sight: SlotsSeen) -> Decision:
    """The overhead camera saw tiles in all slots of a watch."""
    watch = watched(state)
    if watch is None or watch[0] != sight.watch:
        return Refused(f"nobody waits for {sight.watch} any more")
    unread = [slot for slot in watch[1] if sight.tiles.get(slot) is None]
    if unread:
        return _unreadable(state, unread[0])
    tiles = tuple(tile for slot in watch[1] if (tile := sight.tiles[slot]) is not None)
    cleared = tuple(FaultCleared(fault.code) for fault in state.faults if fault.code == UNREAD)
    match sight.watch.split()[0]:
        case "discard":
            meant = _discarded(state, tiles[0])
        case "meld":
            meant = _exposed(setup, state, tiles)
        case _:
            meant = _shown(setup, state, tiles)
    if any(isinstance(event, DealFouled | ClaimRefused) for event in meant) and state.hand.doubted_looks + 1 < LOOKS_TO_BELIEVE:
        return SightDoubted(sight.watch), *(() if cleared else (_unread(watch[1][0]),))
    return (*cleared, *meant)


def _unreadable(state: TableState, slot: Slot) -> Decision:
    if any(fault.code == UNREAD for fault in state.faults):
        return Refused(f"{slot} is still unreadable")
    return (_unread(slot),)


def _unread(slot: Slot) -> Fault:
    where = f"place {slot.place} {slot.area} {slot.index}"
    return Fault(UNREAD, where, "A tile on the table cannot be read: lay it face up and straight, with nothing over it")


def _discarded(state: TableState, tile: Tile) -> tuple[JournalEvent, ...]:
    play = _playing(state)
    if tile not in _held(state, play.turn):
        return _foul(state, f"{play.turn.name.title()} discarded {tile.text}, which its wall has not given it")
    return (TileDiscarded(play.turn, tile),)


def _exposed(setup: Setup, state: TableState, tiles: tuple[Tile, ...]) -> tuple[JournalEvent, ...]:
    play, window = _playing(state), state.hand.window
    assert window is not None
    seat = window.granted[0]
    claimed = Claimed(seat, Meld(MELDS[window.bound[seat]], tuple(sorted(tiles)), play.turn))
    illegal = setup.rules.illegal(play, claimed)
    if illegal is not None:
        return ClaimRefused(seat), Violation(seat, "false-claim", illegal.sentence), *_call_referee(state, seat)
    own = Counter(tiles)
    own.subtract([play.last_discard] if play.last_discard is not None else [])
    if own - Counter(_held(state, seat)):
        return _foul(state, f"{seat.name.title()} exposed tiles that its wall has not given it")
    return (claimed,)


def _shown(setup: Setup, state: TableState, tiles: tuple[Tile, ...]) -> tuple[JournalEvent, ...]:
    play, deal = _playing(state), state.deal
    seat = play.winner
    assert seat is not None
    assert deal is not None
    held = _held(state, seat)
    if Counter(tiles) != Counter(held):
        return _foul(state, f"{seat.name.title()} showed a hand that its wall has not given it")
    if _self_drawn(state.hand):
        rest, winning = held[:-1], held[-1]  # the tile just drawn is last, wherever it was laid
    else:
        assert play.last_discard is not None
        rest, winning = held, play.last_discard
    shown = HandShown(seat, tuple(sorted(rest)), winning)
    match setup.rules.score(setup.rules.winning_hand(play, shown, deal.round)):
        case Win(fans, total, payments):
            return shown, PaymentsComputed(seat, fans, total, payments)
        case NoWin(reason):
            sentence = f"The hand {seat.name.title()} showed does not win ({reason}): the referee rules"
            return shown, WinRefused(seat, reason), Violation(seat, "false-win", sentence), *_call_referee(state, seat)


def _foul(state: TableState, reason: str) -> tuple[JournalEvent, ...]:
    return DealFouled(reason), *_call_referee(state, _playing(state).turn)


def _confirm(state: TableState, seat: Seat) -> Decision:
    hand, deal = state.hand, state.deal
    due = hand.payments
    assert deal is not None
    if due is None or state.stage is not Stage.SETTLING:
        return Refused(f"{seat.name.title()} pressed confirm, but nothing waits for it")
    if not hand.proposed:
        if seat is not due.seat:
            return Refused(f"{due.seat.name.title()} enters the payments, not {seat.name.title()}")
        return (PaymentsProposed(seat, due.fans, due.total, due.payments),)
    if seat is due.seat:
        return Refused(f"{seat.name.title()} entered the payments: another seat confirms them")
    reason = EndReason.WON if due.total else EndReason.DRAWN
    return PaymentsConfirmed(seat), Settled(due.payments), HandEnded(reason, due.payments), HandClosed(deal.n)


def _playing(state: TableState) -> PlayState:
    assert state.hand.play is not None
    return state.hand.play


def _held(state: TableState, seat: Seat) -> tuple[Tile, ...]:
    """What a seat holds concealed, by construction of its wall."""
    deal = state.deal
    assert deal is not None
    return concealed(deal.walls, state.hand.events, seat)


def _self_drawn(hand: Hand) -> bool:
    declared = next((event for event in reversed(hand.events) if isinstance(event, WinDeclared)), None)
    return declared is not None and declared.source is None
