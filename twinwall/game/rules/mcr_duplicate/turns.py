"""Turn order, claims and the end of the hand, from the public state. A seat always draws from its own wall; claims move the turn, but never
change the wall (Aono, "Duplicate-format mahjong"). End rules: ``lap`` gives the three other seats one more turn after a wall is empty;
``next-empty`` ends the hand when the seat to draw has no tile. A kong's replacement is the next tile of the seat's own wall (by option the
last), so a seat with an empty wall may not make one."""

from msgspec.structs import replace

from twinwall.game.play import Phase, PlayState, RiverTile, turned_up, visible_tiles
from twinwall.game.play_events import (
    Claim,
    Claimed,
    ClaimsPassed,
    EndReason,
    HandRuledDead,
    HandShown,
    KongDeclared,
    MeldType,
    PlayEvent,
    TileDiscarded,
    TileDrawn,
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
from twinwall.game.rules.mcr_duplicate.scoring import NEAREST, McrOptions
from twinwall.game.rules.shared_transitions import (
    claimed_from,
    others_may_win,
    replaced_or_robbed,
    ruled,
    usual,
    with_discard,
    with_draw,
    with_meld,
    with_own_kong,
    without_win,
)
from twinwall.game.tiles import COPIES, SEATS, Seat

LAP = "lap"
_LAST_TURN_OF_LAP = 3
_NOTHING: frozenset[Claim] = frozenset()
_WIN = frozenset({Claim.WIN})
_WITH_MELDS = {
    (kong, chow): _WIN | {Claim.PUNG} | ({Claim.KONG} if kong else _NOTHING) | ({Claim.CHOW} if chow else _NOTHING)
    for kong in (False, True)
    for chow in (False, True)
}
"""Claims of a seat that may make a meld, by whether it may make a kong and a chow."""


def permissions(state: PlayState, options: McrOptions) -> Permissions:
    match state.phase:
        case Phase.DRAW:
            if _nothing_to_draw(state):
                return Permissions(ended=EndReason.DRAWN)
            return Permissions(draw=state.turn, from_end=state.after_kong and from_end(options))
        case Phase.DISCARD:
            may_win = state.drew and state.turn not in state.refused and not state.seat(state.turn).dead
            may_kong = may_win and may_replace(state, state.turn, options)
            return Permissions(discard=state.turn, win=state.turn if may_win else None, kong=state.turn if may_kong else None)
        case Phase.CLAIMS:
            return Permissions(claims=_claims(state, options))
        case Phase.SHOW:
            return _showing(state, options)
        case Phase.ENDED:
            return Permissions(ended=None if state.ended is None else state.ended.reason)


def _claims(state: PlayState, options: McrOptions) -> dict[Seat, frozenset[Claim]]:
    """What each other seat may call, by its place, its melds and the tile, never by what it holds."""
    no_melds = state.robbing or is_final_discard(state, options)
    chow = state.turn.next if state.last_discard is not None and not state.last_discard.is_honour else None
    claims = {}
    for seat in SEATS:
        own = state.seats[seat.index]
        if seat is state.turn:
            continue
        if seat in state.refused or own.dead:
            claims[seat] = _NOTHING
        elif no_melds or len(own.melds) >= MOST_MELDS:
            claims[seat] = _WIN
        else:
            claims[seat] = _WITH_MELDS[may_replace(state, seat, options), seat is chow]
    return claims


def from_end(options: McrOptions) -> bool:
    """Whether a kong is replaced by the last tile of the wall."""
    return options.kong_replacement == "end"


def may_replace(state: PlayState, seat: Seat, options: McrOptions) -> bool:
    """Whether a seat may make a kong: its own wall has a tile, and by option the next seat's wall too."""
    return state.seat(seat).draws_left > 0 and (options.kong_when_next_empty or state.seat(seat.next).draws_left > 0)


def _showing(state: PlayState, options: McrOptions) -> Permissions:
    """Who must show; after that, who may also win on the tile if several may."""
    if state.winner is None or state.seat(state.winner).shown is None:
        return Permissions(show=state.winner)
    if options.several_winners == NEAREST or state.winner is state.turn:
        return Permissions()
    return others_may_win(state)


def _nothing_to_draw(state: PlayState) -> bool:
    """Whether the seat's wall is empty, or the last lap is over (a kong is still replaced)."""
    lap_is_over = state.final_lap_from is not None and state.lap_turns > _LAST_TURN_OF_LAP
    return (lap_is_over and not state.after_kong) or state.seat(state.turn).draws_left == 0


def is_final_discard(state: PlayState, options: McrOptions) -> bool:
    """Whether no tile is drawn after the discard of ``turn``, made or to come."""
    if options.end == LAP:
        return state.final_lap_from is not None and state.lap_turns >= _LAST_TURN_OF_LAP
    return state.seat(state.turn.next).draws_left == 0


def moved_to(state: PlayState, seat: Seat) -> PlayState:
    """Move the turn to ``seat``; in the last lap, count the seats on the way."""
    lap_turns = state.lap_turns if state.final_lap_from is None else state.lap_turns + state.turn.turns_until(seat)
    return replace(state, turn=seat, lap_turns=lap_turns, after_kong=False, robbing=False)


def winning_hand(state: PlayState, shown: HandShown, round_wind: Seat, options: McrOptions) -> WinningHand:
    """The declared hand, with the flags that the public state implies."""
    source = None if shown.seat is state.turn else state.turn
    return WinningHand(
        seat=shown.seat,
        round=round_wind,
        concealed=shown.concealed,
        melds=turned_up(state.seat(shown.seat).melds, shown.kongs),
        winning=shown.winning,
        source=source,
        flags=_flags(state, shown, source, options),
    )


def _flags(state: PlayState, shown: HandShown, source: Seat | None, options: McrOptions) -> frozenset[str]:
    flags = set()
    if state.robbing:
        flags.add(ROBBING_KONG)
    else:
        if is_final_discard(state, options):
            flags.add(LAST_DRAW if source is None else LAST_DISCARD)
        if state.after_kong:
            flags.add(KONG_REPLACEMENT if source is None else AFTER_KONG_DISCARD)
    seen = sum(tile == shown.winning for tile in visible_tiles(state))
    others_seen = seen if source is None else seen - 1  # the winning tile is itself in a river, or in the robbed kong
    if others_seen == COPIES - 1:
        flags.add(LAST_OF_KIND)
    return frozenset(flags)


_NOBODY: frozenset[Seat] = frozenset()


def apply(state: PlayState, event: PlayEvent, options: McrOptions) -> PlayState:
    match event:
        case TileDrawn(seat):
            return _drawn(state, seat, options)
        case TileDiscarded(seat, tile):
            return replace(with_discard(state, seat, RiverTile(tile)), refused=_NOBODY)
        case Claimed():
            return _claimed(state, event)
        case KongDeclared():
            return _kong_declared(state, event)
        case ClaimsPassed():
            # If a kong was not robbed, its seat draws the replacement.
            moved = replace(state, robbing=False) if state.robbing else moved_to(state, state.turn.next)
            return replace(moved, phase=Phase.DRAW, refused=_NOBODY)
        case HandRuledDead(seat):
            return without_win(ruled(state, event), seat)
        case _:
            return usual(state, event)


def _drawn(state: PlayState, seat: Seat, options: McrOptions) -> PlayState:
    after = replace(with_draw(state, seat), refused=_NOBODY)
    if not after.seat(seat).draws_left and options.end == LAP and state.final_lap_from is None:
        return replace(after, final_lap_from=seat, lap_turns=0)
    return after


def _claimed(state: PlayState, event: Claimed) -> PlayState:
    after = with_meld(claimed_from(state, state.turn, event.seat), event.seat, event.meld)
    kong = event.meld.type is MeldType.KONG
    phase = Phase.DRAW if kong else Phase.DISCARD
    return replace(moved_to(after, event.seat), phase=phase, drew=False, after_kong=kong, refused=_NOBODY)


def _kong_declared(state: PlayState, event: KongDeclared) -> PlayState:
    after = with_own_kong(state, event.seat, event.meld)
    return replaced_or_robbed(replace(after, drew=False, after_kong=True, refused=_NOBODY), event.meld)
