"""Turn order, claims, kongs and the end of a hand of Sichuan, against 四川ルール 血戦到底 (blog, revised 29 September 2018)."""

from __future__ import annotations

import pytest

from tests.support.game import scripted
from tests.support.game.scripted import FACE_DOWN, NOTHING, ScriptedHand
from tests.support.narrowed import of_type, present
from twinwall.game.play import Phase
from twinwall.game.play_events import (
    Claim,
    EndReason,
    HandEnded,
    HandLaidOpen,
    HandRuledDead,
    HandShown,
    KongDeclared,
    Meld,
    MeldType,
    Offence,
    PenaltyRuled,
    TileDiscarded,
    WinDeclared,
    WinRefused,
    totals,
)
from twinwall.game.rules import rule_set
from twinwall.game.rules.sichuan.scoring import SichuanHand
from twinwall.game.rules.sichuan.state import SichuanState, of_sichuan
from twinwall.game.tiles import SEATS, Seat, Tile, parse_tiles

E, S, W, N = SEATS
RULES = rule_set("sichuan")
PLAIN = parse_tiles("1m 2m 3m 4m 5m 6m 7p 8p 9p 2p 2p 5p 6p")
PUNG_OF_2M = "E 2m, S pung, S 9p, W 8p, N 8p, E 1m"


class Hand(ScriptedHand):
    def __init__(self, *left: int) -> None:
        super().__init__(RULES, *left)

    @property
    def sichuan(self) -> SichuanState:
        return of_sichuan(self.state)

    def flags(self, seat: Seat) -> frozenset[str]:
        return present(self.sichuan.win_of(seat)).flags

    def all_laid_open(self) -> Hand:
        return self.after(*(HandLaidOpen(seat, PLAIN) for seat in SEATS))


def test_the_dealer_draws_its_fourteenth_tile_and_play_goes_counter_clockwise() -> None:
    """親は,手牌のうち不要な牌を1枚捨てます … 反時計回りに順に,山から1枚牌を引き."""
    assert Hand().allowed.draw is E
    assert all(Hand().state.seat(seat).draws_left == 14 for seat in SEATS)
    Hand().after("E 2m, S 1m, W 1m, N 1m, E 2m")


def test_there_is_no_chow() -> None:
    """なお,チーはありません."""
    hand = Hand().after("E 2m")
    assert hand.claims == {seat: {Claim.WIN, Claim.PUNG, Claim.KONG} for seat in (S, W, N)}
    assert hand.reason("S chow 1m2m3m") == "not-allowed"


@pytest.mark.parametrize(
    ("script", "following"),
    [
        ("E 2m, N pung, N 9p, passed", E),
        ("E 2m, W kong", W),
        ("E 2m, W kong, W 9p, passed", N),
        ("E 7p, S wins, passed", W),
        ("E 7p, W wins, passed", N),
        ("E 7p, N wins, passed", E),
        ("E 7p, S wins, W wins, passed", N),
        ("E 7p, W wins, S wins, passed", N),
        ("E 7p, S wins, N wins, passed", E),
        ("E 7p, W wins, N wins, passed", E),
        ("E 7p, W wins, N 1m, E 7p, S wins, passed", N),
        (f"{PUNG_OF_2M}, S late 2m, passed", S),
        (f"{PUNG_OF_2M}, S adds 2m, W wins, E wins, passed", S),
    ],
)
def test_who_draws_after_claims_wins_and_kongs(script: str, following: Seat) -> None:
    """次の順番はポンした人の右隣り · 次のツモ位置から1枚手に補充し · 次のツモ順は,上がった人の次の人,
    2人同時に上がったときは,2人のうち捨て牌から順番が遠い方の人の次の人です; a robbed seat goes on without a discard."""
    assert Hand().after(script).allowed.draw is following


