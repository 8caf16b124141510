"""How a hand of Seigo goes, rule by rule of 整合麻雀 改 (blog), with the golden situations of the rule page."""

import random
from dataclasses import replace

import pytest
from msgspec import structs

from tests.support.game.scripted import NOTHING
from tests.support.game.seigo_tables import DRAWS, SeigoTable, scripted_seigo, seigo_deal
from twinwall.game import play_events
from twinwall.game.play import Phase
from twinwall.game.replay import replay
from twinwall.game.rules import rule_set, wall_layout
from twinwall.game.rules.seigo.state import of_seigo
from twinwall.game.tiles import SEATS, Seat, Tile

E, S, W, N = SEATS
IDLE = "1m 2p 3s 4m 5p 6s 7m 8p 9s 1p 2s 3m 4p 5s 6m 7p 8s"
"""17 draws of no use."""
READY = "2m 3m 4m 5p 6p 7p 5s 6s 3s 4s 5s 8m 8m"
"""Waits for 4s and 7s."""
PUNG_OF_RED = "E C, S pung C E, S 9s"
"""South, who holds C C 9s, claims East's discard at its own turn."""


def go_to(table: SeigoTable, seat: Seat, turn: int) -> SeigoTable:
    """Everybody draws and discards what was drawn until it is a seat's turn, whose draw is next."""
    table.after("passed") if table.state.phase is Phase.CLAIMS else None
    while table.state.turn is not seat or table.state.turn_number != turn:
        table.after(table.state.turn.value, "passed")
    return table


def fans(table: SeigoTable, seat: Seat) -> list[str]:
    """The seat wins and shows: the ids of what that is worth."""
    table.after(f"{seat.value} wins, {seat.value} shows")
    return [fan.id for fan in table.wins[seat].fans]


def reasons(table: SeigoTable) -> list[str]:
    """What a replay with the walls objects to so far."""
    table.state = structs.replace(table.state, ended=play_events.HandEnded(play_events.EndReason.DRAWN, NOTHING))
    return [problem.reason for problem in replay(table.record()).verdicts if problem]


# The tiles (rules 6 and 7).


def test_18_turns_for_each_of_four_are_what_is_left_without_dead_wall() -> None:
    """84 - 14 = 70, +2 = 72 = 18 × 4; 12 are left over: 10 indicators and 2 unused (the rule page on rules 6 and 7)."""
    layout = wall_layout("seigo")
    assert (len(layout.tiles) - 4 * 13, 4 * DRAWS, layout.rest_size) == (84, 72, 10 + 2)


# Rule 1: claims at one's own turn.


def test_north_s_pung_of_east_s_discard_waits_for_south_and_west() -> None:
    """ポンはチーと同じく自分のツモ番に行う … ツモ番まで待つ (1)."""
    table, claim = scripted_seigo(E="5p", N="5p 5p").after("E 5p, passed"), "N pung 5p E"
    for seat in "SW":
        assert table.reason(claim) == "not-your-turn"
        table.after(seat, "passed")
    table.after(claim)
    assert table.state.seat(E).river[0].claimed_by is N
    assert (table.state.phase, table.allowed.win) == (Phase.DISCARD, None)


@pytest.mark.parametrize(
    ("hands", "script", "claim", "reason"),
    [
        ({"E": "5p", "S": "4p 6p 9s", "N": "5p 5p"}, "E 5p, S chow 4p5p6p E, S 9s, W, passed", "N pung 5p E", "wrong-source"),
        ({"E": "C", "N": "C C C 9s"}, "E C, S, W, N, E, S, W, passed", "N pung C E", "wrong-tiles"),
        ({"E": "5p", "W": "4p 6p"}, "E 5p, S, passed", "W chow 4p5p6p E", "wrong-source"),
        ({"E": f"{READY} | 9p 9p", "W": "8m"}, "E riichi 9p, S, W 8m, N, passed", "E pung 8m W", "not-allowed"),
        ({"E": f"{READY} | C", "S": "C C"}, "E riichi C, passed", "S pung C E", "not-allowed"),
        ({"E": f"{READY} | C", "W": "C C"}, "E riichi C, S, passed", "W pung C E", "wrong-source"),
        ({"E": "7s", "N": READY}, "E 7s, passed", "N wins", "not-allowed"),
        ({"E": "C", "S": "C C F F F F"}, "E C, S pung C E", "S conceals F", "not-allowed"),
    ],
    ids=[
        "a chow before voids a pung (1)",
        "a discard waits until its own seat's next turn",
        "a chow is of the left neighbour's discard",
        "in riichi nothing is claimed",
        "the tile that declares riichi cannot be called (3)",
        "nor later",
        "a win is called at once and not at a later turn",
        "no kong follows a claim at the same turn",
    ],
)
def test_a_claim_is_refused_when(hands: dict[str, str], script: str, claim: str, reason: str) -> None:
    """それまでに他家にチーされた場合はポンは無効となる (1) · リーチ宣言牌は鳴けない (3)."""
    assert scripted_seigo(**hands).after(script).reason(claim) == reason


