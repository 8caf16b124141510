"""Turn order, claims, winners who leave and the end of the hand, from the public state. Seats draw from their own walls. A winner leaves;
the others play on until three have won or the seat to draw has an empty wall. Then all hands are shown (四川ルール 血戦到底, revised 29
September 2018, 上がり)."""

from collections.abc import Iterator

from msgspec.structs import replace

from twinwall.game.play import Phase, RiverTile
from twinwall.game.play_events import (
    Claim,
    Claimed,
    ClaimsPassed,
    EndReason,
    HandLaidOpen,
    HandRuledDead,
    HandShown,
    KongDeclared,
    Meld,
    MeldType,
    PlayEvent,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
    WinRefused,
)
from twinwall.game.rule_set import (
    AFTER_KONG_DISCARD,
    KONG_REPLACEMENT,
    LAST_DISCARD,
    LAST_DRAW,
    LAST_OF_KIND,
    ROBBING_KONG,
    Permissions,
    WinningHand,
)
from twinwall.game.rules.checks import MOST_MELDS
from twinwall.game.rules.shared_transitions import (
    claimed_from,
    replaced_or_robbed,
    ruled,
    usual,
    with_discard,
    with_draw,
    with_meld,
    with_own_kong,
)
from twinwall.game.rules.sichuan.scoring import EARTHLY_HAND, HEAVENLY_HAND, SichuanHand
from twinwall.game.rules.sichuan.state import MOST_WINNERS, DeclaredWin, KongMade, SichuanState, seen_tiles
from twinwall.game.tiles import COPIES, SEATS, Seat, Tile

DRAWS = 14
"""Draws in a wall: 27 tiles less 13 hand tiles. The dealer's fourteenth tile is its first draw."""


def permissions(state: SichuanState) -> Permissions:
    turn, gone = state.turn, state.gone
    match state.phase:
        case Phase.DRAW:
            return Permissions(draw=turn, left=gone)
        case Phase.DISCARD:
            may_win = state.drew and not state.seat(turn).dead
            may_kong = may_win and state.seat(turn).draws_left > 0
            own_win, own_kong = turn if may_win else None, turn if may_kong else None
            return Permissions(discard=turn, win=own_win, kong=own_kong, face_up=True, late_kongs=True, left=gone)
        case Phase.CLAIMS:
            claims = {seat: _claims(state, seat) for seat in SEATS if seat is not turn and seat not in gone}
            return Permissions(claims=claims, left=gone)
        case Phase.SHOW:
            following = state.to_show()
            return Permissions(show=following) if following is not None else Permissions(ended=end_reason(state))
        case Phase.ENDED:
            return Permissions(ended=None if state.ended is None else state.ended.reason)


def _claims(state: SichuanState, seat: Seat) -> frozenset[Claim]:
    """What a seat may call on the current tile; after a win on it, others may only win too."""
    if state.seat(seat).dead:
        return frozenset()
    claims = {Claim.WIN}
    if not state.robbing and not state.won_here and len(state.seat(seat).melds) < MOST_MELDS:
        claims.add(Claim.PUNG)
        if state.seat(seat).draws_left:
            claims.add(Claim.KONG)
    return frozenset(claims)


def end_reason(state: SichuanState) -> EndReason:
    """Why the hand is over, when all hands are shown."""
    return EndReason.WON if state.standing else EndReason.DRAWN


def moved_to(state: SichuanState, seat: Seat) -> SichuanState:
    return replace(state, turn=seat, drew=False, after_kong=False, robbing=False, chain=0, won_here=0)


def play_on(state: SichuanState, seat: Seat) -> SichuanState:
    """Let ``seat`` draw next, or end play and let the hands be shown."""
    moved = moved_to(state, seat)
    over = len(state.wins) == MOST_WINNERS or state.seat(seat).draws_left == 0
    return replace(moved, phase=Phase.SHOW if over else Phase.DRAW)


def win_flags(state: SichuanState, seat: Seat, source: Seat | None, tile: Tile) -> frozenset[str]:
    return frozenset({ROBBING_KONG} if state.robbing else _flags(state, seat, source, tile))


def _flags(state: SichuanState, seat: Seat, source: Seat | None, tile: Tile) -> Iterator[str]:
    if state.live_draws == 0:
        yield LAST_DRAW if source is None else LAST_DISCARD
    if state.after_kong:
        yield KONG_REPLACEMENT if source is None else AFTER_KONG_DISCARD
    others_seen = sum(seen == tile for seen in seen_tiles(state)) - (source is not None)
    if others_seen == COPIES - 1:
        yield LAST_OF_KIND
    if source is None and _is_first_draw(state, seat):
        yield HEAVENLY_HAND if seat is Seat.EAST else EARTHLY_HAND


def _is_first_draw(state: SichuanState, seat: Seat) -> bool:
    """Whether the seat has drawn once and has no meld, and no seat has claimed."""
    claimed = any(laid.claimed_by is not None for other in state.seats for laid in other.river)
    return state.seat(seat).draws_left == DRAWS - 1 and not state.seat(seat).melds and not claimed


