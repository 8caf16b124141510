"""How a simulated player plays Seigo: it comes nearer to a complete hand that has a yaku, and declares riichi when it is ready.

Every decision is a function of what the player sees and of its taste, as in ``player``. A closed hand has its yaku in riichi; it is opened
for a triplet that is one, or where all its tiles are simples. A seat far from ready throws what is safe against a seat in riichi.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from simulator.players.player_view import PlayerView
from simulator.players.strategies.player import ClaimAnswer, Kong, RiichiPlayer
from simulator.players.strategies.shanten import Holding, distance_in_all
from twinwall.game.play import chows_with
from twinwall.game.play_events import Claim, Meld, MeldType
from twinwall.game.rule_set import Win
from twinwall.game.rules.divisions import KINDS, counts_of
from twinwall.game.rules.seigo.options import SeigoOptions
from twinwall.game.rules.seigo.scoring import SeigoHand
from twinwall.game.rules.seigo.shapes import waits
from twinwall.game.rules.seigo.turns import barred_after
from twinwall.game.tiles import COPIES, SEATS, Seat, Tile
from twinwall.values import frozen

_STEP = 200
"""What one tile nearer to a complete hand is worth, in tiles that may yet bring it nearer: more than there can be."""
_FAR = 2
"""How far a hand is from ready whose player throws what is safe."""
_SIMPLES = tuple(0 if tile.is_honour or tile.rank in (1, 9) else 1 for tile in Tile)
_DRAGONS = frozenset({Tile.RED, Tile.GREEN, Tile.WHITE})
_STRICT = SeigoOptions()


@frozen
class _SeigoHolding(Holding):
    """With the sets that lie open or are kongs, and which honours are worth a yaku."""

    melds: tuple[Meld, ...]
    valued: frozenset[Tile]

    @property
    def is_open(self) -> bool:
        """Whether a set was claimed, so that riichi is no longer a way to a yaku."""
        return any(meld.type is not MeldType.CONCEALED_KONG for meld in self.melds)

    @property
    def has_valued_triplet(self) -> bool:
        """Whether a triplet that is a yaku lies open, or is held."""
        return any(meld.tiles[0] in self.valued for meld in self.melds) or any(self.counts[tile] >= COPIES - 1 for tile in self.valued)

    def useful(self) -> tuple[int, ...]:
        """The tiles that count: all of them, but in an open hand without a valued triplet only simples."""
        if not self.is_open or self.has_valued_triplet:
            return self.counts
        return tuple(count * simple for count, simple in zip(self.counts, _SIMPLES, strict=True))

    def away(self) -> int:
        """How far the hand is from complete, with a yaku in view."""
        return self._away(self.useful())

    def _away(self, useful: Sequence[int]) -> int:
        return distance_in_all(tuple(useful), len(self.melds))

    def value(self) -> int:
        useful = self.useful()
        return self.nearer(useful, _near(useful), self._away) - _STEP * self._away(useful)

    def with_meld(self, meld: Meld, from_hand: tuple[Tile, ...]) -> _SeigoHolding:
        """The hand when a set lies open, made with these of its own tiles."""
        left = self
        for tile in from_hand:
            left = left.without(tile)
        return replace(left, melds=(*self.melds, meld))


class SeigoStrategy(RiichiPlayer):
    def choose_discard(self, view: PlayerView) -> Tile:
        """The tile to throw: the one that leaves the best hand; far from ready, one that is safe against riichi."""
        hand = _hand_of(view)
        allowed = frozenset(hand.kinds()) - view.barred
        tile, left = hand.best(view, self._taste.salt, allowed or frozenset(Tile))
        safe = _safe(view) & allowed
        if not safe or left.away() < _FAR:
            return tile
        return hand.best(view, self._taste.salt, safe)[0]

    def declares_riichi(self, view: PlayerView, tile: Tile) -> bool:
        """Whether a closed hand is ready without this tile, for something that can still come."""
        left = _hand_of(view).without(tile)
        held = [Tile(kind) for kind, count in enumerate(left.counts) for _ in range(count)]
        return not left.is_open and any(left.unseen[wait] for wait in waits(held, len(left.melds)))

    def barred_after(self, claimed: Tile, meld: tuple[Tile, ...]) -> frozenset[Tile]:
        """What the player does not discard after a claim: it keeps from swap calling, whatever the table plays."""
        return barred_after(claimed, meld, _STRICT)

    def answer_discard(self, view: PlayerView, tile: Tile, source: Seat) -> ClaimAnswer | None:
        if self._wins(view, tile, source):
            return ClaimAnswer(Claim.WIN)
        own = view.seats[view.seat.index]
        if own.riichi or not view.draws_left:
            return None
        hand, best = _hand_of(view), None
        now = hand.away()
        for claim, used in _claims(view, tile, source):
            laid = hand.with_meld(Meld(MeldType(claim.value), (*used, tile), source), used)
            all_simples = all(_SIMPLES[kind] for meld in laid.melds for kind in meld.tiles)
            if not (laid.has_valued_triplet or all_simples):
                continue
            discard, left = laid.best(view, self._taste.salt)
            barred = self.barred_after(tile, (*used, tile))
            if left.away() < now and discard not in barred and (best is None or left.value() > best[0]):
                best = left.value(), ClaimAnswer(claim, used)
        return None if best is None else best[1]

    def choose_kong(self, view: PlayerView) -> Kong | None:
        """The kong to make with ``view.concealed`` (which holds the drawn tile) instead of a discard, if it sets nothing back."""
        if view.seats[view.seat.index].riichi:
            return None
        hand = _hand_of(view)
        now = hand.best(view, self._taste.salt)[1].away()

        def lain(tile: Tile) -> _SeigoHolding:
            four = (tile,) * COPIES
            return hand.with_meld(Meld(MeldType.CONCEALED_KONG, four, None), four)

        return hand.harmless_kong(view, now, lain)

    def _wins(self, view: PlayerView, winning: Tile, source: Seat | None, *flags: str) -> bool:
        riichi_turn = 2 if view.seats[view.seat.index].riichi else None
        hand = SeigoHand(view.seat, view.round, view.concealed, view.melds, winning, source, frozenset(flags), riichi_turn=riichi_turn)
        if not isinstance(self._rules.score(hand), Win):
            return False
        return source is None or not _may_be_furiten(view, source)


def _hand_of(view: PlayerView) -> _SeigoHolding:
    valued = _DRAGONS | {Tile(Tile.EAST + wind.index) for wind in (view.seat, view.round)}
    return _SeigoHolding(tuple(counts_of(view.concealed)), tuple(view.unseen()), view.melds, valued)


def _may_be_furiten(view: PlayerView, source: Seat) -> bool:
    """Whether a wait was perhaps discarded or let pass: which tile of a meld was claimed, and when, the table does not show."""
    own = view.seats[view.seat.index]
    gone = {tile for tile in own.river if tile is not None}
    gone.update(tile for other in view.others() for meld in other.melds if meld.source is view.seat for tile in meld.tiles)
    if not own.riichi:
        gone.update(tile for other in view.others() for meld in other.melds for tile in meld.tiles)
        rivers = (view.seats[seat.index].river for seat in SEATS if seat not in (view.seat, source))
        gone.update(river[-1] for river in rivers if river and river[-1] is not None)
    return not gone.isdisjoint(waits(view.concealed, len(view.melds)))


def _claims(view: PlayerView, tile: Tile, source: Seat) -> Iterator[tuple[Claim, tuple[Tile, ...]]]:
    """The melds that could be made with a discard, each with the own tiles that it takes."""
    held = view.concealed.count(tile)
    if held >= 2:
        yield Claim.PUNG, (tile, tile)
    if source.next is view.seat:
        for run in chows_with(tile):
            used = tuple(other for other in run if other is not tile)
            if all(other in view.concealed for other in used):
                yield Claim.CHOW, used


def _safe(view: PlayerView) -> frozenset[Tile]:
    """What every seat in riichi has discarded itself; nothing where none is in riichi or nothing of it is held."""
    rivers = [frozenset(tile for tile in other.river if tile is not None) for other in view.others() if other.riichi]
    return frozenset.intersection(*rivers, frozenset(view.concealed)) if rivers else frozenset()


def _near(counts: Sequence[int]) -> Iterator[int]:
    """The kinds that can bring these tiles nearer: equal ones, and those up to two ranks away."""
    for kind in range(KINDS):
        if counts[kind]:
            yield kind
            continue
        if kind < Tile.EAST:
            rank = kind % 9
            if any(counts[kind + step] for step in (-2, -1, 1, 2) if 0 <= rank + step < 9):
                yield kind


strategy = SeigoStrategy
"""How ``strategies`` finds it."""
