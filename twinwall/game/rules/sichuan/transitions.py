"""What a legal event changes in the public state of Sichuan. Whether it is legal is ``legality``'s matter."""

from __future__ import annotations

from msgspec.structs import replace

from twinwall.game.play import Phase, RiverTile
from twinwall.game.play_events import (
    Claimed,
    ClaimsPassed,
    HandLaidOpen,
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
from twinwall.game.rules import ruling_checks
from twinwall.game.rules.shared_transitions import claimed_from, usual, with_discard, with_draw, with_meld, with_own_kong
from twinwall.game.rules.sichuan.state import MOST_WINNERS, DeclaredWin, KongMade, SichuanState
from twinwall.game.rules.sichuan.turns import melds_as_changed, moved_to, play_on, win_flags
from twinwall.game.rulings import HandRuledDead
from twinwall.game.tiles import Seat, Tile


def apply(state: SichuanState, event: PlayEvent) -> SichuanState:
    """The state after a legal event."""
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
            return _fallen(ruling_checks.apply(state, event), seat)
        case _:
            return usual(state, event)


def _claimed(state: SichuanState, event: Claimed) -> SichuanState:
    after = moved_to(with_meld(_taken(state, event.seat), event.seat, event.meld), event.seat)
    if event.meld.type is MeldType.KONG:
        return replace(_with_kong(after, event.seat, event.meld, late=False), phase=Phase.DRAW)
    return replace(after, phase=Phase.DISCARD)


def _taken(state: SichuanState, taker: Seat) -> SichuanState:
    """The last discard leaves its river."""
    return state.with_seat(state.turn, claimed_from(state.seat(state.turn), taker))


def _with_kong(state: SichuanState, seat: Seat, meld: Meld, *, late: bool) -> SichuanState:
    source = meld.source if meld.type is MeldType.KONG else None
    made = KongMade(seat, meld.type, source, state.gone, late)
    return replace(state, kongs=(*state.kongs, made), chain=state.chain + 1, after_kong=True, drew=False)


def _kong_declared(state: SichuanState, event: KongDeclared) -> SichuanState:
    """A concealed kong is replaced at once; the tile of an added one may first be won on."""
    seat, kong = event.seat, event.meld
    after = _with_kong(state, seat, kong, late=event.late).with_seat(seat, with_own_kong(state.seat(seat), kong))
    if kong.type is MeldType.CONCEALED_KONG:
        return replace(after, phase=Phase.DRAW)
    return replace(after, phase=Phase.CLAIMS, last_discard=kong.tiles[0], robbing=True)


def _passed(state: SichuanState) -> SichuanState:
    """Without a (further) call the turn goes on after the winner who is farthest from the discarder, or after the discarder."""
    if state.won_here:
        farthest = max((win.seat for win in state.wins[-state.won_here :]), key=state.turn.turns_until)
        return play_on(state, state.next_in_play(farthest))
    if state.robbing:
        return replace(state, robbing=False, phase=Phase.DRAW)
    return play_on(state, state.next_in_play(state.turn))


def _won(state: SichuanState, event: WinDeclared) -> SichuanState:
    """The winner leaves play; on a discard others may still win on the same tile, unless three have won."""
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
    """The tile goes from the river to the winner, or from a robbed kong, which becomes a pung again and earns nothing."""
    if not state.robbing:
        return _taken(state, winner)
    own = state.seat(state.turn)
    melds = tuple(
        Meld(MeldType.PUNG, meld.tiles[1:], meld.source) if meld.type is MeldType.ADDED_KONG and meld.tiles[0] is tile else meld
        for meld in own.melds
    )
    return replace(state.with_seat(state.turn, replace(own, melds=melds)), kongs=state.kongs[:-1], chain=state.chain - 1)


def _handed_over(state: SichuanState, winner: Seat) -> SichuanState:
    """What the kongs before this discard earn goes to the winner on it."""
    if not state.chain:
        return state
    before, chain = state.kongs[: -state.chain], state.kongs[-state.chain :]
    return replace(state, kongs=(*before, *(replace(kong, handed_to=(*kong.handed_to, winner)) for kong in chain)))


def _fallen(state: SichuanState, seat: Seat) -> SichuanState:
    """A win that turned out false, or whose hand was ruled dead, stands no more; its seat stays out of play."""
    return replace(state, wins=tuple(replace(win, stands=False) if win.seat is seat else win for win in state.wins))
