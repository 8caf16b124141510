"""The fans of duplicate MCR: every one of the list with its example, and the principles of 1998 by which they count."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.support.game.tables import hand_of, meld_of
from tests.support.narrowed import of_type
from tests.support.tiers import law
from tools.rule_pages.mcr_duplicate import PAGE
from tools.rule_pages.rule_page import FanRow
from twinwall.game.play import chows_with
from twinwall.game.play_events import Meld, MeldType
from twinwall.game.rule_set import FLAGS, Fan, Win, WinningHand
from twinwall.game.rules import rule_set
from twinwall.game.rules.mcr_duplicate.fans import FAN_KINDS, our_fans
from twinwall.game.tiles import ALL_TILES, SEATS, Seat, Tile, parse_tiles

E, S, W, N = SEATS
PUNG, CHOW, KONG, ADDED, HIDDEN = MeldType.PUNG, MeldType.CHOW, MeldType.KONG, MeldType.ADDED_KONG, MeldType.CONCEALED_KONG
RULES = rule_set("mcr-duplicate", {"minimum": 0})
KINDS = {kind.id: kind for kind in FAN_KINDS}


def win(hand: WinningHand, **options: object) -> Win:
    return of_type(Win, rule_set("mcr-duplicate", {"minimum": 0, **options}).score(hand))


def counts(hand: WinningHand) -> dict[str, int]:
    """Fan ids with how often each counts."""
    return {fan.id: fan.count for fan in win(hand).fans}


def test_the_list_of_1998_is_whole_but_for_flowers_and_has_the_mixed_pair_of_kongs_besides() -> None:
    assert len(FAN_KINDS) == len(KINDS) == 81 - 1 + 1
    assert Counter(kind.value for kind in FAN_KINDS if kind.id != "concealed-kong-and-melded-kong") == {
        88: 7, 64: 6, 48: 2, 32: 3, 24: 9, 16: 6, 12: 5, 8: 9, 6: 7, 4: 4, 2: 10, 1: 12,
    }  # fmt: skip


def test_names_of_each_language_are_different_and_the_most_valuable_come_first() -> None:
    for names in ([kind.english for kind in FAN_KINDS], [kind.chinese for kind in FAN_KINDS], [kind.japanese for kind in FAN_KINDS]):
        assert len(set(names)) == len(names)
        assert all(names)
    assert [kind.value for kind in FAN_KINDS] == sorted((kind.value for kind in FAN_KINDS), reverse=True)
    assert all(set(kind.excludes) <= KINDS.keys() - {kind.id} for kind in FAN_KINDS)


@pytest.mark.parametrize("row", PAGE.fans, ids=lambda row: row.kind.id)
def test_the_example_of_a_fan_wins_with_it_and_says_its_id_name_and_value(row: FanRow) -> None:
    example, kind = row.example, row.kind
    outcome = of_type(Win, rule_set("mcr-duplicate", example.options).score(row.hand))
    assert Fan(kind.id, kind.chinese, kind.value, example.fans[kind.id]) in outcome.fans
    assert outcome.total == sum(KINDS[fan].value * count for fan, count in example.fans.items()) >= 8
    assert [fan.value for fan in outcome.fans] == sorted((fan.value for fan in outcome.fans), reverse=True)


def test_a_fan_that_counts_twice_says_so() -> None:
    outcome = win(hand_of("2m 2m 2m 2p 2p 2p 5s 5s 5s 5p 5p C C", "5p", source=S))
    assert Fan("double-pung", "双同刻", 2, 2) in outcome.fans


@pytest.mark.parametrize(("points", "name"), [(3, "清一色"), (8, "新番"), (120, "清一色")])
def test_a_fan_of_the_library_that_is_not_in_the_table_is_named(points: int, name: str) -> None:
    with pytest.raises(LookupError, match=f"{name} for {points} points.*uv.lock"):
        our_fans([(2, "断幺"), (points, name)])
    assert [fan.id for fan in our_fans([(24, "清一色"), (2, "断幺")])] == ["full-flush", "all-simples"]


def test_mixed_kongs_can_be_counted_singly() -> None:
    hand = hand_of("1m 2m 3m 4m 5m C C", "6m", melds=(meld_of(HIDDEN, "9m9m9m9m", None), meld_of(KONG, "2p2p2p2p", S)))
    together, singly = win(hand), win(hand, mixed_kongs=False)
    assert together.total - singly.total == 5 - (2 + 1)
    assert {"concealed-kong": 1, "melded-kong": 1}.items() <= {fan.id: fan.count for fan in singly.fans}.items()


SPECIAL = {
    "seven-pairs": hand_of("1m1m 3m3m 5p5p 7p7p 2s2s 9s9s E", "E"),
    "seven-shifted-pairs": hand_of("1m1m2m2m3m3m4m4m5m5m6m6m7m", "7m"),
    "thirteen-orphans": hand_of("1m9m1p9p1s9sESWNCFP", "1m"),
    "nine-gates": hand_of("1m1m1m2m3m4m5m6m7m8m9m9m9m", "5m"),
    "four-concealed-pungs": hand_of("2m2m2m 5m5m5m 7p7p7p 8s8s8s E", "E"),
    "lesser-honors-and-knitted-tiles": hand_of("1m4m7m 2p5p8p 3s6s9s ESWN", "C"),
    "greater-honors-and-knitted-tiles": hand_of("1m4m 2p5p8p 3s6s ESWNCF", "P"),
}


@pytest.mark.parametrize("fan", SPECIAL)
def test_wmo_s_book_adds_a_fully_concealed_hand_to_a_self_drawn_special_one(fan: str) -> None:
    by_1998, by_wmo = win(SPECIAL[fan]), win(SPECIAL[fan], book="wmo")
    assert {each.id for each in by_1998.fans} - {each.id for each in by_wmo.fans} == {"self-drawn"}
    assert {each.id for each in by_wmo.fans} - {each.id for each in by_1998.fans} == {"fully-concealed-hand"}
    assert (by_wmo.total - by_1998.total, fan in {each.id for each in by_wmo.fans}) == (3, True)
    discarded = replace(SPECIAL[fan], source=S)
    assert win(discarded, book="wmo") == win(discarded)


def test_wmo_s_book_pays_more_for_pairs_of_kongs() -> None:
    hidden, melded = meld_of(HIDDEN, "9m9m9m9m", None), meld_of(KONG, "2p2p2p2p", S)
    two, mixed = (hand_of("1m 2m 3m 4m 5m C C", "6m", melds=(hidden, meld)) for meld in (meld_of(HIDDEN, "8s8s8s8s", None), melded))
    assert [win(hand, book="wmo").total - win(hand).total for hand in (two, mixed)] == [8 - 6, 6 - 5]
    assert win(mixed, mixed_kongs=False, book="wmo") == win(mixed, mixed_kongs=False)
    assert [fan.value for fan in win(two, book="wmo").fans] == sorted((fan.value for fan in win(two, book="wmo").fans), reverse=True)


# The principles of the fan book of 1998.


def test_what_a_fan_is_made_of_does_not_count_again() -> None:
    """Non-repeat: 123 456 789 has two short straights and two terminal chows within, a dragon pung is a pung of honours."""
    assert counts(hand_of("123456789m 34m EE", "5m")) == {"pure-straight": 1, "half-flush": 1, "fully-concealed-hand": 1}
    assert "pung-of-terminals-or-honors" not in counts(hand_of("CCC 444m 345p 67s 99s", "8s"))


def test_sets_once_combined_are_not_parted_again() -> None:
    """Non-separation: three equal chows are not read as pungs beside, nor four tiles alike as seven pairs."""
    assert "pure-shifted-pungs" not in counts(hand_of("234m 234m 56p 99s", "7p", melds=(meld_of(CHOW, "2m3m4m", N),)))
    assert "seven-pairs" not in counts(hand_of("223344m 223344m C", "C"))


def test_each_further_set_is_combined_once_with_one_that_is_used() -> None:
    """Account-once: of 234m 234p 234s and 567m only one of 567m's short straights counts, and 123m beside 123p 123s 456m likewise."""
    assert counts(hand_of("234m 234p 234s 56m EE", "7m")) == {"mixed-triple-chow": 1, "fully-concealed-hand": 1, "short-straight": 1}
    fans = counts(hand_of("123m 456m 456p 45p EE", "6p"))
    assert sum(fans[fan] for fan in ("pure-double-chow", "mixed-double-chow", "short-straight")) == 3


