"""Turn order, claims, kongs and the end of a hand of Sichuan, against 四川ルール 血戦到底 (blog, revised 29 September 2018)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from twinwall.game.payments import totals
from twinwall.game.play import Phase
from twinwall.game.play_events import (
    Claim,
    Claimed,
    ClaimsPassed,
    EndReason,
    HandEnded,
    HandLaidOpen,
    HandShown,
    KongDeclared,
    Meld,
    MeldType,
    PlayEvent,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
    WinRefused,
)
from twinwall.game.rules import rule_set
from twinwall.game.rules.sichuan.scoring import SichuanHand
from twinwall.game.rules.sichuan.state import SichuanState, of_sichuan
from twinwall.game.rulings import HandRuledDead, Offence, PenaltyRuled
from twinwall.game.tiles import SEATS, Seat, Tile, parse_tile, parse_tiles

E, S, W, N = SEATS
RULES = rule_set("sichuan")
PLAIN = parse_tiles("1m 2m 3m 4m 5m 6m 7p 8p 9p 2p 2p 5p 6p")
NOTHING = dict.fromkeys(SEATS, 0)


class Hand:
    """A hand told in verbs; each must be legal."""

    def __init__(self) -> None:
        self.state: SichuanState = of_sichuan(RULES.start())

    def happen(self, *events: PlayEvent) -> Hand:
        for event in events:
            problem = RULES.illegal(self.state, event)
            assert problem is None, f"{event}: {problem}"
            self.state = of_sichuan(RULES.apply(self.state, event))
        return self

    def draw(self, seat: Seat) -> Hand:
        return self.happen(TileDrawn(seat))

    def discard(self, seat: Seat, tile: str) -> Hand:
        return self.happen(TileDiscarded(seat, parse_tile(tile)))

    def turn(self, seat: Seat, tile: str) -> Hand:
        """Draw, discard, and nobody calls."""
        return self.draw(seat).discard(seat, tile).passed()

    def passed(self) -> Hand:
        return self.happen(ClaimsPassed())

    def win(self, seat: Seat, tile: str | None = None) -> Hand:
        """A win on the tile in question, or self-drawn with the given one."""
        source = None if tile is not None else self.state.turn
        return self.happen(WinDeclared(seat, source, parse_tile(tile) if tile is not None else self.state.last_discard))

    def claim(self, seat: Seat, kind: MeldType) -> Hand:
        tile = self.state.last_discard
        assert tile is not None
        return self.happen(Claimed(seat, Meld(kind, (tile,) * (4 if kind is MeldType.KONG else 3), self.state.turn)))

    def kong(self, seat: Seat, kind: MeldType, tile: str, *, late: bool = False) -> Hand:
        return self.happen(KongDeclared(seat, Meld(kind, (parse_tile(tile),) * 4, None), late))

    def refuses(self, event: PlayEvent) -> str:
        problem = RULES.illegal(self.state, event)
        assert problem is not None, event
        assert problem.sentence
        return problem.reason

    def flags(self, seat: Seat) -> frozenset[str]:
        win = self.state.win_of(seat)
        assert win is not None
        return win.flags


@pytest.fixture
def hand() -> Hand:
    return Hand()


def with_draws(hand: Hand, **left: int) -> Hand:
    """The same hand with so many draws left, by seat letter."""
    for letter, count in left.items():
        seat = Seat(letter)
        hand.state = hand.state.with_seat(seat, replace(hand.state.seat(seat), draws_left=count))
    return hand


def test_the_dealer_draws_its_fourteenth_tile_and_play_goes_counter_clockwise(hand: Hand) -> None:
    """親は,手牌のうち不要な牌を1枚捨てます … 反時計回りに順に,山から1枚牌を引き."""
    assert RULES.permissions(hand.state).draw is E
    assert all(hand.state.seat(seat).draws_left == 14 for seat in SEATS)
    for seat in (E, S, W, N, E):
        hand.turn(seat, "1m" if seat is not E else "2m")


def test_there_is_no_chow(hand: Hand) -> None:
    """なお,チーはありません."""
    hand.draw(E).discard(E, "2m")
    assert RULES.permissions(hand.state).claims == dict.fromkeys((S, W, N), frozenset({Claim.WIN, Claim.PUNG, Claim.KONG}))
    assert hand.refuses(Claimed(S, Meld(MeldType.CHOW, parse_tiles("1m 2m 3m"), E))) == "not-allowed"


def test_after_a_pung_the_turn_goes_to_the_right_of_who_made_it(hand: Hand) -> None:
    """次の順番はポンした人の右隣りになります."""
    hand.draw(E).discard(E, "2m").claim(N, MeldType.PUNG)
    assert RULES.permissions(hand.state).discard is N
    hand.discard(N, "9p").passed().draw(E)


def test_a_claimed_kong_is_replaced_from_the_own_wall_before_the_discard(hand: Hand) -> None:
    """牌の山の末尾ではなく,次のツモ位置から1枚手に補充し,不要牌を1枚捨てます."""
    hand.draw(E).discard(E, "2m").claim(W, MeldType.KONG)
    assert RULES.permissions(hand.state).draw is W
    hand.draw(W)
    assert hand.state.seat(W).draws_left == 13
    hand.discard(W, "9p").passed().draw(N)


def test_a_win_goes_before_pung_and_kong_and_all_who_can_may_win(hand: Hand) -> None:
    """ポンと上がりが同時にあったときは,上がりが優先されます … 2人,3人が同時に上がることもできます."""
    hand.draw(E).discard(E, "2m")
    pressed = {S: Claim.PUNG, W: Claim.WIN, N: Claim.WIN}
    assert RULES.priority(hand.state, pressed) == (W, N, S)
    hand.win(N)
    assert RULES.permissions(hand.state).claims == dict.fromkeys((S, W), frozenset({Claim.WIN}))
    assert hand.refuses(Claimed(S, Meld(MeldType.PUNG, (Tile.M2,) * 3, E))) == "not-allowed"


@pytest.mark.parametrize(
    ("winners", "following"),
    [((S,), W), ((W,), N), ((N,), E), ((S, W), N), ((W, S), N), ((S, N), E), ((W, N), E)],
)
def test_after_a_win_on_a_discard_the_seat_after_the_farthest_winner_draws(hand: Hand, winners: tuple[Seat, ...], following: Seat) -> None:
    """次のツモ順は,上がった人の次の人,2人同時に上がったときは,2人のうち捨て牌から順番が遠い方の人の次の人です."""
    hand.draw(E).discard(E, "7p")
    for winner in winners:
        hand.win(winner)
    hand.passed()
    assert RULES.permissions(hand.state).draw is following


def test_after_a_self_drawn_win_the_next_seat_draws_and_the_winner_is_passed_over_from_then_on(hand: Hand) -> None:
    """上がった人は,その手から抜け,手が終わるまで何もしません."""
    hand.turn(E, "1m").draw(S).win(S, "9s").draw(W)
    hand.discard(W, "2m")
    assert set(RULES.permissions(hand.state).claims or {}) == {E, N}
    assert hand.refuses(WinDeclared(S, W, Tile.M2)) == "not-allowed"
    hand.passed().turn(N, "3m").turn(E, "4m").draw(W)


def test_a_winner_next_in_turn_is_passed_over_after_a_win(hand: Hand) -> None:
    hand.draw(E).discard(E, "7p").win(W).passed().turn(N, "1m").draw(E).discard(E, "7p").win(S).passed()
    assert RULES.permissions(hand.state).draw is N


def test_the_hand_ends_when_three_have_won_and_all_lay_their_hands_open(hand: Hand) -> None:
    """3人が上がるか,牌の山がなくなったら,その手は終わりです; 上がっても,手が終わるまでは,手を公開しません."""
    hand.draw(E).discard(E, "7p").win(S).passed().draw(W).win(W, "7p").draw(N).discard(N, "7p").win(E)
    assert hand.state.phase is Phase.SHOW
    assert hand.refuses(HandLaidOpen(N, PLAIN)) == "not-now"
    for seat in (S, W, E):
        assert RULES.permissions(hand.state).show is seat
        hand.happen(HandShown(seat, PLAIN, Tile.P7))
    assert hand.refuses(HandEnded(EndReason.WON, NOTHING)) == "not-now"
    hand.happen(HandLaidOpen(N, PLAIN))
    assert RULES.permissions(hand.state).ended is EndReason.WON
    assert hand.refuses(HandEnded(EndReason.DRAWN, NOTHING)) == "not-allowed"
    assert hand.refuses(HandEnded(EndReason.WON, {E: 1, S: 0, W: 0, N: 0})) == "wrong-scores"
    hand.happen(HandEnded(EndReason.WON, NOTHING))


def test_three_winners_on_one_discard_end_the_hand_at_once(hand: Hand) -> None:
    hand.draw(E).discard(E, "7p").win(S).win(W).win(N)
    assert RULES.permissions(hand.state).show is S


def test_the_hand_ends_when_the_seat_to_draw_has_an_empty_wall(hand: Hand) -> None:
    """Own walls, by the rule page: or when a live player must draw from an empty own wall."""
    with_draws(hand.draw(E), S=0).discard(E, "1m").passed()
    assert RULES.permissions(hand.state).show is E
    for seat in SEATS:
        hand.happen(HandLaidOpen(seat, PLAIN))
    assert RULES.permissions(hand.state).ended is EndReason.DRAWN


def test_an_empty_wall_of_a_winner_ends_nothing(hand: Hand) -> None:
    with_draws(hand.draw(E), S=0).discard(E, "7p").win(S).passed().turn(W, "1m").turn(N, "2m").turn(E, "3m").draw(W)


def test_no_kong_is_made_without_a_tile_to_replace_it(hand: Hand) -> None:
    with_draws(hand.draw(E), E=0, S=0)
    assert RULES.permissions(hand.state).kong is None
    assert hand.refuses(KongDeclared(E, Meld(MeldType.CONCEALED_KONG, (Tile.M1,) * 4, None))) == "not-allowed"
    hand.discard(E, "1m")
    claims = RULES.permissions(hand.state).claims or {}
    assert claims[S] == {Claim.WIN, Claim.PUNG}
    assert claims[W] == {Claim.WIN, Claim.PUNG, Claim.KONG}


def test_one_tile_of_a_concealed_kong_lies_face_up(hand: Hand) -> None:
    """この4枚の1枚を表,残りを裏向きにしてさらし."""
    hand.draw(E)
    assert hand.refuses(KongDeclared(E, Meld(MeldType.CONCEALED_KONG, (), None))) == "wrong-tiles"
    hand.kong(E, MeldType.CONCEALED_KONG, "3m").draw(E)
    assert hand.refuses(TileDiscarded(E, Tile.M3)) == "wrong-tiles"


def test_a_robbed_kong_becomes_a_pung_again_and_its_seat_goes_on_without_a_discard(hand: Hand) -> None:
    """面下槓 … 搶槓されることがあります; カンした人の振り込み扱い."""
    hand.draw(E).discard(E, "2m").claim(S, MeldType.PUNG).discard(S, "9p").passed()
    hand.turn(W, "8p").turn(N, "8p").turn(E, "1m").draw(S).kong(S, MeldType.ADDED_KONG, "2m")
    assert RULES.permissions(hand.state).claims == dict.fromkeys((E, W, N), frozenset({Claim.WIN}))
    hand.win(W)
    assert [meld.type for meld in hand.state.seat(S).melds] == [MeldType.PUNG]
    assert hand.state.kongs == ()
    assert hand.flags(W) == {"robbing_kong"}
    hand.win(E)
    assert hand.flags(E) == {"robbing_kong"}
    hand.passed()
    assert RULES.permissions(hand.state).draw is S


def test_an_added_kong_that_nobody_robs_is_replaced(hand: Hand) -> None:
    hand.draw(E).discard(E, "2m").claim(S, MeldType.PUNG).discard(S, "9p").passed()
    hand.turn(W, "8p").turn(N, "8p").turn(E, "1m").draw(S).kong(S, MeldType.ADDED_KONG, "2m", late=True).passed()
    assert RULES.permissions(hand.state).draw is S
    assert hand.state.kongs[0].late
    hand.draw(S).win(S, "9s")
    assert "kong_replacement" in hand.flags(S)


def test_a_concealed_kong_cannot_be_late(hand: Hand) -> None:
    hand.draw(E)
    late = KongDeclared(E, Meld(MeldType.CONCEALED_KONG, (Tile.M3,) * 4, None), late=True)
    assert hand.refuses(late) == "wrong-tiles"


def scored_melds(hand: Hand, seat: Seat) -> tuple[MeldType, ...]:
    """The kinds of a winner's melds in the order in which scoring sees them."""
    shown = HandShown(seat, (), Tile.S9)
    judged = RULES.winning_hand(hand.state, shown, E)
    assert isinstance(judged, SichuanHand)
    return tuple(meld.type for meld in judged.melds)


