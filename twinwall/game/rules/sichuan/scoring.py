"""Scores a Sichuan win (``score``): whether a hand wins, its fans, and who pays. Fans multiply up to the cap (四川ルール 血戦到底, revised
29 September 2018, 手の役と点数). The division with the largest product counts. ``settlement`` pays kongs, three suits and hands that are
not ready. In ``fans.toml``, the values of 平胡, 対対胡, 清一色 and the cap are the source's; the others are the rule page's."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from types import MappingProxyType

from twinwall.game.documents import DocumentError
from twinwall.game.play_events import Meld, MeldType
from twinwall.game.rule_set import (
    AFTER_KONG_DISCARD,
    FLAGS,
    IMPOSSIBLE_TILES,
    KONG_REPLACEMENT,
    LAST_DISCARD,
    LAST_DRAW,
    LAST_OF_KIND,
    NOT_A_WIN,
    NOT_ALLOWED,
    ROBBING_KONG,
    Fan,
    NoWin,
    Win,
    WinningHand,
    check_hand,
)
from twinwall.game.rules import divisions as shared
from twinwall.game.rules.divisions import RANKS
from twinwall.game.rules.fan_list import fan_list
from twinwall.game.rules.sichuan.options import SichuanOptions
from twinwall.game.tiles import COPIES, SEATS, Seat, Tile
from twinwall.values import frozen

PLAIN = "plain-hand"
ALL_TRIPLETS = "all-triplets"
ONE_SUIT = "one-suit"
SEVEN_PAIRS = "seven-pairs"
TRIPLETS_258 = "all-triplets-258"
OUTSIDE = "outside-hand"
FOUR_MELDS = "four-melds"
KONG_REPLACEMENT_WIN = "kong-replacement"
KONG_DISCARD_WIN = "kong-discard"
ROBBED_KONG = "robbed-kong"
FOUR_ALIKE = "four-alike"
LAST_TILE = "last-tile"
LAST_COPY = "last-copy"
HEAVENLY = "heavenly-hand"
EARTHLY = "earthly-hand"

FAN_KINDS = fan_list("sichuan")
"""All fans; those of shape first."""
BY_ID = {kind.id: kind for kind in FAN_KINDS}

NUMBERED = frozenset({PLAIN, ALL_TRIPLETS, ONE_SUIT, HEAVENLY, EARTHLY})
"""Fans whose value the source states."""

_REMEMBERED = 1 << 16
"""Hands in the cache."""
_NO_HONOURS = (0,) * (shared.KINDS - 3 * shared.RANKS)


@dataclass(frozen=True, slots=True, order=True)
class DivisionTraits:
    """What matters of one division of the concealed tiles."""

    outside: bool
    """Every set and the pair has a 1 or a 9."""
    triplets: bool
    """No set is a chow."""


def divisions(counts: Sequence[int]) -> tuple[DivisionTraits, ...]:
    """The traits of all divisions into sets and exactly one pair. ``counts`` is the number of tiles of each of the 27 kinds, in canonical
    order."""
    return _traits((*counts, *_NO_HONOURS))


@lru_cache(maxsize=_REMEMBERED)
def _traits(counts: tuple[int, ...]) -> tuple[DivisionTraits, ...]:
    return tuple(sorted({DivisionTraits(_is_outside(division), not division.chows) for division in shared.divisions(counts)}))


def _is_outside(division: shared.Division) -> bool:
    ends = all(kind % shared.RANKS in (0, shared.RANKS - 1) for kind in (*division.triplets, division.pair))
    return ends and all(chow % shared.RANKS in (0, shared.RANKS - 3) for chow in division.chows)


HEAVENLY_HAND, EARTHLY_HAND = "heavenly_hand", "earthly_hand"
_FIRST_DRAW_FLAGS = frozenset({HEAVENLY_HAND, EARTHLY_HAND})
KNOWN_FLAGS = FLAGS | _FIRST_DRAW_FLAGS
"""The flags of every rule set, and those of a win with the first draw."""

KINDS = 3 * RANKS
_HAND_TILES = 14
_MOST_MELDS = 4
_MOST_WINNERS = 3


@frozen
class SichuanHand(WinningHand):
    """A hand to score; ``melds`` in the order of their last change, ``finished`` are seats that won before."""

    finished: tuple[Seat, ...] = ()


def score(hand: WinningHand, options: SichuanOptions) -> Win | NoWin:
    """Judge a hand and compute its payments; raises DocumentError when it is written wrongly."""
    check_hand(hand, KNOWN_FLAGS)
    if hand.flags & _FIRST_DRAW_FLAGS:
        _check_first_draw(hand)
    payer = hand.source or fed_by(hand)
    payers = _payers(hand, payer)
    counts = counts_of(hand.concealed, hand.winning)
    if counts is None or (held := with_melds(counts, hand.melds)) is None:
        return NoWin(IMPOSSIBLE_TILES)
    if any(meld.type is MeldType.CHOW for meld in hand.melds):
        return NoWin(NOT_ALLOWED)
    fans = shape_of(counts, held, hand.melds, options)
    if fans is None:
        return NoWin(NOT_A_WIN)
    if hand.flags:
        fans = (*fans, *(_fan(fan_id, 1, options.limit) for fan_id in _circumstances(hand.flags, options)))
    total = capped(fans, options)
    bonus = 1 if options.self_draw_bonus and payer is None else 0
    return Win(fans, total, _payments(hand.seat, payers, options.rate * (total + bonus)))


def _payers(hand: WinningHand, payer: Seat | None) -> tuple[Seat, ...]:
    """Who pays the win: the discarder, or all seats that have not won before."""
    finished = hand.finished if isinstance(hand, SichuanHand) else ()
    if hand.seat in finished or payer in finished or len(finished) >= _MOST_WINNERS or len({*finished}) < len(finished):
        raise DocumentError("'finished' names seats that won before, each once: not the winner, not who pays, and at most two")
    return (payer,) if payer is not None else tuple([seat for seat in _OTHERS[hand.seat] if seat not in finished])


_OTHERS = {seat: tuple(other for other in SEATS if other is not seat) for seat in SEATS}


def _check_first_draw(hand: WinningHand) -> None:
    """Refuse 天和 except for the dealer's first draw, and 地和 except for another seat's."""
    wanted = HEAVENLY_HAND if hand.seat is Seat.EAST else EARTHLY_HAND
    if hand.flags & _FIRST_DRAW_FLAGS != {wanted}:
        raise DocumentError(f"a win of {hand.seat.value} with its first draw has the flag {wanted!r} and no other of the kind")
    if hand.source is not None or hand.melds:
        raise DocumentError(f"the flag {wanted!r} needs a self-drawn win without melds")


def fed_by(hand: WinningHand) -> Seat | None:
    """The discarder of the claimed kong (直槓) whose replacement wins: he pays as for a discard. None after another kong."""
    if KONG_REPLACEMENT not in hand.flags:
        return None
    latest = next(meld for meld in reversed(hand.melds) if len(meld.tiles) == COPIES)
    return latest.source if latest.type is MeldType.KONG else None


def counts_of(concealed: Sequence[Tile], winning: Tile | None = None) -> list[int] | None:
    """The number of tiles of each of the 27 kinds; None with a tile that is not in the set."""
    counts = [0] * KINDS
    try:
        for tile in concealed:
            counts[tile] += 1
        if winning is not None:
            counts[winning] += 1
    except IndexError:
        return None
    return counts


def with_melds(counts: Sequence[int], melds: Sequence[Meld]) -> list[int] | None:
    """The counts with the melds' tiles; None with five of a kind, or a tile that is not in the set."""
    held = list(counts)
    for meld in melds:
        for tile in meld.tiles:
            if tile >= KINDS:
                return None
            held[tile] += 1
    return held if max(held) <= COPIES else None


