"""What hands of Yangzhou are worth, against "揚州の麻雀" (blog, 27 November 2015), the rule page, and a slow second opinion."""

import random
from collections import Counter
from itertools import combinations_with_replacement, islice

import pytest

from tests.game.yangzhou import yangzhou_oracle as oracle
from tests.support.game.tables import meld_of
from tests.support.game.worked_example import Judge
from tests.support.tiers import TIER, Tier
from twinwall.game.documents import DocumentError
from twinwall.game.play_events import Meld, MeldType
from twinwall.game.rule_set import NoWin, Win, WinningHand
from twinwall.game.rules import RuleSetError, rule_set
from twinwall.game.rules.yangzhou.patterns import BONUSES, BY_ID, FAN_KINDS, pattern_fans
from twinwall.game.rules.yangzhou.scoring import contained_fans
from twinwall.game.tiles import SEATS, Seat, Tile, parse_tile, parse_tiles

E, S, W, N = SEATS
CHOW, PUNG, KONG, ADDED, CONCEALED = MeldType


ANY = {"minimum": 0, "values": 13}
SMALL = {kind.japanese for kind in FAN_KINDS if not kind.of_class}


def hand(
    tiles: str, winning: str, *melds: Meld, source: Seat | None = W, seat: Seat = E, wind: Seat = S, flags: tuple[str, ...] = ()
) -> WinningHand:
    """A hand to score; by default East's on West's discard in the south round."""
    return WinningHand(seat, wind, parse_tiles(tiles), melds, parse_tile(winning), source, frozenset(flags))


def chow(tiles: str, seat: Seat = E) -> Meld:
    return meld_of(CHOW, tiles, SEATS[seat.index - 1])


JUDGE = Judge("yangzhou", ANY)


def names(judged: WinningHand, **options: object) -> dict[str, int]:
    """The fans by the source's names, each with how often it counts."""
    return {fan.name: fan.count for fan in JUDGE.won(judged, **options).fans}


def worths(judged: WinningHand, **options: object) -> dict[str, int]:
    """The fans by the source's names, each with what it is worth once."""
    return {fan.name: fan.value for fan in JUDGE.won(judged, **options).fans}


def big(judged: WinningHand, **options: object) -> set[str]:
    return set(names(judged, **options)) - SMALL


# The source's own examples of fans. The hands are filled up with what is worth nothing beside.


CLASS_HANDS = {
    "一板": ("123m 123m 456p EE 77s", "7s"),
    "混一色": ("123m 567m 999m EE SS", "E"),
    "一条龍": ("123m 456m 789m EE 77s", "7s"),
    "三副同": ("234m 234p 234s EE 77s", "7s"),
    "対対胡": ("111m 555p 999s EE 77s", "7s"),
    "双飄": ("123m 789m 123s 789s E", "E"),
    "双連双喜": ("345p 678p 345s 678s E", "E"),
    "双板板": ("123m 123m 567p 567p E", "E"),
    "四副同": ("345p 345p 345s 345m E", "E"),
    "清一色": ("123m 345m 567m 99m 11m", "9m"),
    "鉄板": ("123m 123m 123m 567p E", "E"),
    "双板双喜": ("345p 345p 345s 345s E", "E"),
    "双板双連": ("234p 234p 567p 567p E", "E"),
    "双板双飄": ("123p 123p 789p 789p E", "E"),
    "風清": ("EEE SSS WWW NN CC", "C"),
    "鋼板": ("123m 123m 123m 123m E", "E"),
}


@pytest.mark.parametrize("minimum", [7, 13, 18])
@pytest.mark.parametrize("fan", CLASS_HANDS)
def test_every_big_fan_is_worth_its_class(fan: str, minimum: int) -> None:
    """The three values in the headings of the big fans, and the multiples of 清一色: 風清(清一色の4倍) · 鋼板(カンパン,清一色の8倍).
    上がれる最低限の点は …一板の番数あるいは一板の番数+3番: 7 = 7, 13 = 10 + 3, 18 = 15 + 3."""
    cls = next(name for name, members in oracle.CLASSES.items() if fan in members)
    values = oracle.VALUES[minimum]
    assert worths(hand(*CLASS_HANDS[fan]), minimum=0, values=minimum)[fan] == values[cls]
    assert (values["4F"], values["8F"], minimum - values["L"]) == (4 * values["F"], 8 * values["F"], 0 if minimum == 7 else 3)


