"""What hands of Sichuan are worth, against 四川ルール 血戦到底 (blog, revised 29 September 2018) and a brute force."""

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.game.tables import meld_of
from tests.support.game.worked_example import Judge
from tests.support.tiers import law
from tools.rule_pages.rule_page import FanRow
from tools.rule_pages.sichuan import PAGE
from twinwall.game.documents import DocumentError
from twinwall.game.play_events import Meld, MeldType
from twinwall.game.rule_set import NoWin, Win
from twinwall.game.rules import rule_set
from twinwall.game.rules.sichuan import scoring
from twinwall.game.rules.sichuan.scoring import DivisionTraits, SichuanHand, divisions
from twinwall.game.tiles import SEATS, Seat, Tile, parse_tile, parse_tiles

E, S, W, N = SEATS
PUNG, KONG, ADDED, CONCEALED = MeldType.PUNG, MeldType.KONG, MeldType.ADDED_KONG, MeldType.CONCEALED_KONG
PLAIN = "1m 2m 3m 4m 5m 6m 7p 8p 9p 2p 2p 5p 6p"
"""Worth ×1 with 4p or 7p."""


def hand(
    tiles: str,
    winning: str,
    *melds: Meld,
    source: Seat | None = S,
    flags: tuple[str, ...] = (),
    seat: Seat = E,
    finished: tuple[Seat, ...] = (),
) -> SichuanHand:
    return SichuanHand(seat, E, parse_tiles(tiles), melds, parse_tile(winning), source, frozenset(flags), tuple(finished))


JUDGE = Judge("sichuan")


@pytest.mark.parametrize("row", PAGE.fans, ids=lambda row: row.kind.id)
def test_a_fan_has_its_japanese_name_and_a_starred_one_counts_only_where_it_was_agreed(row: FanRow) -> None:
    kind = row.kind
    assert (kind.id, kind.japanese) in {(fan.id, fan.name) for fan in JUDGE.won(row.hand, **row.example.options).fans}
    assert kind.option is None or kind.id not in JUDGE.counts(row.hand)


def test_one_suit_of_all_triplets_is_times_8_four_ban_and_a_plain_hand_one_ban_times_1() -> None:
    """清一色のx4と対対和のx2で8倍 … 清対 … 4番(x8)役. 1番なら,1を引くとゼロなので倍なし."""
    triplets = hand("1s 1s 1s 3s 3s 3s 7s 7s 9s 9s", "7s", meld_of(PUNG, "5s 5s 5s", W))
    assert JUDGE.counts(triplets, cap="none") == {scoring.ALL_TRIPLETS: 1, scoring.ONE_SUIT: 1}
    assert (JUDGE.won(triplets, cap="none").total, JUDGE.won(hand(PLAIN, "7p")).total) == (8, 1)


def test_all_triplets_self_drawn_with_the_bonus_is_3_from_each() -> None:
    """対対胡をツモったら,レートが1なら,1x2+1x1=3点ずつ上がってない人からもらいます."""
    triplets = hand("2m 2m 2m 7m 7m 7m 4p 4p 8p 8p", "4p", meld_of(PUNG, "9p 9p 9p", W), source=None)
    assert JUDGE.won(triplets, self_draw_bonus=True).payments == {E: 9, S: -3, W: -3, N: -3}
    assert JUDGE.won(replace(triplets, finished=(W,)), self_draw_bonus=True).payments == {E: 6, S: -3, W: 0, N: -3}
    assert JUDGE.won(replace(triplets, source=N), self_draw_bonus=True).payments == {E: 2, S: 0, W: 0, N: -2}


def test_the_first_self_draw_gets_three_times_a_discard() -> None:
    """手の最初のツモ上がりは,振り込みの3倍の点が得られます."""
    drawn, claimed = JUDGE.won(hand(PLAIN, "7p", source=None)), JUDGE.won(hand(PLAIN, "7p"))
    assert drawn.payments[E] == 3 * claimed.payments[E]
    assert claimed.payments == {E: 1, S: -1, W: 0, N: 0}