def test_the_earlier_turn_gets_a_discard_that_two_seats_claim_and_the_tile_of_riichi_may_be_won_on() -> None:
    assert E not in scripted_seigo(E="C", S="C C 9s", W="C").after("E C, S pung C E").state.takeable
    won = scripted_seigo(E=f"{READY} | C", N="2p 3p 4p 6p 7p 8p 6s 7s 8s 2s 3s 4s C").after("E riichi C")
    assert (won.state.riichi_turn(E), won.state.seat(E).river[0].riichi, won.reason("N wins")) == (1, True, None)


def test_a_discard_can_be_claimed_until_its_own_seat_s_next_turn() -> None:
    table = scripted_seigo(E="C", N="C C C 9s").after("E C, S, W, passed")
    assert E in table.state.takeable
    assert E not in table.after("N, passed").state.takeable


def test_claims_never_give_a_nineteenth_turn() -> None:
    """一度鳴きが入ると東家だけが19巡目を迎えてしまう, which rule 7 ends: a claim takes the place of a draw."""
    table = go_to(scripted_seigo(E="C", S="C C 9s").after(PUNG_OF_RED), N, 18).after("N, passed")
    assert (table.allowed.draw, table.state.phase) == (None, Phase.SHOW)
    assert [seat.draws_left for seat in table.state.seats] == [0, 1, 0, 0]


# Rule 2: places in the river.


def test_a_claimed_discard_leaves_its_place_and_the_next_lies_to_the_right() -> None:
    """捨て牌が鳴かれたとき、その次の捨て牌は右に一枚分ずらす … もちろん2巡続けて鳴かれたらその次の捨て牌は2枚分 (2)."""
    table = scripted_seigo(E="C F", S="C C F F 9s 9p").after("E C, S pung C E, S 9s, W, N, E F, S pung F E, S 9p, W, N, E")
    east = table.state.seat(E)
    assert [laid.claimed_by for laid in east.river] == [S, S, None]
    assert (east.place_of(2), east.next_place) == (2, 3)


def test_after_the_sixth_is_claimed_the_seventh_begins_the_second_row() -> None:
    """6巡目を鳴かれた時の7順目の捨て牌は … 2段目の左端に捨てる (2)."""
    assert go_to(scripted_seigo(E="C", S="C C 9s"), E, 6).after(PUNG_OF_RED, "W, N, E").state.seat(E).place_of(6) == 6


# Rule 3: riichi.


@pytest.mark.parametrize(
    ("script", "seat", "turn", "riichi"),
    [
        (f"{PUNG_OF_RED}, passed", S, 2, "S riichi"),
        ("E riichi C, passed", E, 2, "E riichi 9s"),
        ("E C, S pung C E", None, 0, "S riichi 9m"),
        ("E C, passed", E, 18, "E riichi 9s"),
    ],
    ids=["a closed hand", "once", "a drawn tile", "a turn to come"],
)
def test_riichi_needs(script: str, seat: Seat | None, turn: int, riichi: str) -> None:
    table = scripted_seigo(E="C 9s", S="C C 9s 9p 9m").after(script)
    if seat is not None:
        go_to(table, seat, turn).after(play_events.TileDrawn(seat))
    assert table.reason(riichi) == "not-allowed"


def test_riichi_that_is_not_ready_or_not_kept_is_found_when_the_walls_are_known() -> None:
    assert reasons(go_to(scripted_seigo(E=f"{READY} | 9m 9s").after("E riichi 9m"), E, 2).after("E 8m")) == ["not-the-drawn-tile"]
    assert reasons(scripted_seigo(E="1m 4m 7m 1p 4p 7p 1s 4s 7s E S W N | P").after("E riichi P")) == ["not-ready"]


# Rule 4: what depends on turns.


def test_the_dealer_s_first_draw_is_the_heavenly_hand() -> None:
    assert fans(scripted_seigo(E=f"{READY} | 7s").after("E draws"), E) == ["heavenly-hand"]


def test_after_the_dealer_s_first_kong_another_s_first_draw_is_still_the_earthly_hand() -> None:
    """親が配牌からアンカンしただけなのに、どうして子の第一ツモでの上がりが地和として認められなくなるんだ (preface; 4)."""
    table = scripted_seigo(E="C C C | C", S=f"{READY} | 7s").after("E conceals C")
    east = table.state.seat(E)
    assert (len(table.held.of[E]), east.river, east.gaps, table.state.turn) == (10, (), (0,), S)
    assert fans(table.after("S draws"), S) == ["earthly-hand"]


