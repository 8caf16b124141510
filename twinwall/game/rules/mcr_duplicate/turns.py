"""Turn order, claims and the end of the hand, from the public state alone.

East plays first, then counter-clockwise. A seat always draws from its own wall; claims move the
turn but never change whose wall is drawn (Aono, "Duplicate-format mahjong"). When a wall is empty
the hand ends by one of two rules: ``lap`` lets the three other seats have their turn once more,
``next-empty`` stops as soon as the seat to draw has no tile. Declared kongs are not played yet.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from twinwall.game.hands import LAST_DISCARD, LAST_DRAW, LAST_OF_KIND
from twinwall.game.melds import visible_tiles
from twinwall.game.play import Claim, EndReason, HandShown, Permissions, Phase, PlayState, SeatState, WinningHand
from twinwall.game.rules.mcr_duplicate.scoring import NAME
from twinwall.game.tiles import COPIES, SEATS, Seat

DRAWS = 21
"""Draws in each seat's wall: 34 tiles less the 13 of the hand."""

LAP = "lap"
_LAST_TURN_OF_LAP = 3
_MOST_MELDS = 4

_CLAIM_RANK = {Claim.WIN: 0, Claim.KONG: 1, Claim.PUNG: 1, Claim.CHOW: 2}


def start() -> PlayState:
    """All hands are taken, all walls full, East to draw."""
    seat = SeatState(draws_left=DRAWS)
    return PlayState(rules=NAME, seats=(seat, seat, seat, seat), phase=Phase.DRAW, turn=Seat.EAST)


def permissions(state: PlayState, end: str) -> Permissions:
    """What may happen next under an end rule (``lap`` or ``next-empty``)."""
    match state.phase:
        case Phase.DRAW:
            return Permissions(ended=EndReason.DRAWN) if _nothing_to_draw(state) else Permissions(draw=state.turn)
        case Phase.DISCARD:
            may_win = state.drew and state.turn not in state.refused
            return Permissions(discard=state.turn, win=state.turn if may_win else None)
        case Phase.CLAIMS:
            final = is_final_discard(state, end)
            return Permissions(claims={seat: _claims(state, seat, final) for seat in SEATS if seat is not state.turn})
        case Phase.SHOW:
            shown = state.winner is not None and state.seat(state.winner).shown is not None
            return Permissions(show=None if shown else state.winner)
        case Phase.ENDED:
            return Permissions(ended=None if state.ended is None else state.ended.reason)


def _claims(state: PlayState, seat: Seat, final: bool) -> frozenset[Claim]:
    """What a seat may press on the last discard: its place, its melds and the tile decide, never what it holds."""
    if seat in state.refused:
        return frozenset()
    claims = {Claim.WIN}
    if not final and len(state.seat(seat).melds) < _MOST_MELDS:
        claims.add(Claim.PUNG)
        if seat is state.turn.next and state.last_discard is not None and not state.last_discard.is_honour:
            claims.add(Claim.CHOW)
    return frozenset(claims)


def _nothing_to_draw(state: PlayState) -> bool:
    """Whether the seat to draw has an empty wall, or the last lap is over."""
    lap_is_over = state.final_lap_from is not None and state.lap_turns > _LAST_TURN_OF_LAP
    return lap_is_over or state.seat(state.turn).draws_left == 0


def is_final_discard(state: PlayState, end: str) -> bool:
    """Whether no tile will be drawn after the discard of ``turn`` (made or still to be made)."""
    if end == LAP:
        return state.final_lap_from is not None and state.lap_turns >= _LAST_TURN_OF_LAP
    return state.seat(state.turn.next).draws_left == 0


def priority(state: PlayState, claims: Mapping[Seat, Claim], end: str) -> tuple[Seat, ...]:
    """The seats whose press is allowed, the first to be heard first: win, then pung, then chow; the nearest in turn order among equals."""
    allowed = permissions(state, end).claims or {}
    heard = [seat for seat, claim in claims.items() if claim in allowed.get(seat, frozenset())]
    return tuple(sorted(heard, key=lambda seat: (_CLAIM_RANK[claims[seat]], state.turn.turns_until(seat))))


def moved_to(state: PlayState, seat: Seat) -> PlayState:
    """The same state with the turn moved on to ``seat``, the seats on the way counted where the last lap runs."""
    lap_turns = state.lap_turns if state.final_lap_from is None else state.lap_turns + state.turn.turns_until(seat)
    return replace(state, turn=seat, lap_turns=lap_turns)


def winning_hand(state: PlayState, shown: HandShown, round_wind: Seat, end: str) -> WinningHand:
    """The declared hand with the flags that the public state implies."""
    source = None if shown.seat is state.turn else state.turn
    return WinningHand(
        seat=shown.seat,
        round=round_wind,
        concealed=shown.concealed,
        melds=state.seat(shown.seat).melds,
        winning=shown.winning,
        source=source,
        flags=_flags(state, shown, source, end),
    )


def _flags(state: PlayState, shown: HandShown, source: Seat | None, end: str) -> frozenset[str]:
    flags = set()
    if is_final_discard(state, end):
        flags.add(LAST_DRAW if source is None else LAST_DISCARD)
    seen = sum(tile == shown.winning for tile in visible_tiles(state))
    others_seen = seen if source is None else seen - 1  # the winning discard itself lies in a river
    if others_seen == COPIES - 1:
        flags.add(LAST_OF_KIND)
    return frozenset(flags)
