"""What hands of Seigo are worth: published riichi examples, and a second opinion on complete hands.

Published are the scoring examples and tables of the Riichi Competition Rules 2016 (European Mahjong Association),
4.3 and annex A-1; the turn rules are those of 整合麻雀 改.
"""

import json
from dataclasses import replace

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from mahjong.agari import Agari
from mahjong.hand_calculating.hand import HandCalculator
from mahjong.hand_calculating.hand_config import HandConfig, HandConstants, OptionalRules
from mahjong.hand_calculating.scores import ScoresCalculator

from tests.support.game.tables import meld_of
from tests.support.game.worked_example import Judge
from tests.support.tiers import law
from twinwall.game.documents import DocumentError
from twinwall.game.play_events import Meld, MeldType
from twinwall.game.rule_set import Fan, Win
from twinwall.game.rules import RuleSetError, rule_set
from twinwall.game.rules.divisions import counts_of
from twinwall.game.rules.seigo.options import SeigoOptions
from twinwall.game.rules.seigo.scoring import SeigoHand, base_points, payments
from twinwall.game.rules.seigo.shapes import is_complete, waits
from twinwall.game.rules.seigo.values import Value, indicated
from twinwall.game.score_json import judge_with_note, outcome_json
from twinwall.game.tiles import SEATS, Seat, Tile, parse_tile, parse_tiles

E, S, W, N = SEATS
CHOW, PUNG, KONG, ADDED, CONCEALED = MeldType


def hand(
    tiles: str,
    winning: str,
    *melds: Meld,
    source: Seat | None = W,
    flags: tuple[str, ...] = (),
    seat: Seat = S,
    turn: int | None = None,
    riichi_turn: int | None = None,
    dora: str = "",
) -> SeigoHand:
    return SeigoHand(
        seat,
        E,
        parse_tiles(tiles),
        melds,
        parse_tile(winning),
        source,
        frozenset(flags),
        turn=turn,
        riichi_turn=riichi_turn,
        dora=parse_tiles(dora),
    )


JUDGE = Judge("seigo")


STRAIGHT = "1s 2s 3s 4s 5s 6s 7s 8s 2m 3m 4m 6p 6p"
"""Concealed, and with 9s a pure straight on an open-ended wait."""


@pytest.mark.parametrize(
    ("judged", "fans", "value", "payments", "of_east"),
    [
        (
            hand(STRAIGHT, "9s", source=None, riichi_turn=4, turn=9),
            "pinfu riichi self-draw straight",
            (5, 20),
            (-4000, 8000, -2000, -2000),
            (12000, -4000, -4000, -4000),
        ),
        (hand(STRAIGHT, "9s", riichi_turn=4, turn=9), "pinfu riichi straight", (4, 30), (0, 7700, -7700, 0), (11600, 0, -11600, 0)),
        (
            hand("1s 2s 3s 4s 5s 6s 7s 8s 6p 6p", "9s", meld_of(CHOW, "2m 3m 4m", E), dora="6s"),
            "dora straight",
            (2, 30),
            (0, 2000, -2000, 0),
            (2900, 0, -2900, 0),
        ),
        (
            hand("2m 2m 2m 5p 5p 5p 3s 3s 3s 8s 8s 6p 6p", "8s", source=None, dora="5s 4p"),
            "four-concealed-triplets",
            None,
            (-16000, 32000, -8000, -8000),
            (48000, -16000, -16000, -16000),
        ),
    ],
    ids=["1, riichi self-draw", "2, riichi on a discard", "3, open with a dora", "4, a yakuman whatever else there is"],
)
def test_published_examples(
    judged: SeigoHand, fans: str, value: tuple[int, int] | None, payments: tuple[int, ...], of_east: tuple[int, ...]
) -> None:
    """Mangan 4000 and 2000, of East 4000 from each; 7700, of East 11600; 20 open and 2 for open pinfu are rounded up to 30: 2000, 2900."""
    win = JUDGE.won(judged)
    assert sorted(JUDGE.counts(judged)) == fans.split()
    assert value is None or (win.total, win.fu) == value
    assert tuple(win.payments.values()) == payments
    east = replace(judged, seat=E, melds=tuple(replace(meld, source=N) for meld in judged.melds))
    assert tuple(JUDGE.won(east).payments.values()) == of_east


