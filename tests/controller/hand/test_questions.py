"""Question to the referee which tile it is: asked with what the camera saw, answered once, and settled as a look would settle it."""

import json

import pytest

from controller.core.decide import decide
from controller.core.outputs import outputs_of
from controller.state.messages import ExposureTimer, Refused, TilesDecoded
from controller.state.questions import DoubtedPlace, SlotQuestion
from tests.support.controller.game import E, Game, N, S, W, seigo_game, walls_of
from tests.support.controller.rigs import MakeRig, Rig
from tests.support.narrowed import present
from twinwall.game.play_events import Claimed, HandShown, Meld, MeldType, ResultExcluded, TileDiscarded, WinDeclared, WinRefused
from twinwall.game.tiles import ALL_TILES, Seat, Tile, parse_tiles
from twinwall.wire.events.hand_events import ClaimRefused, ClaimsOpened, TileAnswered, WinCallRefused
from twinwall.wire.events.trouble_events import CallSubject, DealFouled, FaultCleared, RefereeCalled, TablePart, TableSubject
from twinwall.wire.messages.commands import AnswerTile
from twinwall.wire.messages.tile_question import AskedTile
from twinwall.wire.shapes.panel import Key
from vision.mat import Area, Slot

WALLS = walls_of({E: "123456789p 123s 5s", N: "123m 456m 789m 46s CC"})


@pytest.fixture
def doubted(make_rig: MakeRig) -> Game:
    """East has laid a 5s that the camera cannot read."""
    return lay_blurred(Game(make_rig, WALLS).take_hands().draw(E), "5s")


def lay_blurred(game: Game, tile: str) -> Game:
    game.rig.mat.blurred.add(Slot(game.place(E), Area.RIVER, 0))
    return game.discard(E, tile)


def open_question(rig: Rig) -> SlotQuestion | None:
    return outputs_of(rig.setup, rig.state).asked.question


def called_about(rig: Rig) -> list[CallSubject | TableSubject | None]:
    """What the referee was called about, in order."""
    return [event.about for event in rig.happened(RefereeCalled)]


def runs_to_lay(game: Game) -> bool:
    """Whether the time runs in which called tiles are to be laid."""
    return any(isinstance(wanted.timer, ExposureTimer) for wanted in outputs_of(game.rig.setup, game.rig.state).timers)


def answer(game: Game, tile: str) -> Game:
    answer_at(game.rig, tile)
    return game


def answer_at(rig: Rig, tile: str) -> None:
    question = present(open_question(rig))
    rig.tell(AnswerTile(question.n, question.number, question.where, tile, "Ota"))


@pytest.fixture
def chow(make_rig: MakeRig) -> Game:
    """South has called a chow of East's 5s, and the camera cannot read the tile that will be its second one."""
    game = Game(make_rig, walls_of({E: "123456789p 123s 5s", S: "46s 123m 456m 789m CC"})).take_hands().draw(E)
    game.discard(E, "5s").press(S, Key.CHOW).close_window()
    game.rig.mat.blurred.add(Slot(game.place(S), Area.MELD, 1))
    return game


CHOW = (Tile.S4, Tile.S5, Tile.S6)


def melds_claimed(game: Game) -> list[tuple[Tile, ...]]:
    return [event.meld.tiles for event in game.rig.happened(Claimed)]


def test_an_unreadable_discard_is_asked_about_with_pictures_and_all_kinds_in_the_order_of_the_camera(doubted: Game) -> None:
    (sent,) = doubted.rig.sent_to_server(AskedTile)
    assert (sent.n, sent.where) == (1, f"{doubted.place(E)} river 0")
    assert (sent.before, sent.after) == (b"\xff\xd8\xff bare", b"\xff\xd8\xff blurred 5s")
    assert (sent.tiles[0], set(sent.tiles)) == (Tile.S5, set(ALL_TILES))


def test_the_answer_settles_the_discard_stands_in_the_tables_ledger_with_the_referees_name_and_the_table_goes_on(doubted: Game) -> None:
    answer(doubted, "5s")
    rig = doubted.rig
    assert rig.happened(TileAnswered) == [TileAnswered(E, Tile.S5, "Ota", TablePart.RIVER, 0)]
    assert rig.happened(TileDiscarded) == [TileDiscarded(E, Tile.S5)]
    assert [event.code for event in rig.happened(FaultCleared)] == ["unread-tile"]
    assert rig.happened(ClaimsOpened)
    assert open_question(rig) is None
    (told,) = [line for line in map(json.loads, rig.ledgers[0].lines) if line["type"] == "tile-answered"]
    assert (told["seat"], told["tile"], told["by"]) == ("E", "5s", "Ota")
    assert not [line for line in rig.ledgers[1].lines if b"tile-answered" in line]
    doubted.press(N, Key.WIN).close_window()
    assert doubted.called == "N"