@pytest.mark.parametrize(("minimum", "lowest"), [(13, 10), (18, 15)])
def test_a_double_chow_needs_three_more(minimum: int, lowest: int) -> None:
    """13 = 10 + 3 and 18 = 15 + 3: 自摸, 門風 and 圏風 are enough, 自摸 and 門風 are not."""
    winds = meld_of(PUNG, "EEE", S)
    enough = hand("123m 123m 56p NN", "4p", winds, source=None, wind=E)
    assert JUDGE.won(enough, minimum=minimum).total == lowest + 3
    short = rule_set("yangzhou", {"minimum": minimum}).score(hand("123m 123m 56p NN", "4p", winds, source=None))
    assert isinstance(short, NoWin)
    assert (short.reason, short.total, len(short.fans)) == ("below-minimum", lowest + 2, 3)


COMPOSITES = {
    "板龍": (50, hand("123m 456m 456m 789m 5p", "5p")),
    "混龍": (50, hand("123m 456m 789m EE SS", "S")),
    "混対対": (50, hand("11m EE", "E", meld_of(PUNG, "333m", S), meld_of(PUNG, "777m", S), meld_of(PUNG, "WWW", S))),
    "混板龍": (80, hand("123m 123m 456m 789m E", "E")),
    "清龍": (130, hand("123m 456m 789m 111m 5m", "5m")),
    "清対対": (130, hand("11m 55m", "5m", meld_of(PUNG, "333m", S), meld_of(PUNG, "777m", S), meld_of(PUNG, "999m", S))),
    "清板龍": (160, hand("123m 123m 456m 789m 5m", "5m")),
}


@pytest.mark.parametrize("composite", COMPOSITES)
def test_composite_hands_have_the_totals_of_the_source(composite: str) -> None:
    """複合役: 板龍 50, 混龍 50, 混対対 50, 混板龍 80, 清龍 130, 清対対 130, 清板龍 160; small fans come on top."""
    total, judged = COMPOSITES[composite]
    parts = {"板": "一板", "混": "混一色", "清": "清一色", "龍": "一条龍"}
    win = JUDGE.won(judged, minimum=18)
    wanted = {parts[letter] for letter in composite.replace("対対", "") if letter in parts} | ({"対対胡"} if "対対" in composite else set())
    bonuses = {bonus.japanese for bonus in BONUSES}
    found = [fan for fan in win.fans if fan.name not in SMALL]
    assert {fan.name for fan in found} - bonuses == wanted
    assert sum(fan.value * fan.count for fan in found) == total
    assert not bonuses & {fan.name for fan in JUDGE.won(judged, minimum=13).fans}


OWN = (11, 12, 33, 44, 155, 366)


@pytest.mark.parametrize(
    ("options", "values"), [({"light": True}, (3, 4, 8, 16, 32, 32)), ({"minimum": 9, "values": list(OWN)}, OWN)], ids=["light", "own"]
)
def test_there_is_a_light_scale_and_an_event_can_give_its_own_values(options: dict[str, object], values: tuple[int, ...]) -> None:
    """一板3,混4,清16,風清と鋼板を32にして,3番しばり; the class between is 8 (rule page)."""
    fans = ("一板", "混一色", "双板板", "清一色", "風清", "鋼板")
    assert tuple(worths(hand(*CLASS_HANDS[fan]), **options)[fan] for fan in fans) == values
    assert "板龍" not in names(hand("456m 456m 789m 5p", "5p", chow("123m")), **options)
    assert rule_set("yangzhou", {"light": True}).options.least == 3  # type: ignore[attr-defined]  # an option of these rules