def test_the_last_kong_stands_last_among_the_melds_whatever_place_its_pung_has(hand: Hand) -> None:
    """カンの補充牌でもう一度カンして上がった場合は,ツモです: an added kong after a claimed one."""
    hand.draw(E).discard(E, "2m").claim(S, MeldType.PUNG).discard(S, "9p").passed()
    hand.draw(W).discard(W, "5m").claim(S, MeldType.KONG).draw(S)
    hand.kong(S, MeldType.ADDED_KONG, "2m").passed().draw(S).win(S, "9s")
    assert scored_melds(hand, S) == (MeldType.KONG, MeldType.ADDED_KONG)


def test_a_claimed_kong_stands_last_when_its_replacement_wins(hand: Hand) -> None:
    hand.draw(E).kong(E, MeldType.CONCEALED_KONG, "1s").draw(E).discard(E, "2m").claim(S, MeldType.PUNG).discard(S, "9p").passed()
    hand.draw(W).discard(W, "5m").claim(S, MeldType.KONG).draw(S).win(S, "9s")
    assert scored_melds(hand, S) == (MeldType.PUNG, MeldType.KONG)


def test_a_win_on_the_discard_after_a_kong_is_marked(hand: Hand) -> None:
    hand.draw(E).kong(E, MeldType.CONCEALED_KONG, "3m").draw(E).discard(E, "7p").win(S).win(N)
    assert hand.flags(S) == hand.flags(N) == {"after_kong_discard"}
    assert hand.state.kongs[0].handed_to == (S, N)
    hand.passed().draw(E).discard(E, "8s").win(W)
    assert hand.flags(W) == frozenset()


