"""Fans, minimum and payments, against the worked example of Aono's paper and the fan list of 1998."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec import structs

from tests.support.game.tables import hand_of, meld_of
from tests.support.game.worked_example import Judge
from tests.support.tiers import law
from twinwall.game.documents import DocumentError
from twinwall.game.play import chows_with
from twinwall.game.play_events import Meld, MeldType, totals
from twinwall.game.rule_set import Fan, NoWin, Win, WinningHand
from twinwall.game.rules import RuleSetError, rule_set, rule_set_names
from twinwall.game.rules.mcr_duplicate.scoring import payments
from twinwall.game.tiles import ALL_TILES, SEATS, Seat, Tile

E, S, W, N = SEATS
RULES = rule_set("mcr-duplicate")


JUDGE = Judge("mcr-duplicate")


def ids(fans: tuple[Fan, ...]) -> dict[str, int]:
    """Fan ids with what each adds."""
    return {fan.id: fan.value * fan.count for fan in fans}


T1 = hand_of("7p 8p 9p 8s 9s 1s 2s 3s 1s 1s", "7s", melds=(meld_of(MeldType.CHOW, "7m 8m 9m", N),))
T1_WEST = "7m 8m 9m 7p 8p 9p 4s 4s 5s 5s 5s 9s 9s"
T2 = hand_of("2m 8m 1p 4p 3s 6s 9s E W N C F P", "S", seat=S, source=W)
T3 = hand_of(
    "3m 4m 5m 4p 5p N N", "6p", seat=N, source=E, melds=(meld_of(MeldType.KONG, "S S S S", W), meld_of(MeldType.CHOW, "5s 6s 7s", W))
)


@pytest.mark.parametrize(
    ("hand", "fans", "payments"),
    [
        (
            T1,
            {"mixed-triple-chow": 8, "outside-hand": 4, "all-chows": 2, "two-terminal-chows": 1, "edge-wait": 1, "self-drawn": 1},
            (75, -25, -25, -25),
        ),
        (T2, {"greater-honors-and-knitted-tiles": 24}, (-8, 48, -32, -8)),
        (T3, {"mixed-shifted-chows": 6, "pung-of-terminals-or-honors": 1, "melded-kong": 1}, (-16, -8, -8, 32)),
        (
            hand_of(T1_WEST, "4s", seat=W),
            {"fully-concealed-hand": 4, "two-concealed-pungs": 2, "no-honors": 1, "mixed-double-chow": 1},
            None,
        ),
        (
            hand_of(T1_WEST, "9s", seat=W),
            {"fully-concealed-hand": 4, "two-concealed-pungs": 2, "no-honors": 1, "mixed-double-chow": 1, "pung-of-terminals-or-honors": 1},
            None,
        ),
        (
            hand_of("2m 4m 4m 4m 3p 4p 5p 5s 6s 6s 7s 7s 8s", "3m", seat=S),
            {"fully-concealed-hand": 4, "all-simples": 2, "all-chows": 2},
            None,
        ),
    ],
    ids=["table 1", "tables 2 and 4", "table 3", "near miss of table 1 West 4s", "table 1 West 9s", "table 1 South"],
)
def test_the_wins_of_the_worked_example_and_its_near_misses_that_reach_the_minimum(
    hand: WinningHand, fans: dict[str, int], payments: tuple[int, ...] | None
) -> None:
    outcome = JUDGE.won(hand)
    assert (ids(outcome.fans), outcome.total) == (fans, sum(fans.values()))
    assert payments is None or tuple(outcome.payments.values()) == payments


@pytest.mark.parametrize(
    ("tiles", "fan"), [("7p 8p", "mixed-double-chow"), ("5p 7p", "closed-wait")], ids=["table 1 North", "table 3 North"]
)
def test_the_two_near_misses_of_six_fan_are_below_the_minimum(tiles: str, fan: str) -> None:
    hand = hand_of(f"S S S N N 3m 4m 5m {tiles} 6s 7s 8s", "6p", seat=N)
    outcome = rule_set("mcr-duplicate").score(hand)
    assert isinstance(outcome, NoWin)
    assert (outcome.reason, outcome.total) == ("below-minimum", 6)
    assert ids(outcome.fans) == {"fully-concealed-hand": 4, "pung-of-terminals-or-honors": 1, fan: 1}
    assert JUDGE.won(hand, minimum=6).total == 6
    assert JUDGE.refused(hand, minimum=7) == "below-minimum"


PUNG, CHOW, KONG, HIDDEN = MeldType.PUNG, MeldType.CHOW, MeldType.KONG, MeldType.CONCEALED_KONG


FIVE_CHOWS = tuple(meld_of(CHOW, tiles, N) for tiles in ("1m2m3m", "4m5m6m", "7m8m9m", "1p2p3p", "4p5p6p"))


@pytest.mark.parametrize(
    ("hand", "reason"),
    [
        pytest.param(hand_of(T1_WEST, "4s", seat=W, source=N), "below-minimum", id="table 1 West on a discard"),
        pytest.param(hand_of(T1_WEST, "9s", seat=W, source=N), "below-minimum", id="and on the other tile"),
        pytest.param(hand_of("1m 1m 1m 1m 2m 3m 4m 5m 6m 7m 8m 9m 9m", "1m"), "impossible-tiles", id="five equal tiles"),
        pytest.param(
            hand_of("1m 1m 2m 3m 4m 5m 6m 7m 1p 1p", "1p", melds=(meld_of(PUNG, "1m1m1m", S),)), "impossible-tiles", id="five with a pung"
        ),
        pytest.param(
            hand_of("1m 2m 3m 4m 5m 6m 7m 1p 1p 1p", "1p", melds=(meld_of(HIDDEN, "1m1m1m1m", None),)),
            "impossible-tiles",
            id="five with a kong",
        ),
        pytest.param(hand_of("1m 2m 3m", "1p"), "not-a-win", id="too few tiles"),
        pytest.param(hand_of("1m 2m 3m 4m 5m 6m 7m 8m 9m 1p 1p 1p 2p 2p 2p 3s", "3s"), "not-a-win", id="too many"),
        pytest.param(hand_of("1s 1s", "1s", melds=FIVE_CHOWS), "not-a-win", id="five melds"),
        pytest.param(hand_of("1m 3m 5m 7m 9m 1p 3p 5p 7p 9p 1s 3s 5s", "7s"), "not-a-win", id="nothing"),
        pytest.param(
            hand_of("7p 8p 9p 8s 9s 1s 2s 3s 1s 1s", "7s", melds=(meld_of(CHOW, "7m 8m 9m", W),)),
            "not-allowed",
            id="a chow of another than the left neighbour",
        ),
    ],
)
def test_what_does_not_win_says_why(hand: WinningHand, reason: str) -> None:
    assert JUDGE.refused(hand) == reason


@pytest.mark.parametrize(
    ("hand", "message"),
    [
        (hand_of("1m", "1m", source=E), "own discard"),
        (hand_of("1m", "1m", melds=(meld_of(CHOW, "1m2m4m", N),)), "three in a row"),
        (hand_of("1m", "1m", melds=(meld_of(CHOW, "8m9m1p", N),)), "three in a row"),
        (hand_of("1m", "1m", melds=(meld_of(CHOW, "EEE", N),)), "three in a row"),
        (hand_of("1m", "1m", melds=(meld_of(PUNG, "1m1m2m", N),)), "equal tiles"),
        (hand_of("1m", "1m", melds=(meld_of(KONG, "1m1m1m", N),)), "has 4 tiles, not 3"),
        (hand_of("1m", "1m", melds=(meld_of(HIDDEN, "1m1m1m1m", N),)), "no source"),
        (hand_of("1m", "1m", melds=(meld_of(PUNG, "1m1m1m", None),)), "no source"),
        (hand_of("1m", "1m", melds=(meld_of(PUNG, "1m1m1m", E),)), "own discard"),
        (hand_of("1m", "1m", flags=frozenset({"lucky"})), "'lucky' is not known"),
        (hand_of("1m", "1m", flags=frozenset({"last_discard"})), "self-draw"),
        (hand_of("1m", "1m", source=S, flags=frozenset({"last_draw"})), "win on a discard"),
        (hand_of("1m", "1m", flags=frozenset({"kong_replacement"})), "needs a kong"),
    ],
)
def test_a_hand_that_is_written_wrongly_is_an_error_in_one_sentence(hand: WinningHand, message: str) -> None:
    with pytest.raises(DocumentError, match=message):
        RULES.score(hand)


@law
@given(
    tiles=st.lists(st.sampled_from(ALL_TILES), max_size=18),
    winning=st.sampled_from(ALL_TILES),
    kinds=st.lists(st.tuples(st.sampled_from([PUNG, KONG, HIDDEN]), st.sampled_from(ALL_TILES)), max_size=6),
    self_drawn=st.booleans(),
)
def test_whatever_tiles_are_shown_there_is_an_answer(
    tiles: list[Tile], winning: Tile, kinds: list[tuple[MeldType, Tile]], self_drawn: bool
) -> None:
    melds = tuple(Meld(kind, (tile,) * (3 if kind is PUNG else 4), None if kind is HIDDEN else S) for kind, tile in kinds)
    outcome = RULES.score(WinningHand(E, S, tuple(tiles), melds, winning, None if self_drawn else N))
    assert isinstance(outcome, Win) or outcome.reason in {"impossible-tiles", "not-a-win", "below-minimum"}


CHOWS = sorted({chow for tile in ALL_TILES for chow in chows_with(tile)})
SETS = st.one_of(st.sampled_from(CHOWS), st.sampled_from(ALL_TILES).map(lambda tile: (tile,) * 3))


@law
@given(
    sets=st.lists(SETS, min_size=4, max_size=4),
    pair=st.sampled_from(ALL_TILES),
    opened=st.integers(0, 4),
    self_drawn=st.booleans(),
    wind=st.sampled_from(SEATS),
)
def test_four_sets_and_a_pair_always_win_with_fans_that_add_up(
    sets: list[tuple[Tile, ...]], pair: Tile, opened: int, self_drawn: bool, wind: Seat
) -> None:
    tiles = [tile for group in sets for tile in group] + [pair, pair]
    assume(max(Counter(tiles).values()) <= 4)
    melds = tuple(Meld(PUNG if group[0] is group[1] else CHOW, group, N) for group in sets[:opened])
    concealed = tuple(tiles[3 * opened : -1])
    outcome = JUDGE.won(WinningHand(E, wind, concealed, melds, pair, None if self_drawn else S), minimum=0)
    assert outcome.total == sum(fan.value * fan.count for fan in outcome.fans) > 0
    assert len({fan.id for fan in outcome.fans}) == len(outcome.fans)


@law
@given(st.permutations(T1.concealed), st.permutations(T1.melds[0].tiles))
def test_the_order_of_tiles_does_not_matter(concealed: list[Tile], meld: list[Tile]) -> None:
    hand = replace(T1, concealed=tuple(concealed), melds=(replace(T1.melds[0], tiles=tuple(meld)),))
    assert RULES.score(hand) == RULES.score(T1)


@law
@given(total=st.integers(8, 400), winner=st.sampled_from(SEATS), turns=st.integers(0, 3))
def test_payments_are_zero_sum_and_the_winner_gets_24_and_the_fan_once_or_thrice(total: int, winner: Seat, turns: int) -> None:
    source = SEATS[(winner.index + turns) % 4] if turns else None
    gains = payments(winner, source, total, "sum")
    assert sum(gains.values()) == 0
    assert gains[winner] == 24 + (total if source else 3 * total)
    assert all(gains[seat] == (-8 - total if source in (seat, None) else -8) for seat in SEATS if seat is not winner)


def test_a_self_draw_can_be_shared_with_each_share_rounded_up() -> None:
    assert JUDGE.won(T1, self_draw="rounded").payments == {E: 41, S: -14, W: -14, N: -14}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"minimun": 8}, "no option 'minimun'; it has minimum, end"),
        ({"minimum": -1}, "whole number"),
        ({"minimum": True}, "whole number"),
        ({"end": "wall"}, "one of lap, next-empty"),
        ({"mixed_kongs": "yes"}, "true or false"),
        ({"several_winner": "all"}, r"; did you mean 'several_winners'\?$"),
        ({"several_winners": None}, ", not null$"),
        ({"several_winners": True}, ", not true$"),
        ({"several_winners": "some"}, ', not "some"$'),
        ({"several_winners": ["x"]}, r', not \["x"\]$'),
    ],
)
def test_an_option_that_does_not_exist_or_fit_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(RuleSetError, match=message):
        rule_set("mcr-duplicate", options)


@pytest.mark.parametrize(
    ("option", "payments"), [("each-minus-others", {E: -40, S: 28, W: -16, N: 28}), ("each-full", {E: -32, S: 36, W: -8, N: 36})]
)
def test_two_winners_on_one_discard_are_paid_by_the_option(option: str, payments: dict[Seat, int]) -> None:
    """Two hands of 12 fan on East's discard; the second line is a published record of 2022."""
    rules = rule_set("mcr-duplicate", {"several_winners": option})
    wins = {seat: Win((), 12, {other: 36 if other is seat else -20 if other is E else -8 for other in SEATS}) for seat in (S, N)}
    shown = structs.replace(rules.start(), turn=E, winner=N)
    assert totals(rules.payments(shown, wins)) == payments
    assert totals(rules.payments(shown, {S: wins[S]})) == wins[S].payments
    assert rules.zero_sum is (sum(payments.values()) == 0)


def test_a_rule_set_that_does_not_exist_is_refused_by_name_with_the_nearest() -> None:
    assert "mcr-duplicate" in rule_set_names()
    with pytest.raises(RuleSetError, match=r"'riichi' is not known; known are .*mcr-duplicate, .*[a-z]$"):
        rule_set("riichi")
    with pytest.raises(RuleSetError, match=r"; did you mean 'sichuan'\?$"):
        rule_set("sichaun")