def test_what_a_fan_always_contains_is_not_counted_beside_it() -> None:
    """番数がより高い役に必ず含まれる役の番数は付けられません; the list is the rule page's."""
    computed = {
        BY_ID[fan_id].japanese: {BY_ID[other].japanese for other in others}
        for fan_id, others in contained_fans("necessary").items()
        if others
    }
    assert computed == {fan: set(contained.split()) for fan, contained in oracle.CONTAINED.items()}


@pytest.mark.slow
def test_no_four_sets_at_all_lack_what_their_fans_contain() -> None:
    """Containment is worked out from some hands; here are all four sets, with suits in one order, and pairs of all sorts.

    ``make test`` takes every seventh of them.
    """
    away = contained_fans("necessary")
    chows = [suit + rank for suit in (0, 9, 18) for rank in range(7)]
    tried, each = 0, 1 if TIER is Tier.NIGHTLY else 7
    all_sets = combinations_with_replacement([*((chow, 1) for chow in chows), *((kind, 0) for kind in range(34))], 4)
    for sets in islice(all_sets, 0, None, each):
        runs = [first for first, step in sets if step]
        if not [run % 9 for run in runs if run < 9] >= [run % 9 for run in runs if 9 <= run < 18] >= [run % 9 for run in runs if run >= 18]:
            continue
        counts = Counter(first + step * place for first, step in sets for place in range(3))
        if max(counts.values()) > 4:
            continue
        for pair in (0, 4, 13, 27):
            if counts[pair] <= 2:
                triplets = [first for first, step in sets if not step]
                found = {fan_id for fan_id, _ in pattern_fans(runs, triplets, pair, E, S)}
                assert all(away[fan_id] <= found for fan_id in found), (sets, pair, found)
                tried += 1
    assert tried > 400_000 // each


def test_by_option_only_what_the_source_lists_is_taken_away() -> None:
    listed = {**ANY, "containment": "listed"}
    assert names(hand("123m 123m 123m 123m E", "E"), **listed) == {"鋼板": 1, "双板板": 1, "平胡": 1, "混一色": 1, "門清": 1, "独吊": 1}
    assert names(hand("123m 456m 789m 22s 66p", "6p"), **listed)["老少"] == 1
    assert "混一色" not in names(hand("EEE SSS WWW NN CC", "C"), **listed)
    assert "欠一" not in names(hand("123m 345m 567m 99m 11m", "9m"), **listed)


