"""Which events are allowed in a public state. Exposed tiles are checked; a discard or shown hand is legal here even if the seat did not
hold it."""

from twinwall.game.play import Phase, PlayState, visible_tiles
from twinwall.game.play_events import (
    Claimed,
    EndReason,
    HandEnded,
    HandLaidOpen,
    HandShown,
    KongDeclared,
    MeldType,
    Offence,
    PenaltyRuled,
    PlayEvent,
    SharedTileTurned,
    TileDiscarded,
    penalty_payments,
    totals,
)
from twinwall.game.rule_set import Illegal
from twinwall.game.rules import checks
from twinwall.game.rules.mcr_duplicate.scoring import REFEREE, TABLE, McrOptions
from twinwall.game.rules.mcr_duplicate.turns import is_final_discard, may_replace, permissions
from twinwall.game.tiles import Seat


def illegal(state: PlayState, event: PlayEvent, options: McrOptions) -> Illegal | None:
    match event:
        case SharedTileTurned() | TileDiscarded(riichi=True):
            return checks.unknown_here(event)
        case TileDiscarded(seat, tile):
            return checks.discarded(state, seat, tile, visible_tiles(state))
        case Claimed(seat, meld):
            return checks.claimed(
                state, event, permissions(state, options), _why_not(state, seat, meld.type, options), visible_tiles(state)
            )
        case KongDeclared(seat):
            return checks.declared_kong(state, event, permissions(state, options), _why_no_kong(state, seat, options), visible_tiles(state))
        case HandShown() | HandLaidOpen():
            return _show(state, event)
        case PenaltyRuled():
            return checks.illegal_ruling(state, event) or _penalty(event, options)
        case HandEnded():
            return checks.ended(state, event, lambda: _end(state, event, options))
        case _:
            return checks.usual(state, event, permissions(state, options))


def _why_not(state: PlayState, seat: Seat, meld_type: MeldType, options: McrOptions) -> str:
    if seat is state.turn:
        return "the discard is its own"
    if state.seat(seat).dead:
        return checks.DEAD
    if seat in state.refused:
        return "its win on this tile was refused"
    if state.robbing:
        return "a tile added to a kong can only be won on"
    if is_final_discard(state, options):
        return "the final discard can only be won on"
    if meld_type is MeldType.KONG and not may_replace(state, seat, options):
        return checks.NO_REPLACEMENT
    return "a chow is claimed from the left neighbour only, a pung or kong with fewer than four melds"


def _why_no_kong(state: PlayState, seat: Seat, options: McrOptions) -> str:
    if state.seat(seat).dead:
        return checks.DEAD
    return checks.NO_REPLACEMENT if state.drew and not may_replace(state, seat, options) else "it has no newly drawn tile in question"


def _show(state: PlayState, event: HandShown | HandLaidOpen) -> Illegal | None:
    if (
        isinstance(event, HandLaidOpen)
        or state.phase is not Phase.SHOW
        or state.winner is not event.seat
        or checks.is_shown(state, event.seat)
    ):
        return checks.not_now(state, f"{event.seat.value} has no hand to show")
    if event.seat is not state.turn and event.winning is not state.last_discard:
        return Illegal(checks.WRONG_TILES, "the winning tile is not the last discard")
    face_down = sum(meld.face_down for meld in state.seat(event.seat).melds)
    if len(event.kongs) != face_down:
        return Illegal(checks.WRONG_TILES, f"{event.seat.value} has {face_down} kongs that lie face down, not {len(event.kongs)}")
    return None


def _penalty(event: PenaltyRuled, options: McrOptions) -> Illegal | None:
    """Refuse a penalty for a false win that is not the option's: IMP, points at the table, or what the referee decides."""
    if event.offence is not Offence.FALSE_WIN or options.false_win == REFEREE:
        return None
    if options.false_win == TABLE:
        fits, cost = event.imp == 0, "points at the table"
    else:
        imp = options.false_win_imp
        fits, cost = event.imp == imp and event.points == 0, f"{imp} IMP"
    return (
        None
        if fits
        else Illegal(checks.WRONG_AMOUNT, f"a false win costs {cost} at this event, not {event.imp} IMP and {event.points} points")
    )


def _end(state: PlayState, event: HandEnded, options: McrOptions) -> Illegal | None:
    if event.reason is EndReason.WON:
        return checks.not_won(state)
    if state.phase is not Phase.DRAW or permissions(state, options).ended is not EndReason.DRAWN:
        return checks.not_now(state, "the hand cannot end in a draw")
    if dict(event.scores) != totals(penalty_payments(state.penalties)):
        return Illegal(checks.WRONG_SCORES, "no seat pays in a drawn hand, but for penalties that were ruled")
    return None
