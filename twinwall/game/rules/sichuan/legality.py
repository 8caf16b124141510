"""Which events are allowed in a public state of Sichuan, beyond ``checks``. ``SichuanWitness`` judges duties that need concealed tiles, so
only a replay with walls sees them: passed wins, wins that must be taken, late kongs (四川ルール 血戦到底, revised 29 September 2018,
上がり, and the last remark of 欠門と下叫の罰金)."""

from collections.abc import Iterator

from twinwall.game.play import Phase, PlayState
from twinwall.game.play_events import (
    Claimed,
    ClaimsPassed,
    HandEnded,
    HandLaidOpen,
    HandShown,
    KongDeclared,
    MeldType,
    PlayEvent,
    SharedTileTurned,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
    WinRefused,
)
from twinwall.game.rule_set import Hands, Illegal, Witness
from twinwall.game.rules import checks
from twinwall.game.rules.sichuan.options import SichuanOptions
from twinwall.game.rules.sichuan.scoring import counts_of, shape_of, with_melds
from twinwall.game.rules.sichuan.state import SichuanState, of_sichuan, seen_tiles
from twinwall.game.rules.sichuan.turns import end_reason, permissions
from twinwall.game.tiles import SEATS, Seat, Tile, TileRow


def illegal(state: SichuanState, event: PlayEvent) -> Illegal | None:
    match event:
        case SharedTileTurned() | TileDiscarded(riichi=True):
            return checks.unknown_here(event)
        case TileDiscarded(seat, tile):
            return checks.discarded(state, seat, tile, seen_tiles(state))
        case Claimed(seat, meld):
            return checks.claimed(state, event, permissions(state), _why_not(state, seat, meld.type), seen_tiles(state))
        case KongDeclared():
            return _kong(state, event)
        case WinDeclared():
            return _win(state, event)
        case HandShown() | HandLaidOpen():
            return _show(state, event)
        case WinRefused(seat):
            return _refuse(state, seat)
        case HandEnded():
            return checks.ended(state, event, lambda: _end(state, event))
        case _:
            return checks.usual(state, event, permissions(state))


def _why_not(state: SichuanState, seat: Seat, meld_type: MeldType) -> str:
    if seat is state.turn:
        return "the discard is its own"
    if seat in state.gone:
        return "it has won and left play"
    if state.seat(seat).dead:
        return checks.DEAD
    if meld_type is MeldType.CHOW:
        return "there is no chow in these rules"
    if state.robbing:
        return "a tile added to a kong can only be won on"
    if state.won_here:
        return "somebody has won on the tile"
    if meld_type is MeldType.KONG and not state.seat(seat).draws_left:
        return checks.NO_REPLACEMENT
    return "a pung or kong is claimed with fewer than four melds"


def _kong(state: SichuanState, event: KongDeclared) -> Illegal | None:
    seat, meld = event.seat, event.meld
    if state.seat(seat).dead:
        why = checks.DEAD
    else:
        why = "it has no newly drawn tile in question" if state.seat(seat).draws_left else checks.NO_REPLACEMENT
    problem = checks.declared_kong(state, event, permissions(state), why, seen_tiles(state))
    if problem is not None:
        return problem
    if meld.face_down:
        return Illegal(checks.WRONG_TILES, "one tile of a concealed kong lies face up: say of which kind it is")
    if event.late and meld.type is not MeldType.ADDED_KONG:
        return Illegal(checks.WRONG_TILES, "only a tile that is added to a pung can be late")
    return None


def _win(state: SichuanState, event: WinDeclared) -> Illegal | None:
    problem = checks.declared_win(state, event, permissions(state))
    if problem is not None or event.source is not None:
        return problem
    if event.tile is None:
        return Illegal(checks.WRONG_TILES, "a self-drawn winning tile is laid face up: say what it is")
    return checks.five_seen(seen_tiles(state), (event.tile,))


def _show(state: SichuanState, event: HandShown | HandLaidOpen) -> Illegal | None:
    win = state.win_of(event.seat)
    wrong = checks.shown_wrongly(state, event, permissions(state), wins=win is not None)
    if wrong is not None or win is None or isinstance(event, HandLaidOpen):
        return wrong
    if event.winning is not win.tile:
        return Illegal(checks.WRONG_TILES, f"{event.seat.value} declared a win with {win.tile.text}, not {event.winning.text}")
    return Illegal(checks.WRONG_TILES, "no kong lies face down") if event.kongs else None


