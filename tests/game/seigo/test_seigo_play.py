"""How a hand of Seigo goes, rule by rule of 整合麻雀 改 (blog), with the golden situations of the rule page."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from msgspec import structs

from tests.support.game.seigo_tables import DRAWS, SeigoTable, deal_of, seigo_deal
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
    SharedTileTurned,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
    WinRefused,
)
from twinwall.game.replay import replay
from twinwall.game.rules import rule_set, wall_layout
from twinwall.game.rules.seigo.state import of_seigo
from twinwall.game.rulings import HandRuledDead
from twinwall.game.tiles import SEATS, Seat, Tile, parse_tile, parse_tiles

E, S, W, N = SEATS
CHOW, PUNG, KONG, ADDED, CONCEALED = MeldType


IDLE = "1m 2p 3s 4m 5p 6s 7m 8p 9s 1p 2s 3m 4p 5s 6m 7p 8s"
"""17 draws of no use."""


def table_of(rest: str = "", **begun: str) -> SeigoTable:
    walls, shared = deal_of(rest, **begun)
    return SeigoTable(rule_set("seigo"), walls, shared, random.Random(0), eager=False)


def draw_and_discard(table: SeigoTable, seat: Seat, tile: str | None = None, *, riichi: bool = False) -> None:
    """A seat draws and discards a tile (the drawn one unless it is named), which nobody wins on."""
    table.happen(TileDrawn(seat))
    table.happen(TileDiscarded(seat, table.held.of[seat][-1] if tile is None else parse_tile(tile), riichi))
    table.happen(ClaimsPassed())


def meld(kind: MeldType, tiles: str, source: Seat | None) -> Meld:
    return Meld(kind, parse_tiles(tiles), source)


def refusal(table: SeigoTable, event: TileDrawn | TileDiscarded | Claimed | KongDeclared | WinDeclared | SharedTileTurned) -> str:
    problem = table.rules.illegal(table.state, event)
    assert problem is not None, f"{event} is allowed"
    return problem.reason


def go_to(table: SeigoTable, seat: Seat, turn: int) -> None:
    """Everybody draws and discards what was drawn until it is a seat's turn."""
    while table.state.turn is not seat or table.state.turn_number != turn:
        draw_and_discard(table, table.state.turn)


# The tiles (rules 6 and 7).


def test_18_turns_for_each_of_four_are_what_is_left_without_dead_wall() -> None:
    """84 - 14 = 70, +2 = 72 = 18 × 4; 12 are left over: 10 indicators and 2 unused (the rule page on rules 6 and 7)."""
    layout = wall_layout("seigo")
    assert len(layout.tiles) - 4 * 13 == 84
    assert 84 - 14 + 2 == 4 * DRAWS == 72
    assert layout.rest_size == 84 - 72 == 10 + 2


# Rule 1: claims at one's own turn.


def test_north_s_pung_of_east_s_discard_waits_for_south_and_west() -> None:
    """ポンはチーと同じく自分のツモ番に行う … ツモ番まで待つ (1)."""
    table = table_of(E="5p", N="5p 5p")
    draw_and_discard(table, E, "5p")
    claim = Claimed(N, meld(PUNG, "5p 5p 5p", E))
    assert refusal(table, claim) == "not-your-turn"
    draw_and_discard(table, S)
    assert refusal(table, claim) == "not-your-turn"
    draw_and_discard(table, W)
    table.happen(claim)
    assert table.state.seat(E).river[0].claimed_by is N
    assert table.state.phase is Phase.DISCARD
    assert table.rules.permissions(table.state).win is None


def test_south_s_chow_of_the_tile_voids_north_s_pung() -> None:
    """それまでに他家にチーされた場合はポンは無効となる (1)."""
    table = table_of(E="5p", S="4p 6p 9s", N="5p 5p")
    draw_and_discard(table, E, "5p")
    table.happen(Claimed(S, meld(CHOW, "4p 5p 6p", E)))
    table.happen(TileDiscarded(S, Tile.S9))
    table.happen(ClaimsPassed())
    draw_and_discard(table, W)
    assert refusal(table, Claimed(N, meld(PUNG, "5p 5p 5p", E))) == "wrong-source"


