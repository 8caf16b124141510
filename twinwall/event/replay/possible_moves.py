"""What seats wait for, and could do after a draw, a discard or a claim with the tiles that they have; illegal moves with the rules' reason.

Excluded are claims that can only be made later, chows by seats other than the discarder's right neighbour, and all chows in rules without
them. Discards are included only if a claim has barred them.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace

from mahjong.shanten import Shanten

from twinwall.event.replay.replay_form import Chance
from twinwall.game.play import Phase, PlayState, melds_of_claim, own_tiles
from twinwall.game.play_events import (
    Claim,
    Claimed,
    HandShown,
    KongDeclared,
    Meld,
    MeldType,
    PlayEvent,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
)
from twinwall.game.rule_set import BELOW_MINIMUM, Hands, Illegal, RuleSet, Win, WinningHand, Witness
from twinwall.game.rules.checks import NOT_NOW, NOT_YOUR_TURN
from twinwall.game.tiles import ALL_TILES, COPIES, SEATS, Seat, Tile, TileRow, format_tiles
from twinwall.game.walls import HAND_SIZE
from twinwall.values import frozen


@frozen
class Waits:
    """The kinds that complete a hand, each list in canonical order."""

    discards: TileRow = ()
    """Kinds that win on a discard."""
    draws: TileRow = ()
    """Kinds that win only when drawn, because a discard makes the hand worth too little."""
    short: TileRow = ()
    """Kinds with which the hand is complete but worth too little, unless the moment adds to it."""

    @property
    def all(self) -> frozenset[Tile]:
        return frozenset((*self.discards, *self.draws, *self.short))


def exchanges(concealed: Iterable[Tile]) -> int:
    """Shanten by the common forms (four sets and a pair, seven pairs, thirteen orphans): 0 when one tile completes the hand.

    Computed by the ``mahjong`` library. Forms of single rule sets, and required missing suits, are ignored.
    """
    counts = [0] * len(ALL_TILES)
    for tile in concealed:
        counts[tile] += 1
    return int(Shanten.calculate_shanten(counts))


@frozen
class TableNow:
    """The table at a moment, with all tiles known."""

    state: PlayState
    hands: Hands
    """Each seat's tiles, in the order of its draws."""
    concealed: Mapping[Seat, TileRow]
    """The same without face-down kongs, in canonical order."""
    melds: Mapping[Seat, tuple[Meld, ...]]
    """With the tiles of face-down kongs."""
    witness: Witness