def test_the_cap_is_4_ban_and_holds_before_the_bonus_and_the_rate() -> None:
    """満格 … 普通は4番(x8)に設定します; the bonus is added after the cap."""
    rich = hand("1s 1s 1s 1s 3s 3s 3s 3s 5s 5s 9s 9s 7s", "7s", source=None)
    assert JUDGE.won(rich, cap="none").total == 4 * 4 * 2 * 2
    assert JUDGE.won(rich).total == 8
    assert JUDGE.won(rich, cap=16, rate=5, self_draw_bonus=True).payments == {E: 3 * 85, S: -85, W: -85, N: -85}


@pytest.mark.parametrize(
    "judged",
    [
        hand("9m 1m 2m 4m 5m 6m 7p 8p 9p 2p 2p 5p 6p", "7p"),
        hand("1m 2m 3m 4m 5m 6m 7s 8s 9s 2p 2p 5p 6p", "7p"),
        hand("1m 2m 3m 4m 5m 6m 2p 2p 5p 6p", "7p", meld_of(PUNG, "7s 7s 7s", W)),
    ],
)
def test_nine_one_two_is_no_set_and_a_hand_must_lack_a_suit(judged: SichuanHand) -> None:
    """1と9は連続していないので,912は組になりません. 欠門でないと,上がれない: concealed tiles, melds and the winning tile count."""
    assert JUDGE.refused(judged) == "not-a-win"


def test_four_equal_tiles_of_seven_pairs_count_besides_but_a_kong_is_no_two_pairs() -> None:
    """同じ牌4枚をペア2組としてよく,その場合,下記の槓または帰の倍が付く.ただしカンしたら七対子にならない."""
    pairs = hand("1m 1m 1m 1m 6m 6m 2p 2p 5p 5p 8p 8p 9p", "9p")
    assert JUDGE.counts(pairs) == {scoring.SEVEN_PAIRS: 1, scoring.FOUR_ALIKE: 1}
    assert JUDGE.won(pairs).total == 8
    assert JUDGE.refused(hand("6m 6m 2p 2p 5p 5p 8p 8p 9p", "9p", meld_of(CONCEALED, "1m 1m 1m 1m", None))) == "not-a-win"


def test_triplets_of_2_5_8_and_four_melds_take_the_place_of_all_triplets_and_multiply() -> None:
    """対対胡と複合しない, of both."""
    melds = (
        meld_of(PUNG, "2m 2m 2m", S),
        meld_of(PUNG, "5m 5m 5m", W),
        meld_of(CONCEALED, "8m 8m 8m 8m", None),
        meld_of(PUNG, "2p 2p 2p", N),
    )
    both = hand("8p", "8p", *melds)
    assert JUDGE.counts(both) == {scoring.ALL_TRIPLETS: 1, scoring.FOUR_ALIKE: 1}
    win = JUDGE.won(both, jiang_dui=True, dan_diao=True, cap="none")
    assert {fan.id: fan.count for fan in win.fans} == {scoring.TRIPLETS_258: 1, scoring.FOUR_MELDS: 1, scoring.FOUR_ALIKE: 1}
    assert win.total == 8 * 4 * 2


def test_the_division_that_multiplies_to_most_counts() -> None:
    """111 222 333 of one suit are triplets or runs: with 1 and 9 everywhere runs are worth more, else triplets."""
    tiles = hand("1m 1m 1m 2m 2m 2m 3m 3m 3m 9m 9m 9m 1p", "1p")
    assert JUDGE.counts(tiles) == {scoring.ALL_TRIPLETS: 1}
    assert JUDGE.counts(tiles, dai_yao=True) == {scoring.OUTSIDE: 1}
    pairs_or_runs = hand("1m 1m 2m 2m 3m 3m 4m 4m 5m 5m 6m 6m 7p", "7p")
    assert JUDGE.counts(pairs_or_runs) == {scoring.SEVEN_PAIRS: 1}