def test_a_win_goes_before_pung_and_kong_and_all_who_can_may_win() -> None:
    """ポンと上がりが同時にあったときは,上がりが優先されます … 2人,3人が同時に上がることもできます."""
    hand = Hand().after("E 2m")
    assert RULES.priority(hand.state, {S: Claim.PUNG, W: Claim.WIN, N: Claim.WIN}) == (W, N, S)
    assert hand.after("N wins").claims == {S: {Claim.WIN}, W: {Claim.WIN}}
    assert hand.reason("S pung") == "not-allowed"


def test_after_a_self_drawn_win_the_next_seat_draws_and_the_winner_is_passed_over_from_then_on() -> None:
    """上がった人は,その手から抜け,手が終わるまで何もしません."""
    hand = Hand().after("E 1m, S wins 9s, W 2m")
    assert set(hand.claims) == {E, N}
    assert hand.reason("S wins") == "not-allowed"
    hand.after("N 3m, E 4m, W draws")


def test_the_hand_ends_when_three_have_won_and_all_lay_their_hands_open() -> None:
    """3人が上がるか,牌の山がなくなったら,その手は終わりです; 上がっても,手が終わるまでは,手を公開しません."""
    hand = Hand().after("E 7p, S wins, W wins 7p, N 7p, E wins")
    assert hand.state.phase is Phase.SHOW
    assert hand.reason(HandLaidOpen(N, PLAIN)) == "not-now"
    for seat in (S, W, E):
        assert hand.allowed.show is seat
        hand.after(HandShown(seat, PLAIN, Tile.P7))
    assert hand.reason(HandEnded(EndReason.WON, NOTHING)) == "not-now"
    assert hand.after(HandLaidOpen(N, PLAIN)).allowed.ended is EndReason.WON
    assert hand.reason(HandEnded(EndReason.DRAWN, NOTHING)) == "not-allowed"
    assert hand.reason(HandEnded(EndReason.WON, {**NOTHING, E: 1})) == "wrong-scores"
    hand.after(HandEnded(EndReason.WON, NOTHING))
    assert Hand().after("E 7p, S wins, W wins, N wins").allowed.show is S, "three on one discard end it at once"


def test_the_hand_ends_when_the_seat_to_draw_has_an_empty_wall_and_no_winner_s_wall_ends_it() -> None:
    """Own walls, by the rule page: or when a live player must draw from an empty own wall."""
    hand = Hand().with_draws(S=0).after("E 1m, passed")
    assert hand.allowed.show is E
    assert hand.all_laid_open().allowed.ended is EndReason.DRAWN
    Hand().with_draws(S=0).after("E 7p, S wins, W 1m, N 2m, E 3m, W draws")


def test_no_kong_is_made_without_a_tile_to_replace_it() -> None:
    hand = Hand(1, 0).after("E draws")
    assert hand.allowed.kong is None
    assert hand.reason("E conceals 1m") == "not-allowed"
    claims = hand.after("E 1m").claims
    assert (claims[S], claims[W]) == ({Claim.WIN, Claim.PUNG}, {Claim.WIN, Claim.PUNG, Claim.KONG})


def test_one_tile_of_a_concealed_kong_lies_face_up_and_it_is_never_late() -> None:
    """この4枚の1枚を表,残りを裏向きにしてさらし."""
    hand = Hand().after("E draws")
    assert hand.reason(KongDeclared(E, FACE_DOWN)) == "wrong-tiles"
    assert hand.reason(KongDeclared(E, Meld(MeldType.CONCEALED_KONG, (Tile.M3,) * 4, None), late=True)) == "wrong-tiles"
    assert hand.after("E conceals 3m, E draws").reason(TileDiscarded(E, Tile.M3)) == "wrong-tiles"


def test_a_robbed_kong_becomes_a_pung_again() -> None:
    """面下槓 … 搶槓されることがあります; カンした人の振り込み扱い."""
    hand = Hand().after(PUNG_OF_2M, "S adds 2m")
    assert hand.claims == {seat: {Claim.WIN} for seat in (E, W, N)}
    hand.after("W wins, E wins")
    assert [meld.type for meld in hand.state.seat(S).melds] == [MeldType.PUNG]
    assert not hand.sichuan.kongs
    assert hand.flags(W) == hand.flags(E) == {"robbing_kong"}


