"""Which events are allowed in a public state of Seigo, beyond ``checks``. ``SeigoWitness`` judges duties that need concealed tiles, so only
a replay with walls sees them: a hand in riichi must be ready, and stay as it is. Furiten needs no witness, because a shown hand reveals it
(``turns.is_furiten``)."""

from twinwall.game.play import Phase, PlayState
from twinwall.game.play_events import (
    Claim,
    Claimed,
    EndReason,
    HandEnded,
    HandLaidOpen,
    HandShown,
    KongDeclared,
    PlayEvent,
    SharedTileTurned,
    TileDiscarded,
)
from twinwall.game.rule_set import Hands, Illegal, Witness
from twinwall.game.rules import checks
from twinwall.game.rules.seigo.options import SeigoOptions
from twinwall.game.rules.seigo.shapes import waits
from twinwall.game.rules.seigo.state import SeigoState, of_seigo, seen_tiles
from twinwall.game.rules.seigo.turns import may_declare_riichi, own_claims, permissions, waiting_discard
from twinwall.game.tiles import SEATS, Seat, Tile, TileRow


def illegal(state: SeigoState, event: PlayEvent, options: SeigoOptions) -> Illegal | None:
    match event:
        case TileDiscarded():
            return _discard(state, event)
        case Claimed():
            return _claim(state, event)
        case KongDeclared():
            return _kong(state, event, options)
        case HandShown() | HandLaidOpen():
            return _show(state, event, options)
        case SharedTileTurned():
            return _turned_up(state, event)
        case HandEnded():
            return checks.ended(state, event, lambda: _end(state, event, options))
        case _:
            return checks.usual(state, event, permissions(state, options))


def _discard(state: SeigoState, event: TileDiscarded) -> Illegal | None:
    problem = checks.discarded(state, event.seat, event.tile, seen_tiles(state))
    if problem is not None:
        return problem
    if event.tile in state.barred:
        return Illegal(checks.NOT_ALLOWED, f"{event.tile.text} may not be discarded after this claim (swap calling)")
    why = may_declare_riichi(state) if event.riichi else None
    return None if why is None else Illegal(checks.NOT_ALLOWED, f"{event.seat.value} may not declare riichi: {why}")


def _claim(state: SeigoState, event: Claimed) -> Illegal | None:
    """A chow, pung or open kong in the seat's own turn, of a claimable discard (rule 1)."""
    seat, meld, source = event.seat, event.meld, event.meld.source
    problem = checks.out_of_turn(state, seat, Phase.DRAW, "a discard cannot be claimed")
    if problem is not None:
        return problem
    claim = checks.claim_of(meld)
    if claim is None or claim not in own_claims(state):
        return Illegal(checks.NOT_ALLOWED, f"{seat.value} may not claim a {meld.type.value} here: {_why_not(state, seat)}")
    if source is None or source not in state.takeable:
        return Illegal(checks.WRONG_SOURCE, _why_not_from(state, source))
    if claim is Claim.CHOW and source is not SEATS[seat.index - 1]:
        return Illegal(checks.WRONG_SOURCE, "a chow is claimed from the left neighbour only")
    return checks.wrong_meld(meld, waiting_discard(state, source), seen_tiles(state))


def _why_not(state: SeigoState, seat: Seat) -> str:
    if state.seat(seat).dead:
        return checks.DEAD
    if state.riichi_turn(seat) is not None:
        return "it is in riichi"
    return "there is no such discard since its last turn that is still untaken, or it has four melds"


def _why_not_from(state: SeigoState, source: Seat | None) -> str:
    if source is None:
        return "a claim names the seat of the discard"
    river = state.seat(source).river
    if river and river[-1].riichi and river[-1].claimed_by is None:
        return f"{source.value} declared riichi with its last discard, which cannot be called"
    return f"{source.value} has no discard since that can still be claimed"


def _kong(state: SeigoState, event: KongDeclared, options: SeigoOptions) -> Illegal | None:
    why = checks.DEAD if state.seat(event.seat).dead else "it has drawn no tile at this turn, there are four kongs, or an option bars it"
    problem = checks.declared_kong(state, event, permissions(state, options), why, seen_tiles(state))
    if problem is not None:
        return problem
    return Illegal(checks.WRONG_TILES, "a concealed kong is shown: say of which kind it is") if event.meld.face_down else None


def _show(state: SeigoState, event: HandShown | HandLaidOpen, options: SeigoOptions) -> Illegal | None:
    wrong = checks.shown_wrongly(state, event, permissions(state, options), wins=state.winner is event.seat)
    if wrong is not None or isinstance(event, HandLaidOpen):
        return wrong
    if event.seat is not state.turn and event.winning is not state.last_discard:
        return Illegal(checks.WRONG_TILES, "the winning tile is not the last discard")
    return Illegal(checks.WRONG_TILES, "no kong lies face down") if event.kongs else None


def _turned_up(state: SeigoState, event: SharedTileTurned) -> Illegal | None:
    due = state.turn_up
    if due is None:
        return Illegal(checks.NOT_NOW, "no indicator is to be turned up")
    if event.place != due:
        return Illegal(checks.WRONG_TILES, f"the indicator at place {due} is to be turned up, not that at {event.place}")
    return checks.five_seen(seen_tiles(state), (event.tile,))


def _end(state: SeigoState, event: HandEnded, options: SeigoOptions) -> Illegal | None:
    if event.reason is EndReason.WON:
        if (problem := checks.not_won(state)) is not None:
            return problem
    elif state.phase is not Phase.SHOW or permissions(state, options).ended is not EndReason.DRAWN:
        return checks.not_now(state, "the hand cannot end in a draw")
    return checks.not_zero_sum(event)


NOT_READY = "not-ready"
NOT_THE_DRAWN_TILE = "not-the-drawn-tile"
CHANGED_WAITS = "changed-waits"


class SeigoWitness(Witness):
    """Judges riichi; it remembers nothing."""

    def objection(self, state: PlayState, event: PlayEvent, hands: Hands) -> Illegal | None:
        seigo = of_seigo(state)
        match event:
            case TileDiscarded(seat, tile, riichi=True):
                if not waits(_without(hands[seat], tile), len(seigo.seat(seat).melds)):
                    return Illegal(NOT_READY, f"{seat.value} declared riichi and its hand is not ready")
            case TileDiscarded(seat, tile) if seigo.riichi_turn(seat) is not None and tile is not hands[seat][-1]:
                return Illegal(NOT_THE_DRAWN_TILE, f"{seat.value} is in riichi and discards what it draws")
            case KongDeclared(seat, meld) if seigo.riichi_turn(seat) is not None:
                return _kong_in_riichi(hands[seat], len(seigo.seat(seat).melds), seat, meld.tiles[0])
        return None


def _kong_in_riichi(held: TileRow, melds: int, seat: Seat, tile: Tile) -> Illegal | None:
    if tile is not held[-1]:
        return Illegal(NOT_THE_DRAWN_TILE, f"{seat.value} is in riichi and makes a kong of the tile that it drew only")
    after = tuple(other for other in held if other is not tile)
    if waits(held[:-1], melds) != waits(after, melds + 1):
        return Illegal(CHANGED_WAITS, f"{seat.value} is in riichi and this kong would change its waits")
    return None


def _without(held: TileRow, tile: Tile) -> TileRow:
    """The tiles without one of a kind; unchanged if there is none, which is judged elsewhere."""
    if tile not in held:
        return held
    place = held.index(tile)
    return (*held[:place], *held[place + 1 :])