def test_seven_pairs_of_1_and_9_are_no_outside_hand() -> None:
    """4つの組と頭すべてに1か9がある: seven pairs have no four sets."""
    assert JUDGE.counts(hand("1m 1m 9m 9m 1p 1p 9p 9p 1p 1p 9p 9p 1m", "1m"), dai_yao=True) == {
        scoring.SEVEN_PAIRS: 1,
        scoring.FOUR_ALIKE: 3,
    }


def test_a_replacement_after_a_claimed_kong_is_paid_by_its_feeder_alone() -> None:
    """カンが直槓/大明槓なら,カンした人の振り込みで,ツモ扱いされません (who is charged is the one who fed the kong, by the rule page)."""
    tiles = "1m 2m 3m 2p 2p 5p 6p"
    fed, hidden = meld_of(KONG, "5m 5m 5m 5m", W), meld_of(CONCEALED, "9m 9m 9m 9m", None)
    flags = ("kong_replacement",)
    alone = JUDGE.won(hand(tiles, "7p", hidden, fed, source=None, flags=flags), self_draw_bonus=True)
    assert (alone.total, alone.payments) == (8, {E: 8, S: 0, W: -8, N: 0})
    drawn = JUDGE.won(hand(tiles, "7p", fed, hidden, source=None, flags=flags), self_draw_bonus=True)
    assert drawn.payments == {E: 27, S: -9, W: -9, N: -9}
    assert JUDGE.won(hand(tiles, "7p", hidden, fed, source=None)).payments == {E: 12, S: -4, W: -4, N: -4}


def test_a_robbed_kong_is_not_the_last_copy_besides() -> None:
    both = hand(PLAIN, "7p", flags=("robbing_kong", "last_of_kind"))
    assert JUDGE.counts(both, jue_zhang=True) == {scoring.PLAIN: 1, scoring.ROBBED_KONG: 1}


@pytest.mark.parametrize(("cap", "total"), [(8, 8), (16, 16), ("none", 8)])
def test_a_win_with_the_first_draw_is_the_cap(cap: object, total: int) -> None:
    """天和,地和は …認めるなら,満格/封頂/極品にします."""
    drawn = hand(PLAIN, "7p", source=None, flags=("heavenly_hand",))
    assert JUDGE.won(drawn, heaven_earth=True, cap=cap).total == total
    assert JUDGE.won(drawn, cap=cap).total == 1


@pytest.mark.parametrize(
    ("judged", "reason"),
    [
        (hand("1m 2m 3m 4m 5m 6m 7m 8m 9m E E 5p 6p", "7p"), "impossible-tiles"),
        (hand("1m 1m 1m 1m 2m 3m 7p 8p 9p 2p 2p 5p 6p", "1m"), "impossible-tiles"),
        (hand("1m 2m 3m 4m 5m 6m 2p 2p 5p 6p", "7p", meld_of(PUNG, "C C C", W)), "impossible-tiles"),
        (hand("2m 3m 4m 4m 5m 6m 2p 2p 5p 6p", "7p", meld_of(MeldType.CHOW, "7p 8p 9p", N)), "not-allowed"),
        (hand("2m 3m 5m 4m 5m 6m 2p 2p 5p 6p", "7p", meld_of(MeldType.CHOW, "7p 8p 9p", N)), "not-allowed"),
        (hand("1m 2m 3m 4m 5m 6m 7p 8p 9p 2p 2p 5p", "7p"), "not-a-win"),
        (hand("1m 2m 3m 4m 5m 6m 7p 8p 9p 2p 2p 5p 6p 6p", "7p"), "not-a-win"),
        (hand(PLAIN, "8p"), "not-a-win"),
    ],
)
def test_what_does_not_win_has_the_first_reason_that_holds(judged: SichuanHand, reason: str) -> None:
    assert JUDGE.refused(judged) == reason


