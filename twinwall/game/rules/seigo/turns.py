"""Turn order, claims, riichi and the end of the hand, from the public state. Each seat has 18 turns and none is skipped: at its turn a seat
draws from its own wall or claims a discard; a kong ends the turn (整合麻雀 改, rules 1, 5, 7). Only a win on a discard is called at
once."""

from msgspec.structs import replace

from twinwall.game.play import Phase, RiverTile
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
    SharedTileTurned,
    TileDiscarded,
    TileDrawn,
)
from twinwall.game.rule_set import ROBBING_KONG, Permissions
from twinwall.game.rules.checks import MOST_MELDS
from twinwall.game.rules.seigo.options import SeigoOptions
from twinwall.game.rules.seigo.scoring import DOUBLE_RIICHI, EARTHLY_HAND, HEAVENLY_HAND, IPPATSU, MOST_KONGS, TURNS, SeigoHand, turns_since
from twinwall.game.rules.seigo.shapes import waits
from twinwall.game.rules.seigo.state import SeigoState, changed, with_let_pass
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
from twinwall.game.tiles import SEATS, Seat, Tile, TileRow


def permissions(state: SeigoState, options: SeigoOptions) -> Permissions:
    turn, turn_up = state.turn, state.turn_up
    match state.phase:
        case Phase.DRAW:
            own = own_claims(state)
            return Permissions(draw=turn, claims={turn: own} if own else None, turn_up=turn_up)
        case Phase.DISCARD:
            may_win = state.drew and turn not in state.refused and not state.seat(turn).dead
            may_kong = may_win and state.kongs < MOST_KONGS and (options.riichi_kong or state.riichi_turn(turn) is None)
            own_win, own_kong = turn if may_win else None, turn if may_kong else None
            riichi = turn if may_declare_riichi(state) is None else None
            return Permissions(discard=turn, win=own_win, kong=own_kong, riichi=riichi, face_up=True, turn_up=turn_up)
        case Phase.CLAIMS:
            return Permissions(claims={seat: _wins(state, seat, options) for seat in SEATS if seat is not turn}, turn_up=turn_up)
        case Phase.SHOW:
            return _showing(state, options)
        case Phase.ENDED:
            return Permissions(ended=None if state.ended is None else state.ended.reason)


def own_claims(state: SeigoState) -> frozenset[Claim]:
    """What the seat in turn may claim instead of drawing, by its melds and the rivers, never by what it holds."""
    own = state.seat(state.turn)
    if own.dead or state.riichi_turn(state.turn) is not None or len(own.melds) >= MOST_MELDS or not state.takeable:
        return frozenset()
    claims = {Claim.PUNG, Claim.KONG} if state.kongs < MOST_KONGS else {Claim.PUNG}
    left = SEATS[state.turn.index - 1]
    if left in state.takeable and not waiting_discard(state, left).is_honour:
        claims.add(Claim.CHOW)
    return frozenset(claims)


def waiting_discard(state: SeigoState, seat: Seat) -> Tile:
    """The last discard of a seat in ``takeable``."""
    return state.seat(seat).river[-1].tile


def _wins(state: SeigoState, seat: Seat, options: SeigoOptions) -> frozenset[Claim]:
    barred = seat in state.refused or state.seat(seat).dead or (state.robbing and not options.rob_kong)
    return frozenset() if barred else frozenset({Claim.WIN})


def _showing(state: SeigoState, options: SeigoOptions) -> Permissions:
    """Who shows next: the declared winner, or without one every seat from East on."""
    if state.winner is None:
        following = next((seat for seat in SEATS if state.seat(seat).shown is None), None)
        return Permissions(show=following, ended=EndReason.DRAWN if following is None else None, turn_up=state.turn_up)
    if state.seat(state.winner).shown is None:
        return Permissions(show=state.winner, turn_up=state.turn_up)
    if options.several_winners == "nearest" or state.winner is state.turn:
        return Permissions()
    return others_may_win(state)


def may_declare_riichi(state: SeigoState) -> str | None:
    """Why ``turn`` may not declare riichi with its discard; None when it may. (Whether it is ready is concealed.)"""
    own = state.seat(state.turn)
    if state.riichi_turn(state.turn) is not None:
        return "it has declared it already"
    if not state.drew:
        return "it has claimed a discard at this turn"
    if any(meld.type is not MeldType.CONCEALED_KONG for meld in own.melds):
        return "its hand is open"
    if state.turn_number == TURNS:
        return "it has no turn after this one"
    return "its hand was ruled dead" if own.dead else None


def barred_after(claimed: Tile, meld: TileRow, options: SeigoOptions) -> frozenset[Tile]:
    """What may not be discarded after a claim: the same tile, and the other end of the run for which it was claimed."""
    if options.swap_calling:
        return frozenset()
    barred, others = {claimed}, sorted(tile for tile in meld if tile is not claimed)
    if len(others) == 2 and others[1] - others[0] == 1:
        low = claimed < others[0]
        other_end = others[1] + 1 if low else others[0] - 1
        if 0 <= other_end < Tile.EAST and Tile(other_end).suit is claimed.suit:
            barred.add(Tile(other_end))
    return frozenset(barred)


