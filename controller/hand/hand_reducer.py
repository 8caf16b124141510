"""Reducer of the hand: how events change the side of the magazines. Pure; it never refuses (``controller.core.apply``)."""

from typing import assert_never

from controller.hand import referee
from controller.ledger.journal_events import (
    DiscardAstray,
    HandTileTaken,
    HandTimePassed,
    LastDiscardSeen,
    MagazinesSurveyed,
    OperationIssued,
    PaymentsComputed,
    SightDoubted,
)
from controller.state.sides import Hand, KnownViolation, Making, OpenDeal, Playing, PlayStage, Window
from controller.state.table_state import REFUSED, SURPRISES, Setup, replace
from controller.state.transitions import PLAY_TRANSITIONS, PlayStep, next_stage
from firmware_bridge.messages import Lock, Renew, Unlock
from twinwall.game.play import Phase
from twinwall.game.play_events import (
    Claimed,
    ClaimsPassed,
    HandEnded,
    HandLaidOpen,
    HandRuledDead,
    HandShown,
    KongDeclared,
    PenaltyRuled,
    PlayEvent,
    ResultExcluded,
    SharedTileTurned,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
    WinRefused,
)
from twinwall.game.tiles import SEATS, Seat, Tile
from twinwall.wire.events.hand_events import (
    ClaimBound,
    ClaimCalled,
    ClaimRefused,
    ClaimsClosed,
    ClaimsOpened,
    HandClosed,
    HandNoticed,
    HandOverdue,
    HandStarted,
    KongCalled,
    KongRefused,
    PaymentsProposed,
    PlayHalted,
    RiichiCalled,
    SharedTileLifted,
    TileAnswered,
    TileTakenAgain,
    TurnNoticed,
    WinCalled,
    WinCallRefused,
)
from twinwall.wire.events.trouble_events import DealFouled, RefereeCalled, TablePart, TableSubject, Violation
from twinwall.wire.events.wall_events import DealOpened, SheetsDue
from vision.mat import Area, Slot

CallEvent = ClaimBound | ClaimsClosed | ClaimRefused | KongCalled | KongRefused | WinCalled | WinCallRefused | RiichiCalled | ClaimCalled
HandEvent = (
    HandTileTaken
    | ClaimsOpened
    | SightDoubted
    | DiscardAstray
    | SharedTileLifted
    | TileAnswered
    | TileTakenAgain
    | TurnNoticed
    | HandTimePassed
    | HandNoticed
    | HandOverdue
    | PaymentsProposed
    | LastDiscardSeen
)
PlayingEvent = (
    SheetsDue
    | MagazinesSurveyed
    | HandStarted
    | CallEvent
    | HandEvent
    | PaymentsComputed
    | HandClosed
    | RefereeCalled
    | PlayHalted
    | Violation
    | DealFouled
)


def apply_to_hand(setup: Setup, playing: Playing, event: PlayingEvent) -> Playing:
    """Return the side of the magazines after one of the table's own events of a hand."""
    hand = playing.hand
    if isinstance(event, CallEvent):
        return _with_hand(playing, replace(_after_call(hand, event), doubted_looks=0, answers={}))
    if isinstance(event, HandEvent):
        return _with_hand(playing, _after(playing, event))
    match event:
        case SheetsDue(n, session, number, rules):
            return _moved_on(Playing(playing.stage, OpenDeal(n, session, number, rules, "", {}, "")), PlayStep.SHEETS_DUE)
        case MagazinesSurveyed():
            return replace(playing, surveyed=True)
        case HandStarted():
            return _moved_on(_with_hand(playing, replace(hand, play=setup.rules.start(), players=event.seats)), PlayStep.HAND_STARTED)
        case PaymentsComputed():
            return _moved_on(_with_hand(playing, replace(hand, payments=event)), PlayStep.PAYMENTS_COMPUTED)
        case HandClosed():
            return _moved_on(playing, PlayStep.HAND_CLOSED)
        case RefereeCalled():
            return _called(playing, event)
        case Violation():
            return _violated(playing, event)
        case PlayHalted():
            return replace(playing, halted=True)
        case DealFouled():
            return replace(playing, fouled=True)
        case _:
            assert_never(event)


def _answer(playing: Playing, event: TileAnswered) -> dict[Slot, Tile]:
    """Return the named tile by its slot if it is one of several awaited; the answer itself settles a discard."""
    if playing.deal is None or event.number is None or event.part is TablePart.RIVER:
        return {}
    return {Slot(playing.deal.place(event.seat), Area(event.part.value), event.number): event.tile}