@frozen
class MoveFinder:
    """Finds the waits and moves of hands of one rule set in one round; remembers the waits of each hand."""

    rules: RuleSet
    round: Seat
    _found: dict[tuple[Seat, TileRow, tuple[Meld, ...]], Waits] = field(default_factory=dict)

    def waits(self, seat: Seat, concealed: Iterable[Tile], melds: tuple[Meld, ...]) -> Waits:
        """What a hand without its winning tile waits for; empty for a wrong number of tiles.

        Fans that depend on the moment (last tile, kong replacement …) do not count. A kind with all four copies in the hand is no wait.
        """
        key = (seat, tuple(sorted(concealed)), melds)
        if key not in self._found:
            self._found[key] = self._judge(*key)
        return self._found[key]

    def _judge(self, seat: Seat, concealed: TileRow, melds: tuple[Meld, ...]) -> Waits:
        if len(concealed) != HAND_SIZE - 3 * len(melds):
            return Waits()
        held = [*concealed, *(tile for meld in melds for tile in meld.tiles)]
        discards, draws, short = [], [], []
        for kind in self.rules.walls.kinds:
            drawn = WinningHand(seat, self.round, concealed, melds, kind, None)
            if held.count(kind) == COPIES or not self._completes(drawn):
                continue
            if isinstance(self.rules.score(replace(drawn, source=seat.next)), Win):
                discards.append(kind)
            elif isinstance(self.rules.score(drawn), Win):
                draws.append(kind)
            else:
                short.append(kind)
        return Waits(tuple(discards), tuple(draws), tuple(short))

    def _completes(self, hand: WinningHand) -> bool:
        outcome = self.rules.score(hand)
        return isinstance(outcome, Win) or outcome.reason == BELOW_MINIMUM

    def after(self, event: PlayEvent, now: TableNow) -> Iterator[Chance]:
        """The moves just after an event: of the seat that drew, or of the others on a discard."""
        match event:
            case TileDrawn(seat):
                drawn = now.hands[seat][-1]
                others = list(now.concealed[seat])
                others.remove(drawn)
                yield from self._win(now, seat, drawn, None, tuple(others))
                yield from self._kongs(now, seat)
            case TileDiscarded(source):
                yield from self._claims(now, source)
            case Claimed(seat):
                yield from self._barred_discards(now, seat)

    def waiting_claims(self, now: TableNow, source: Seat) -> Iterator[Chance]:
        """The melds that the seat in turn could make of the last discard of ``source``, in rules where claims wait for that turn."""
        if now.state.phase is Phase.DRAW:
            yield from self._melds(now, now.state.turn, now.state.seat(source).river[-1].tile, source)

    def _claims(self, now: TableNow, source: Seat) -> Iterator[Chance]:
        tile = now.state.seat(source).river[-1].tile
        out_of_play = {source, *self.rules.permissions(now.state).left}
        for seat in SEATS:
            if seat not in out_of_play:
                yield from self._win(now, seat, tile, source, now.concealed[seat])
                yield from self._melds(now, seat, tile, source)

    def _melds(self, now: TableNow, seat: Seat, tile: Tile, source: Seat) -> Iterator[Chance]:
        held = Counter(now.concealed[seat])
        claims = (Claim.KONG, Claim.PUNG, *((Claim.CHOW,) if self.rules.chows and seat is source.next else ()))
        melds = (meld for claim in claims for meld in melds_of_claim(claim, tile, source))
        for meld in (meld for meld in melds if Counter(own_tiles(meld, tile)) <= held):
            problem = self._problem(now, Claimed(seat, meld))
            if problem is None or problem.reason not in (NOT_NOW, NOT_YOUR_TURN):
                yield _move(seat, meld.type.value, format_tiles(meld.tiles), problem)

    def _barred_discards(self, now: TableNow, seat: Seat) -> Iterator[Chance]:
        for tile in sorted(set(now.concealed[seat])):
            problem = self._problem(now, TileDiscarded(seat, tile))
            if problem is not None and problem.reason not in (NOT_NOW, NOT_YOUR_TURN):
                yield _move(seat, "discard", tile.text, problem)

    def _kongs(self, now: TableNow, seat: Seat) -> Iterator[Chance]:
        pungs = [meld.tiles[0] for meld in now.melds[seat] if meld.type is MeldType.PUNG]
        allowed, drawn = self.rules.permissions(now.state), now.hands[seat][-1]
        for kind, count in sorted(Counter(now.concealed[seat]).items()):
            tiles = (kind,) * COPIES
            if count == COPIES:
                event = KongDeclared(seat, Meld(MeldType.CONCEALED_KONG, tiles if allowed.face_up else (), None))
                yield _move(seat, MeldType.CONCEALED_KONG.value, kind.text, self._problem(now, event))
            elif kind in pungs:
                event = KongDeclared(seat, Meld(MeldType.ADDED_KONG, tiles, None), allowed.late_kongs and drawn is not kind)
                yield _move(seat, MeldType.ADDED_KONG.value, kind.text, self._problem(now, event))

    def _win(self, now: TableNow, seat: Seat, tile: Tile, source: Seat | None, concealed: TileRow) -> Iterator[Chance]:
        if tile in self.waits(seat, concealed, now.melds[seat]).all:
            yield _move(seat, Claim.WIN.value, tile.text, self._against_win(now, seat, tile, source, concealed))

    def _against_win(self, now: TableNow, seat: Seat, tile: Tile, source: Seat | None, concealed: TileRow) -> Illegal | None:
        face_up = self.rules.permissions(now.state).face_up
        declaration = WinDeclared(seat, source, tile if source is not None or face_up else None)
        problem = self._problem(now, declaration)
        if problem is not None:
            return problem
        turned_up = tuple(meld.tiles[0] for meld in now.melds[seat] if meld.type is MeldType.CONCEALED_KONG)
        down = sum(meld.face_down for meld in now.state.seat(seat).melds)
        shown = HandShown(seat, concealed, tile, turned_up[len(turned_up) - down :])
        outcome = self.rules.score(self.rules.winning_hand(self.rules.apply(now.state, declaration), shown, self.round))
        return None if isinstance(outcome, Win) else Illegal(outcome.reason, "")

    def _problem(self, now: TableNow, event: PlayEvent) -> Illegal | None:
        """Why an event is illegal by what is face up, or breaks a duty of the seat."""
        return self.rules.illegal(now.state, event) or now.witness.objection(now.state, event, now.hands)


def _move(seat: Seat, act: str, tiles: str, problem: Illegal | None) -> Chance:
    why, rule = ("", "") if problem is None else (problem.reason, problem.sentence)
    return Chance(seat.value, act, tiles, why, rule)