def melds_as_changed(state: SichuanState, seat: Seat) -> tuple[Meld, ...]:
    """A seat's melds in the order of their last change, as far as a win depends on it. Only an added kong changes a meld that is not the
    last. While its replacement is in hand, ``last_discard`` is still the added tile, which shows whether that kong was the last."""
    melds = state.seat(seat).melds
    if not state.after_kong or seat is not state.turn or not melds or melds[-1].type is MeldType.CONCEALED_KONG:
        return melds
    added = [meld for meld in melds if meld.type is MeldType.ADDED_KONG and meld.tiles[0] is state.last_discard]
    return (*(meld for meld in melds if meld not in added), *added)


def winning_hand(state: SichuanState, shown: HandShown, round_wind: Seat) -> WinningHand:
    """The declared hand as it was at the declaration."""
    win = state.win_of(shown.seat)
    assert win is not None, f"{shown.seat.value} has declared no win"
    standing = {other.seat for other in state.standing}
    return SichuanHand(
        seat=win.seat,
        round=round_wind,
        concealed=shown.concealed,
        melds=win.melds,
        winning=shown.winning,
        source=win.source,
        flags=win.flags,
        finished=tuple(win.finished & standing),
    )


def apply(state: SichuanState, event: PlayEvent) -> SichuanState:
    match event:
        case TileDrawn(seat):
            return with_draw(state, seat)
        case TileDiscarded(seat, tile):
            return with_discard(state, seat, RiverTile(tile))
        case Claimed():
            return _claimed(state, event)
        case KongDeclared():
            return _kong_declared(state, event)
        case ClaimsPassed():
            return _passed(state)
        case WinDeclared():
            return _won(state, event)
        case HandShown(seat) | HandLaidOpen(seat):
            return replace(usual(state, event), winner=seat if isinstance(event, HandShown) else None)
        case WinRefused(seat):
            return _fallen(state, seat)
        case HandRuledDead(seat):
            return _fallen(ruled(state, event), seat)
        case _:
            return usual(state, event)


def _claimed(state: SichuanState, event: Claimed) -> SichuanState:
    after = moved_to(with_meld(claimed_from(state, state.turn, event.seat), event.seat, event.meld), event.seat)
    if event.meld.type is MeldType.KONG:
        return replace(_with_kong(after, event.seat, event.meld, late=False), phase=Phase.DRAW)
    return replace(after, phase=Phase.DISCARD)


def _with_kong(state: SichuanState, seat: Seat, meld: Meld, *, late: bool) -> SichuanState:
    source = meld.source if meld.type is MeldType.KONG else None
    made = KongMade(seat, meld.type, source, state.gone, late)
    return replace(state, kongs=(*state.kongs, made), chain=state.chain + 1, after_kong=True, drew=False)


def _kong_declared(state: SichuanState, event: KongDeclared) -> SichuanState:
    made = _with_kong(state, event.seat, event.meld, late=event.late)
    return replaced_or_robbed(with_own_kong(made, event.seat, event.meld), event.meld)


def _passed(state: SichuanState) -> SichuanState:
    """The turn goes to the seat after the discarder, or after the winner farthest from the discarder."""
    if state.won_here:
        farthest = max((win.seat for win in state.wins[-state.won_here :]), key=state.turn.turns_until)
        return play_on(state, state.next_in_play(farthest))
    if state.robbing:
        return replace(state, robbing=False, phase=Phase.DRAW)
    return play_on(state, state.next_in_play(state.turn))


def _won(state: SichuanState, event: WinDeclared) -> SichuanState:
    """The winner leaves play; others may still win on the same discard, unless three have won."""
    tile = event.tile
    assert tile is not None
    win = DeclaredWin(
        seat=event.seat,
        source=event.source,
        tile=tile,
        melds=melds_as_changed(state, event.seat),
        flags=win_flags(state, event.seat, event.source, tile),
        finished=state.gone_before,
        has_tile=state.won_here == 0,
    )
    if event.source is None:
        after = replace(state, wins=(*state.wins, win))
        return play_on(after, after.next_in_play(event.seat))
    after = _first_winner_takes(state, event.seat, tile) if state.won_here == 0 else state
    after = replace(after, wins=(*after.wins, win), won_here=after.won_here + 1)
    if not state.robbing:
        after = _handed_over(after, event.seat)
    return _passed(after) if len(after.wins) == MOST_WINNERS else after


def _first_winner_takes(state: SichuanState, winner: Seat, tile: Tile) -> SichuanState:
    """The first winner takes the tile from the river, or from a robbed kong, which becomes a pung again and earns nothing."""
    if not state.robbing:
        return claimed_from(state, state.turn, winner)
    own = state.seat(state.turn)
    melds = tuple(
        Meld(MeldType.PUNG, meld.tiles[1:], meld.source) if meld.type is MeldType.ADDED_KONG and meld.tiles[0] is tile else meld
        for meld in own.melds
    )
    return replace(state.with_seat(state.turn, replace(own, melds=melds)), kongs=state.kongs[:-1], chain=state.chain - 1)


def _handed_over(state: SichuanState, winner: Seat) -> SichuanState:
    """The bonuses of the kongs before this discard pass to its winner."""
    if not state.chain:
        return state
    before, chain = state.kongs[: -state.chain], state.kongs[-state.chain :]
    return replace(state, kongs=(*before, *(replace(kong, handed_to=(*kong.handed_to, winner)) for kong in chain)))


def _fallen(state: SichuanState, seat: Seat) -> SichuanState:
    """A win that is false, or of a dead hand, no longer counts; its seat stays out of play."""
    return replace(state, wins=tuple(replace(win, stands=False) if win.seat is seat else win for win in state.wins))