def test_an_added_kong_that_is_not_robbed_is_late_as_it_was_said() -> None:
    hand = Hand().after(PUNG_OF_2M, "S late 2m, S draws, S wins 9s")
    assert hand.sichuan.kongs[0].late
    assert "kong_replacement" in hand.flags(S)


@pytest.mark.parametrize(
    ("script", "melds"),
    [
        ("E 2m, S pung, S 9p, W 5m, S kong, S draws, S adds 2m, S draws, S wins 9s", (MeldType.KONG, MeldType.ADDED_KONG)),
        ("E conceals 1s, E 2m, S pung, S 9p, W 5m, S kong, S draws, S wins 9s", (MeldType.PUNG, MeldType.KONG)),
    ],
)
def test_the_last_kong_stands_last_among_the_melds_whatever_place_its_pung_has(script: str, melds: tuple[MeldType, ...]) -> None:
    """カンの補充牌でもう一度カンして上がった場合は,ツモです: an added kong after a claimed one."""
    judged = of_type(SichuanHand, RULES.winning_hand(Hand().after(script).state, HandShown(S, (), Tile.S9), E))
    assert tuple(meld.type for meld in judged.melds) == melds


@pytest.mark.parametrize(
    ("script", "flags"),
    [
        pytest.param("E wins 7p", {E: {"heavenly_hand"}}, id="the dealer's first draw"),
        pytest.param("E 1m, S wins 7p, W wins 7p", {S: {"earthly_hand"}, W: {"earthly_hand"}}, id="another's first draw"),
        pytest.param("E 1m, W pung, W 9p, N wins 7p", {N: set()}, id="not after a claim"),
        pytest.param("E conceals 3m, E draws, E wins 7p", {E: {"kong_replacement"}}, id="a replacement"),
        pytest.param(
            "E conceals 3m, E draws, E 7p, S wins, N wins, E 8s, W wins",
            {S: {"after_kong_discard"}, N: {"after_kong_discard"}, W: set()},
            id="the discard after a kong",
        ),
        pytest.param("E 7p, S 7p, W 1p, N wins 7p", {N: {"earthly_hand"}}, id="two others lie open"),
        pytest.param("E 7p, S 7p, W 7p, N wins 7p", {N: {"earthly_hand", "last_of_kind"}}, id="three others lie open"),
        pytest.param("E 7p, S 7p, W 7p, N 7p, E wins, S wins", {E: {"last_of_kind"}, S: {"last_of_kind"}}, id="the fourth copy"),
    ],
)
def test_wins_are_marked(script: str, flags: dict[Seat, set[str]]) -> None:
    """天和 and 地和; *絶張 待ち牌が1枚以外すべて捨てられるか,ポン,カンで公開されているとき."""
    hand = Hand().after(script)
    assert {seat: hand.flags(seat) for seat in flags} == flags
    assert all(kong.handed_to == (S, N) for kong in hand.sichuan.kongs if S in flags)


def test_the_last_tile_is_that_after_which_no_seat_in_play_can_draw() -> None:
    """*海底 山の最後の牌での自摸上がり,および最後の牌を引いた人の捨て牌での振り込み; walls of winners hold none."""
    assert "last_draw" in Hand(1, 1, 0, 0).after("E 1m, S wins 7p").flags(S)
    discarded = Hand(1, 1, 0, 0).after("E 1m, S 7p, E wins, N wins")
    assert discarded.flags(E) == discarded.flags(N) == {"last_discard"}
    assert "last_draw" in Hand(1, 5, 1, 0).after("E 7p, S wins, W wins 7p").flags(W)


def test_a_winning_tile_lies_open_once_whoever_won_with_it() -> None:
    assert Hand().after("E 1m, S 7p, W 7p, N wins, E wins, S 7p, W 7p, S draws").reason("S 7p") == "wrong-tiles"


