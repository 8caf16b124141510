"""Legality checks that rule sets share: turn, offered claims, tiles that cannot be face up, rulings. A rule set passes what it allows
(``Permissions``) and its reasons. Exposed tiles are checked; concealed tiles are not."""

from collections.abc import Callable, Collection, Iterable
from typing import assert_never

from twinwall.game.play import Phase, PlayState, form_error, is_pung_of, own_tiles
from twinwall.game.play_events import (
    STATED_ENDS,
    Claim,
    Claimed,
    ClaimsPassed,
    EndReason,
    HandEnded,
    HandLaidOpen,
    HandRuledDead,
    HandShown,
    KongDeclared,
    Meld,
    MeldType,
    PenaltyRuled,
    ResultExcluded,
    Ruled,
    SharedTileTurned,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
    WinRefused,
)
from twinwall.game.rule_set import Illegal, Permissions
from twinwall.game.tiles import COPIES, SEATS, Seat, Tile
from twinwall.game.walls import HAND_SIZE

NOT_NOW = "not-now"
NOT_YOUR_TURN = "not-your-turn"
NOT_ALLOWED = "not-allowed"
WRONG_TILES = "wrong-tiles"
WRONG_SOURCE = "wrong-source"
WRONG_SCORES = "wrong-scores"
RULED_ALREADY, WRONG_AMOUNT = "ruled-already", "wrong-amount"

MOST_MELDS = 4
NO_REPLACEMENT = "the walls have no replacement for it"
DEAD = "its hand was ruled dead"

_AWAITED = {
    Phase.DRAW: "a draw",
    Phase.DISCARD: "a discard",
    Phase.CLAIMS: "claims on the tile last laid",
    Phase.SHOW: "hands to be shown and judged",
    Phase.ENDED: "nothing, the hand is over",
}


def not_now(state: PlayState, what: str) -> Illegal:
    """The refusal of what the phase does not allow."""
    return Illegal(NOT_NOW, f"{what} while the table waits for {_AWAITED[state.phase]}")


def unknown_here(event: TileDiscarded | SharedTileTurned) -> Illegal:
    """The refusal of riichi events in other rules: a riichi discard, an indicator."""
    what = "riichi" if isinstance(event, TileDiscarded) else "a shared tile to turn up"
    return Illegal(NOT_ALLOWED, f"there is no {what} in these rules")


def out_of_turn(state: PlayState, seat: Seat, phase: Phase, what: str) -> Illegal | None:
    """Refuse an action outside ``phase`` or out of turn."""
    if state.phase is not phase:
        return not_now(state, what)
    if seat is not state.turn:
        return Illegal(NOT_YOUR_TURN, f"it is the turn of {state.turn.value}, not of {seat.value}")
    return None


def five_seen(seen: Iterable[Tile], added: Collection[Tile]) -> Illegal | None:
    """Refuse tiles that would be the fifth of a kind beside those ``seen``: one of them must be misread."""
    face_up = [*seen, *added]
    for tile in added:
        count = face_up.count(tile)
        if count > COPIES:
            return Illegal(WRONG_TILES, f"{count} of {tile.text} would lie open, the set has {COPIES}")
    return None


def drawn(state: PlayState, event: TileDrawn, allowed: Permissions) -> Illegal | None:
    """Why a seat may not draw, or not from this end of its wall."""
    problem = out_of_turn(state, event.seat, Phase.DRAW, "a tile cannot be drawn")
    if problem is None and allowed.draw is None:
        return Illegal(NOT_NOW, "a tile cannot be drawn: the hand has ended in a draw")
    if problem is None and event.from_end is not allowed.from_end:
        return Illegal(NOT_ALLOWED, f"this tile is drawn as the {'last' if allowed.from_end else 'next'} one of the wall")
    return problem


def discarded(state: PlayState, seat: Seat, tile: Tile, seen: Iterable[Tile]) -> Illegal | None:
    return out_of_turn(state, seat, Phase.DISCARD, "a tile cannot be discarded") or five_seen(seen, (tile,))