@pytest.mark.parametrize(
    "judged",
    [
        hand(PLAIN, "7p", finished=(E,)),
        hand(PLAIN, "7p", finished=(S,)),
        hand(PLAIN, "7p", source=None, finished=(S, W, N)),
        hand(
            "1m 2m 3m 2p 2p 5p 6p 7p 8p 9p", "7p", meld_of(KONG, "5m 5m 5m 5m", W), source=None, flags=("kong_replacement",), finished=(W,)
        ),
        hand(PLAIN, "7p", flags=("heavenly_hand",)),
        hand(PLAIN, "7p", source=None, seat=S, flags=("heavenly_hand",)),
        hand(PLAIN, "7p", source=None, flags=("earthly_hand",)),
        hand(PLAIN, "7p", source=None, flags=("heavenly_hand", "earthly_hand")),
        hand("1m 2m 3m 2p 2p 5p 6p", "7p", meld_of(CONCEALED, "5m 5m 5m 5m", None), source=None, flags=("heavenly_hand",)),
        hand(PLAIN, "7p", flags=("hat",)),
        hand(PLAIN, "7p", flags=("kong_replacement",)),
        hand(PLAIN, "7p", source=None, flags=("after_kong_discard",)),
        hand(PLAIN, "7p", source=E),
    ],
)
def test_a_hand_that_cannot_have_been_is_an_error(judged: SichuanHand) -> None:
    with pytest.raises(DocumentError):
        rule_set("sichuan").score(judged)


# A second opinion: sets and pair are chosen from the tiles themselves, with no thought for speed.


def brute_force(tiles: tuple[Tile, ...]) -> set[DivisionTraits]:
    """What the ways to divide tiles into sets and one pair amount to, found by trying every choice of three."""
    found: set[DivisionTraits] = set()
    for pair in {tile for tile in tiles if tiles.count(tile) >= 2}:
        left = list(tiles)
        left.remove(pair)
        left.remove(pair)
        for sets in _all_sets(tuple(sorted(left))):
            ranks = [{tile.rank for tile in one} for one in (*sets, (pair,))]
            found.add(DivisionTraits(all(one & {1, 9} for one in ranks), all(len(set(one)) == 1 for one in sets)))
    return found


def _all_sets(tiles: tuple[Tile, ...]) -> Iterator[tuple[tuple[Tile, ...], ...]]:
    if not tiles:
        yield ()
        return
    first = tiles[0]
    tried = set()
    for two in combinations(range(1, len(tiles)), 2):
        one = (first, *(tiles[index] for index in two))
        is_run = one[0].suit is one[2].suit and one[2] - one[0] == 2 and one[1] - one[0] == 1
        if one in tried or not (is_run or len(set(one)) == 1):
            continue
        tried.add(one)
        rest = tuple(tile for index, tile in enumerate(tiles) if index not in (0, *two))
        for sets in _all_sets(rest):
            yield (one, *sets)


@st.composite
def complete_hands(draw: st.DrawFn) -> tuple[Tile, ...]:
    """Sets and a pair of few kinds, so that many ways to divide them exist."""
    lowest = draw(st.sampled_from([0, 5, 9, 15, 18]))
    tiles: list[int] = []
    for _ in range(draw(st.integers(0, 4))):
        first = lowest + draw(st.integers(0, 3))
        is_run = draw(st.booleans()) and first % 9 <= 6
        tiles += [first, first + 1, first + 2] if is_run else [first] * 3
    tiles += [lowest + draw(st.integers(0, 3))] * 2
    return tuple(Tile(tile) for tile in sorted(tiles))


@law
@given(complete_hands() | st.lists(st.integers(0, 26).map(Tile), min_size=14, max_size=14).map(tuple))
def test_tiles_divide_as_the_brute_force_finds(tiles: tuple[Tile, ...]) -> None:
    assert set(divisions([tiles.count(tile) for tile in map(Tile, range(27))])) == brute_force(tiles)