def test_what_is_shown_must_be_what_was_declared_and_have_the_right_count() -> None:
    hand = Hand().after("E 7p, S wins, W wins, N wins")
    for shown in (HandShown(S, PLAIN, Tile.P4), HandShown(S, PLAIN[1:], Tile.P7), HandShown(S, PLAIN, Tile.P7, (Tile.M1,))):
        assert hand.reason(shown) == "wrong-tiles"
    refused = WinRefused(S, "not-a-win")
    assert hand.reason(HandShown(W, PLAIN, Tile.P7)) == hand.reason(refused) == "not-now"
    hand.after(HandShown(S, PLAIN, Tile.P7), refused)
    assert [win.seat for win in hand.sichuan.standing] == [W, N]
    assert hand.reason(refused) == "not-now"


def test_a_self_drawn_winning_tile_is_named_and_must_be_possible() -> None:
    """山から引いた牌を手の右側に表向きに置いて上れます."""
    hand = Hand().after("E 7p, S 7p, W 7p, N 7p, E draws")
    assert hand.reason(WinDeclared(E, None, None)) == hand.reason("E wins 7p") == "wrong-tiles"
    hand.after("E wins 4p")


def test_a_dead_hand_draws_and_discards_and_does_nothing_else() -> None:
    hand = Hand().after(HandRuledDead(S), "E 7p")
    assert hand.claims[S] == set()
    allowed = hand.after("S draws").allowed
    assert (allowed.discard, allowed.win, allowed.kong) == (S, None, None)
    assert hand.reason("S wins 4p") == "not-allowed"
    hand.after("S 1m")


def test_the_win_of_a_hand_that_is_ruled_dead_stands_no_more_and_its_seat_stays_out() -> None:
    assert Hand().after("E 7p, S wins, passed", HandRuledDead(S), "W 1m, N 2m, E 3m, W draws").sichuan.standing == ()


def test_penalties_are_paid_beside_everything_else() -> None:
    hand = Hand().with_draws(S=0).after(PenaltyRuled(W, Offence.CONDUCT, imp=0, points=5), "E 1m, passed").all_laid_open()
    assert totals(RULES.payments(hand.state, {})) == {E: 5, S: 5, W: -15, N: 5}


def test_a_referee_may_end_the_hand_at_any_time() -> None:
    assert Hand().after("E draws", HandEnded(EndReason.ANNULLED, NOTHING)).allowed.ended is EndReason.ANNULLED


WAITING = "1m 2m 3m 4m 5m 6m 7p 8p 9p 2p 2p 5p 6p"
"""Waits for 4p and 7p."""
PASSING = {
    "E": "4p 4p 7p 1s 1s 1s 9s 9s 9s 5s 5s 6s 6s | 1m 3s",
    "S": "7p 4p 1m 1m 2m 2m 3m 3m 8s 8s 7s 7s 2s | 9m",
    "W": "7p 8m 8m 8m 9m 9m 9m 3s 3s 4s 4s 2s 2s | 7m",
    "N": f"{WAITING} | 8m 1p",
}
"""N waits for 4p and 7p; E, S and W hold some."""
ROUND = "S 9m, W 7m, N 8m, E 1m, S 7p, N wins"
PUNG_PAST_N = {
    "E": "9m 9m 7p 1s 1s 1s 5s 5s 6s 6s 7s 8s 9s | 1m",
    "S": "7p 4p 1m 1m 2m 2m 3m 3m 8s 8s 7s 7s 2s | 9p",
    "W": "7p 8m 8m 8m 7m 7m 3s 3s 4s 4s 2s 2s 1p | 9m",
    "N": f"{WAITING} | 8m",
}
HOLDS_FOUR = {"E": "1m 1m 1m 1m 2m 3m 7p 8p 9p 2p 2p 5p 6p | 7p"}
TO_ADD = {"E": "5m 1m | 9s 9s", "W": "9p 8p | 7s", "N": "8p 1p | 6s"}
ADDING = "E 5m, S pung, S 9p, W 9p, N 8p, E 1m, S draws"


