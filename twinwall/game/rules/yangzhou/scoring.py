"""Scores a Yangzhou win (``score``): whether a hand wins under the options, its fans, and who pays.

Points are added, never multiplied ("揚州の麻雀", blog, 27 November 2015, 点数). The division and the place of the winning tile with the
largest sum count.

A fan that is always in another does not count beside it. The source's rule is general
("番数がより高い役に必ず含まれる役の番数は付けられません", 点数) and its lists are examples, so containment is computed: a fan is in another
if every hand with the other has it. Circumstances (waits, self-draw, concealment, kongs) are never contained.

Payments: discards and self-draws (点数), the liability for a full flush (the paragraph on 包 after 複合役), and the limited stake (円子). A
liable seat pays for the whole win, whoever discarded.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import combinations_with_replacement
from types import MappingProxyType

from twinwall.game.play import PlayState
from twinwall.game.play_events import Meld, MeldType, Payment, PaymentReason, penalty_payments, totals
from twinwall.game.rule_set import BELOW_MINIMUM, IMPOSSIBLE_TILES, NOT_A_WIN, NOT_ALLOWED, Fan, NoWin, Win, WinningHand, check_hand
from twinwall.game.rules.divisions import KINDS, RANKS, Division, divisions, waits
from twinwall.game.rules.yangzhou import patterns
from twinwall.game.rules.yangzhou.options import NECESSARY, YangzhouOptions
from twinwall.game.rules.yangzhou.patterns import FAN_KINDS, FULL_FLUSH, Found, pattern_fans
from twinwall.game.tiles import COPIES, SEATS, Seat, Tile, TileRow, parse_tiles

_CHOWS = tuple(suit + rank for suit in range(0, 3 * RANKS, RANKS) for rank in (0, 1, 3, 4, 6))
"""Chows enough for every fan: equal numbers, six in a row, both ends, and neither end."""
_TRIPLETS = tuple(parse_tiles(text) for text in ("ESWN", "NCFP", "SPFC", "2468m", "1m9p5sC"))
_PAIRS = parse_tiles("W 5m 5s 9m C")


def contained_fans(containment: str) -> Mapping[str, frozenset[str]]:
    """For each fan, the fans that do not count beside it, by the option ``containment``."""
    return _necessary() if containment == NECESSARY else _listed()


@cache
def _listed() -> Mapping[str, frozenset[str]]:
    return {kind.id: frozenset(kind.excludes) for kind in FAN_KINDS}


@cache
def _necessary() -> Mapping[str, frozenset[str]]:
    """For each fan, the other fans that all sample hands with it have."""
    always: dict[str, frozenset[str]] = {}
    for found in set(_hands()):
        for fan_id in found:
            always[fan_id] = always.get(fan_id, found) & found
    return {kind.id: always.get(kind.id, frozenset()) - {kind.id} for kind in FAN_KINDS}


def _hands() -> Iterator[frozenset[str]]:
    """The fans of sample hands: all combinations of chows (up to renaming suits), filled with various triplets and pairs."""
    for number in range(5):
        for chows in combinations_with_replacement(_CHOWS, number):
            if not _suits_in_order(chows):
                continue
            for triplets in {filling[: 4 - number] for filling in _TRIPLETS}:
                for pair in _PAIRS:
                    if _possible(chows, triplets, pair):
                        yield frozenset([fan_id for fan_id, _ in pattern_fans(chows, triplets, pair, Seat.EAST, Seat.SOUTH)])


def _suits_in_order(chows: tuple[int, ...]) -> bool:
    suits = [[chow % RANKS for chow in chows if chow // RANKS == suit] for suit in range(3)]
    return suits[0] >= suits[1] >= suits[2]


def _possible(chows: tuple[int, ...], triplets: TileRow, pair: int) -> bool:
    counts = [0] * KINDS
    for chow in chows:
        for step in range(3):
            counts[chow + step] += 1
    for kind in triplets:
        counts[kind] += 3
    counts[pair] += 2
    return max(counts) <= COPIES


_HAND_TILES = 14
_DUTY_CHOWS = 3
_EDGES = {(0, 2), (RANKS - 3, 0)}
"""The 3 of 123 and the 7 of 789: rank of the chow's first tile (from 0), and index of the tile."""