def test_the_first_draw_is_marked_for_the_dealer_and_for_others_before_any_claim(hand: Hand) -> None:
    """天和 and 地和."""
    assert Hand().draw(E).win(E, "7p").flags(E) == {"heavenly_hand"}
    assert hand.turn(E, "1m").draw(S).win(S, "7p").flags(S) == {"earthly_hand"}
    assert hand.draw(W).win(W, "7p").flags(W) == {"earthly_hand"}
    claimed = Hand().draw(E).discard(E, "1m").claim(W, MeldType.PUNG).discard(W, "9p").passed().draw(N).win(N, "7p")
    assert claimed.flags(N) == frozenset()
    after_kong = Hand().draw(E).kong(E, MeldType.CONCEALED_KONG, "3m").draw(E).win(E, "7p")
    assert after_kong.flags(E) == {"kong_replacement"}


def test_the_last_tile_is_that_after_which_no_seat_in_play_can_draw(hand: Hand) -> None:
    """*海底 山の最後の牌での自摸上がり,および最後の牌を引いた人の捨て牌での振り込み."""
    with_draws(hand.turn(E, "1m"), E=0, S=1, W=0, N=0).draw(S)
    drawn = Hand()
    drawn.state = hand.state
    assert "last_draw" in drawn.win(S, "7p").flags(S)
    assert hand.discard(S, "7p").win(E).flags(E) == {"last_discard"}
    assert hand.win(N).flags(N) == {"last_discard"}


