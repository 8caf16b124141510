"""What a simulated player is: it decides by what it sees (``PlayerView``) and by its taste.

The taste is drawn once from the event's seed, the table and the place: the four players of a table, and the same place at four tables,
play differently, and each plays the same way every time.
"""

import hashlib
from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Protocol

from simulator.players.player_view import PlayerView
from simulator.players.strategies.fan_patterns import Aim
from twinwall.game.play_events import Claim, Meld, MeldType
from twinwall.game.rule_set import KONG_REPLACEMENT, ROBBING_KONG, NoWin, Win, WinningHand
from twinwall.game.tiles import COPIES, Seat, Tile
from twinwall.values import frozen

_MOST_RESERVE = 20


class Scorer(Protocol):
    """The rule set's judgement of a finished hand."""

    def score(self, hand: WinningHand) -> Win | NoWin: ...


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
        """The meld as it is declared."""
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

    def __init__(self, scorer: Scorer, taste: Taste) -> None:
        self._scorer = scorer
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
        return isinstance(self._scorer.score(hand), Win)


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