def shape_of(counts: Sequence[int], held: Sequence[int], melds: Sequence[Meld], options: SichuanOptions) -> tuple[Fan, ...] | None:
    """The fans of a complete hand's tiles, of the division with the largest product; None if it has no winning shape. ``counts`` are the
    concealed tiles with the winning one; ``held`` adds the melds' tiles. A hand with all three suits has no winning shape (欠門)."""
    if sum(counts) + 3 * len(melds) != _HAND_TILES:
        return None
    suits = sum(any(held[suit : suit + RANKS]) for suit in range(0, KINDS, RANKS))
    if suits == len(range(0, KINDS, RANKS)):
        return None
    best: tuple[Fan, ...] | None = None
    most = 0
    for forms in _forms(counts, held, melds, options):
        fans = _shape_fans(forms, suits == 1)
        worth = prod([fan.value for fan in fans])
        if worth > most:
            best, most = fans, worth
    if best is None:
        return None
    fours = held.count(COPIES)
    return (*best, _fan(FOUR_ALIKE, fours)) if fours else best


def _forms(counts: Sequence[int], held: Sequence[int], melds: Sequence[Meld], options: SichuanOptions) -> Iterator[tuple[str, ...]]:
    """The forms of each division, without its suits; exclusions are not yet applied."""
    if not melds and not any(count & 1 for count in counts):
        yield (SEVEN_PAIRS,)
    for division in divisions(counts):
        forms = [ALL_TRIPLETS] if division.triplets else []
        if options.jiang_dui and division.triplets and all(not count or kind % RANKS in (1, 4, 7) for kind, count in enumerate(held)):
            forms.append(TRIPLETS_258)
        if options.dai_yao and division.outside and all(meld.tiles[0] % RANKS in (0, RANKS - 1) for meld in melds):
            forms.append(OUTSIDE)
        if options.dan_diao and len(melds) == _MOST_MELDS:
            forms.append(FOUR_MELDS)
        yield tuple(forms)