def test_walls_of_winners_hold_no_last_tile(hand: Hand) -> None:
    hand.draw(E).discard(E, "7p").win(S).passed()
    with_draws(hand, E=0, S=5, W=1, N=0).draw(W).win(W, "7p")
    assert "last_draw" in hand.flags(W)


@pytest.mark.parametrize(("others", "last"), [(2, False), (3, True)])
def test_the_last_copy_is_marked_when_the_other_three_lie_open(hand: Hand, others: int, last: bool) -> None:
    """*絶張 待ち牌が1枚以外すべて捨てられるか,ポン,カンで公開されているとき."""
    for seat in (E, S, W)[:others]:
        hand.turn(seat, "7p")
    if others == 2:
        hand.turn(W, "1p")
    assert ("last_of_kind" in hand.draw(N).win(N, "7p").flags(N)) is last


def test_a_discard_that_is_the_fourth_copy_is_the_last_one(hand: Hand) -> None:
    for seat in (E, S, W):
        hand.turn(seat, "7p")
    hand.draw(N).discard(N, "7p").win(E).win(S)
    assert hand.flags(E) == hand.flags(S) == {"last_of_kind"}


def test_a_winning_tile_lies_open_once_whoever_won_with_it(hand: Hand) -> None:
    hand.turn(E, "1m").turn(S, "7p").draw(W).discard(W, "7p").win(N).win(E).passed().turn(S, "7p").draw(W).discard(W, "7p").passed().draw(S)
    assert hand.refuses(TileDiscarded(S, Tile.P7)) == "wrong-tiles"


