"""A simulated player chooses its discards and claims (``choose_discard``, ``answer_discard``) by what it sees and by its taste.

The taste is drawn once from the event's seed, the table and the place: the four players of a table, and the same place at four tables,
play differently, and each plays the same way every time.

The default strategy aims at patterns of fans worth the minimum (those of MCR unless a book is given) and throws the rest.
"""

import hashlib
from abc import ABC, abstractmethod
from dataclasses import replace

from simulator.players.player_view import PlayerView
from simulator.players.strategies.fan_patterns import MCR, Aim, Book
from simulator.players.strategies.targets import Measure
from twinwall.game.play import chows_with, is_pung_of
from twinwall.game.play_events import Claim, Meld, MeldType
from twinwall.game.rule_set import KONG_REPLACEMENT, LAST_OF_KIND, ROBBING_KONG, RuleSet, Win, WinningHand
from twinwall.game.rules.divisions import counts_of
from twinwall.game.tiles import COPIES, Seat, Tile
from twinwall.values import frozen

_MOST_RESERVE = 20


@frozen
class Taste:
    """What makes one player differ from another, in percent: how good a claim must leave the hand compared with
    waiting, and how much value is given up for safety when somebody shows three melds. ``reserve`` is what each
    ``Aim`` must be better by to be liked as much, in 1/32 of the measure of targets; ``salt`` breaks even choices."""

    claim_gain: int = 90
    caution: int = 40
    reserve: tuple[int, ...] = (0,) * len(Aim)
    salt: int = 0


@frozen
class ClaimAnswer:
    """A claim on another seat's discard; ``tiles`` are the concealed tiles laid down with it (none for a win)."""

    claim: Claim
    tiles: tuple[Tile, ...] = ()


@frozen
class Kong:
    """A kong to make at the own turn: the ``tile`` ``added`` to a pung, or all four of it laid face down."""

    tile: Tile
    added: bool

    @property
    def declared(self) -> Meld:
        if self.added:
            return Meld(MeldType.ADDED_KONG, (self.tile,) * COPIES, None)
        return Meld(MeldType.CONCEALED_KONG, (), None)


def taste_of(seed: int, table: str, place: int) -> Taste:
    """The taste of the player at ``place`` (0–3) of ``table`` in the event of ``seed``."""
    drawn = hashlib.sha256(f"twinwall-taste {seed} {table} {place}".encode()).digest()
    reserve = tuple(drawn[6 + aim] % _MOST_RESERVE for aim in Aim)
    return Taste(75 + drawn[0] % 35, 20 + drawn[1] % 50, reserve, int.from_bytes(drawn[2:6], "big"))


class Player(ABC):
    """The decision maker of one seat, by what it sees and its taste alone; every one takes each win."""

    def __init__(self, rules: RuleSet, taste: Taste) -> None:
        self._rules = rules
        self._taste = taste

    @abstractmethod
    def choose_discard(self, view: PlayerView) -> Tile:
        """The tile to throw; ``view.concealed`` holds the drawn tile, or is what is left after a claim."""

    @abstractmethod
    def answer_discard(self, view: PlayerView, tile: Tile, source: Seat) -> ClaimAnswer | None:
        """What to call on ``source``'s discard, or None; ``tile`` lies in the river already."""

    @abstractmethod
    def choose_kong(self, view: PlayerView) -> Kong | None:
        """The kong to make with ``view.concealed`` (which holds the drawn tile) instead of a discard, or None."""

    def answer_added(self, view: PlayerView, tile: Tile, source: Seat) -> ClaimAnswer | None:
        """What to call on the tile that ``source`` has added to a kong: a win, or None."""
        return ClaimAnswer(Claim.WIN) if self._wins(view, tile, source, ROBBING_KONG) else None

    def wants_win(self, view: PlayerView, drawn: Tile, *, replacement: bool = False) -> bool:
        """Whether to declare the hand with the tile just drawn (``view.concealed`` holds it), a kong's ``replacement`` or not."""
        concealed = list(view.concealed)
        concealed.remove(drawn)
        flags = (KONG_REPLACEMENT,) if replacement else ()
        return self._wins(replace(view, concealed=tuple(concealed)), drawn, None, *flags)

    def _wins(self, view: PlayerView, winning: Tile, source: Seat | None, *flags: str) -> bool:
        hand = WinningHand(view.seat, view.round, view.concealed, view.melds, winning, source, frozenset(flags))
        return isinstance(self._rules.score(hand), Win)