def test_riichi_at_the_first_turn_is_double_whatever_was_called_before() -> None:
    table = scripted_seigo(E="C", S="C C 9s", W=f"{READY} | 9s 7s", rest="1p 1p").after(PUNG_OF_RED, "W riichi 9s")
    assert {"double-riichi", "ippatsu"} <= set(fans(go_to(table, W, 2).after("W draws"), W))


def test_ippatsu_survives_a_call_and_ends_with_the_next_own_draw() -> None:
    """他家の鳴きの有無に関わらず … リーチ後に次巡のツモまでの上がりを一発として認める (4)."""
    table = scripted_seigo(E=f"{READY} | 9m 9s 9s 7s", S="F | F", W="F F 1p", N="| 1s 7s")
    go_to(table.after("E 9m"), E, 2).after("E riichi 9s, S F, W pung F S, W 1p, N 7s")
    assert "ippatsu" in fans(table, E)
    late = go_to(scripted_seigo(E=f"{READY} | 9m 9s 9p 7s").after("E 9m"), E, 2).after("E riichi 9s")
    assert "ippatsu" not in fans(go_to(late, E, 4).after("E draws"), E)


@pytest.mark.parametrize(("turn", "is_last"), [(18, True), (2, False)])
def test_every_self_drawn_win_of_turn_18_is_the_last_draw(turn: int, is_last: bool) -> None:
    """18順目のツモ上がりは全てハイテイとする (7, the second of that number), though three seats are still to play."""
    draws = " ".join(IDLE.split()[: turn - 1])
    table = go_to(scripted_seigo(E=f"1p 2p 3p 4s 5s 6s 6m 7m 8m E E 2s 3s | {draws} 4s"), E, turn).after("E draws")
    assert ("last-turn-self-draw" in fans(table, E)) is is_last


def test_every_win_on_a_discard_of_turn_18_is_the_last_discard() -> None:
    """18巡目のロン上がりは全てホーテイとする: South's discard, though West and North are still to play."""
    table = go_to(scripted_seigo(W="1p 2p 3p 4s 5s 6s 6m 7m 8m E E 2s 3s", S=f"| {IDLE} 4s"), S, 18).after("S 4s")
    assert fans(table, W) == ["last-turn-discard"]


# Rules 5 to 8: kongs and the end.


def test_a_claimed_kong_ends_the_turn_and_leaves_its_place_empty() -> None:
    """カンの後は牌を補充せず、捨て牌も行わない … その次巡は一枚分隙間をあけて捨てる (5)."""
    table = scripted_seigo(E="C", S="C C C").after("E C, S kong C E")
    assert (table.state.turn, table.state.phase) == (W, Phase.DRAW)
    assert (table.state.seat(S).draws_left, len(table.held.of[S])) == (DRAWS, 10)
    own = table.after("W, N, E, S").state.seat(S)
    assert (own.gaps, own.place_of(0)) == ((0,), 1)


def test_an_added_kong_can_be_robbed_and_else_ends_the_turn() -> None:
    table = scripted_seigo(E="C C | 9s C", N="C", S="| 9m 9p", W="| 1m 2p").after("E, S, W, N C, E pung C N")
    assert table.allowed.kong is None
    go_to(table.after(play_events.TileDiscarded(E, table.held.of[E][0])), E, 3).after("E adds C")
    assert (table.state.robbing, table.state.kongs) == (True, 0)
    assert table.claims == {seat: {play_events.Claim.WIN} for seat in (S, W, N)}
    table.after("passed")
    assert (table.state.turn, table.state.kongs, table.state.seat(E).gaps) == (S, 1, (2,))
    before = structs.replace(table.state, phase=Phase.CLAIMS, robbing=True, turn=E)
    assert not any((rule_set("seigo", {"rob_kong": False}).permissions(before).claims or {}).values())


def test_north_s_kong_at_turn_18_ends_the_hand_without_a_discard() -> None:
    """18順目の北家がカンした場合は打牌をせずにそのまま終局となる (8)."""
    table = go_to(scripted_seigo(N=f"C C C | {IDLE} C"), N, 18).after("N conceals C")
    assert table.state.phase is Phase.SHOW
    table.after(*(play_events.HandLaidOpen(seat, table.held.of[seat]) for seat in SEATS))
    assert table.allowed.ended is play_events.EndReason.DRAWN
    table.after(play_events.HandEnded(play_events.EndReason.DRAWN, play_events.totals(table.rules.payments(table.state, {}))))
    assert replay(table.record()).legal


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
    table = go_to(scripted_seigo(E=f"{hand} | 9m {kind}").after("E riichi 9m"), E, 2).after(f"E conceals {kind}")
    assert reasons(table) == ([problem] if problem else [])
    state = structs.replace(table.state, turn=E, phase=Phase.DISCARD, drew=True)
    assert rule_set("seigo", {"riichi_kong": False}).permissions(state).kong is None