def score(hand: WinningHand, options: YangzhouOptions) -> Win | NoWin:
    """Judge a hand and compute its payments; gives the first reason that applies. Raises DocumentError when it is written wrongly."""
    check_hand(hand)
    counts = [0] * KINDS
    for tile in hand.concealed:
        counts[tile] += 1
    counts[hand.winning] += 1
    if _five_of_a_kind(counts, hand.melds):
        return NoWin(IMPOSSIBLE_TILES)
    chows = [meld for meld in hand.melds if meld.type is MeldType.CHOW]
    if any(chow.source is not SEATS[hand.seat.index - 1] for chow in chows):
        return NoWin(NOT_ALLOWED)
    if len(hand.concealed) + 1 + 3 * len(hand.melds) != _HAND_TILES:
        return NoWin(NOT_A_WIN)
    judged = _most(hand, counts, options)
    if judged is None:
        return NoWin(NOT_A_WIN)
    fans, total = judged
    full_flush = is_full_flush(fans)
    if not full_flush and owes_full_flush(chows):
        return NoWin(NOT_ALLOWED)
    if total < options.least:
        return NoWin(BELOW_MINIMUM, total, fans)
    return Win(fans, total, gains(hand.seat, hand.source, liable(hand.melds) if full_flush else None, total))


def owes_full_flush(chows: Sequence[Meld]) -> bool:
    """Whether claimed chows oblige the seat to 清一色: three of one suit (all from the left neighbour)."""
    suits = [chow.tiles[0].suit for chow in chows]
    return any(suits.count(suit) >= _DUTY_CHOWS for suit in suits)


def _five_of_a_kind(counts: Sequence[int], melds: Sequence[Meld]) -> bool:
    held = list(counts)
    for meld in melds:
        for tile in meld.tiles:
            held[tile] += 1
    return max(held) > COPIES


def _most(hand: WinningHand, counts: Sequence[int], options: YangzhouOptions) -> tuple[tuple[Fan, ...], int] | None:
    """The fans and the sum of the division with the largest sum; None if the hand has no winning shape. ``counts`` are the concealed tiles
    by kind, with the winning tile."""
    ways = list(divisions(counts))
    if not ways:
        return None
    melded_chows = [min(meld.tiles) for meld in hand.melds if meld.type is MeldType.CHOW]
    melded_triplets = [meld.tiles[0] for meld in hand.melds if meld.type is not MeldType.CHOW]
    circumstances = _circumstances(hand)
    one_wait = _waits_for_one(counts, hand.winning)
    chows_count = not options.all_chows_no_honours or not (any(counts[Tile.EAST :]) or any(tile.is_honour for tile in melded_triplets))
    best: tuple[tuple[Fan, ...], int] | None = None
    for division in ways:
        patterns = pattern_fans(
            (*melded_chows, *division.chows), (*melded_triplets, *division.triplets), division.pair, hand.seat, hand.round
        )
        placed = _placed(division, hand.winning, self_drawn=hand.source is None, one_wait=one_wait)
        counted = _counted((*patterns, *circumstances, *placed), options, chows_count)
        if best is None or counted[1] > best[1]:
            best = counted
    return best


def _circumstances(hand: WinningHand) -> Found:
    found = [(patterns.SELF_DRAWN, 1)] if hand.source is None else []
    kinds = [meld.type for meld in hand.melds]
    hidden = kinds.count(MeldType.CONCEALED_KONG)
    if hidden == len(kinds):
        found.append((patterns.CONCEALED_HAND, 1))
    if hidden:
        found.append((patterns.CONCEALED_KONG, hidden))
    if melded := kinds.count(MeldType.KONG) + kinds.count(MeldType.ADDED_KONG):
        found.append((patterns.MELDED_KONG, melded))
    return tuple(found)


def _waits_for_one(counts: Sequence[int], winning: Tile) -> bool:
    """Whether only the winning kind would have completed the hand."""
    waiting = list(counts)
    waiting[winning] -= 1
    return len(waits(waiting)) == 1


def _placed(division: Division, winning: Tile, *, self_drawn: bool, one_wait: bool) -> Found:
    """The wait and the concealed triplets, with the winning tile where they count most. A triplet completed by a discard is not
    concealed."""
    places = []
    for wait, in_triplet in _places(division, winning):
        triplets = len(division.triplets) - (in_triplet and not self_drawn)
        places.append((triplets + (one_wait and wait is not None), triplets, wait))
    _, triplets, wait = max(places, key=lambda place: place[0])
    waited = ((wait, 1),) if one_wait and wait is not None else ()
    return (*waited, (patterns.CONCEALED_TRIPLET, triplets)) if triplets else waited