def _after(playing: Playing, event: HandEvent) -> Hand:
    hand = playing.hand
    match event:
        case TileAnswered():
            return replace(hand, answers={**hand.answers, **_answer(playing, event)})
        case HandTileTaken():
            return replace(hand, taken=hand.taken | {(event.seat, event.index)})
        case ClaimsOpened():
            number = hand.windows + 1
            return replace(hand, windows=number, window=Window(number))
        case SightDoubted():
            return replace(hand, doubted_looks=hand.doubted_looks + 1)
        case LastDiscardSeen():
            return replace(hand, unseen=False)
        case DiscardAstray():
            return replace(hand, astray=hand.astray | frozenset(event.covers))
        case SharedTileLifted():
            return replace(hand, lifted=event.seat, unlock=None, doubted_looks=0, answers={})
        case TileTakenAgain():
            return replace(hand, put_back=None, unlock=None)
        case TurnNoticed():
            return replace(hand, noticed=len(hand.events))
        case HandTimePassed(spent_s) | HandNoticed(spent_s) | HandOverdue(spent_s):
            reported = hand.limit_reported or isinstance(event, HandOverdue)
            return replace(hand, spent_s=max(hand.spent_s, spent_s), limit_reported=reported)
        case PaymentsProposed():
            return replace(hand, proposed=True)
        case _:
            assert_never(event)


def _after_call(hand: Hand, event: CallEvent) -> Hand:
    match event:
        case ClaimRefused() if hand.window is None:
            return replace(hand, claim=None)
        case ClaimBound(seat=seat):
            return replace(hand, window=_window(hand.window, event), called=hand.called | {seat})
        case ClaimsClosed() | ClaimRefused():
            return replace(hand, window=_window(hand.window, event))
        case KongCalled(seat=seat):
            return replace(hand, kong=seat)
        case KongRefused():
            return replace(hand, kong=None)
        case WinCalled(seat=seat):
            return replace(hand, win=seat)
        case WinCallRefused():
            return replace(hand, win=None)
        case RiichiCalled(seat=seat):
            return replace(hand, riichi=seat)
        case ClaimCalled(call=call):
            return replace(hand, claim=call, called=hand.called | {event.seat})
        case _:
            assert_never(event)


def _called(playing: Playing, event: RefereeCalled) -> Playing:
    """A meld laid in time is reported once: until the next discard no call is reported as late."""
    if event.about is TableSubject.LAID_IN_TIME:
        playing = _with_hand(playing, replace(playing.hand, called=frozenset(SEATS)))
    return replace(playing, referee=playing.referee | {event})


def _violated(playing: Playing, event: Violation) -> Playing:
    """A violation was reported; one confirmed after its hand does not change the hand in play."""
    if event.n is not None:
        return playing
    known = replace(playing.hand, violations=(*playing.hand.violations, KnownViolation(len(playing.hand.events), event.seat, event.what)))
    after = replace(playing, hand=known, violations=(*playing.violations, (event.seat, event.what)))
    return _after_violation(after, event)


def _after_violation(playing: Playing, event: Violation) -> Playing:
    """Report each differing magazine once, slow play once a turn, and a late call once for each tile that could be called. A tile that was
    put back is given out again, a shared one by its rear gate."""
    match event.what:
        case referee.DIFFERS:
            return replace(playing, differing=playing.differing | {event.seat})
        case referee.CLAIMED_LATE:
            return _with_hand(playing, replace(playing.hand, called=playing.hand.called | {event.seat}))
        case referee.SLOW_PLAY:
            return _with_hand(playing, replace(playing.hand, overdue=len(playing.hand.events)))
        case referee.PUT_BACK if playing.hand.lifted is event.seat:
            return _with_hand(playing, replace(playing.hand, lifted=None))
        case referee.PUT_BACK:
            return _with_hand(playing, replace(playing.hand, put_back=event.seat))
        case _:
            return playing


def _moved_on(playing: Playing, step: PlayStep) -> Playing:
    """Change the stage of a hand; no other function does."""
    return replace(playing, stage=next_stage(PLAY_TRANSITIONS, playing.stage, step))


def raised(playing: Playing, making: Making) -> Playing:
    """The finished wall is in the magazines: its hand begins."""
    return _moved_on(Playing(playing.stage, making.deal, making.back), PlayStep.WALL_RAISED)


def left(playing: Playing, opened: DealOpened) -> Playing:
    """A raised wall of another session is not played: its tiles are cleared away as after a hand."""
    if playing.stage is not PlayStage.TAKING or playing.deal is None or playing.deal.session == opened.session:
        return playing
    return _moved_on(Playing(playing.stage, back=playing.back), PlayStep.LEFT)


def unsurveyed(playing: Playing) -> Playing:
    return replace(playing, surveyed=False)