def slow_total(judged: SichuanHand, options: dict[str, bool]) -> int | None:
    """What a hand of one or two suits is worth without a cap, from every division of its tiles; None when it does not win."""
    tiles = tuple(sorted((*judged.concealed, judged.winning)))
    everything = [*tiles, *(tile for meld in judged.melds for tile in meld.tiles)]
    if len({tile.suit for tile in everything}) > 2 or len(tiles) + 3 * len(judged.melds) != 14:
        return None
    around = 2 ** sum(everything.count(tile) == 4 for tile in set(everything)) * (4 if len({tile.suit for tile in everything}) == 1 else 1)
    worths = [4] if not judged.melds and all(tiles.count(tile) in (2, 4) for tile in tiles) else []
    for pair in {tile for tile in tiles if tiles.count(tile) >= 2}:
        left = list(tiles)
        left.remove(pair)
        left.remove(pair)
        for sets in _all_sets(tuple(left)):
            worths.append(_slow_worth([set(one) for one in sets], [{meld.tiles[0]} for meld in judged.melds], pair, options))
    return around * max(worths) if worths else None


def _slow_worth(sets: list[set[Tile]], melds: list[set[Tile]], pair: Tile, options: dict[str, bool]) -> int:
    worth, replaced = 1, False
    parts = [*sets, *melds, {pair}]
    triplets = all(len(part) == 1 for part in parts)
    if options["jiang_dui"] and triplets and all(tile.rank in (2, 5, 8) for part in parts for tile in part):
        worth, replaced = worth * 8, True
    if options["dan_diao"] and len(melds) == 4:
        worth, replaced = worth * 4, True
    if triplets and not replaced:
        worth *= 2
    if options["dai_yao"] and all({tile.rank for tile in part} & {1, 9} for part in parts):
        worth *= 4
    return worth


@st.composite
def hands_with_melds(draw: st.DrawFn) -> SichuanHand:
    """A complete hand, some of whose triplets lie open, now and then with one tile exchanged."""
    chance = random.Random(draw(st.integers(0, 2**32)))
    kinds = chance.choice([range(9), range(18), range(5, 14), [1, 4, 7, 10, 13, 16], [0, 1, 2, 6, 7, 8, 9, 10, 11, 15, 16, 17], range(27)])
    concealed: list[Tile] = []
    melds: list[Meld] = []
    left = dict.fromkeys(map(Tile, range(27)), 4)
    for part in range(5):
        size = 2 if part == 4 else chance.choice([1, 3, 3, 4]) if kinds[1] == 4 else chance.choice([1, 1, 1, 3, 3, 4])
        first = Tile(chance.choice([kind for kind in kinds if left[Tile(kind)] >= size] or [26]))
        is_run = size == 1 and first % 9 <= 6
        tiles = [first, Tile(first + 1), Tile(first + 2)] if is_run else [first] * max(size, 2 if part == 4 else 3)
        for tile in tiles:
            left[tile] -= 1
        if size == 4 or (size == 3 and part < 4 and chance.random() < 0.5):
            kind = chance.choice([KONG, CONCEALED]) if size == 4 else PUNG
            melds.append(Meld(kind, tuple(tiles), None if kind is CONCEALED else W))
        else:
            concealed += tiles
    if chance.random() < 0.1:
        concealed[0] = Tile(chance.randrange(27))
    winning = concealed.pop(chance.randrange(len(concealed)))
    return SichuanHand(E, E, tuple(concealed), tuple(melds), winning, S)


@law
@given(hands_with_melds(), st.fixed_dictionaries(dict.fromkeys(("jiang_dui", "dai_yao", "dan_diao"), st.booleans())))
def test_a_hand_is_worth_what_every_division_tried_in_turn_finds(judged: SichuanHand, options: dict[str, bool]) -> None:
    tiles = [*judged.concealed, judged.winning, *(tile for meld in judged.melds for tile in meld.tiles)]
    outcome = rule_set("sichuan", {**options, "cap": "none"}).score(judged)
    if max(tiles.count(tile) for tile in tiles) > 4:
        assert isinstance(outcome, NoWin)
        assert outcome.reason == "impossible-tiles"
        return
    expected = slow_total(judged, options)
    assert (outcome.total if isinstance(outcome, Win) else None) == expected
    if isinstance(outcome, Win):
        worths = {kind.id: kind.value for kind in scoring.FAN_KINDS}
        product = 1
        for fan in outcome.fans:
            assert worths[fan.id] == fan.value
            product *= fan.value**fan.count
        assert product == outcome.total