def next_turn(state: SeigoState) -> SeigoState:
    """Move the turn to the next seat; after North's last turn all hands are shown (rule 7)."""
    if state.turn is Seat.NORTH and state.turn_number == TURNS:
        return replace(state, phase=Phase.SHOW, winner=None, drew=False, robbing=False, takeable=frozenset())
    following = state.turn.next
    return replace(
        state,
        phase=Phase.DRAW,
        turn=following,
        turn_number=state.turn_number + (following is Seat.EAST),
        takeable=state.takeable - {following},
        drew=False,
        robbing=False,
        refused=frozenset(),
    )


def winning_hand(state: SeigoState, shown: HandShown, round_wind: Seat) -> SeigoHand:
    source = None if shown.seat is state.turn else state.turn
    melds, riichi_turn = state.seat(shown.seat).melds, state.riichi_turn(shown.seat)
    return SeigoHand(
        seat=shown.seat,
        round=round_wind,
        concealed=shown.concealed,
        melds=melds,
        winning=shown.winning,
        source=source,
        flags=_flags(state, shown.seat, source),
        turn=state.turn_number,
        riichi_turn=riichi_turn,
        dora=state.turned,
        ura=() if riichi_turn is None else state.below,
        furiten=source is not None and is_furiten(state, shown.seat, shown.concealed),
    )


def _flags(state: SeigoState, seat: Seat, source: Seat | None) -> frozenset[str]:
    flags = {ROBBING_KONG} if state.robbing else set()
    riichi_turn = state.riichi_turn(seat)
    if riichi_turn is not None:
        if riichi_turn == 1:
            flags.add(DOUBLE_RIICHI)
        if turns_since(seat, riichi_turn, state.turn, state.turn_number) <= len(SEATS):
            flags.add(IPPATSU)
    elif source is None and state.turn_number == 1 and not state.seat(seat).melds:
        flags.add(HEAVENLY_HAND if seat is Seat.EAST else EARTHLY_HAND)
    return frozenset(flags)


def is_furiten(state: SeigoState, seat: Seat, concealed: TileRow) -> bool:
    """Whether a wait is among the seat's own discards, or among what it let pass since its last turn (or since its riichi)."""
    own = state.seat(seat)
    gone = {laid.tile for laid in own.river} | state.let_pass[seat.index]
    return not gone.isdisjoint(waits(concealed, len(own.melds)))


_NOTHING: frozenset[Tile] = frozenset()


def apply(state: SeigoState, event: PlayEvent, options: SeigoOptions) -> SeigoState:
    match event:
        case TileDrawn(seat):
            return _acquired(with_draw(state, seat), seat)
        case TileDiscarded():
            return _discarded(state, event)
        case Claimed():
            return _claimed(state, event, options)
        case KongDeclared():
            return _kong_declared(state, event)
        case ClaimsPassed():
            return _passed(state)
        case SharedTileTurned():
            return _turned_up(state, event)
        case HandRuledDead(seat):
            return without_win(ruled(state, event), seat)
        case _:
            return usual(state, event)


def _acquired(state: SeigoState, seat: Seat) -> SeigoState:
    """A seat has its tile of this turn; without riichi, forget what it let pass."""
    if state.riichi_turn(seat) is not None:
        return state
    return replace(state, let_pass=changed(state.let_pass, seat, _NOTHING))


def _discarded(state: SeigoState, event: TileDiscarded) -> SeigoState:
    seat = event.seat
    after = replace(with_discard(state, seat, RiverTile(event.tile, riichi=event.riichi)), barred=_NOTHING, refused=frozenset())
    if not event.riichi:
        return replace(after, takeable=after.takeable | {seat})
    return replace(after, riichi=changed(state.riichi, seat, state.turn_number), declaring=seat)


def _claimed(state: SeigoState, event: Claimed, options: SeigoOptions) -> SeigoState:
    seat, meld, source = event.seat, event.meld, event.meld.source
    assert source is not None
    tile = waiting_discard(state, source)
    after = with_meld(claimed_from(state, source, seat), seat, meld)
    after = replace(_acquired(after, seat), takeable=state.takeable - {source}, drew=False)
    if meld.type is MeldType.KONG:
        return _after_kong(after, seat)
    return replace(after, phase=Phase.DISCARD, barred=barred_after(tile, meld.tiles, options))


def _kong_declared(state: SeigoState, event: KongDeclared) -> SeigoState:
    """A concealed kong ends the turn; others may first win on an added one."""
    seat, kong = event.seat, event.meld
    after = replace(with_own_kong(state, seat, kong), drew=False, refused=frozenset())
    return _after_kong(after, seat) if kong.type is MeldType.CONCEALED_KONG else replaced_or_robbed(after, kong)


def _after_kong(state: SeigoState, seat: Seat) -> SeigoState:
    """After a kong, the seat neither draws nor discards; this turn's place in its river stays empty (rule 5)."""
    own = state.seat(seat)
    return next_turn(replace(state.with_seat(seat, replace(own, gaps=(*own.gaps, own.next_place))), kongs=state.kongs + 1))


def _passed(state: SeigoState) -> SeigoState:
    assert state.last_discard is not None
    after = replace(with_let_pass(state, state.last_discard), declaring=None)
    return _after_kong(after, state.turn) if state.robbing else next_turn(after)


def _turned_up(state: SeigoState, event: SharedTileTurned) -> SeigoState:
    """Indicators have even places, the tiles below them odd ones."""
    if event.place % 2:
        return replace(state, below=(*state.below, event.tile))
    return replace(state, turned=(*state.turned, event.tile))
