"""Folds a table's events into its ``TableView`` (``fold``), without I/O. The rule set named in the events follows the play. An event that
it forbids is shown as such and ends the drawing of the hand. A view is rebuilt from stored lines quickly: the play of old hands, which
leaves nothing on the pages, is skipped."""

from collections.abc import Sequence
from itertools import islice
from typing import get_args

from msgspec.structs import replace

from dashboard.projections.open_view import fold_links
from dashboard.projections.table_view import (
    ABOUT_VIOLATION,
    ClearingView,
    DealView,
    FaultView,
    HandView,
    Preparation,
    RefusedHand,
    TableView,
    call_follows_violation,
    follow_wall,
)
from twinwall.game.play import Phase, turned_up
from twinwall.game.play_events import (
    Claim,
    Claimed,
    ClaimsPassed,
    HandEnded,
    HandRuledDead,
    HandShown,
    KongDeclared,
    PlayEvent,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
    WinRefused,
)
from twinwall.game.rules import RuleSetError, rule_set
from twinwall.game.tiles import SEATS, Seat
from twinwall.wire.events.catalogue import PublishedEvent
from twinwall.wire.events.hand_events import (
    ClaimBound,
    ClaimRefused,
    ClaimsClosed,
    ClaimsOpened,
    GateUnlocked,
    HandClosed,
    HandStarted,
    HeadsNoted,
    KongCalled,
    KongRefused,
    PaymentsConfirmed,
    PaymentsProposed,
    PlayHalted,
    ResultEntered,
    RulingRefused,
    Settled,
    SharedTileLifted,
    TileTakenAgain,
    WinCalled,
    WinCallRefused,
)
from twinwall.wire.events.trouble_events import (
    CameraTrouble,
    DealFouled,
    FaultCleared,
    LinkLost,
    LinkRestored,
    RefereeCalled,
    TableFault,
    Violation,
)
from twinwall.wire.events.wall_events import (
    Building,
    Cleared,
    ClearingBegan,
    DealOpened,
    DealRefused,
    HandsTaken,
    SheetsDue,
    TilesWorn,
    WallRaised,
    WallReady,
    WellCounted,
)
from twinwall.wire.ledger import PublicEvent
from twinwall.wire.messages.ruling import Ruling

LOG_LENGTH = 60
MOST_VIOLATIONS = 20
"""Most violations that await a ruling, the latest."""
UNLOGGED = frozenset(
    {
        Building,
        WellCounted,
        GateUnlocked,
        TileDrawn,
        ClaimsOpened,
        ClaimsClosed,
        ClaimsPassed,
        SharedTileLifted,
        TileTakenAgain,
        HandClosed,
        HeadsNoted,
    }
)
"""Events too frequent or too small for a table's history."""


def fold(view: TableView, event: PublicEvent) -> TableView:
    log = view.log if type(event.body) in UNLOGGED else (*view.log, event)[-LOG_LENGTH:]
    view = replace(view, last=event.at, log=log)
    if answers_calls(view, event):
        view = replace(view, called={}, called_by_table=(), violations=(), refused_hands=(), concerned=None)
    try:
        if isinstance(event.body, PlayEvent):
            return _play(view, event, event.body)
        hand = None if view.hand is None else _in_hand(view.hand, event.body)
        return _beside_play(view, event) if hand is None else replace(view, hand=replace(hand, since=event.at))
    except RuleSetError as problem:
        return replace(view, unclear=f"line {event.seq}: {problem}")


def answers_calls(view: TableView, event: PublicEvent) -> bool:
    """Whether this event answers all earlier reports of the table: it is a ruling on the hand at the table, or the next hand. A ruling on
    another hand answers nothing."""
    match event.body:
        case WallRaised() | SheetsDue():
            return True
        case Ruling(n=n):
            return view.deal_at_table == n
        case _:
            return False


def _play(view: TableView, event: PublicEvent, play_event: PlayEvent) -> TableView:
    hand = view.hand
    if hand is None or hand.play is None or hand.rules is None:
        return view
    illegal = hand.rules.illegal(hand.play, play_event)
    if illegal is not None:
        return replace(view, hand=replace(hand, play=None), unclear=f"line {event.seq}: {illegal.sentence}")
    after = _follow(hand, play_event)
    after = replace(after, play=hand.rules.apply(hand.play, play_event))
    if after.play is not None and after.play.phase is not Phase.SHOW and after.declared is not None and after.ended is None:
        after = replace(after, declared=None)
    return replace(view, hand=replace(after, since=event.at))