def _refuse(state: SichuanState, seat: Seat) -> Illegal | None:
    win = state.win_of(seat)
    if state.phase is not Phase.SHOW or state.winner is not seat or win is None or not win.stands:
        return checks.not_now(state, f"no win of {seat.value} can be refused")
    return None


def _end(state: SichuanState, event: HandEnded) -> Illegal | None:
    if state.phase is not Phase.SHOW or state.to_show() is not None:
        return checks.not_now(state, "the hand cannot end")
    if event.reason is not end_reason(state):
        return Illegal(checks.NOT_ALLOWED, f"the hand is {end_reason(state).value}, not {event.reason.value}")
    return checks.not_zero_sum(event)


PASSED_WIN = "passed-win"
MUST_WIN = "must-win"
WRONG_LATE = "wrong-late"


class SichuanWitness(Witness):
    """Remembers which winning discards each seat has let pass since its last turn."""

    def __init__(self, options: SichuanOptions) -> None:
        self._options = options
        self._let_pass: dict[Seat, set[Tile]] = {seat: set() for seat in SEATS}

    def objection(self, state: PlayState, event: PlayEvent, hands: Hands) -> Illegal | None:
        sichuan = of_sichuan(state)
        match event:
            case WinDeclared(seat, Seat(), Tile() as tile) if self._barred(seat, tile):
                return Illegal(PASSED_WIN, f"{seat.value} let a winning discard pass and has not had its turn since")
            case KongDeclared(seat, meld, late) if meld.type is MeldType.ADDED_KONG and late is (hands[seat][-1] is meld.tiles[0]):
                return Illegal(WRONG_LATE, f"{seat.value} {'drew' if late else 'did not draw'} at this turn what it adds to its pung")
            case TileDiscarded(seat) | KongDeclared(seat) if sichuan.drew and self._is_late(sichuan):
                if sichuan.phase is Phase.DISCARD and _wins(sichuan, seat, hands[seat], None, self._options):
                    return _must_win(seat)
            case ClaimsPassed() | Claimed() if self._is_late(sichuan):
                waiving = next((seat for seat, tile in self._could_win(sichuan, hands) if not self._barred(seat, tile)), None)
                return None if waiving is None else _must_win(waiving)
        return None

    def see(self, state: PlayState, event: PlayEvent, hands: Hands) -> None:
        """Remember passed wins; forget a seat's when its turn comes or is skipped."""
        sichuan = of_sichuan(state)
        match event:
            case TileDrawn(seat):
                self._let_pass[seat].clear()
            case Claimed(seat):
                self._note(sichuan, hands)
                self._forget_until(sichuan.turn, seat)
            case ClaimsPassed():
                self._note(sichuan, hands)
                if sichuan.won_here:
                    winners = [win.seat for win in sichuan.wins[-sichuan.won_here :]]
                    self._forget_until(sichuan.turn, max(winners, key=sichuan.turn.turns_until))

    def _barred(self, seat: Seat, tile: Tile) -> bool:
        passed = self._let_pass[seat]
        return tile in passed if self._options.passed_win == "kind" else bool(passed)

    def _is_late(self, state: SichuanState) -> bool:
        """Whether the tile drawn last is one that must be won with."""
        return state.live_draws < self._options.must_win_last

    def _could_win(self, state: SichuanState, hands: Hands) -> Iterator[tuple[Seat, Tile]]:
        """Who could win on the current tile and has not declared it."""
        tile = state.last_discard
        assert tile is not None
        for seat in SEATS:
            if seat is not state.turn and seat not in state.gone and _wins(state, seat, hands[seat], tile, self._options):
                yield seat, tile

    def _note(self, state: SichuanState, hands: Hands) -> None:
        for seat, tile in self._could_win(state, hands):
            self._let_pass[seat].add(tile)

    def _forget_until(self, turn: Seat, last: Seat) -> None:
        """Clear the seats after ``turn`` up to ``last``, whose turn has come or was skipped."""
        for steps in range(1, turn.turns_until(last) + 1):
            self._let_pass[SEATS[(turn.index + steps) % len(SEATS)]].clear()


def _must_win(seat: Seat) -> Illegal:
    return Illegal(MUST_WIN, f"{seat.value} can win with one of the last tiles, and so it must")


def _wins(state: SichuanState, seat: Seat, concealed: TileRow, tile: Tile | None, options: SichuanOptions) -> bool:
    """Whether a hand is complete, with ``tile`` if there is one."""
    own = state.seat(seat)
    counts = counts_of(concealed, tile)
    held = None if counts is None else with_melds(counts, own.melds)
    return not own.dead and counts is not None and held is not None and shape_of(counts, held, own.melds, options) is not None