def test_the_division_worth_most_counts() -> None:
    """Freedom of choice of the highest: 222333444m is three pungs in a row, unless equal chows are worth more."""
    concealed = counts(hand_of("222333444m 56p 99s", "7p"))
    assert "pure-shifted-pungs" in concealed
    assert "pure-triple-chow" not in concealed


def test_four_alike_are_a_tile_hog_in_seven_pairs_too_but_a_kong_is_none() -> None:
    assert counts(hand_of("1111m 33m 55p 77s EE C", "C"))["tile-hog"] == 1
    assert "tile-hog" not in counts(hand_of("12345m 678s CC", "6m", melds=(meld_of(HIDDEN, "9m9m9m9m", None),)))


def test_another_pung_counts_beside_three_winds_but_theirs_do_not() -> None:
    melds = tuple(meld_of(PUNG, wind * 3, S) for wind in "SWN")
    assert counts(hand_of("55p 99m", "9m", melds=melds, source=S))["pung-of-terminals-or-honors"] == 1
    assert "pung-of-terminals-or-honors" not in counts(hand_of("55p 78m", "9m", melds=melds, source=S))


def test_a_pung_completed_on_a_discard_is_not_concealed_and_one_that_was_drawn_is() -> None:
    tiles = "222m 555m 777p 88s EE"
    assert "four-concealed-pungs" in counts(hand_of(tiles, "8s"))
    on_discard = counts(hand_of(tiles, "8s", source=W))
    assert "three-concealed-pungs" in on_discard
    assert "all-pungs" in on_discard