def test_an_answer_that_comes_twice_or_late_or_for_another_discard_changes_nothing(doubted: Game) -> None:
    question = present(open_question(doubted.rig))
    n, number, where = question.n, question.number, question.where
    for late in ((n + 1, number, where), (n, number + 1, where), (n, 0, where), (n, number, "0 meld 1")):
        assert isinstance(decide(doubted.rig.setup, doubted.rig.state, AnswerTile(*late, "5s", "Ota")), Refused)
    answer(doubted, "5s")
    told = AnswerTile(question.n, question.number, question.where, "4s", "Ota")
    assert isinstance(decide(doubted.rig.setup, doubted.rig.state, told), Refused)


def test_a_tile_that_the_camera_reads_in_the_end_needs_no_answer(doubted: Game) -> None:
    doubted.rig.mat.blurred.clear()
    doubted.look()
    assert doubted.rig.happened(TileDiscarded) == [TileDiscarded(E, Tile.S5)]
    assert doubted.rig.happened(TileAnswered) == []
    assert open_question(doubted.rig) is None


def test_an_answer_that_the_wall_has_not_given_fouls_the_deal_for_all_to_see(doubted: Game) -> None:
    """To refuse it in silence would let somebody try one kind after the other and learn what the hand holds."""
    answer(doubted, "F")
    assert doubted.rig.happened(DealFouled)
    assert doubted.rig.lamps.fault
    doubted.rule().look()
    answer(doubted, "5s")
    assert doubted.rig.happened(TileDiscarded) == [TileDiscarded(E, Tile.S5)]


def test_a_question_stays_open_over_a_restart_and_is_asked_again_when_the_camera_has_looked(doubted: Game) -> None:
    before = open_question(doubted.rig)
    doubted.rig.restart()
    assert open_question(doubted.rig) == before
    assert len(doubted.rig.sent_to_server(AskedTile)) == 1
    doubted.look()
    assert len(doubted.rig.sent_to_server(AskedTile)) == 1, "the next heartbeat sends it"
    doubted.rig.questions.beat()
    assert doubted.rig.sent_to_server(AskedTile)[-1] == doubted.rig.sent_to_server(AskedTile)[0]


@pytest.fixture
def shown(make_rig: MakeRig) -> Game:
    """North has won on East's 5s, and of its hand the camera cannot read two tiles."""
    game = Game(make_rig, WALLS).take_hands().draw(E).discard(E, "5s").press(N, Key.WIN).close_window()
    game.rig.mat.blurred |= {Slot(game.place(N), Area.HAND, index) for index in (4, 9)}
    return game.lay_open(N, "123m 456m 789m 46s CC")


def test_each_tile_of_a_shown_hand_that_cannot_be_read_is_asked_about_in_turn(shown: Game) -> None:
    place = shown.place(N)
    assert [sent.where for sent in shown.rig.sent_to_server(AskedTile)] == [f"{place} hand 4"]
    answer(shown, "5m").look()
    assert [sent.where for sent in shown.rig.sent_to_server(AskedTile)] == [f"{place} hand 4", f"{place} hand 9"]
    assert not shown.rig.happened(HandShown)
    answer(shown, "4s").look()
    (hand,) = shown.rig.happened(HandShown)
    assert (hand.seat, hand.concealed[4], hand.concealed[9]) == (N, Tile.M5, Tile.S4)
    assert [(told.part, told.number) for told in shown.rig.happened(TileAnswered)] == [(TablePart.HAND, 4), (TablePart.HAND, 9)]
    assert open_question(shown.rig) is None


def test_an_answer_stands_when_the_camera_takes_that_tile_for_another_one_later(shown: Game) -> None:
    answer(shown, "5m").look()
    answer(shown, "4s")
    fifth = Slot(shown.place(N), Area.HAND, 4)
    shown.rig.mat.blurred.discard(fifth)
    shown.rig.mat.tiles[fifth] = Tile.M6
    shown.look()
    assert not shown.rig.happened(DealFouled)
    (hand,) = shown.rig.happened(HandShown)
    assert hand.concealed[4] is Tile.M5