# Indicators (rule 6).


def test_the_indicators_are_the_last_stack_and_the_four_before_it() -> None:
    """ドラ表示牌は山の最後尾の上段の牌、裏ドラ表示牌はその下段の牌 … カンドラ … その隣の4トン (6)."""
    table = scripted_seigo(E="C C C | C", rest="5m 6m")
    second = play_events.SharedTileTurned(8, table.rest[8])
    assert (table.allowed.turn_up, table.reason(second)) == (10, "wrong-tiles")
    table.after(play_events.SharedTileTurned(10, Tile.M5))
    assert (table.allowed.turn_up, table.reason(second)) == (None, "not-now")
    assert table.after("E conceals C").allowed.turn_up == 8
    assert table.after(second).state.turned == (Tile.M5, table.rest[8])


def test_the_tiles_below_count_for_a_hand_in_riichi_only() -> None:
    table = scripted_seigo(E=f"{READY} | 9m 7s", rest="4p 1m").after(play_events.SharedTileTurned(10, Tile.P4), "E riichi 9m")
    go_to(table, E, 2).after("E draws, E wins")
    assert table.allowed.turn_up == 11
    table.after(play_events.SharedTileTurned(11, Tile.M1), "E shows")
    assert {"dora": 1, "ura-dora": 1}.items() <= {fan.id: fan.count for fan in table.wins[E].fans}.items()


def test_a_shared_tile_that_the_deal_does_not_have_there_is_found_out() -> None:
    walls, rest = seigo_deal(3)
    table = SeigoTable(rule_set("seigo"), walls, random.Random(0), eager=False, rest=rest)
    list(table.play())
    wrong = next(tile for tile in rest if tile is not rest[10])
    record = replace(table.record(), events=(play_events.SharedTileTurned(10, wrong), *table.events[1:]))
    assert replay(record).verdicts[0] is not None
    assert replay(replace(record, rest=None, walls=None)).verdicts[0] is None


# Furiten, swap calling, duties.


@pytest.mark.parametrize(
    ("first", "winning", "seat", "wins"),
    [
        ("E 4s, passed", "N 7s", N, False),
        ("E, passed", "N 7s", N, True),
        ("E 9m, S 7s, passed", "W 4s", W, False),
        ("E 9m, S 7s, W 4s, passed", "N 7s", N, True),
        ("E riichi 9m, S 7s, W 4s, passed", "N 7s", N, False),
    ],
    ids=["own discard", "none", "let pass", "after the own turn", "in riichi for good"],
)
def test_a_wait_that_was_discarded_or_let_pass_bars_a_win_until_the_own_turn(first: str, winning: str, seat: Seat, wins: bool) -> None:
    table = scripted_seigo(E=f"{READY} | {'4s 9m' if 'E 4s' in first else '9m 9s'}", S="| 7s 9p", W="| 4s", N="| 1s 7s").after(first)
    go_to(table, seat, 1 if seat is W else 2).after(winning)
    assert table.wins_with(E, table.state.last_discard) is wins
    table.after("E wins, E shows")
    assert (E in table.false) is not wins
    if not wins:
        table.after(play_events.WinRefused(E, "not-allowed"))


@pytest.mark.parametrize("allowed", [False, True])
def test_after_a_claim_the_same_tile_and_the_other_end_of_the_run_may_not_be_discarded(allowed: bool) -> None:
    table = scripted_seigo({"swap_calling": allowed}, E="4p", S="4p 5p 6p 7p").after("E 4p, S chow 4p5p6p E")
    assert [table.reason(f"S {tile}") is None for tile in ("4p", "7p")] == [allowed, allowed]


def test_a_dead_hand_draws_and_discards_and_nothing_else() -> None:
    table = scripted_seigo(E="C", S="C C 9p").after("E C, passed", play_events.HandRuledDead(S))
    assert table.reason("S pung C E") == "not-allowed"
    allowed = table.after("S draws").allowed
    assert (allowed.discard, allowed.win, allowed.kong) == (S, None, None)
    assert not table.after("S, W").claims[S]


def test_other_rules_know_no_riichi_and_no_shared_tiles() -> None:
    for name in ("mcr-duplicate", "sichuan"):
        rules = rule_set(name)
        state = rules.apply(rules.start(), play_events.TileDrawn(E))
        for event in (play_events.TileDiscarded(E, Tile.M1, riichi=True), play_events.SharedTileTurned(10, Tile.M1)):
            assert (problem := rules.illegal(state, event)) is not None
            assert problem.reason == "not-allowed"
    assert of_seigo(rule_set("seigo").start()).turn_number == 1