@pytest.mark.parametrize(
    ("han", "fu", "dealer", "other", "dealer_each", "other_each"),
    [
        (1, 30, 1500, 1000, 500, (500, 300)),
        (1, 40, 2000, 1300, 700, (700, 400)),
        (1, 110, 5300, 3600, None, None),
        (2, 25, 2400, 1600, None, None),
        (2, 30, 2900, 2000, 1000, (1000, 500)),
        (2, 50, 4800, 3200, 1600, (1600, 800)),
        (3, 25, 4800, 3200, 1600, (1600, 800)),
        (3, 30, 5800, 3900, 2000, (2000, 1000)),
        (3, 60, 11600, 7700, 3900, (3900, 2000)),
        (3, 70, 12000, 8000, 4000, (4000, 2000)),
        (4, 20, None, None, 2600, (2600, 1300)),
        (4, 25, 9600, 6400, 3200, (3200, 1600)),
        (4, 30, 11600, 7700, 3900, (3900, 2000)),
        (4, 40, 12000, 8000, 4000, (4000, 2000)),
        (5, 20, 12000, 8000, 4000, (4000, 2000)),
        (6, 30, 18000, 12000, 6000, (6000, 3000)),
        (7, 30, 18000, 12000, 6000, (6000, 3000)),
        (8, 30, 24000, 16000, 8000, (8000, 4000)),
        (10, 30, 24000, 16000, 8000, (8000, 4000)),
        (11, 30, 36000, 24000, 12000, (12000, 6000)),
        (13, 30, 48000, 32000, 16000, (16000, 8000)),
    ],
)
def test_payments_are_those_of_the_published_table(  # noqa: PLR0917 - a table
    han: int, fu: int, dealer: int | None, other: int | None, dealer_each: int | None, other_each: tuple[int, int] | None
) -> None:
    points = base_points(Value((), han, fu), SeigoOptions())
    if dealer is not None:
        assert payments(E, S, points) == {E: dealer, S: -dealer, W: 0, N: 0}
        assert payments(W, E, points)[W] == other
    if dealer_each is not None and other_each is not None:
        assert payments(E, None, points) == {E: 3 * dealer_each, S: -dealer_each, W: -dealer_each, N: -dealer_each}
        assert payments(N, None, points)[E] == -other_each[0]
        assert payments(N, None, points)[S] == -other_each[1]


@law
@given(
    st.integers(1, 16),
    st.sampled_from([20, 25, *range(30, 120, 10)]),
    st.booleans(),
    st.booleans(),
    st.sampled_from([None, S, E]),
    st.booleans(),
)
@example(3, 60, True, False, S, False)
@example(4, 30, True, False, S, False)
def test_payments_are_those_of_the_library(  # noqa: PLR0917 - a table
    han: int, fu: int, kiriage: bool, counted: bool, source: Seat | None, dealer: bool
) -> None:
    winner = E if dealer else N
    assume(source is not winner)
    options = SeigoOptions(kiriage=kiriage, counted_yakuman=counted)
    limit = HandConstants.KAZOE_LIMITED if counted else HandConstants.KAZOE_SANBAIMAN
    config = HandConfig(
        is_tsumo=source is None, player_wind=27 if dealer else 30, options=OptionalRules(kiriage=kiriage, kazoe_limit=limit)
    )
    cost = ScoresCalculator.calculate_scores(han, fu, config)
    paid = payments(winner, source, base_points(Value((), han, fu), options))
    assert paid[winner] == cost["total"]
    assert sum(paid.values()) == 0


def test_yakuman_add_up_and_double_ones_are_agreed() -> None:
    honours = hand("S S S W W W N N N C", "C", meld_of(PUNG, "E E E", W))
    assert sorted(JUDGE.counts(honours)) == ["all-honours", "big-winds"]
    assert (JUDGE.won(honours).total, JUDGE.won(honours).payments[S]) == (26, 64000)
    assert JUDGE.won(honours, double_yakuman=True).payments[S] == 96000
    assert base_points(Value((Fan("big-winds", "", 78, 2),), 156, 30), SeigoOptions()) == 6 * 8000


OPEN = hand("4m 5m 6m 7s 8s 9s 9p 9p 1s 3s", "2s", meld_of(CHOW, "1p 2p 3p", E))
"""Worth nothing."""