def test_a_wind_that_is_both_the_seat_s_and_the_round_s_counts_twice_and_another_once_as_a_pung_of_honours() -> None:
    tiles, winning = "EEE 444m 345p 67s 99s", "8s"
    assert {"prevalent-wind", "seat-wind"} <= counts(hand_of(tiles, winning)).keys()
    assert "seat-wind" not in counts(hand_of(tiles, winning, seat=S))
    other = counts(hand_of(tiles, winning, seat=S, wind=S))
    assert other["pung-of-terminals-or-honors"] == 1
    assert not {"prevalent-wind", "seat-wind"} & other.keys()


# How the hand was completed.


@pytest.mark.parametrize(
    ("tiles", "winning", "wait"),
    [
        ("12m 456p 456s 777s EE", "3m", "edge-wait"),
        ("89m 456p 456s 777s EE", "7m", "edge-wait"),
        ("46m 456p 456s 777s EE", "5m", "closed-wait"),
        ("234m 456p 456s 777s E", "E", "single-wait"),
        ("23m 456p 456s 777s EE", "4m", None),
        ("2345m 456p 456s 777s", "2m", None),
        ("2444m 456p 456s 777s", "3m", None),
        ("33m 456p 456s 777s EE", "3m", None),
    ],
)
def test_a_wait_counts_only_when_nothing_else_completes_the_hand(tiles: str, winning: str, wait: str | None) -> None:
    """The fifth to the eighth wait for two kinds: 1m or 4m, 2m or 5m, 2m or 3m, 3m or E."""
    found = counts(hand_of(tiles, winning)).keys() & {"edge-wait", "closed-wait", "single-wait"}
    assert found == ({wait} if wait else set())


def test_a_kind_of_which_the_winner_holds_all_four_still_counts_as_waited_for() -> None:
    """1m 234m waits for 1m and 4m, also where the 4m are all in the hand: PyMahjongGB's reading, and so ours."""
    assert "single-wait" not in counts(hand_of("1m 234m 444m 567p 678s", "1m"))
    assert "single-wait" not in counts(hand_of("1m 234m 777m 567p 678s", "1m"))
    assert "single-wait" in counts(hand_of("1m 345m 777m 567p 678s", "1m"))


PLAIN = "234m 777m CC 34p 678s"