SMALL_HANDS: dict[str, tuple[WinningHand, dict[str, int]]] = {
    "both winds": (hand("123m 456p 789s 5p", "5p", meld_of(PUNG, "EEE", S), wind=E), {"門風": 1, "圏風": 1, "独吊": 1}),
    "seat wind": (hand("123m 456p 789s 5p", "5p", meld_of(PUNG, "EEE", S)), {"門風": 1, "独吊": 1}),
    "round wind": (hand("123m 456p 789s 5p", "5p", meld_of(PUNG, "SSS", S)), {"圏風": 1, "独吊": 1}),
    "no wind": (hand("123m 456p 789s 5p", "5p", meld_of(PUNG, "WWW", S)), {"独吊": 1}),
    "dragons": (
        hand("456p 5s", "5s", meld_of(PUNG, "CCC", S), meld_of(KONG, "FFFF", S), meld_of(PUNG, "PPP", S)),
        {"紅中": 1, "發財": 1, "白皮": 1, "明槓": 1, "独吊": 1},
    ),
    "closed wait": (hand("13m 456p 789s NN", "2m", meld_of(PUNG, "WWW", S)), {"丫子": 1}),
    "edge wait at 3": (hand("12m 456p 789s NN", "3m", meld_of(PUNG, "WWW", S)), {"辺張": 1}),
    "edge wait at 7": (hand("89m 456p 123s NN", "7m", meld_of(PUNG, "WWW", S)), {"辺張": 1}),
    "two waits": (hand("23m 456p 789s NN", "1m", meld_of(PUNG, "WWW", S)), {}),
    "triplet by discard": (hand("22m 456p 789s NN", "2m", meld_of(PUNG, "WWW", S)), {}),
    "triplet by draw": (hand("22m 456p 789s NN", "2m", meld_of(PUNG, "WWW", S), source=None), {"自摸": 1, "子格": 1}),
    "concealed kong": (hand("23m 456p 789s NN", "1m", meld_of(CONCEALED, "WWWW", None)), {"門清": 1, "暗槓": 1}),
    "melded kongs": (hand("23m 456p NN", "1m", meld_of(KONG, "WWWW", S), meld_of(ADDED, "9999s", S)), {"明槓": 2}),
    "no honours": (hand("23m 456p 678p 99m", "1m", meld_of(PUNG, "444p", S)), {"欠一": 1, "幺頭": 1}),
    "simples": (hand("34m 456p 678s 88m", "5m", meld_of(PUNG, "444p", S)), {"断幺": 1}),
    "concealed on a discard": (hand("23m 456p 789s NN WWW", "1m"), {"門清": 1, "子格": 1}),
    "placed where it counts most": (hand("2223m 456p 789s", "3m", meld_of(PUNG, "WWW", S)), {"子格": 1}),
    "chows of the same number twice": (hand("123m 123p 567m 567p N", "N"), {"斉相": 2, "平胡": 1, "門清": 1, "独吊": 1}),
    "a chow for different fans": (hand("234m 234p 567p 567s N", "N"), {"斉相": 2, "連副": 1, "平胡": 1, "門清": 1, "独吊": 1}),
}


@pytest.mark.parametrize("name", SMALL_HANDS)
def test_small_fans(name: str) -> None:
    """小番, and the rule page's readings a, e, f, g, h: 2223m waits for more than 3m, so that its triplet counts; greatest number of
    disjoint pairs, a chow may serve different fans."""
    judged, fans = SMALL_HANDS[name]
    assert names(judged) == fans


def test_all_chows_may_ask_for_no_honours() -> None:
    """平胡 … 字牌がないことを求める人もいる."""
    honours, strict = hand("23m 456m 678p 345s NN", "1m"), {**ANY, "all_chows_no_honours": True}
    assert names(honours)["平胡"] == names(hand("23m 456m 678p 345s 22s", "1m"), **strict)["平胡"] == 1
    assert "平胡" not in names(honours, **strict)


def test_a_wait_for_a_kind_of_which_the_hand_holds_all_four_still_is_one() -> None:
    """Waits are kinds that complete the shape (rule page): 2345m with 5555m in hand waits for 2m and 5m."""
    assert "独吊" not in names(hand("234m 5m 123p 789s", "2m", meld_of(CONCEALED, "WWWW", None)))
    held = hand("2345m 123p", "2m", meld_of(CONCEALED, "WWWW", None), meld_of(PUNG, "NNN", S))
    assert "独吊" not in names(held)
    assert "丫子" in names(hand("2m 4m 55p", "3m", *[meld_of(PUNG, tile * 3, S) for tile in ("E", "W", "N")]))