def test_the_earlier_turn_gets_a_discard_that_two_seats_claim() -> None:
    table = table_of(E="C", S="C C 9s", W="C")
    draw_and_discard(table, E, "C")
    table.happen(Claimed(S, meld(PUNG, "C C C", E)))
    assert E not in table.state.takeable


def test_a_discard_can_be_claimed_until_its_own_seat_s_next_turn() -> None:
    table = table_of(E="C", N="C C C 9s")
    draw_and_discard(table, E, "C")
    draw_and_discard(table, S)
    draw_and_discard(table, W)
    assert E in table.state.takeable
    draw_and_discard(table, N)
    assert E not in table.state.takeable
    draw_and_discard(table, E)
    draw_and_discard(table, S)
    draw_and_discard(table, W)
    assert table.state.seat(E).river[0].tile is Tile.RED
    assert refusal(table, Claimed(N, meld(PUNG, "C C C", E))) == "wrong-tiles"


def test_a_chow_is_made_of_the_left_neighbour_s_discard_only() -> None:
    table = table_of(E="5p", W="4p 6p")
    draw_and_discard(table, E, "5p")
    draw_and_discard(table, S)
    assert refusal(table, Claimed(W, meld(CHOW, "4p 5p 6p", E))) == "wrong-source"


def test_claims_never_give_a_nineteenth_turn() -> None:
    """一度鳴きが入ると東家だけが19巡目を迎えてしまう, which rule 7 ends: a claim takes the place of a draw."""
    table = table_of(E="C", S="C C 9s")
    draw_and_discard(table, E, "C")
    table.happen(Claimed(S, meld(PUNG, "C C C", E)))
    table.happen(TileDiscarded(S, Tile.S9))
    table.happen(ClaimsPassed())
    go_to(table, N, 18)
    draw_and_discard(table, N)
    assert table.rules.permissions(table.state).draw is None
    assert table.state.phase is Phase.SHOW
    assert [seat.draws_left for seat in table.state.seats] == [0, 1, 0, 0]


def test_a_win_on_a_discard_is_called_at_once_and_not_at_a_later_turn() -> None:
    table = table_of(E="7s", N="2m 3m 4m 5p 6p 7p 5s 6s 3s 4s 5s 8m 8m")
    draw_and_discard(table, E, "7s")
    assert refusal(table, WinDeclared(N, E, Tile.S7)) == "not-allowed"


# Rule 2: places in the river.


def test_a_claimed_discard_leaves_its_place_and_the_next_lies_to_the_right() -> None:
    """捨て牌が鳴かれたとき、その次の捨て牌は右に一枚分ずらす … もちろん2巡続けて鳴かれたらその次の捨て牌は2枚分 (2)."""
    table = table_of(E="C F", S="C C F F 9s 9p")
    for tile, left in (("C", "9s"), ("F", "9p")):
        draw_and_discard(table, E, tile)
        table.happen(Claimed(S, meld(PUNG, f"{tile} {tile} {tile}", E)))
        table.happen(TileDiscarded(S, parse_tile(left)))
        table.happen(ClaimsPassed())
        draw_and_discard(table, W)
        draw_and_discard(table, N)
    draw_and_discard(table, E)
    river = table.state.seat(E).river
    assert [laid.claimed_by for laid in river] == [S, S, None]
    assert table.state.seat(E).place_of(2) == 2
    assert table.state.seat(E).next_place == 3


def test_after_the_sixth_is_claimed_the_seventh_begins_the_second_row() -> None:
    """6巡目を鳴かれた時の7順目の捨て牌は … 2段目の左端に捨てる (2)."""
    table = table_of(E="C", S="C C 9s")
    go_to(table, E, 6)
    draw_and_discard(table, E, "C")
    table.happen(Claimed(S, meld(PUNG, "C C C", E)))
    table.happen(TileDiscarded(S, Tile.S9))
    table.happen(ClaimsPassed())
    draw_and_discard(table, W)
    draw_and_discard(table, N)
    draw_and_discard(table, E)
    assert table.state.seat(E).place_of(6) == 6