def test_what_is_shown_must_be_what_was_declared_and_have_the_right_count(hand: Hand) -> None:
    hand.draw(E).discard(E, "7p").win(S).win(W).win(N)
    assert hand.refuses(HandShown(S, PLAIN, Tile.P4)) == "wrong-tiles"
    assert hand.refuses(HandShown(S, PLAIN[1:], Tile.P7)) == "wrong-tiles"
    assert hand.refuses(HandShown(S, PLAIN, Tile.P7, (Tile.M1,))) == "wrong-tiles"
    assert hand.refuses(HandShown(W, PLAIN, Tile.P7)) == "not-now"
    assert hand.refuses(WinRefused(S, "not-a-win")) == "not-now"
    hand.happen(HandShown(S, PLAIN, Tile.P7), WinRefused(S, "not-a-win"))
    assert [win.seat for win in hand.state.standing] == [W, N]
    assert hand.refuses(WinRefused(S, "not-a-win")) == "not-now"


def test_a_self_drawn_winning_tile_is_named_and_must_be_possible(hand: Hand) -> None:
    """山から引いた牌を手の右側に表向きに置いて上れます."""
    for seat in SEATS:
        hand.turn(seat, "7p")
    hand.draw(E)
    assert hand.refuses(WinDeclared(E, None, None)) == "wrong-tiles"
    assert hand.refuses(WinDeclared(E, None, Tile.P7)) == "wrong-tiles"
    hand.win(E, "4p")


def test_a_dead_hand_draws_and_discards_and_does_nothing_else(hand: Hand) -> None:
    hand.happen(HandRuledDead(S)).draw(E).discard(E, "7p")
    assert (RULES.permissions(hand.state).claims or {})[S] == frozenset()
    hand.passed().draw(S)
    allowed = RULES.permissions(hand.state)
    assert (allowed.discard, allowed.win, allowed.kong) == (S, None, None)
    assert hand.refuses(WinDeclared(S, None, Tile.P4)) == "not-allowed"
    hand.discard(S, "1m")


def test_the_win_of_a_hand_that_is_ruled_dead_stands_no_more_and_its_seat_stays_out(hand: Hand) -> None:
    hand.draw(E).discard(E, "7p").win(S).passed().happen(HandRuledDead(S)).turn(W, "1m").turn(N, "2m").turn(E, "3m").draw(W)
    assert hand.state.standing == ()


def test_penalties_are_paid_beside_everything_else(hand: Hand) -> None:
    hand.happen(PenaltyRuled(W, Offence.CONDUCT, imp=0, points=5)).draw(E)
    with_draws(hand, S=0).discard(E, "1m").passed()
    for seat in SEATS:
        hand.happen(HandLaidOpen(seat, PLAIN))
    assert totals(RULES.payments(hand.state, {})) == {E: 5, S: 5, W: -15, N: 5}


def test_a_referee_may_end_the_hand_at_any_time(hand: Hand) -> None:
    hand.draw(E).happen(HandEnded(EndReason.ANNULLED, NOTHING))
    assert RULES.permissions(hand.state).ended is EndReason.ANNULLED