def objections(script: str, begun: dict[str, str], **options: object) -> list[tuple[int, str]]:
    return scripted.objections(ScriptedHand(RULES).after(script), scripted.begun_deal(RULES, **begun)[0], options)


@pytest.mark.parametrize(
    ("script", "begun", "options", "found"),
    [
        ("E 7p, S 7p, N wins", PASSING, {}, [(6, "passed-win")]),
        ("E 7p, S 4p, N wins", PASSING, {}, []),
        ("E 7p, S 4p, N wins", PASSING, {"passed_win": "any"}, [(6, "passed-win")]),
        (f"E 7p, {ROUND}", PASSING, {"passed_win": "any"}, []),
        ("E 7p, S 9p, W 9m, E pung, E 5s, S 7p, N wins", PUNG_PAST_N, {"passed_win": "any"}, []),
    ],
    ids=["the same tile", "another tile", "any tile by option", "after the own turn", "a turn that a pung passes over"],
)
def test_a_tile_that_was_let_pass_may_not_be_won_on_before_the_own_turn(
    script: str, begun: dict[str, str], options: dict[str, object], found: list[tuple[int, str]]
) -> None:
    """一度見逃した牌は,自分の順番が来る前には上がれません · ポン・カンで順番が飛ばされたときは,
    順番が来たものとみなします: E pungs W's 9m, past N."""
    assert objections(script, begun, **options) == found


@pytest.mark.parametrize(
    ("script", "begun", "last", "found"),
    [
        ("E 7p, passed", PASSING, 56, [(3, "must-win")]),
        ("E 7p, passed", PASSING, 55, []),
        ("E 7p, passed", PASSING, 0, []),
        ("E 7p, S pung", {"E": "7p 1s | 1m", "S": "7p 7p | 9m", "N": WAITING}, 60, [(3, "must-win")]),
        ("E 7p", HOLDS_FOUR, 56, [(2, "must-win")]),
        ("E conceals 1m", HOLDS_FOUR, 56, [(2, "must-win")]),
        ("E draws, E wins 7p", HOLDS_FOUR, 56, []),
        ("E 7p, N wins, passed", PASSING, 60, []),
    ],
    ids=["last", "not yet", "never", "a claim does not excuse", "nor a discard", "nor a kong", "won", "won on a discard"],
)
def test_a_seat_that_can_win_on_one_of_the_last_tiles_must_win(
    script: str, begun: dict[str, str], last: int, found: list[tuple[int, str]]
) -> None:
    """最後の4枚の自摸及び捨て牌で上がれるときは,上がらなければなりません: 56 tiles are left when the first is drawn."""
    assert objections(script, begun, must_win_last=last) == found


@pytest.mark.parametrize(
    ("south", "step", "reasons"),
    [
        ("5m 5m 5m 9p | 5s", "S late 5m", []),
        ("5m 5m 5m 9p | 5s", "S adds 5m", ["wrong-late"]),
        ("5m 5m 9p | 5m", "S late 5m", ["wrong-late"]),
    ],
    ids=["late", "late and not said", "drawn at this turn"],
)
def test_a_tile_added_to_a_pung_is_late_if_it_was_not_drawn_at_this_turn(south: str, step: str, reasons: list[str]) -> None:
    """すでに自分がポンしている牌と同じ牌を山から引いたとき."""
    assert [reason for _, reason in objections(f"{ADDING}, {step}", {**TO_ADD, "S": south})] == reasons


def test_a_tile_or_a_hand_that_was_not_held_is_found() -> None:
    assert objections("E draws, E wins 9p", {"E": f"{WAITING} | 7p"}) == [(2, "not-held")]
    hand = ScriptedHand(RULES).after("E 7p, S wins, W wins, N wins")
    hand.after(HandShown(S, tuple([Tile.M1] * 4 + [Tile.M2] * 4 + [Tile.M3] * 4 + [Tile.M4]), Tile.P7))
    assert scripted.objections(hand, scripted.begun_deal(RULES, **PASSING)[0], {}) == [(6, "not-held")]