def test_a_decoder_that_cannot_tell_a_meld_does_not_ask_again_about_an_answered_tile(chow: Game) -> None:
    chow.rig.mat.blurred.add(Slot(chow.place(S), Area.MELD, 0))
    answer(chow.expose(S, "456s"), "4s")
    chow.rig.tell(TilesDecoded(chow.rig.watched, None))
    assert present(open_question(chow.rig)).slot == Slot(chow.place(S), Area.MELD, 1)


@pytest.fixture
def apart(make_rig: MakeRig) -> Game:
    """South's chow of East's 5s lies apart from its slots, and the decoder cannot tell its last tile."""
    game = Game(make_rig, walls_of({E: "123456789p 123s 5s", S: "346s 123m 456m 789m C"})).take_hands().draw(E)
    game.discard(E, "5s").press(S, Key.CHOW).close_window()
    watch, asked_about = game.rig.watched, Slot(game.place(S), Area.MELD, 2)
    question = SlotQuestion(1, watch.version.events if watch.version else 0, asked_about)
    game.rig.questions.keep(DoubtedPlace(question, ALL_TILES, b"", b"\xff\xd8\xff where it lies"))
    game.rig.tell(TilesDecoded(watch, None, asked=asked_about))
    return game


def test_a_tile_of_a_meld_apart_from_its_slots_is_asked_about_with_a_picture_of_where_it_lies(apart: Game) -> None:
    (sent,) = apart.rig.sent_to_server(AskedTile)
    assert (sent.where, sent.before, sent.after) == (f"{apart.place(S)} meld 2", b"", b"\xff\xd8\xff where it lies")
    assert apart.rig.fault_codes() == {"unread-tile"}


@pytest.mark.parametrize(("told", "meld"), [("6s", "456s"), ("3s", "345s")])
def test_the_answer_about_a_tile_apart_stands_wherever_it_belongs_in_the_meld(apart: Game, told: str, meld: str) -> None:
    """It was asked about as the last tile of the meld, and is the first one of 345s."""
    answer(apart, told)
    apart.rig.tell(TilesDecoded(apart.rig.watched, Claimed(S, Meld(MeldType.CHOW, parse_tiles(meld), E))))
    assert melds_claimed(apart) == [parse_tiles(meld)]
    assert open_question(apart.rig) is None
    assert not apart.rig.state.faults


def test_where_the_decoder_reads_that_tile_otherwise_the_answer_stands_and_accuses_nobody(apart: Game) -> None:
    answer(apart, "6s")
    for _ in range(2):
        assert called_about(apart.rig) == []
        apart.rig.tell(TilesDecoded(apart.rig.watched, Claimed(S, Meld(MeldType.CHOW, parse_tiles("345s"), E))))
    assert called_about(apart.rig) == [TableSubject.ANSWER_DOUBTED]
    assert not apart.rig.happened(Claimed)
    assert not apart.rig.happened(ClaimRefused)
    assert apart.violations() == []


def test_answers_about_a_shown_hand_are_known_to_the_camera_and_kept_over_a_restart(shown: Game) -> None:
    answer(shown, "5m")
    assert shown.rig.watched.answered == {Slot(shown.place(N), Area.HAND, 4)}
    shown.rig.restart()
    shown.look()
    assert present(open_question(shown.rig)).slot == Slot(shown.place(N), Area.HAND, 9)


def test_a_wrong_answer_about_a_shown_hand_fouls_the_deal_as_a_second_look_would(shown: Game) -> None:
    answer(shown, "F").look()
    answer(shown, "4s").look()
    shown.look()
    assert shown.rig.happened(DealFouled)
    shown.rule().look()
    assert present(open_question(shown.rig)).slot.index == 4, "what was answered before the ruling counts no more"


def test_while_a_tile_of_a_called_meld_is_asked_about_the_time_to_lay_the_tiles_does_not_run_and_the_answer_makes_it(chow: Game) -> None:
    assert runs_to_lay(chow)
    chow.expose(S, "456s")
    assert [sent.where for sent in chow.rig.sent_to_server(AskedTile)] == [f"{chow.place(S)} meld 1"]
    assert not runs_to_lay(chow)
    assert runs_to_lay(answer(chow, "5s"))
    chow.look()
    assert melds_claimed(chow) == [CHOW]


@pytest.mark.parametrize("wrong", ["1m", "8s", "C"])
def test_an_answer_with_which_no_discard_can_be_claimed_is_refused_and_the_right_one_makes_the_meld(chow: Game, wrong: str) -> None:
    chow.expose(S, "456s")
    before = chow.rig.events()
    answer(chow, wrong)
    assert chow.rig.events() == before
    answer(chow, "5s").look()
    assert melds_claimed(chow) == [CHOW]
    assert chow.violations() == []