def _follow(hand: HandView, event: PlayEvent) -> HandView:
    """What the pages remember of a play event besides the state of the rules."""
    assert hand.play is not None
    match event:
        case TileDrawn():
            return replace(hand, gate=None)
        case TileDiscarded() | Claimed() | KongDeclared():
            return replace(hand, bound={})
        case WinDeclared(seat, source, tile):
            apart = hand.apart if source is not None or tile is None else {**hand.apart, seat: tile}
            return replace(hand, declared=event, winners=(*hand.winners, seat), apart=apart)
        case HandShown(seat, _, winning):
            return replace(hand, shown=(*hand.shown, event), apart={**hand.apart, seat: winning})
        case WinRefused(seat):
            return replace(_without_win(hand, seat), declared=None)
        case HandRuledDead(seat) if hand.play.winner is seat:
            return replace(_without_win(hand, seat), declared=None, bound={})
        case HandRuledDead(seat):
            return _without_win(hand, seat)
        case HandEnded():
            return replace(hand, ended=event, gate=None, claims_open=False, bound={})
    return hand


def _without_win(hand: HandView, seat: Seat) -> HandView:
    winners = tuple(other for other in hand.winners if other is not seat)
    shown = tuple(other for other in hand.shown if other.seat is not seat)
    return replace(hand, winners=winners, shown=shown, apart={other: tile for other, tile in hand.apart.items() if other is not seat})


def _in_hand(hand: HandView, event: PublishedEvent | None) -> HandView | None:
    """The hand after an event in it outside its play; None for any other event."""
    match event:
        case GateUnlocked(seat):
            return replace(hand, gate=seat, claims_open=False, bound={})
        case ClaimsOpened():
            return replace(hand, claims_open=True, bound={})
        case ClaimsClosed():
            return replace(hand, claims_open=False)
        case ClaimBound(seat, call):
            return replace(hand, bound={**hand.bound, seat: call})
        case KongCalled(seat):
            return replace(hand, bound={seat: Claim.KONG})
        case WinCalled(seat):
            return replace(hand, bound={seat: Claim.WIN})
        case ClaimRefused(refused) | KongRefused(refused) | WinCallRefused(refused):
            return replace(hand, bound={seat: call for seat, call in hand.bound.items() if seat is not refused})
        case ResultEntered():
            return replace(hand, entered=(*hand.entered, event))
        case PaymentsProposed():
            return replace(hand, proposal=event, confirmed_by=None)
        case PaymentsConfirmed(seat):
            return hand if hand.proposal is None else replace(hand, confirmed_by=seat)
        case Settled(payments):
            return replace(hand, payments=payments)
        case _:
            return None