# Rule 3: riichi.

READY = "2m 3m 4m 5p 6p 7p 5s 6s 3s 4s 5s 8m 8m"
"""Waits for 4s and 7s."""


def test_the_tile_that_declares_riichi_cannot_be_called_but_won_on() -> None:
    """リーチ宣言牌は鳴けない (3)."""
    table = table_of(E=f"{READY} | C", S="C C", W="2p 3p 4p 6p 7p 8p 6s 7s 8s C")
    draw_and_discard(table, E, "C", riichi=True)
    assert table.state.riichi_turn(E) == 1
    assert table.state.seat(E).river[0].riichi
    assert refusal(table, Claimed(S, meld(PUNG, "C C C", E))) == "not-allowed"
    draw_and_discard(table, S)
    assert refusal(table, Claimed(W, meld(PUNG, "C C C", E))) == "wrong-source"
    won = table_of(E=f"{READY} | C", N="2p 3p 4p 6p 7p 8p 6s 7s 8s 2s 3s 4s C")
    won.happen(TileDrawn(E))
    won.happen(TileDiscarded(E, Tile.RED, riichi=True))
    assert won.rules.illegal(won.state, WinDeclared(N, E, Tile.RED)) is None


@pytest.mark.parametrize("why", ["open", "again", "claimed", "last turn"])
def test_riichi_needs_a_closed_hand_a_drawn_tile_and_a_turn_to_come(why: str) -> None:
    table = table_of(E="C 9s", S="C C 9p 9m")
    if why == "last turn":
        go_to(table, E, 18)
        table.happen(TileDrawn(E))
        assert refusal(table, TileDiscarded(E, Tile.S9, riichi=True)) == "not-allowed"
        return
    draw_and_discard(table, E, "C", riichi=why == "again")
    if why == "again":
        go_to(table, E, 2)
        table.happen(TileDrawn(E))
        assert refusal(table, TileDiscarded(E, Tile.S9, riichi=True)) == "not-allowed"
        return
    table.happen(Claimed(S, meld(PUNG, "C C C", E)))
    if why == "open":
        table.happen(TileDiscarded(S, Tile.P9))
        table.happen(ClaimsPassed())
        go_to(table, S, 2)
        table.happen(TileDrawn(S))
    assert refusal(table, TileDiscarded(S, Tile.M9, riichi=True)) == "not-allowed"


def test_in_riichi_nothing_is_claimed() -> None:
    table = table_of(E=f"{READY} | 9p 9p", W="8m")
    draw_and_discard(table, E, "9p", riichi=True)
    draw_and_discard(table, S)
    draw_and_discard(table, W, "8m")
    draw_and_discard(table, N)
    assert table.rules.permissions(table.state).claims is None
    assert refusal(table, Claimed(E, meld(PUNG, "8m 8m 8m", W))) == "not-allowed"


# Rule 4: what depends on turns.


def finish_self_drawn(table: SeigoTable, seat: Seat) -> list[str]:
    """The seat declares its draw and shows; the ids of what it is worth."""
    held = table.held.of[seat]
    table.happen(WinDeclared(seat, None, held[-1]))
    table.happen(HandShown(seat, held[:-1], held[-1]))
    return [fan.id for fan in table.wins[seat].fans]


def finish_on_discard(table: SeigoTable, seat: Seat) -> list[str]:
    source, tile = table.state.turn, table.state.last_discard
    table.happen(WinDeclared(seat, source, tile))
    assert tile is not None
    table.happen(HandShown(seat, table.held.of[seat], tile))
    return [fan.id for fan in table.wins[seat].fans]


def test_the_dealer_s_first_draw_is_the_heavenly_hand() -> None:
    table = table_of(E=f"{READY} | 7s")
    table.happen(TileDrawn(E))
    assert finish_self_drawn(table, E) == ["heavenly-hand"]