def test_what_happens_at_turn_18_is_the_last_draw_or_discard_without_a_flag() -> None:
    """18順目のツモ上がりは全てハイテイとする。18巡目のロン上がりは全てホーテイとする (7b)."""
    assert JUDGE.refused(replace(OPEN, turn=17)) == "below-minimum"
    assert JUDGE.refused(replace(OPEN, turn=17, flags=frozenset({"last_discard"}))) == "below-minimum"
    assert JUDGE.counts(replace(OPEN, turn=18)) == {"last-turn-discard": 1}
    assert JUDGE.counts(replace(OPEN, turn=18, source=None)) == {"last-turn-self-draw": 1}
    robbed = replace(OPEN, turn=18, flags=frozenset({"robbing_kong"}))
    assert (JUDGE.counts(robbed), JUDGE.won(robbed).total) == ({"last-turn-discard": 1, "robbed-kong": 1}, 2)


def test_a_win_on_a_replacement_is_none() -> None:
    """当然リンシャンという役もない (6)."""
    melds = (meld_of(KONG, "1p 1p 1p 1p", E),)
    assert JUDGE.refused(replace(OPEN, melds=melds, source=None, flags=frozenset({"kong_replacement"}))) == "below-minimum"


def test_open_tanyao_and_rounded_mangan_are_options() -> None:
    simples = hand("2m 3m 4m 5p 5p 6s 7s 8s 3s 5s", "4s", meld_of(PUNG, "6p 6p 6p", W))
    assert JUDGE.counts(simples) == {"all-simples": 1}
    assert JUDGE.refused(simples, open_tanyao=False) == "below-minimum"
    assert JUDGE.won(hand(STRAIGHT, "9s", riichi_turn=4, turn=9), kiriage=True).payments[S] == 8000


def test_red_fives_count_where_the_set_has_them() -> None:
    fives = hand("5m 5m 5m 6p 7p 8p 2s 3s 4s 6s 7s 8p 8p", "5s", riichi_turn=3, turn=5)
    red = replace(fives, red=frozenset({Tile.M5, Tile.S5}))
    four = hand("5m 5m 5m 5m 6m 7m 2s 3s 4s 6s 7s 8p 8p", "8s", riichi_turn=3, turn=5)
    counted = [JUDGE.counts(judged, red_fives=reds).get("red-five") for judged, reds in ((fives, 0), (fives, 3), (red, 3), (four, 3))]
    assert counted == [None, None, 2, 1]
    for judged, reds in ((red, 0), (replace(fives, red=frozenset({Tile.P5})), 3)):
        with pytest.raises(DocumentError):
            JUDGE.won(judged, red_fives=reds)


@pytest.mark.parametrize("options", [{"red_fives": 1}, {"noten_points": 1000}, {"uma": 3}, {"open_tanyao": 1}, {"several_winners": "two"}])
def test_options_that_do_not_exist_or_cannot_be_are_refused_by_name(options: dict[str, object]) -> None:
    with pytest.raises(RuleSetError, match=next(iter(options))):
        rule_set("seigo", options)


@pytest.mark.parametrize(
    ("indicator", "dora"), [("1m", "2m"), ("9p", "1p"), ("E", "S"), ("N", "E"), ("P", "F"), ("F", "C"), ("C", "P"), ("9s", "1s")]
)
def test_an_indicator_names_the_next_tile_of_its_circle(indicator: str, dora: str) -> None:
    assert indicated(parse_tile(indicator)) is parse_tile(dora)


@pytest.mark.parametrize(
    ("judged", "reason"),
    [
        (hand("1m 1m 1m 1m 2m 3m 7p 8p 9p 2p 2p 5p 6p", "1m"), "impossible-tiles"),
        (hand("2m 3m 4m 5m 6m 7m 7p 8p 9p 2p 2p 2p 2p", "2p"), "impossible-tiles"),
        (hand(STRAIGHT, "9s", dora="6p 6p 6p", riichi_turn=1), "impossible-tiles"),
        (hand("1s 2s 3s 4s 5s 6s 7s 8s 6p 6p", "9s", meld_of(CHOW, "2m 3m 4m", W)), "not-allowed"),
        (hand("1s 2s 3s 4s 5s 6s 7s 8s 6p 6p 6p", "9s"), "not-a-win"),
        (hand(STRAIGHT + " 1m", "9s"), "not-a-win"),
        (hand(STRAIGHT, "8s"), "not-a-win"),
        (OPEN, "below-minimum"),
        (replace(OPEN, dora=parse_tiles("8p")), "below-minimum"),
        (replace(hand(STRAIGHT, "9s"), furiten=True), "not-allowed"),
    ],
)
def test_what_does_not_win_has_the_first_reason_that_holds(judged: SeigoHand, reason: str) -> None:
    assert JUDGE.refused(judged) == reason