def _beside_play(view: TableView, event: PublicEvent) -> TableView:
    """The view after an event of its wall, its troubles, or its referee."""
    match event.body:
        case DealOpened(n=n, hand=hand, rules=rules, check=check):
            start = rule_set(rules).start()
            draws = {seat: start.seat(seat).draws_left for seat in SEATS}
            return replace(view, deal=DealView(n, hand, event.at, rules=rules, check=check, draws=draws), refused=None)
        case SheetsDue(n=n, hand=hand, rules=rules):
            draws = dict.fromkeys(SEATS, rule_set(rules).walls.draws)
            deal = DealView(n, hand, event.at, Preparation.SHEETS, rules=rules, check="", draws=draws)
            return replace(view, deal=deal, refused=None)
        case DealRefused() as refused:
            return replace(view, refused=refused)
        case Building() | WallReady() | WallRaised() | HandsTaken():
            return replace(view, deal=follow_wall(view.deal, event.body, event.at))
        case ClearingBegan():
            return replace(view, clearing=ClearingView(event.at))
        case WellCounted(counted, of):
            since = event.at if view.clearing is None else view.clearing.since
            return replace(view, clearing=ClearingView(since, counted, of))
        case Cleared():
            return replace(view, clearing=None)
        case HandStarted() as started:
            return _hand_started(view, event, started)
        case TableFault() as fault:
            others = (old for old in view.faults if old.fault.code != fault.code)
            return replace(view, faults=(*others, FaultView(fault, event.at)))
        case FaultCleared(code):
            return replace(view, faults=tuple(old for old in view.faults if old.fault.code != code))
        case LinkLost() | CameraTrouble() | LinkRestored() as link:
            lost, troubles = fold_links(view.links_lost, view.troubles, link)
            return replace(view, links_lost=lost, troubles=troubles)
        case TilesWorn(set=name, tiles=tiles, looks=looks):
            worn = {other: kinds for other, kinds in view.worn.items() if other != name}
            return replace(view, worn=worn if tiles is None else worn | {name: (tiles, looks)})
        case RefereeCalled(None, about):
            return replace(view, called_by_table=tuple(dict.fromkeys((*view.called_by_table, about or ""))))
        case RefereeCalled(Seat() as seat, about):
            follows = call_follows_violation(event, view.log[-2] if len(view.log) > 1 else None)
            return replace(view, called={**view.called, seat: ABOUT_VIOLATION if follows else about or ""}, concerned=seat)
        case Violation(seat, n=None):
            refused_now = refused_hand(view.log, view.hand)
            hands = view.refused_hands if refused_now is None else (*view.refused_hands, refused_now)[-MOST_VIOLATIONS:]
            return replace(view, violations=(*view.violations, event)[-MOST_VIOLATIONS:], refused_hands=hands, concerned=seat)
        case PlayHalted(reason):
            return replace(view, halted=reason)
        case DealFouled(reason):
            return replace(view, fouled=reason)
        case Ruling(n=n):
            return _ruled(replace(view, rulings=(*view.rulings, event)), n)
        case RulingRefused():
            return replace(view, rulings=(*view.rulings, event))
        case _:
            return view


def _hand_started(view: TableView, event: PublicEvent, started: HandStarted) -> TableView:
    rules = rule_set(started.rules, started.options)
    hand = HandView(started.n, started.hand, rules, started.seats, started.draws, event.at, event.at, rules.start())
    own = view.deal if view.deal is not None and view.deal.n == hand.n else None
    deal = None if own is not None else view.deal
    hand = replace(hand, paper=own is not None and own.preparation is Preparation.SHEETS)
    return replace(view, hand=hand, deal=deal, clearing=None, fouled=None, halted=None, unclear=None)


def _ruled(view: TableView, n: int) -> TableView:
    """After a ruling on the hand at the table, a fouled deal is settled, and the score of a hand in play is entered again."""
    if view.deal_at_table != n:
        return view
    hand = view.hand
    if hand is not None and hand.ended is None:
        hand = replace(hand, proposal=None, entered=())
    return replace(view, hand=hand, fouled=None, halted=None)


def refused_hand(log: Sequence[PublicEvent], hand: HandView | None) -> RefusedHand | None:
    """The shown hand of the last violation in a table's log, with its present melds; None if the log does not end with one."""
    if hand is None or hand.play is None:
        return None
    match [event.body for event in log[-3:]]:
        case [HandShown(seat) as shown, WinRefused(refused), Violation(violating)] if seat is refused is violating:
            return RefusedHand(log[-1], shown, turned_up(hand.play.seat(seat).melds, shown.kongs))
        case _:
            return None


_OF_A_HAND = (*get_args(PlayEvent), GateUnlocked, ClaimsOpened, ClaimsClosed, ClaimBound, ClaimRefused)
"""Events that the next hand's start makes obsolete."""


def restored(table: str, events: Sequence[PublicEvent]) -> TableView:
    """The view after all stored events of the table, in order; only the last journal counts."""
    current = [event for event in events if event.journal == events[-1].journal]
    starts = [index for index, event in enumerate(current) if isinstance(event.body, HandStarted)]
    whole_from = starts[-2] if len(starts) > 1 else 0
    view = TableView(table)
    for index, event in enumerate(current):
        if index >= whole_from or not isinstance(event.body, _OF_A_HAND):
            view = fold(view, event)
    logged = islice((event for event in reversed(current) if type(event.body) not in UNLOGGED), LOG_LENGTH)
    return replace(view, log=tuple(logged)[::-1])