def test_after_the_dealer_s_first_kong_another_s_first_draw_is_still_the_earthly_hand() -> None:
    """親が配牌からアンカンしただけなのに、どうして子の第一ツモでの上がりが地和として認められなくなるんだ (preface; 4)."""
    table = table_of(E="C C C", S=f"{READY} | 7s")
    walls = dict(table.walls)
    assert walls[E].hand[:3] == parse_tiles("C C C")
    table = table_of(E="C C C | C", S=f"{READY} | 7s")
    table.happen(TileDrawn(E))
    table.happen(KongDeclared(E, meld(CONCEALED, "C C C C", None)))
    assert len(table.held.of[E]) == 10
    assert table.state.seat(E).river == ()
    assert table.state.seat(E).gaps == (0,)
    assert table.state.turn is S
    table.happen(TileDrawn(S))
    assert finish_self_drawn(table, S) == ["earthly-hand"]


def test_riichi_at_the_first_turn_is_double_whatever_was_called_before() -> None:
    table = table_of(E="C", S="C C 9p", W=f"{READY} | 9s 7s", rest="1p 1p")
    draw_and_discard(table, E, "C")
    table.happen(Claimed(S, meld(PUNG, "C C C", E)))
    table.happen(TileDiscarded(S, Tile.P9))
    table.happen(ClaimsPassed())
    draw_and_discard(table, W, "9s", riichi=True)
    go_to(table, W, 2)
    table.happen(TileDrawn(W))
    ids = finish_self_drawn(table, W)
    assert "double-riichi" in ids
    assert "ippatsu" in ids


def test_ippatsu_survives_a_call_and_ends_with_the_next_own_draw() -> None:
    """他家の鳴きの有無に関わらず … リーチ後に次巡のツモまでの上がりを一発として認める (4)."""
    begun = {"E": f"{READY} | 9m 9s 9s 7s", "S": "F | F", "W": "F F 1p", "N": "| 1s 7s"}
    table = table_of(**begun)
    draw_and_discard(table, E, "9m")
    go_to(table, E, 2)
    draw_and_discard(table, E, "9s", riichi=True)
    draw_and_discard(table, S, "F")
    table.happen(Claimed(W, meld(PUNG, "F F F", S)))
    table.happen(TileDiscarded(W, Tile.P1))
    table.happen(ClaimsPassed())
    table.happen(TileDrawn(N))
    table.happen(TileDiscarded(N, Tile.S7))
    assert "ippatsu" in finish_on_discard(table, E)
    late = table_of(E=f"{READY} | 9m 9s 9p 7s")
    draw_and_discard(late, E, "9m")
    go_to(late, E, 2)
    draw_and_discard(late, E, "9s", riichi=True)
    go_to(late, E, 4)
    late.happen(TileDrawn(E))
    assert "ippatsu" not in finish_self_drawn(late, E)


# Rules 5 to 8: kongs and the end.


def test_a_claimed_kong_ends_the_turn_and_leaves_its_place_empty() -> None:
    """カンの後は牌を補充せず、捨て牌も行わない … その次巡は一枚分隙間をあけて捨てる (5)."""
    table = table_of(E="C", S="C C C")
    draw_and_discard(table, E, "C")
    table.happen(Claimed(S, meld(KONG, "C C C C", E)))
    assert table.state.turn is W
    assert table.state.phase is Phase.DRAW
    assert table.state.seat(S).draws_left == DRAWS
    assert len(table.held.of[S]) == 10
    draw_and_discard(table, W)
    draw_and_discard(table, N)
    draw_and_discard(table, E)
    draw_and_discard(table, S)
    own = table.state.seat(S)
    assert own.gaps == (0,)
    assert own.place_of(0) == 1


