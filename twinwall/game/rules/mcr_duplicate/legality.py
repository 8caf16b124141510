"""Why an event may not happen in a state, judged by what anybody at the table sees.

Exposed tiles are judged here (a meld must fit its type and the discard); what a seat conceals is
not, so a discard or a shown hand can be legal here and still not have been held.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import assert_never

from twinwall.game.melds import form_error, is_pung_of, own_tiles, visible_tiles
from twinwall.game.payments import totals
from twinwall.game.play import (
    RULED_ENDS,
    Claim,
    Claimed,
    ClaimsPassed,
    EndReason,
    HandEnded,
    HandLaidOpen,
    HandShown,
    Illegal,
    KongDeclared,
    MeldType,
    Phase,
    PlayEvent,
    PlayState,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
    WinRefused,
)
from twinwall.game.rules import rulings
from twinwall.game.rules.mcr_duplicate.scoring import REFEREE, TABLE, McrOptions
from twinwall.game.rules.mcr_duplicate.turns import MOST_MELDS, is_final_discard, may_replace, permissions
from twinwall.game.rulings import HandRuledDead, Offence, PenaltyRuled, ResultExcluded, penalty_payments
from twinwall.game.tiles import COPIES, SEATS, Seat, Tile

_NOT_NOW = "not-now"
_NOT_YOUR_TURN = "not-your-turn"
_NOT_ALLOWED = "not-allowed"
_WRONG_TILES = "wrong-tiles"
_WRONG_SOURCE = "wrong-source"
_WRONG_SCORES = "wrong-scores"

_NO_REPLACEMENT = "the walls have no replacement for it"
_DEAD = "its hand was ruled dead"

_AWAITED = {
    Phase.DRAW: "a draw",
    Phase.DISCARD: "a discard",
    Phase.CLAIMS: "claims on the tile last laid",
    Phase.SHOW: "the declared hand to be shown and judged",
    Phase.ENDED: "nothing, the hand is over",
}


def illegal(state: PlayState, event: PlayEvent, options: McrOptions) -> Illegal | None:
    """Why the event may not happen; None when it may."""
    match event:
        case TileDrawn(seat):
            return _draw(state, seat, options)
        case TileDiscarded(seat, tile):
            return _discard(state, seat, tile)
        case Claimed():
            return _claim(state, event, options)
        case KongDeclared():
            return _kong(state, event, options)
        case ClaimsPassed():
            return None if state.phase is Phase.CLAIMS else _not_now(state, "claims cannot be passed")
        case WinDeclared():
            return _win(state, event, options)
        case HandShown() | HandLaidOpen():
            return _show(state, event)
        case WinRefused(seat):
            return None if _is_shown(state, seat) else _not_now(state, f"no win of {seat.value} can be refused")
        case PenaltyRuled():
            return rulings.illegal(state, event) or _penalty(event, options)
        case HandRuledDead() | ResultExcluded():
            return rulings.illegal(state, event)
        case HandEnded():
            return _end(state, event, options)
        case _:
            assert_never(event)


def _not_now(state: PlayState, what: str) -> Illegal:
    return Illegal(_NOT_NOW, f"{what} while the table waits for {_AWAITED[state.phase]}")


def _not_your_turn(state: PlayState, seat: Seat) -> Illegal:
    return Illegal(_NOT_YOUR_TURN, f"it is the turn of {state.turn.value}, not of {seat.value}")


def _draw(state: PlayState, seat: Seat, options: McrOptions) -> Illegal | None:
    if state.phase is not Phase.DRAW:
        return _not_now(state, "a tile cannot be drawn")
    if seat is not state.turn:
        return _not_your_turn(state, seat)
    if permissions(state, options).draw is None:
        return Illegal(_NOT_NOW, "a tile cannot be drawn: the hand has ended in a draw")
    return None


def _discard(state: PlayState, seat: Seat, tile: Tile) -> Illegal | None:
    if state.phase is not Phase.DISCARD:
        return _not_now(state, "a tile cannot be discarded")
    if seat is not state.turn:
        return _not_your_turn(state, seat)
    return _five_seen(state, (tile,))


def _five_seen(state: PlayState, added: Iterable[Tile]) -> Illegal | None:
    """Refuse tiles that would make five of a kind lie open: one of them must have been misread."""
    seen = Counter(visible_tiles(state))
    seen.update(added)
    for tile, count in seen.items():
        if count > COPIES:
            return Illegal(_WRONG_TILES, f"{count} of {tile.text} would lie open, the set has {COPIES}")
    return None


def _claim(state: PlayState, event: Claimed, options: McrOptions) -> Illegal | None:
    seat, meld = event.seat, event.meld
    if state.phase is not Phase.CLAIMS or state.last_discard is None:
        return _not_now(state, "a discard cannot be claimed")
    claim = Claim(meld.type.value) if meld.type.value in list(Claim) else None
    if claim is None or seat is state.turn or claim not in (permissions(state, options).claims or {}).get(seat, frozenset()):
        return Illegal(_NOT_ALLOWED, f"{seat.value} may not claim a {meld.type.value} here: {_why_not(state, seat, claim, options)}")
    if meld.source is not state.turn:
        return Illegal(_WRONG_SOURCE, f"the last discard is {state.turn.value}'s")
    problem = form_error(meld)
    if problem is not None:
        return Illegal(_WRONG_TILES, problem)
    if state.last_discard not in meld.tiles:
        return Illegal(_WRONG_TILES, f"the meld does not contain the discard {state.last_discard.text}")
    return _five_seen(state, own_tiles(meld, state.last_discard))


def _why_not(state: PlayState, seat: Seat, claim: Claim | None, options: McrOptions) -> str:
    if seat is state.turn:
        return "the discard is its own"
    if state.seat(seat).dead:
        return _DEAD
    if seat in state.refused:
        return "its win on this tile was refused"
    if state.robbing:
        return "a tile added to a kong can only be won on"
    if is_final_discard(state, options):
        return "the final discard can only be won on"
    if claim is Claim.KONG and not may_replace(state, seat, options):
        return _NO_REPLACEMENT
    return "a chow is claimed from the left neighbour only, a pung or kong with fewer than four melds"


def _kong(state: PlayState, event: KongDeclared, options: McrOptions) -> Illegal | None:
    seat, meld = event.seat, event.meld
    if state.phase is not Phase.DISCARD:
        return _not_now(state, "a kong cannot be declared")
    if seat is not state.turn:
        return _not_your_turn(state, seat)
    if permissions(state, options).kong is not seat:
        why = _NO_REPLACEMENT if state.drew and not may_replace(state, seat, options) else _no_tile(state, seat)
        return Illegal(_NOT_ALLOWED, f"{seat.value} may not declare a kong: {why}")
    if meld.type not in (MeldType.ADDED_KONG, MeldType.CONCEALED_KONG):
        return Illegal(_NOT_ALLOWED, f"a {meld.type.value} is not declared at the own turn")
    problem = None if meld.face_down else form_error(meld)
    if problem is not None:
        return Illegal(_WRONG_TILES, problem)
    if meld.type is MeldType.CONCEALED_KONG:
        if len(state.seat(seat).melds) >= MOST_MELDS:
            return Illegal(_NOT_ALLOWED, f"{seat.value} may not declare a kong: it has four melds")
        return _five_seen(state, meld.tiles)
    if not any(is_pung_of(own, meld.tiles[0]) for own in state.seat(seat).melds):
        return Illegal(_WRONG_TILES, f"{seat.value} has no pung of {meld.tiles[0].text} to add to")
    return _five_seen(state, meld.tiles[:1])


def _no_tile(state: PlayState, seat: Seat) -> str:
    return _DEAD if state.seat(seat).dead else "it has no newly drawn tile in question"


def _win(state: PlayState, event: WinDeclared, options: McrOptions) -> Illegal | None:
    allowed = permissions(state, options)
    if event.source is None:
        if allowed.win is not event.seat:
            return Illegal(_NOT_ALLOWED, f"{event.seat.value} may not declare a self-drawn win: {_no_tile(state, event.seat)}")
        return None
    if Claim.WIN not in (allowed.claims or {}).get(event.seat, frozenset()):
        why = f": {_DEAD}" if state.seat(event.seat).dead else ""
        return Illegal(_NOT_ALLOWED, f"{event.seat.value} may not declare a win on a discard now{why}")
    if event.source is not state.turn or event.tile is not state.last_discard:
        return Illegal(_WRONG_SOURCE, "a win is declared on the last discard: its seat and tile")
    return None


def _is_shown(state: PlayState, seat: Seat) -> bool:
    return state.phase is Phase.SHOW and state.winner is seat and state.seat(seat).shown is not None


def _show(state: PlayState, event: HandShown | HandLaidOpen) -> Illegal | None:
    if isinstance(event, HandLaidOpen) or state.phase is not Phase.SHOW or state.winner is not event.seat or _is_shown(state, event.seat):
        return _not_now(state, f"{event.seat.value} has no hand to show")
    if event.seat is not state.turn and event.winning is not state.last_discard:
        return Illegal(_WRONG_TILES, "the winning tile is not the last discard")
    face_down = sum(meld.face_down for meld in state.seat(event.seat).melds)
    if len(event.kongs) != face_down:
        return Illegal(_WRONG_TILES, f"{event.seat.value} has {face_down} kongs that lie face down, not {len(event.kongs)}")
    return None


def _penalty(event: PenaltyRuled, options: McrOptions) -> Illegal | None:
    """A false win costs what the event's option says: IMP, points at the table, or what the referee finds right."""
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
        else Illegal(rulings.WRONG_AMOUNT, f"a false win costs {cost} at this event, not {event.imp} IMP and {event.points} points")
    )


def _end(state: PlayState, event: HandEnded, options: McrOptions) -> Illegal | None:
    if event.reason in RULED_ENDS:
        return rulings.illegal_end(state, event)
    if set(event.scores) != set(SEATS):
        return Illegal(_WRONG_SCORES, "scores name all four seats")
    if event.reason is EndReason.WON:
        if state.winner is None or not _is_shown(state, state.winner):
            return _not_now(state, "the hand cannot end with a win")
        return None
    if state.phase is not Phase.DRAW or permissions(state, options).ended is not EndReason.DRAWN:
        return _not_now(state, "the hand cannot end in a draw")
    if dict(event.scores) != totals(penalty_payments(state.penalties)):
        return Illegal(_WRONG_SCORES, "nobody pays in a drawn hand, but for penalties that were ruled")
    return None