@pytest.mark.parametrize(
    ("judged", "reason"),
    [
        (hand("1111m 1m 456p 789s NN", "N"), "impossible-tiles"),
        (hand("111m 456p 789s N", "N", meld_of(KONG, "1111m", S)), "impossible-tiles"),
        (hand("456p 789s NN 55m", "5m", meld_of(CHOW, "123m", S)), "not-allowed"),
        (hand("11m 33m 55m 77p 99p 22s 7s", "7s"), "not-a-win"),
        (hand("19m 19p 19s ESWNCFP", "P"), "not-a-win"),
        (hand("123m 456p 789s NN 5m", "5m"), "not-a-win"),
        (hand("123m 456p 789s NN 55m", "6m"), "not-a-win"),
        (hand("NN 55p", "5p", chow("123m"), chow("456m"), chow("234m")), "not-allowed"),
        (hand("123m 456p 789s NN 55m", "5m", source=None), "below-minimum"),
        (hand("1111m 456p 789s", "N", meld_of(CHOW, "123m", S)), "impossible-tiles"),
        (hand("456p 789s NN 57m", "5m", meld_of(CHOW, "123m", S)), "not-allowed"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_hand_that_does_not_win_says_why(judged: WinningHand, reason: str) -> None:
    """手は4面子と頭 only; a chow from the left only; after three chows of a suit 清一色 is due."""
    assert JUDGE.refused(judged, minimum=13) == reason


def test_a_full_flush_fulfils_the_duty() -> None:
    """上家から同じ種類の牌を3回チーしたら,必ず清一色を狙わなければなりません."""
    assert "清一色" in names(hand("99m 55m", "5m", chow("123m"), chow("456m"), chow("234m")))
    assert JUDGE.refused(hand("999m 5p", "5p", chow("123m"), chow("456m"), chow("234m"))) == "not-allowed"
    JUDGE.won(hand("999m 5p", "5p", chow("123m"), chow("456m"), chow("234s")))


def test_all_common_flags_are_accepted_and_worth_nothing() -> None:
    """搶槓,カンの補充牌での上がり,海底牌での上がりに付く番数はありません."""
    on_discard = hand("23m 456p 789s NN WWW", "1m", flags=("robbing_kong", "last_discard", "last_of_kind", "after_kong_discard"))
    assert names(on_discard) == {"門清": 1, "子格": 1}
    kong = meld_of(CONCEALED, "WWWW", None)
    drawn = hand("23m 456p 789s NN", "1m", kong, source=None, flags=("last_draw", "kong_replacement", "last_of_kind"))
    assert names(drawn) == {"門清": 1, "暗槓": 1, "自摸": 1}


@pytest.mark.parametrize(
    "judged",
    [
        hand("23m 456p 789s NN WWW", "1m", source=E),
        hand("23m 456p 789s NN WWW", "1m", flags=("heavenly_hand",)),
        hand("23m 456p 789s NN WWW", "1m", flags=("last_draw",)),
        hand("23m 456p 789s NN", "1m", meld_of(PUNG, "WWN", S)),
    ],
)
def test_what_is_written_wrongly_is_an_error(judged: WinningHand) -> None:
    with pytest.raises(DocumentError):
        rule_set("yangzhou").score(judged)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"minimum": 10}, "'minimum'"),
        ({"values": 10}, "'values'"),
        ({"rounds": 4}, "'rounds'"),
        ({"values": [7, 10, 20, 40, 160]}, "'values'.*a list of 6 whole numbers from 1 up"),
        ({"values": [0, 10, 20, 40, 160, 320]}, "'values'"),
        ({"values": [10, 7, 20, 40, 160, 320]}, "'values'.*goes down"),
        ({"light": True, "values": 13}, "'light'"),
        ({"light": True, "minimum": 7}, "'light'"),
        ({"stake": 0}, "'stake'"),
        ({"seven_pairs": True}, "'seven_pairs'"),
    ],
)
def test_options_that_cannot_be_are_refused_by_name(options: dict[str, object], named: str) -> None:
    with pytest.raises(RuleSetError, match=named):
        rule_set("yangzhou", options)


def test_another_minimum_names_its_values_and_values_always_choose() -> None:
    judged = hand("123m 123m 456p 789s E", "E")
    assert [worths(judged, minimum=least, values=values)["一板"] for least, values in ((10, 7), (13, 18))] == [7, 15]
    assert "板龍" in names(hand("123m 456m 456m 789m 5p", "5p"), minimum=7, values=18)


# A slow second opinion, from the rule page alone.