def test_an_added_kong_can_be_robbed_and_else_ends_the_turn() -> None:
    table = table_of(E="C C | 9s C", N="C", S="| 9m 9p", W="| 1m 2p")
    draw_and_discard(table, E)
    draw_and_discard(table, S)
    draw_and_discard(table, W)
    draw_and_discard(table, N, "C")
    table.happen(Claimed(E, meld(PUNG, "C C C", N)))
    assert table.rules.permissions(table.state).kong is None
    table.happen(TileDiscarded(E, table.held.of[E][0]))
    table.happen(ClaimsPassed())
    go_to(table, E, 3)
    table.happen(TileDrawn(E))
    added = KongDeclared(E, meld(ADDED, "C C C C", None))
    table.happen(added)
    assert table.state.robbing
    assert table.rules.permissions(table.state).claims == dict.fromkeys((S, W, N), frozenset({Claim.WIN}))
    assert table.state.kongs == 0
    table.happen(ClaimsPassed())
    assert table.state.turn is S
    assert table.state.kongs == 1
    assert table.state.seat(E).gaps == (2,)
    without = rule_set("seigo", {"rob_kong": False})
    before = structs.replace(table.state, phase=Phase.CLAIMS, robbing=True, turn=E)
    assert not any((without.permissions(before).claims or {}).values())


def test_no_kong_follows_a_claim_at_the_same_turn() -> None:
    table = table_of(E="C", S="C C F F F F")
    draw_and_discard(table, E, "C")
    table.happen(Claimed(S, meld(PUNG, "C C C", E)))
    assert refusal(table, KongDeclared(S, meld(CONCEALED, "F F F F", None))) == "not-allowed"


def test_north_s_kong_at_turn_18_ends_the_hand_without_a_discard() -> None:
    """18順目の北家がカンした場合は打牌をせずにそのまま終局となる (8)."""
    table = table_of(N=f"C C C | {IDLE} C")
    go_to(table, N, 18)
    table.happen(TileDrawn(N))
    table.happen(KongDeclared(N, meld(CONCEALED, "C C C C", None)))
    assert table.state.phase is Phase.SHOW
    for seat in SEATS:
        table.happen(HandLaidOpen(seat, table.held.of[seat]))
    assert table.rules.permissions(table.state).ended is EndReason.DRAWN
    table.happen(HandEnded(EndReason.DRAWN, totals(table.rules.payments(table.state, {}))))
    assert replay(table.record()).legal


def test_every_self_drawn_win_of_turn_18_is_the_last_draw() -> None:
    """18順目のツモ上がりは全てハイテイとする (7, the second of that number), though three seats are still to play."""
    table = table_of(E=f"1p 2p 3p 4s 5s 6s 6m 7m 8m E E 2s 3s | {IDLE} 4s")
    go_to(table, E, 18)
    table.happen(TileDrawn(E))
    assert "last-turn-self-draw" in finish_self_drawn(table, E)
    early = table_of(E="1p 2p 3p 4s 5s 6s 6m 7m 8m E E 2s 3s | 9m 4s")
    go_to(early, E, 2)
    early.happen(TileDrawn(E))
    assert "last-turn-self-draw" not in finish_self_drawn(early, E)


def test_every_win_on_a_discard_of_turn_18_is_the_last_discard() -> None:
    """18巡目のロン上がりは全てホーテイとする: South's discard, though West and North are still to play."""
    table = table_of(W="1p 2p 3p 4s 5s 6s 6m 7m 8m E E 2s 3s", S=f"| {IDLE} 4s")
    go_to(table, S, 18)
    table.happen(TileDrawn(S))
    table.happen(TileDiscarded(S, Tile.S4))
    assert finish_on_discard(table, W) == ["last-turn-discard"]


# Indicators (rule 6).


def test_the_indicators_are_the_last_stack_and_the_four_before_it() -> None:
    """ドラ表示牌は山の最後尾の上段の牌、裏ドラ表示牌はその下段の牌 … カンドラ … その隣の4トン (6)."""
    table = table_of(E="C C C | C", rest="5m 6m")
    assert table.rules.permissions(table.state).turn_up == 10
    assert refusal(table, SharedTileTurned(8, table.rest[8])) == "wrong-tiles"
    table.happen(SharedTileTurned(10, Tile.M5))
    assert table.rules.permissions(table.state).turn_up is None
    assert refusal(table, SharedTileTurned(8, table.rest[8])) == "not-now"
    table.happen(TileDrawn(E))
    table.happen(KongDeclared(E, meld(CONCEALED, "C C C C", None)))
    assert table.rules.permissions(table.state).turn_up == 8
    table.happen(SharedTileTurned(8, table.rest[8]))
    assert table.state.turned == (Tile.M5, table.rest[8])