def _places(division: Division, winning: Tile) -> Iterator[tuple[str | None, bool]]:
    """Where the winning tile can be: the wait there, and whether it is in a triplet."""
    if division.pair == winning:
        yield patterns.SINGLE_WAIT, False
    if winning in division.triplets:
        yield None, True
    for chow in division.chows:
        if chow <= winning <= chow + 2:
            edge = patterns.EDGE_WAIT if (chow % RANKS, winning - chow) in _EDGES else None
            yield (patterns.CLOSED_WAIT if winning == chow + 1 else edge), False


@lru_cache(maxsize=1 << 14)
def _counted(found: Found, options: YangzhouOptions, all_chows: bool) -> tuple[tuple[Fan, ...], int]:
    """The fans that count, the most valuable first, with bonuses; and their sum. ``all_chows``: whether 平胡 counts."""
    ids = {fan_id for fan_id, _ in found if all_chows or fan_id != patterns.ALL_CHOWS}
    rules = contained_fans(options.containment)
    ids = ids.difference(*[rules[fan_id] for fan_id in ids])
    repeated: dict[str, int] = {}
    for fan_id, count in found:
        if fan_id in ids:
            repeated[fan_id] = repeated.get(fan_id, 0) + count
    kinds = ((patterns.BY_ID[fan_id], count) for fan_id, count in repeated.items())
    fans = [Fan(kind.id, kind.japanese, patterns.value_of(kind, options), count) for kind, count in kinds]
    fans.sort(key=lambda fan: -fan.value)
    if options.table.bonuses:
        fans += [Fan(bonus.id, bonus.japanese, bonus.value, 1) for bonus in patterns.BONUSES if ids.issuperset(bonus.bonus_for)]
    return tuple(fans), sum([fan.value * fan.count for fan in fans])


_LIABLE_MELD = 2
"""Index of the exposed meld that makes the discarder of its chow liable."""


def is_full_flush(fans: Sequence[Fan]) -> bool:
    """Whether a seat can be liable for the win (清一色)."""
    return any(fan.id == FULL_FLUSH for fan in fans)


def liable(melds: Sequence[Meld]) -> Seat | None:
    """The seat whose discard was chowed as the third exposed meld (包); ``melds`` in the order made."""
    exposed = [meld for meld in melds if meld.type is not MeldType.CONCEALED_KONG]
    if len(exposed) <= _LIABLE_MELD or exposed[_LIABLE_MELD].type is not MeldType.CHOW:
        return None
    return exposed[_LIABLE_MELD].source


@lru_cache(maxsize=4096)
def gains(winner: Seat, source: Seat | None, payer: Seat | None, total: int) -> Mapping[Seat, int]:
    """What each seat gets for one win by ``win_payments``."""
    return MappingProxyType(totals(win_payments(winner, source, payer, total)))


def win_payments(winner: Seat, source: Seat | None, payer: Seat | None, total: int) -> tuple[Payment, ...]:
    """Who pays a hand of ``total`` points: the discarder ``source`` twice, or each other seat once (None). A liable ``payer`` pays all of
    it alone."""
    others = [seat for seat in SEATS if seat is not winner]
    whole = len(others) * total if source is None else 2 * total
    if payer is not None and payer is not source:
        return (Payment(PaymentReason.LIABILITY, payer, winner, whole),)
    if source is not None:
        return (Payment(PaymentReason.WIN, source, winner, whole),)
    return tuple(Payment(PaymentReason.WIN, seat, winner, total) for seat in others)


def payments(state: PlayState, wins: Mapping[Seat, Win], options: YangzhouOptions) -> tuple[Payment, ...]:
    """Who pays whom when the hand ends with ``wins`` (none if drawn), with penalties. Several winners on one tile are each paid in full; if
    the stake does not suffice, the nearest to the payer is paid first."""
    source = None if state.turn in wins else state.turn
    due = [
        payment
        for winner, win in wins.items()
        for payment in win_payments(winner, source, liable(state.seat(winner).melds) if is_full_flush(win.fans) else None, win.total)
    ]
    paid = due if options.stake is None else _within(due, options.stake)
    return tuple(payment for payment in (*paid, *penalty_payments(state.penalties)) if payment.amount)


def _within(due: Sequence[Payment], stake: int) -> list[Payment]:
    """The payments that a seat with ``stake`` points can make, the nearest winner first."""
    left = dict.fromkeys(SEATS, stake)
    paid = []
    for payment in sorted(due, key=_distance):
        assert payment.source is not None
        amount = min(payment.amount, left[payment.source])
        left[payment.source] -= amount
        paid.append(replace(payment, amount=amount))
    return paid


def _distance(payment: Payment) -> int:
    assert payment.source is not None
    assert payment.to is not None
    return payment.source.turns_until(payment.to)