def restarted(playing: Playing) -> Playing:
    """The controller was away, and so was the link to the feeder. The last discard may have been taken meanwhile."""
    hand, waits = playing.hand, (Phase.CLAIMS, Phase.DRAW)
    unseen = hand.play is not None and hand.play.phase in waits and last_discard(hand) is not None
    return unsurveyed(_with_hand(playing, replace(hand, unseen=unseen)))


def last_discard(hand: Hand) -> TileDiscarded | None:
    """Return the last discard if nothing has happened since but that it was not claimed."""
    last = next((event for event in reversed(hand.events) if not isinstance(event, ClaimsPassed)), None)
    return last if isinstance(last, TileDiscarded) else None


def issued(playing: Playing, event: OperationIssued) -> Playing:
    unlock = None if isinstance(event.command, Lock) else event.operation
    return _with_hand(playing, replace(playing.hand, unlock=unlock))


def not_done(playing: Playing, pending: OperationIssued, result: str) -> Playing:
    """A draw gate did not open: it is tried again a moment later; if the magazine differs from the journal, after a new survey."""
    hand = playing.hand
    if hand.unlock == pending.operation and isinstance(pending.command, Unlock | Renew):
        hand = replace(hand, unlock=None)
    refused = result.startswith(REFUSED)
    blocked = pending.operation if refused and playing.blocked is None else playing.blocked
    surveyed = playing.surveyed and refused and result not in SURPRISES
    return replace(playing, hand=hand, blocked=blocked, surveyed=surveyed)


def pause_over(playing: Playing, operation: int) -> Playing:
    """The feeder may be asked again, if it refused this operation."""
    return replace(playing, blocked=None) if playing.blocked == operation else playing


def apply_play(setup: Setup, playing: Playing, event: PlayEvent) -> Playing:
    """Return the side of the magazines after an event of the rules."""
    hand = playing.hand
    assert hand.play is not None
    unseen = hand.unseen and isinstance(event, ClaimsPassed)
    hand = replace(hand, play=setup.rules.apply(hand.play, event), events=(*hand.events, event), unseen=unseen)
    match event:
        case TileDrawn():
            hand = replace(hand, unlock=None, claim=None)
        case TileDiscarded() | Claimed() | ClaimsPassed() | KongDeclared():
            called = hand.called if isinstance(event, Claimed | ClaimsPassed) else frozenset[Seat]()
            hand = replace(hand, called=called, window=None, kong=None, win=None, riichi=None, claim=None)
        case SharedTileTurned():
            hand = replace(hand, lifted=None)
        case WinDeclared(seat):
            hand = replace(hand, window=_without_claim(hand.window, seat), win=None)
        case WinRefused(seat):
            hand = replace(hand, window=_without_claim(hand.window, seat))
        case HandRuledDead(seat):
            kong, win, riichi = (None if called is seat else called for called in (hand.kong, hand.win, hand.riichi))
            claim = None if hand.play is not None and hand.play.turn is seat else hand.claim
            hand = replace(hand, window=_without_claim(hand.window, seat), kong=kong, win=win, riichi=riichi, claim=claim)
        case HandShown() | HandLaidOpen() | PenaltyRuled() | ResultExcluded() | HandEnded():
            pass
        case _:
            assert_never(event)
    if not isinstance(event, TileDrawn | WinRefused | PenaltyRuled | ResultExcluded | HandEnded):
        hand = replace(hand, doubted_looks=0, answers={})  # the camera looks for something else now
    return _with_hand(playing, hand)


def ruled(playing: Playing, *, straightened: bool) -> Playing:
    """The referee has ruled, and play continues. A claim window gets its whole time again. Payments are computed again, since the ruling
    may have changed them. If an unread tile had to be laid straight, no discard is astray any more."""
    hand = replace(playing.hand, unseen=False, answers={}, astray=frozenset() if straightened else playing.hand.astray)
    if hand.window is not None and hand.window.open:
        hand = replace(hand, windows=hand.windows + 1, window=replace(hand.window, number=hand.windows + 1))
    if playing.stage is PlayStage.SETTLING:
        hand = replace(hand, payments=None, proposed=False)
    return _moved_on(replace(playing, hand=hand, referee=frozenset(), violations=(), fouled=False, halted=False), PlayStep.RULED)


def _window(window: Window | None, event: ClaimBound | ClaimsClosed | ClaimRefused) -> Window | None:
    assert window is not None
    match event:
        case ClaimBound():
            return replace(window, bound={**window.bound, event.seat: event.call})
        case ClaimsClosed():
            return replace(window, open=False, granted=event.granted)
        case ClaimRefused():
            return _without_claim(window, event.seat)


def _without_claim(window: Window | None, seat: Seat) -> Window | None:
    return window and replace(window, granted=tuple(other for other in window.granted if other is not seat))


def _with_hand(playing: Playing, hand: Hand) -> Playing:
    return replace(playing, hand=hand)