def test_the_tiles_below_count_for_a_hand_in_riichi_only() -> None:
    table = table_of(E=f"{READY} | 9m 7s", rest="4p 1m")
    table.happen(SharedTileTurned(10, Tile.P4))
    draw_and_discard(table, E, "9m", riichi=True)
    go_to(table, E, 2)
    table.happen(TileDrawn(E))
    held = table.held.of[E]
    table.happen(WinDeclared(E, None, held[-1]))
    assert table.rules.permissions(table.state).turn_up == 11
    table.happen(SharedTileTurned(11, Tile.M1))
    table.happen(HandShown(E, held[:-1], held[-1]))
    counts = {fan.id: fan.count for fan in table.wins[E].fans}
    assert counts["dora"] == 1
    assert counts["ura-dora"] == 1


def test_a_shared_tile_that_the_deal_does_not_have_there_is_found_out() -> None:
    walls, rest = seigo_deal(3)
    table = SeigoTable(rule_set("seigo"), walls, rest, random.Random(0), eager=False)
    for _ in table.play():
        pass
    record = table.record()
    wrong = next(tile for tile in rest if tile is not rest[10])
    events = (SharedTileTurned(10, wrong), *record.events[1:])
    assert replay(replace(record, events=events)).verdicts[0] is not None
    assert replay(replace(record, events=events, rest=None, walls=None)).verdicts[0] is None


# Furiten, swap calling, duties.


def test_a_wait_that_was_discarded_or_let_pass_can_be_won_on_self_drawn_only() -> None:
    own = table_of(E=f"{READY} | 9m", N="7s")
    own_wall = table_of(E="2m 3m 4m 5p 6p 7p 5s 6s 3s 4s 5s 8m 8m | 4s 9m", N="| 9s 7s")
    draw_and_discard(own_wall, E, "4s")
    go_to(own_wall, N, 2)
    own_wall.happen(TileDrawn(N))
    own_wall.happen(TileDiscarded(N, Tile.S7))
    own_wall.happen(WinDeclared(E, N, Tile.S7))
    own_wall.happen(HandShown(E, own_wall.held.of[E], Tile.S7))
    assert own_wall.false == {E}
    own_wall.happen(WinRefused(E, "not-allowed"))
    draw_and_discard(own, E)
    go_to(own, N, 1)
    own.happen(TileDrawn(N))
    own.happen(TileDiscarded(N, Tile.S7))
    assert own.wins_with(E, Tile.S7)


def test_what_was_let_pass_bars_until_the_own_turn_and_in_riichi_for_good() -> None:
    begun = {"E": f"{READY} | 9m 9s", "S": "| 7s 9p", "W": "| 4s", "N": "| 1s 7s"}
    table = table_of(**begun)
    draw_and_discard(table, E)
    draw_and_discard(table, S, "7s")
    table.happen(TileDrawn(W))
    table.happen(TileDiscarded(W, Tile.S4))
    assert not table.wins_with(E, Tile.S4)
    table.happen(ClaimsPassed())
    go_to(table, N, 2)
    table.happen(TileDrawn(N))
    table.happen(TileDiscarded(N, Tile.S7))
    assert table.wins_with(E, Tile.S7)
    ready = table_of(**begun)
    draw_and_discard(ready, E, "9m", riichi=True)
    draw_and_discard(ready, S, "7s")
    go_to(ready, N, 2)
    ready.happen(TileDrawn(N))
    ready.happen(TileDiscarded(N, Tile.S7))
    assert not ready.wins_with(E, Tile.S7)