def test_furiten_bars_no_self_draw_and_a_kong_may_be_robbed_by_option() -> None:
    assert JUDGE.won(replace(hand(STRAIGHT, "9s", source=None), furiten=True)).fans
    assert JUDGE.refused(hand(STRAIGHT, "9s", flags=("robbing_kong",)), rob_kong=False) == "not-allowed"


@pytest.mark.parametrize(
    "judged",
    [
        hand(STRAIGHT, "9s", turn=19),
        hand(STRAIGHT, "9s", turn=0),
        hand(STRAIGHT, "9s", riichi_turn=19),
        hand(STRAIGHT, "9s", riichi_turn=5, turn=4),
        hand(STRAIGHT, "9s", riichi_turn=5, turn=5, source=E),
        hand(STRAIGHT, "9s", riichi_turn=5, turn=5, source=None),
        hand(STRAIGHT, "9s", riichi_turn=5, turn=6, flags=("ippatsu",)),
        hand(STRAIGHT, "9s", riichi_turn=5, turn=7, source=None, flags=("ippatsu",)),
        hand(STRAIGHT, "9s", flags=("ippatsu",)),
        hand(STRAIGHT, "9s", flags=("double_riichi",)),
        hand(STRAIGHT, "9s", riichi_turn=2, turn=7, flags=("double_riichi",)),
        hand("1s 2s 3s 4s 5s 6s 7s 8s 6p 6p", "9s", meld_of(CHOW, "2m 3m 4m", E), riichi_turn=2, turn=7),
        hand(STRAIGHT, "9s", flags=("heavenly_hand",)),
        hand(STRAIGHT, "9s", source=None, flags=("heavenly_hand",)),
        hand(STRAIGHT, "9s", source=None, flags=("earthly_hand",), turn=2),
        hand(STRAIGHT, "9s", source=None, seat=E, flags=("earthly_hand",)),
        hand(STRAIGHT, "9s", source=None, flags=("earthly_hand", "heavenly_hand")),
        hand("1s 2s 3s 4s 5s 6s 7s 8s 6p 6p", "9s", meld_of(CONCEALED, "2m 2m 2m 2m", None), source=None, flags=("earthly_hand",)),
        hand(STRAIGHT, "9s", dora="1m 2m 3m 4m 5m 6m"),
        hand(STRAIGHT, "9s", flags=("hat",)),
        hand(STRAIGHT, "9s", flags=("last_draw",)),
    ],
)
def test_a_hand_that_cannot_have_been_is_an_error(judged: SeigoHand) -> None:
    with pytest.raises(DocumentError):
        JUDGE.won(judged)


@pytest.mark.parametrize(("source", "turn"), [(W, 5), (N, 5), (E, 6), (None, 6)])
def test_ippatsu_reaches_to_the_next_own_draw_and_to_discards_before_it(source: Seat | None, turn: int) -> None:
    """リーチ後に次巡のツモまでの上がりを一発として認める (4)."""
    assert "ippatsu" in JUDGE.counts(hand(STRAIGHT, "9s", riichi_turn=5, turn=turn, source=source, flags=("ippatsu",)))


def request(**keys: object) -> dict[str, object]:
    return {"concealed": STRAIGHT, "winning": "9s", "self_drawn": False, "from": "W", "seat": "S", "round": "E", **keys}


def test_a_request_names_turns_and_indicators_and_gets_fu() -> None:
    line = json.dumps(request(turn=5, riichi_turn=5, flags=["ippatsu"], dora="5s", ura="1m 9p"))
    answer = outcome_json(judge_with_note(line, "seigo", {})[0])
    assert answer["win"] is True
    assert (answer["total"], answer["fu"]) == (7, 30)
    assert answer["payments"] == {"E": 0, "S": 12000, "W": -12000, "N": 0}