def claimed(state: PlayState, event: Claimed, allowed: Permissions, why_not: str, seen: Iterable[Tile]) -> Illegal | None:
    """Why a meld may not be claimed; ``why_not`` is the rule set's reason if it does not offer the claim."""
    seat, meld = event.seat, event.meld
    if state.phase is not Phase.CLAIMS or state.last_discard is None:
        return not_now(state, "a discard cannot be claimed")
    claim = claim_of(meld)
    if claim is None or seat is state.turn or claim not in (allowed.claims or {}).get(seat, frozenset()):
        return Illegal(NOT_ALLOWED, f"{seat.value} may not claim a {meld.type.value} here: {why_not}")
    if meld.source is not state.turn:
        return Illegal(WRONG_SOURCE, f"the last discard is {state.turn.value}'s")
    return wrong_meld(meld, state.last_discard, seen)


def claim_of(meld: Meld) -> Claim | None:
    """The call for a meld; None if it is not claimed."""
    return Claim(meld.type.value) if meld.type.value in list(Claim) else None


def wrong_meld(meld: Meld, discard: Tile, seen: Iterable[Tile]) -> Illegal | None:
    problem = form_error(meld)
    if problem is not None:
        return Illegal(WRONG_TILES, problem)
    if discard not in meld.tiles:
        return Illegal(WRONG_TILES, f"the meld does not contain the discard {discard.text}")
    return five_seen(seen, own_tiles(meld, discard))


def declared_kong(state: PlayState, event: KongDeclared, allowed: Permissions, why_not: str, seen: Iterable[Tile]) -> Illegal | None:
    """Why a kong may not be declared in one's own turn; ``why_not`` is the rule set's reason if it does not offer one."""
    seat, meld = event.seat, event.meld
    problem = out_of_turn(state, seat, Phase.DISCARD, "a kong cannot be declared")
    if problem is not None:
        return problem
    if allowed.kong is not seat:
        return Illegal(NOT_ALLOWED, f"{seat.value} may not declare a kong: {why_not}")
    if meld.type not in (MeldType.ADDED_KONG, MeldType.CONCEALED_KONG):
        return Illegal(NOT_ALLOWED, f"a {meld.type.value} is not declared at the own turn")
    written = None if meld.face_down else form_error(meld)
    if written is not None:
        return Illegal(WRONG_TILES, written)
    if meld.type is MeldType.CONCEALED_KONG:
        if len(state.seat(seat).melds) >= MOST_MELDS:
            return Illegal(NOT_ALLOWED, f"{seat.value} may not declare a kong: it has four melds")
        return five_seen(seen, meld.tiles)
    if not any(is_pung_of(own, meld.tiles[0]) for own in state.seat(seat).melds):
        return Illegal(WRONG_TILES, f"{seat.value} has no pung of {meld.tiles[0].text} to add to")
    return five_seen(seen, meld.tiles[:1])


def declared_win(state: PlayState, event: WinDeclared, allowed: Permissions) -> Illegal | None:
    seat = event.seat
    why = DEAD if state.seat(seat).dead else None
    if event.source is None:
        if allowed.win is seat:
            return None
        return Illegal(NOT_ALLOWED, f"{seat.value} may not declare a self-drawn win: {why or 'it has no newly drawn tile in question'}")
    if Claim.WIN not in (allowed.claims or {}).get(seat, frozenset()):
        why = why or _no_win_on_discard(state, seat, allowed)
        return Illegal(NOT_ALLOWED, f"{seat.value} may not declare a win on a discard now" + (f": {why}" if why else ""))
    if event.source is not state.turn or event.tile is not state.last_discard:
        return Illegal(WRONG_SOURCE, "a win is declared on the last discard: its seat and tile")
    return None


def _no_win_on_discard(state: PlayState, seat: Seat, allowed: Permissions) -> str:
    """Why a seat may not win on a discard, if the state says so."""
    if seat in allowed.left:
        return "it has won and left play"
    if seat in state.refused:
        return "its win on this tile was refused"
    if state.phase is Phase.SHOW and state.winner not in (None, seat) and state.last_discard is not None:
        assert state.winner is not None
        return f"{state.winner.value} has declared a win on this tile, and these rules let one seat win on it"
    if state.phase is not Phase.CLAIMS:
        return f"the table waits for {_AWAITED[state.phase]}"
    return "the discard is its own" if seat is state.turn else ""