def test_after_a_claim_the_same_tile_and_the_other_end_of_the_run_may_not_be_discarded() -> None:
    for allowed in (False, True):
        table = replace(table_of(E="4p", S="4p 5p 6p 7p"), rules=rule_set("seigo", {"swap_calling": allowed}))
        draw_and_discard(table, E, "4p")
        table.happen(Claimed(S, meld(CHOW, "4p 5p 6p", E)))
        for tile in (Tile.P4, Tile.P7):
            assert (table.rules.illegal(table.state, TileDiscarded(S, tile)) is None) is allowed


def test_riichi_that_is_not_ready_or_not_kept_is_found_when_the_walls_are_known() -> None:
    table = table_of(E=f"{READY} | 9m 9s")
    draw_and_discard(table, E, "9m", riichi=True)
    go_to(table, E, 2)
    table.happen(TileDrawn(E))
    table.happen(TileDiscarded(E, Tile.M8))
    assert reasons(table) == ["not-the-drawn-tile"]
    idle = table_of(E="1m 4m 7m 1p 4p 7p 1s 4s 7s E S W N | P")
    idle.happen(TileDrawn(E))
    idle.happen(TileDiscarded(E, Tile.WHITE, riichi=True))
    assert reasons(idle) == ["not-ready"]


@pytest.mark.parametrize(
    ("hand", "problem"),
    [
        ("C C C 2m 3m 4m 5p 6p 7p 3s 4s 8m 8m", None),
        ("C C C 2m 3m 4m 5p 6p 7p 3s 4s 5s 8m", None),
        ("3s 3s 3s 2m 3m 4m 5p 6p 7p 2s 4s 8m 8m", "changed-waits"),
    ],
)
def test_a_kong_in_riichi_keeps_the_waits(hand: str, problem: str | None) -> None:
    kind = hand.partition(" ")[0]
    table = table_of(E=f"{hand} | 9m {kind}")
    draw_and_discard(table, E, "9m", riichi=True)
    go_to(table, E, 2)
    table.happen(TileDrawn(E))
    table.happen(KongDeclared(E, meld(CONCEALED, f"{kind} {kind} {kind} {kind}", None)))
    assert reasons(table) == ([problem] if problem else [])
    barred = rule_set("seigo", {"riichi_kong": False})
    state = structs.replace(table.state, turn=E, phase=Phase.DISCARD, drew=True)
    assert barred.permissions(state).kong is None


def reasons(table: SeigoTable) -> list[str]:
    """What a replay with the walls objects to so far."""
    table.state = structs.replace(table.state, ended=HandEnded(EndReason.DRAWN, dict.fromkeys(SEATS, 0)))
    return [problem.reason for problem in replay(table.record()).verdicts if problem]


def test_a_dead_hand_draws_and_discards_and_nothing_else() -> None:
    table = table_of(E="C", S="C C 9p")
    draw_and_discard(table, E, "C")
    table.happen(HandRuledDead(S))
    assert refusal(table, Claimed(S, meld(PUNG, "C C C", E))) == "not-allowed"
    table.happen(TileDrawn(S))
    allowed = table.rules.permissions(table.state)
    assert (allowed.discard, allowed.win, allowed.kong) == (S, None, None)
    table.happen(TileDiscarded(S, table.held.of[S][-1]))
    table.happen(ClaimsPassed())
    table.happen(TileDrawn(W))
    table.happen(TileDiscarded(W, table.held.of[W][-1]))
    assert not (table.rules.permissions(table.state).claims or {})[S]


def test_other_rules_know_no_riichi_and_no_shared_tiles() -> None:
    for name in ("mcr-duplicate", "sichuan"):
        rules = rule_set(name)
        state = rules.apply(rules.start(), TileDrawn(E))
        for event in (TileDiscarded(E, Tile.M1, riichi=True), SharedTileTurned(10, Tile.M1)):
            problem = rules.illegal(state, event)
            assert problem is not None
            assert problem.reason == "not-allowed"
    assert of_seigo(rule_set("seigo").start()).turn_number == 1