@pytest.mark.parametrize(
    ("flags", "source", "added"),
    [
        ({"last_draw"}, None, {"last-tile-draw"}),
        ({"last_discard"}, S, {"last-tile-claim"}),
        ({"robbing_kong"}, S, {"robbing-the-kong"}),
        ({"last_of_kind"}, S, {"last-tile"}),
        ({"last_of_kind"}, None, {"last-tile"}),
        ({"robbing_kong", "last_of_kind"}, S, {"robbing-the-kong"}),
        ({"robbing_kong", "last_discard"}, S, {"robbing-the-kong", "last-tile-claim"}),
        ({"after_kong_discard"}, S, set()),
    ],
)
def test_a_flag_adds_its_fan_and_after_kong_discard_adds_nothing(flags: set[str], source: Seat | None, added: set[str]) -> None:
    without = counts(hand_of(PLAIN, "5p", source=source)).keys()
    assert counts(hand_of(PLAIN, "5p", source=source, flags=frozenset(flags))).keys() - without == added


def test_a_replacement_that_is_the_last_tile_counts_for_both() -> None:
    kong = (meld_of(HIDDEN, "9m9m9m9m", None),)
    fans = counts(hand_of("234m CC 34p 678s", "5p", melds=kong, flags=frozenset({"kong_replacement", "last_draw"})))
    assert {"out-with-replacement-tile", "last-tile-draw"} <= fans.keys()
    assert "self-drawn" not in fans


# Laws, over hands of four sets and a pair.

CHOWS = sorted({chow for tile in ALL_TILES for chow in chows_with(tile)})


@st.composite
def hands(draw: st.DrawFn) -> WinningHand:
    """Four sets and a pair, mostly near each other so that fans come about, some sets laid open."""
    near = draw(st.integers(0, 24))
    lowest = st.integers(max(0, near - 3), min(33, near + 9))
    chow = st.sampled_from([chow for chow in CHOWS if near - 3 <= chow[0] <= near + 9] or CHOWS)
    pung = lowest.map(lambda tile: (Tile(tile),) * 3)
    sets = draw(st.lists(st.one_of(chow, pung, pung), min_size=4, max_size=4))
    pair = Tile(draw(lowest))
    melds, concealed = [], [pair, pair]
    for group in sets:
        laid = draw(st.sampled_from([None, None, PUNG, KONG, ADDED, HIDDEN]))
        if laid is None:
            concealed += group
        elif group[0] is not group[1]:
            melds.append(Meld(CHOW, group, N))
        else:
            melds.append(Meld(laid, group if laid is PUNG else group[:1] * 4, None if laid is HIDDEN else S))
    tiles = Counter(concealed)
    tiles.update(tile for meld in melds for tile in meld.tiles)
    assume(max(tiles.values()) <= 4)
    winning = concealed.pop(draw(st.integers(0, len(concealed) - 1)))
    return WinningHand(E, draw(st.sampled_from(SEATS)), tuple(concealed), tuple(melds), winning, draw(st.sampled_from([None, S])))


@law
@given(hands())
def test_a_fan_never_stands_beside_the_fan_that_replaces_it(hand: WinningHand) -> None:
    fans = counts(hand).keys()
    for fan in fans:
        assert not fans & set(KINDS[fan].excludes), fan


GREEN = frozenset(parse_tiles("23468s F"))
REVERSIBLE = frozenset(parse_tiles("1234589p 245689s P"))
MIDDLE, OF_TERMINALS = {4, 5, 6}, {1, 9}


def ranks(tiles: Counter[Tile]) -> set[int | None]:
    """The numbers that occur; None where there are honours."""
    return {None if tile.is_honour else tile.rank for tile in tiles}