class RiichiPlayer(Player):
    """A player by rules with riichi, in which turns go round evenly and discards wait for the own turn."""

    @abstractmethod
    def declares_riichi(self, view: PlayerView, tile: Tile) -> bool:
        """Whether to declare riichi with this discard, which ``view.concealed`` still holds."""

    @abstractmethod
    def barred_after(self, claimed: Tile, meld: tuple[Tile, ...]) -> frozenset[Tile]:
        """What the player does not discard after a claim, since it would undo it."""


def mixed(salt: int, tile: Tile) -> int:
    """A number that orders equal choices differently for different salts."""
    return int.from_bytes(hashlib.blake2b(f"{salt} {tile.text}".encode(), digest_size=4).digest(), "big")


_KONG_CLAIM = 115
"""How much, in percent, the fan and the replacement of a claimed kong make the hand better."""
_KONG_SHARE = 60
"""How good, in percent of the hand after the best discard, a kong must leave it: its fan and one draw more come on top."""


class PatternStrategy(Player):
    """One player's way to play, whose ``book`` names the hands worth aiming at."""

    def __init__(self, rules: RuleSet, taste: Taste, book: Book = MCR) -> None:
        super().__init__(rules, taste)
        self._book = book

    def choose_discard(self, view: PlayerView) -> Tile:
        """The tile to throw; ``view.concealed`` holds the drawn tile, or is what is left after a claim."""
        values = self._discard_values(view)
        danger = _danger(view)
        held = sorted(values)
        visible = view.visible()

        def preference(tile: Tile) -> tuple[int, int, int]:
            value = values[tile]
            if danger:
                value = value * (100 - self._taste.caution * danger[tile] // 100) // 100
            return value, visible[tile], mixed(self._taste.salt, tile)

        return max(held, key=preference)

    def answer_discard(self, view: PlayerView, tile: Tile, source: Seat) -> ClaimAnswer | None:
        """What to call on ``source``'s discard, or None; ``tile`` lies in the river already."""
        if self._wins(view, tile, source):
            return ClaimAnswer(Claim.WIN)
        melds = _possible_melds(view, tile, source)
        if not melds:
            return None
        values = [self._value_with(_after_claim(view, meld, tile), meld) for meld in melds]
        if max(values) * 100 <= self._measure(view).targets().value() * self._taste.claim_gain:
            return None
        meld = melds[values.index(max(values))]
        laid = list(meld.tiles)
        laid.remove(tile)
        return ClaimAnswer(Claim(meld.type.value), tuple(laid))

    def _value_with(self, after: PlayerView, meld: Meld) -> int:
        """What the hand is worth with a claimed meld; after a kong there is no discard before the replacement."""
        if meld.type is MeldType.KONG:
            return self._measure(after).targets().value() * _KONG_CLAIM // 100
        return max(self._discard_values(after).values())

    def choose_kong(self, view: PlayerView) -> Kong | None:
        """The kong to make with ``view.concealed`` (which holds the drawn tile) instead of a discard, or None.

        It must leave the hand nearly as good as the best discard would.
        """
        kongs = _possible_kongs(view)
        if not kongs or view.draws_left == 0:
            return None
        discarding = max(self._discard_values(view).values())
        values = [self._measure(_after_kong(view, kong)).targets().value() for kong in kongs]
        best = max(range(len(kongs)), key=values.__getitem__)
        return kongs[best] if values[best] * 100 >= discarding * _KONG_SHARE else None

    def _wins(self, view: PlayerView, winning: Tile, source: Seat | None, *flags: str) -> bool:
        last = (LAST_OF_KIND,) if view.visible()[winning] - (source is not None) == COPIES - 1 else ()
        return super()._wins(view, winning, source, *flags, *last)

    def _measure(self, view: PlayerView) -> Measure:
        return Measure(view, self._taste.reserve, self._book)

    def _discard_values(self, view: PlayerView) -> dict[Tile, int]:
        """For each kind held, what the hand is worth without one tile of it."""
        measure = self._measure(view)
        targets = measure.targets()
        kinds = sorted(set(view.concealed))
        return dict(zip(kinds, measure.loss_of(targets, kinds), strict=True))


def _possible_melds(view: PlayerView, tile: Tile, source: Seat) -> list[Meld]:
    """What could be made with a discard: the kong (before the pung, which is worth as much less a draw), the pung, and
    chows (from the left neighbour only)."""
    held = counts_of(view.concealed)
    melds = []
    if held[tile] == COPIES - 1 and view.draws_left > 0:
        melds.append(Meld(MeldType.KONG, (tile,) * COPIES, source))
    if held[tile] >= 2:
        melds.append(Meld(MeldType.PUNG, (tile,) * 3, source))
    if source.next is view.seat:
        possible = (chow for chow in chows_with(tile) if all(held[kind] for kind in chow if kind is not tile))
        melds += [Meld(MeldType.CHOW, chow, source) for chow in possible]
    return melds


def _possible_kongs(view: PlayerView) -> list[Kong]:
    held = counts_of(view.concealed)
    return [*(Kong(tile, True) for tile in view.pungs if held[tile]), *(Kong(tile, False) for tile in Tile if held[tile] == COPIES)]


def _after_kong(view: PlayerView, kong: Kong) -> PlayerView:
    """The view once the kong lies, its tiles known to the player."""
    concealed = tuple(tile for tile in view.concealed if tile is not kong.tile)
    if kong.added:
        made = tuple(is_pung_of(meld, kong.tile) for meld in view.melds)
        melds = tuple(
            replace(meld, type=MeldType.ADDED_KONG, tiles=(kong.tile,) * COPIES) if pung else meld
            for meld, pung in zip(view.melds, made, strict=True)
        )
    else:
        melds = (*view.melds, Meld(MeldType.CONCEALED_KONG, (kong.tile,) * COPIES, None))
    seats = list(view.seats)
    seats[view.seat.index] = replace(seats[view.seat.index], melds=melds)
    return replace(view, concealed=concealed, seats=tuple(seats))


def _after_claim(view: PlayerView, meld: Meld, tile: Tile) -> PlayerView:
    """The view once the meld lies open: the claimed tile has left the river."""
    assert meld.source is not None
    concealed = list(view.concealed)
    laid = list(meld.tiles)
    laid.remove(tile)
    for used in laid:
        concealed.remove(used)
    seats = list(view.seats)
    own, giver = view.seat.index, meld.source.index
    seats[own] = replace(seats[own], melds=(*seats[own].melds, meld))
    seats[giver] = replace(seats[giver], river=(*seats[giver].river[:-1], None))
    return replace(view, concealed=tuple(concealed), seats=tuple(seats))


def _danger(view: PlayerView) -> list[int] | None:
    """How likely each kind is to be wanted by a seat with three melds or more, in percent; None while no seat has them."""
    threats = [seat for seat in view.others() if len(seat.melds) >= 3]
    if not threats:
        return None
    visible = view.visible()
    danger = []
    for kind in Tile:
        live = 100 - 25 * min(4, visible[kind])
        thrown = any(kind in seat.river for seat in threats)
        danger.append(live // 3 if thrown else live)
    return danger