def random_hand(chance: random.Random) -> WinningHand | None:
    """A complete hand, mostly of few suits so that fans meet; a set may be laid open. None for five of a kind."""
    suits = chance.sample(range(3), chance.choice((1, 1, 2, 3)))
    ranks = chance.sample(range(7), chance.choice((1, 2, 3, 7)))
    share_of_chows = chance.choice((0, 0.75, 0.75, 1))
    sets: list[tuple[int, ...]] = []
    for _ in range(4):
        if chance.random() < share_of_chows:
            first = 9 * chance.choice(suits) + chance.choice(ranks)
            sets.append((first, first + 1, first + 2))
        else:
            sets.append((chance.choice([27 + chance.randrange(7), 9 * chance.choice(suits) + chance.randrange(9)]),) * 3)
    pair = chance.choice([27 + chance.randrange(7), 9 * chance.choice(suits) + chance.randrange(9)])
    seat, wind, source = chance.choice(SEATS), chance.choice(SEATS), chance.choice(SEATS)
    laid = chance.randrange(4) if chance.random() < 0.5 else 0
    melds = [laid_open(chance, seat, tuple(Tile(kind) for kind in part)) for part in sets[:laid]]
    tiles = [Tile(kind) for part in sets[laid:] for kind in part] + [Tile(pair)] * 2
    counts = Counter([*tiles, *(tile for meld in melds for tile in meld.tiles)])
    if max(counts.values()) > 4:
        return None
    chance.shuffle(tiles)
    return WinningHand(seat, wind, tuple(tiles[1:]), tuple(melds), tiles[0], None if source is seat else source)


def laid_open(chance: random.Random, seat: Seat, tiles: tuple[Tile, ...]) -> Meld:
    left = SEATS[seat.index - 1]
    if tiles[0] != tiles[1]:
        return Meld(CHOW, tiles, left)
    kind = chance.choice((PUNG, PUNG, KONG, ADDED, CONCEALED))
    return Meld(kind, tiles[:1] * (3 if kind is PUNG else 4), None if kind is CONCEALED else left)


def assert_agrees(judged: WinningHand, minimum: int) -> Win:
    """The two opinions have the same total, and the same fans where only one way has that total."""
    outcome = rule_set("yangzhou", {"minimum": 0, "values": minimum}).score(judged)
    assert isinstance(outcome, Win), judged
    expected = oracle.best(judged, minimum)
    assert expected is not None
    total, ways = expected
    bonuses = {bonus.japanese for bonus in BONUSES}
    assert outcome.total == total, (judged, outcome, expected)
    assert Counter({fan.name: fan.count for fan in outcome.fans if fan.name not in bonuses}) in ways, (judged, outcome, ways)
    return outcome


@pytest.mark.slow
@pytest.mark.parametrize("minimum", [7, 13, 18])
def test_fans_and_totals_agree_with_a_slow_second_opinion(minimum: int) -> None:
    chance = random.Random(minimum)
    seen: set[str] = set()
    for _ in range(200):
        made = random_hand(chance)
        if made is None or isinstance(rule_set("yangzhou", ANY).score(made), NoWin):
            continue  # five of a kind, or the duty, which the second opinion does not know
        seen.update(fan.name for fan in assert_agrees(made, minimum).fans)
    assert len(seen) >= 25


@pytest.mark.slow
@pytest.mark.parametrize("fan", [*CLASS_HANDS, *COMPOSITES])
def test_the_second_opinion_has_the_same_on_the_big_fans(fan: str) -> None:
    judged = COMPOSITES[fan][1] if fan in COMPOSITES else hand(*CLASS_HANDS[fan])
    for minimum in (7, 13, 18):
        assert_agrees(judged, minimum)


@pytest.mark.slow
def test_rules_and_oracle_agree_whether_any_hand_wins() -> None:
    chance, rules = random.Random(5), rule_set("yangzhou", ANY)
    for _ in range(150):
        made = random_hand(chance)
        if made is None:
            continue
        other = WinningHand(made.seat, made.round, made.concealed, made.melds, Tile(chance.randrange(34)), made.source)
        outcome = rules.score(other)
        if isinstance(outcome, NoWin) and outcome.reason in ("not-allowed", "impossible-tiles"):
            continue
        assert isinstance(outcome, Win) == (oracle.best(other, 13) is not None), other