@lru_cache(maxsize=256)
def _shape_fans(forms: tuple[str, ...], one_suit: bool) -> tuple[Fan, ...]:
    excluded = {fan_id for form in forms for fan_id in BY_ID[form].excludes}
    found = [form for form in forms if form not in excluded] + ([ONE_SUIT] if one_suit else [])
    return tuple(_fan(fan_id, 1) for fan_id in found or [PLAIN])


@lru_cache(maxsize=256)
def _fan(fan_id: str, count: int, limit: int = 0) -> Fan:
    kind = BY_ID[fan_id]
    return Fan(kind.id, kind.japanese, kind.value or limit, count)


_CIRCUMSTANCES = {
    KONG_REPLACEMENT: KONG_REPLACEMENT_WIN,
    AFTER_KONG_DISCARD: KONG_DISCARD_WIN,
    ROBBING_KONG: ROBBED_KONG,
    LAST_DRAW: LAST_TILE,
    LAST_DISCARD: LAST_TILE,
    LAST_OF_KIND: LAST_COPY,
    HEAVENLY_HAND: HEAVENLY,
    EARTHLY_HAND: EARTHLY,
}


def _circumstances(flags: frozenset[str], options: SichuanOptions) -> Iterator[str]:
    """The fans of how the tile came. A robbed kong is always the last copy, which is not counted beside it."""
    for flag, fan_id in _CIRCUMSTANCES.items():
        if flag not in flags or (flag == LAST_OF_KIND and ROBBING_KONG in flags):
            continue
        option = BY_ID[fan_id].option
        if option is None or getattr(options, option):
            yield fan_id


def worth(fan: Fan) -> int:
    """A fan's factor, to the power of its count."""
    return int(fan.value**fan.count)


def capped(fans: Sequence[Fan], options: SichuanOptions) -> int:
    """The product of the fans, at most the cap."""
    total = prod([worth(fan) for fan in fans])
    return total if options.cap is None else min(total, options.cap)


@lru_cache(maxsize=1024)
def _payments(winner: Seat, payers: tuple[Seat, ...], amount: int) -> Mapping[Seat, int]:
    gains = dict.fromkeys(SEATS, 0)
    for payer in payers:
        gains[payer] = -amount
    gains[winner] = amount * len(payers)
    return MappingProxyType(gains)