def suits(tiles: Counter[Tile]) -> int:
    return len({tile // 9 for tile in tiles if not tile.is_honour})


def has_honours(tiles: Counter[Tile]) -> bool:
    return None in ranks(tiles)


BY_TILES: dict[str, Callable[[Counter[Tile]], bool]] = {
    "all-green": lambda tiles: tiles.keys() <= GREEN,
    "all-terminals": lambda tiles: ranks(tiles) <= OF_TERMINALS,
    "all-honors": lambda tiles: ranks(tiles) == {None},
    "all-terminals-and-honors": lambda tiles: ranks(tiles) <= {*OF_TERMINALS, None},
    "full-flush": lambda tiles: suits(tiles) == 1 and not has_honours(tiles),
    "half-flush": lambda tiles: suits(tiles) == 1 and has_honours(tiles),
    "upper-tiles": lambda tiles: ranks(tiles) <= {7, 8, 9},
    "middle-tiles": lambda tiles: ranks(tiles) <= MIDDLE,
    "lower-tiles": lambda tiles: ranks(tiles) <= {1, 2, 3},
    "upper-four": lambda tiles: ranks(tiles) <= {6, 7, 8, 9},
    "lower-four": lambda tiles: ranks(tiles) <= {1, 2, 3, 4},
    "reversible-tiles": lambda tiles: tiles.keys() <= REVERSIBLE,
    "all-types": lambda tiles: suits(tiles) == 3 and any(27 <= tile < 31 for tile in tiles) and any(tile >= 31 for tile in tiles),
    "all-simples": lambda tiles: not ranks(tiles) & {*OF_TERMINALS, None},
    "one-voided-suit": lambda tiles: suits(tiles) == 2,
    "no-honors": lambda tiles: not has_honours(tiles),
}
"""What the fans that look at the kinds of tiles alone ask for, in words of our own."""


@law
@given(hands())
def test_a_fan_of_kinds_counts_exactly_when_its_tiles_are_there_and_nothing_takes_its_place(hand: WinningHand) -> None:
    tiles = Counter([*hand.concealed, hand.winning, *(tile for meld in hand.melds for tile in meld.tiles)])
    fans = counts(hand).keys()
    replaced = {other for fan in fans for other in KINDS[fan].excludes}
    assert fans & BY_TILES.keys() == {fan for fan, holds in BY_TILES.items() if holds(tiles)} - replaced


@law
@given(hands())
def test_kongs_and_four_alike_count_as_often_as_they_are_there(hand: WinningHand) -> None:
    tiles = Counter([*hand.concealed, hand.winning, *(tile for meld in hand.melds for tile in meld.tiles)])
    concealed = sum(meld.type is HIDDEN for meld in hand.melds)
    melded = sum(meld.type in (KONG, ADDED) for meld in hand.melds)
    fans = counts(hand)
    of_kongs = {fan for fan in fans if fan.endswith(("kong", "kongs"))}
    expected = {
        (0, 0): set(),
        (0, 1): {"melded-kong"},
        (1, 0): {"concealed-kong"},
        (0, 2): {"two-melded-kongs"},
        (2, 0): {"two-concealed-kongs"},
        (1, 1): {"concealed-kong-and-melded-kong"},
    }
    assert of_kongs == expected.get((concealed, melded), {"three-kongs" if concealed + melded == 3 else "four-kongs"})
    if "quadruple-chow" not in fans:
        assert fans.get("tile-hog", 0) == sum(count == 4 for count in tiles.values()) - concealed - melded


@law
@given(hands(), st.sampled_from([S, W, N]))
def test_which_of_the_other_seats_discarded_changes_no_fan(hand: WinningHand, source: Seat) -> None:
    assert win(replace(hand, source=source)).fans == win(replace(hand, source=S)).fans


@law
@given(hands(), st.permutations(range(3)))
def test_the_suits_may_change_places_but_for_green_and_reversible_tiles(hand: WinningHand, order: list[int]) -> None:
    def moved(tile: Tile) -> Tile:
        return tile if tile.is_honour else Tile(9 * order[tile // 9] + tile % 9)

    melds = tuple(Meld(meld.type, tuple(map(moved, meld.tiles)), meld.source) for meld in hand.melds)
    other = replace(hand, concealed=tuple(map(moved, hand.concealed)), melds=melds, winning=moved(hand.winning))
    if not {"all-green", "reversible-tiles"} & (counts(hand).keys() | counts(other).keys()):
        assert win(other).fans == win(hand).fans


@law
@given(hands(), st.sets(st.sampled_from(sorted(FLAGS - {"kong_replacement"})), max_size=2))
def test_a_flag_never_makes_a_hand_worth_less_unless_it_was_a_chicken_hand(hand: WinningHand, flags: set[str]) -> None:
    draw, discard = {"last_draw"}, {"last_discard", "robbing_kong", "after_kong_discard"}
    plain = win(hand)
    flagged = win(replace(hand, flags=frozenset(flags - (discard if hand.source is None else draw))))
    assert flagged.total >= plain.total - (8 if "chicken-hand" in {fan.id for fan in plain.fans} else 0)