def illegal_ruling(state: PlayState, event: Ruled) -> Illegal | None:
    if state.phase is Phase.ENDED:
        return Illegal(NOT_NOW, "the hand is over: a ruling can only change what it counts for")
    match event:
        case HandRuledDead(seat):
            return Illegal(RULED_ALREADY, f"the hand of {seat.value} is dead already") if state.seat(seat).dead else None
        case PenaltyRuled():
            if min(event.imp, event.points) < 0 or not (event.imp or event.points):
                return Illegal(WRONG_AMOUNT, f"a penalty costs IMP or points, not {event.imp} IMP and {event.points} points")
            return None
        case ResultExcluded():
            return Illegal(RULED_ALREADY, "the result is left out of the comparison already") if state.excluded else None
        case _:
            assert_never(event)


def usual(state: PlayState, event: TileDrawn | ClaimsPassed | WinDeclared | WinRefused | Ruled, allowed: Permissions) -> Illegal | None:
    """Why an event that most rule sets judge alike is not allowed."""
    match event:
        case TileDrawn():
            return drawn(state, event, allowed)
        case ClaimsPassed():
            return None if state.phase is Phase.CLAIMS else not_now(state, "claims cannot be passed")
        case WinDeclared():
            return declared_win(state, event, allowed)
        case WinRefused(seat):
            return None if is_shown(state, seat) else not_now(state, f"no win of {seat.value} can be refused")
        case _:
            return illegal_ruling(state, event)


def ended(state: PlayState, event: HandEnded, problem: Callable[[], Illegal | None]) -> Illegal | None:
    """Why a hand may not end; ``problem`` judges only an end by play, not one that people state (``STATED_ENDS``)."""
    stated = event.reason in STATED_ENDS
    if stated and state.phase is Phase.ENDED:
        return Illegal(NOT_NOW, "the hand is over already")
    if set(event.scores) != set(SEATS):
        return Illegal(WRONG_SCORES, "scores name all four seats")
    if not stated:
        return problem()
    if event.reason is EndReason.ANNULLED and any(event.scores.values()):
        return Illegal(WRONG_SCORES, "an annulled hand has no scores")
    if event.reason is EndReason.ENTERED and state.turn_taken:
        return Illegal(NOT_NOW, "scores are entered for a hand of which no play is recorded")
    return None


def shown_wrongly(state: PlayState, event: HandShown | HandLaidOpen, allowed: Permissions, *, wins: bool) -> Illegal | None:
    """Why a hand may not be shown now, or has a wrong number of tiles; ``wins``: its seat has declared a win."""
    seat, as_win = event.seat, isinstance(event, HandShown)
    if allowed.show is not seat or as_win is not wins:
        return not_now(state, f"{seat.value} has no {'win' if as_win else 'hand without a win'} to show")
    count = HAND_SIZE - 3 * len(state.seat(seat).melds)
    if len(event.concealed) == count:
        return None
    return Illegal(WRONG_TILES, f"{seat.value} has {count} tiles beside its melds, not {len(event.concealed)}")


def is_shown(state: PlayState, seat: Seat) -> bool:
    """Whether a seat has shown its last declared win."""
    return state.phase is Phase.SHOW and state.winner is seat and state.seat(seat).shown is not None


def not_won(state: PlayState) -> Illegal | None:
    """Why a hand may not end with a win: none is declared, or its hand is not shown."""
    if state.winner is None or not is_shown(state, state.winner):
        return not_now(state, "the hand cannot end with a win")
    return None


def not_zero_sum(event: HandEnded) -> Illegal | None:
    """Refuse scores that do not sum to zero, in rules where they must."""
    return Illegal(WRONG_SCORES, "what one pays another gets: the scores sum to zero") if sum(event.scores.values()) else None