def test_an_answer_that_makes_no_meld_with_the_other_tiles_accuses_nobody_and_is_asked_for_again_after_the_ruling(chow: Game) -> None:
    answer(chow.expose(S, "456s"), "7s").look()
    assert called_about(chow.rig) == [TableSubject.ANSWER_DOUBTED]
    assert chow.rig.state.playing.halted
    assert not chow.rig.happened(ClaimRefused)
    chow.rule().look()
    answer(chow, "5s").look()
    assert melds_claimed(chow) == [CHOW]
    assert chow.violations() == []


def test_an_answer_that_names_another_tile_than_the_winner_drew_accuses_nobody_and_its_call_stands(make_rig: MakeRig) -> None:
    played = seigo_game(make_rig, E="4s", S="5s 6s 7s 4s 1m").draw(E)
    wall, slot = played.rig.deal.walls[E], Slot(played.place(E), Area.WIN, 0)
    drawn = wall.draws[0]
    played.press(E, Key.WIN)
    played.rig.mat.blurred.add(slot)
    played.rig.mat.tiles[slot] = drawn
    played.look()
    answer_at(played.rig, next(tile.text for tile in wall.hand if tile is not drawn))
    assert called_about(played.rig) == [TableSubject.ANSWER_DOUBTED]
    assert not played.rig.happened(WinCallRefused)
    played.rule().look()
    answer_at(played.rig, drawn.text)
    assert [event.tile for event in played.rig.happened(WinDeclared)] == [drawn]
    assert played.violations() == []


@pytest.fixture
def excluded(make_rig: MakeRig) -> Game:
    """North has called a win on East's 5s in a deal whose walls prove nothing, and its last tile cannot be read."""
    game = Game(make_rig, WALLS).take_hands().draw(E).discard(E, "5s")
    game.rule(ResultExcluded()).press(N, Key.WIN).close_window()
    game.rig.mat.blurred.add(Slot(game.place(N), Area.HAND, 12))
    return game.lay_open(N, "123m 456m 789m 46s CC")


def test_a_hand_whose_wall_proves_nothing_and_that_does_not_win_by_an_answer_accuses_nobody(excluded: Game) -> None:
    answer(excluded, "F").look()
    assert called_about(excluded.rig) == [TableSubject.ANSWER_DOUBTED]
    assert not excluded.rig.happened(HandShown)
    assert excluded.violations() == []
    excluded.rule().look()
    answer(excluded, "C").look()
    assert excluded.rig.happened(HandShown)
    assert not excluded.rig.happened(WinRefused)


def test_a_hand_that_its_wall_proves_not_to_win_is_a_false_win_also_with_an_answered_tile(make_rig: MakeRig) -> None:
    game = Game(make_rig, walls_of({E: "123456789p 123s 5s", N: "123m 456m 789m 46s CF"})).take_hands().draw(E).discard(E, "5s")
    game.press(N, Key.WIN).close_window()
    game.rig.mat.blurred.add(Slot(game.place(N), Area.HAND, 12))
    answer(game.lay_open(N, "123m 456m 789m 46s CF"), "F").look()
    assert game.violations() == ["false-win"]


@pytest.mark.parametrize("giver", [E, S])
def test_a_look_under_an_arm_does_not_tell_whose_discard_an_answered_meld_took(make_rig: MakeRig, giver: Seat) -> None:
    """East and South have discarded the same dragon: the empty place in a river alone tells which of them North took."""
    played = seigo_game(make_rig, E="C 1m", S="C 9m 1p 9p", W="2p 8p", N="C C 4s 4s 4s 5m 6m")
    for seat, tile in ((E, "C"), (S, "C"), (W, "2p")):
        played.turn(seat, tile)
    played.press(N, Key.PUNG).take(giver, 0)
    played.rig.mat.blurred |= {Slot(played.place(N), Area.MELD, index) for index in range(3)}
    played.meld(N, "C C C")
    for _ in range(2):
        answer_at(played.rig, "C")
        played.look()
    played.rig.mat.arm = True
    answer_at(played.rig, "C")
    played.look()
    assert not played.rig.happened(Claimed)
    played.rig.mat.arm = False
    played.look()
    assert [event.meld.source for event in played.rig.happened(Claimed)] == [giver]
    assert not played.violations()