@pytest.mark.parametrize(
    "keys", [{"turn": 19}, {"turn": "1"}, {"riichi_turn": 0}, {"dora": "0m"}, {"red": "4m"}, {"red": "5m 5m"}, {"kan": 1}]
)
def test_a_request_that_is_not_written_right_is_an_error(keys: dict[str, object]) -> None:
    with pytest.raises(DocumentError):
        judge_with_note(json.dumps(request(**keys)), "seigo", {})


# A second opinion on what is complete: the library's own, which knows nothing of ours.

LIBRARY_ORDER = parse_tiles("123456789m 123456789p 123456789s ESWN PFC")


@st.composite
def nearly_complete(draw: st.DrawFn) -> tuple[Tile, ...]:
    """Sets and a pair of few kinds, pairs, or orphans, with a tile or two exchanged."""
    lowest = draw(st.sampled_from([0, 5, 9, 18, 27]))
    shape = draw(st.integers(0, 3))
    tiles: list[int] = []
    if shape == 0:
        for kind in draw(st.lists(st.integers(lowest, lowest + 6), min_size=7, max_size=7)):
            tiles += [kind, kind]
    elif shape == 1:
        tiles = [0, 8, 9, 17, 18, 26, *range(27, 34), draw(st.sampled_from([0, 26, 33]))]
    else:
        for _ in range(4):
            first = lowest + draw(st.integers(0, 5))
            is_run = draw(st.booleans()) and lowest < 27 and first % 9 <= 6
            tiles += [first, first + 1, first + 2] if is_run else [first] * 3
        tiles += [lowest + draw(st.integers(0, 5))] * 2
    for _ in range(draw(st.integers(0, 2))):
        tiles[draw(st.integers(0, 13))] = draw(st.integers(0, 33))
    assume(max(tiles.count(kind) for kind in tiles) <= 4)
    return tuple(Tile(kind) for kind in sorted(tiles))


@law
@given(nearly_complete())
def test_a_hand_is_complete_as_the_library_finds(tiles: tuple[Tile, ...]) -> None:
    assert is_complete(counts_of(tiles), 0) is Agari.is_agari([tiles.count(tile) for tile in LIBRARY_ORDER])


@law
@given(nearly_complete())
def test_the_waits_are_every_kind_that_completes_the_hand(tiles: tuple[Tile, ...]) -> None:
    held = tiles[1:]
    found = {tile for tile in Tile if held.count(tile) < 4 and is_complete(counts_of((*held, tile)), 0)}
    assert waits(held, 0) == found


@law
@given(nearly_complete(), st.booleans(), st.sampled_from(SEATS), st.lists(st.sampled_from(LIBRARY_ORDER), max_size=3))
def test_a_closed_hand_is_worth_what_the_library_pays(tiles: tuple[Tile, ...], self_drawn: bool, seat: Seat, dora: list[Tile]) -> None:
    """Names, han and payments are put together here from the fan table: they must come to the library's han and cost."""
    assume(max(tiles.count(tile) + dora.count(tile) for tile in Tile) <= 4)
    outcome = rule_set("seigo").score(
        SeigoHand(seat, E, tiles[1:], (), tiles[0], None if self_drawn else seat.next, dora=tuple(dora), riichi_turn=3)
    )
    ids_136 = [4 * LIBRARY_ORDER.index(tile) + tiles[:index].count(tile) for index, tile in enumerate(tiles)]
    found = HandCalculator.estimate_hand_value(
        ids_136,
        ids_136[0],
        dora_indicators=[4 * LIBRARY_ORDER.index(tile) for tile in dora],
        config=HandConfig(
            is_tsumo=self_drawn,
            is_riichi=True,
            player_wind=27 + seat.index,
            round_wind=27,
            options=OptionalRules(has_open_tanyao=True, has_double_yakuman=False),
        ),
    )
    if not isinstance(outcome, Win):
        assert found.error == HandCalculator.ERR_HAND_NOT_WINNING
        return
    assert found.cost is not None
    assert (outcome.total, outcome.fu) == (found.han, found.fu)
    assert outcome.payments[seat] == found.cost["total"]
