"""What the decoder tells of: what lies away from its place is judged as if it lay there, and violations call the referee."""

import pytest

from controller.core.outputs import outputs_of
from controller.ledger.journal_events import DiscardAstray, SightDoubted
from controller.state.messages import CallDecoded, TilesDecoded, ViolationDecoded
from controller.state.watches import Awaited, Awaits, Watch
from tests.support.controller.game import E, Game, N, S, W, walls_of
from tests.support.controller.rigs import MakeRig, set_up
from tests.support.narrowed import present
from twinwall.game.play_events import Claim, Claimed, HandShown, Meld, MeldType, PlayEvent, TileDiscarded, WinDeclared
from twinwall.game.tiles import Seat, Tile, parse_tiles
from twinwall.wire.events.hand_events import ClaimBound, ClaimRefused, PlayHalted
from twinwall.wire.events.trouble_events import DealFouled, RefereeCalled, TableSubject, Violation
from twinwall.wire.messages.commands import AnswerTile
from twinwall.wire.messages.tile_question import ShownViolation
from twinwall.wire.shapes.panel import Key
from vision.mat import Area, Slot


@pytest.mark.parametrize(("what", "n"), [("drew-twice", 1), ("exposed-tiles", 99)], ids=["of a draw", "of another deal"])
def test_what_a_gate_shows_is_told_by_the_table_alone_and_nothing_of_another_deal(game: Game, what: str, n: int) -> None:
    decode_violation(game, what, n)
    assert not game.rig.happened(Violation)


WALLS = walls_of({E: "123456789p 123s 5s 9m", S: "46s 1199m 789s 1p ESWC", W: "55s 147m 258p 39s ESN 5s", N: "123m 456m 789m 46s CC 1s"})
CHOW = Claimed(S, Meld(MeldType.CHOW, parse_tiles("456s"), E))


@pytest.fixture
def claimed_on(make_rig: MakeRig) -> Game:
    """East has discarded 5s."""
    return Game(make_rig, WALLS).take_hands().draw(E).discard(E, "5s")


def decode(game: Game, event: PlayEvent | None, *covers: tuple[int, int], watch: Watch | None = None) -> Game:
    game.rig.tell(TilesDecoded(watch or game.rig.watched, event, covers))
    return game


def test_a_meld_far_from_its_place_is_taken_and_no_discard_is_awaited_where_it_lies(claimed_on: Game) -> None:
    game = claimed_on.press(S, Key.CHOW).close_window()
    decode(game, CHOW, (game.place(S), 4))
    assert game.rig.happened(Claimed) == [CHOW]
    assert game.rig.happened(DiscardAstray) == [DiscardAstray(((game.place(S), 4),))]


@pytest.mark.parametrize(
    "event",
    [Claimed(S, Meld(MeldType.KONG, (Tile.S5,) * 4, E)), Claimed(W, Meld(MeldType.PUNG, (Tile.S5,) * 3, E)), HandShown(S, (), Tile.S5)],
    ids=["another-meld", "another-seat", "another-event"],
)
def test_what_nobody_called_is_left_to_the_referee(claimed_on: Game, event: PlayEvent) -> None:
    game = claimed_on.press(S, Key.CHOW).close_window()
    before = game.rig.events()
    decode(game, event)
    assert game.rig.events() == before


def test_what_the_decoder_cannot_tell_is_an_unread_tile_until_it_can(claimed_on: Game) -> None:
    game = decode(claimed_on.press(S, Key.CHOW).close_window(), None)
    assert game.rig.fault_codes() == {"unread-tile"}
    decode(game, CHOW)
    assert not game.rig.state.faults
    assert game.rig.happened(Claimed) == [CHOW]


def test_a_hand_in_two_rows_is_shown_with_the_tile_that_the_wall_gave_last(make_rig: MakeRig) -> None:
    game = Game(make_rig, walls_of({E: "123m 456m 789m 46s FF 5s"})).take_hands().draw(E).press(E, Key.WIN)
    decode(game, HandShown(E, parse_tiles("23456789m 456s FF"), Tile.M1))
    (shown,) = game.rig.happened(HandShown)
    assert (shown.concealed, shown.winning) == (parse_tiles("123456789m 46s FF"), Tile.S5)
    assert not game.rig.happened(DealFouled)


@pytest.fixture
def game(make_rig: MakeRig) -> Game:
    return Game(make_rig, walls_of({E: "123456789p 123s 5s 9m"})).take_hands().draw(E)


def decode_violation(game: Game, what: str, n: int = 1) -> None:
    game.rig.tell(ViolationDecoded(n, S, what, "one rule"))


def called_aloud(game: Game, seat: Seat, call: Claim, events: int | None = None, *, in_time: bool = True) -> Game:
    """The decoder tells of a call without a key, after so many events of the record (None: all), whose tiles were laid ``in_time``."""
    record = len(game.rig.state.playing.hand.events)
    game.rig.tell(CallDecoded(1, record if events is None else events, seat, call, in_time))
    return game


@pytest.mark.parametrize("keys", [(), (Key.CHOW,)], ids=["no key", "the key is pressed after it was seen"])
def test_a_meld_laid_without_a_key_while_claims_are_open_counts_as_called(claimed_on: Game, keys: tuple[Key, ...]) -> None:
    game = called_aloud(claimed_on, S, Claim.CHOW)
    for key in keys:
        game.press(S, key)
    assert (game.rig.happened(ClaimBound), game.called) == ([ClaimBound(S, Claim.CHOW)], "S")
    decode(game.close_window(), CHOW)
    assert game.rig.happened(Claimed) == [CHOW]


def test_a_higher_call_takes_the_tile_from_a_meld_that_was_laid_first(claimed_on: Game) -> None:
    game = called_aloud(claimed_on, S, Claim.CHOW).press(W, Key.PUNG).close_window()
    assert game.rig.watched.awaited == Awaited(Awaits.MELD, W, 0)


def test_play_waits_once_for_a_meld_that_was_laid_in_time_and_known_too_late_and_accuses_nobody(claimed_on: Game) -> None:
    game = called_aloud(claimed_on.close_window(), W, Claim.PUNG)
    assert game.rig.happened(RefereeCalled) == [RefereeCalled(about=TableSubject.LAID_IN_TIME)]
    assert (game.rig.state.playing.halted, game.unlocked) == (True, "")
    for _ in range(2):
        game.rule()
        called_aloud(game, W, Claim.PUNG).press(S, Key.CHOW)
    assert (len(game.rig.happened(PlayHalted)), game.violations(), game.unlocked) == (1, [], "S")


@pytest.mark.parametrize(("seat", "call"), [(W, Claim.PUNG), (S, Claim.WIN), (S, Claim.KONG)])
def test_what_is_laid_without_a_key_after_the_window_shuts_the_gate_until_the_ruling(claimed_on: Game, seat: Seat, call: Claim) -> None:
    """Also what the seat lays that is to draw."""
    game = claimed_on.close_window()
    assert game.unlocked == "S"
    called_aloud(game, seat, call, in_time=False)
    assert [(event.seat, event.what) for event in game.rig.happened(Violation)] == [(seat, "claimed-late")]
    assert (game.rig.state.playing.halted, game.unlocked) == (True, "")
    game.rule()
    game.rig.settle()
    assert game.unlocked == "S"


def test_who_has_drawn_lays_no_late_win_open(claimed_on: Game) -> None:
    game = called_aloud(claimed_on.close_window().draw(S), S, Claim.WIN, in_time=False)
    assert not game.rig.happened(Violation)


def test_a_call_that_was_seen_before_the_last_event_changes_nothing(claimed_on: Game) -> None:
    before = claimed_on.rig.events()
    called_aloud(claimed_on, S, Claim.CHOW, events=1)
    assert claimed_on.rig.events() == before


def test_a_win_of_the_own_draw_is_declared_when_the_hand_is_laid_open(make_rig: MakeRig) -> None:
    game = Game(make_rig, walls_of({E: "123m 456m 789m 46s FF 5s"})).take_hands().draw(E)
    called_aloud(game, E, Claim.WIN)
    assert game.rig.happened(WinDeclared) == [WinDeclared(E, None, None)]


JPEG = b"\xff\xd8\xff"


def test_the_server_is_shown_the_place_of_a_violation_with_its_event_until_the_referee_has_ruled(game: Game) -> None:
    game.rig.questions.keep(ShownViolation(1, "S", "discarded-twice", after=JPEG))
    assert game.rig.sent_to_server(ShownViolation) == []
    decode_violation(game, "discarded-twice")
    assert game.rig.sent_to_server(ShownViolation) == [ShownViolation(1, "S", "discarded-twice", after=JPEG)]
    game.rule()
    game.rig.questions.beat()
    assert len(game.rig.sent_to_server(ShownViolation)) == 1


def test_nothing_is_shown_of_a_violation_that_the_table_does_not_tell(game: Game) -> None:
    game.rig.questions.keep(ShownViolation(1, "S", "false-claim", after=JPEG))
    decode_violation(game, "false-claim")
    game.rig.questions.beat()
    assert game.rig.sent_to_server(ShownViolation) == []


ASTRAY = walls_of({E: "123456789p 123s 5s 9m", S: "19m 46s 789s 1p ESWCF 1s", W: "55s 147m 258p 39s ESN 1s", N: "123m 456m 789m 46s CC 1s"})


@pytest.fixture
def drawn(make_rig: MakeRig) -> Game:
    return Game(make_rig, ASTRAY).take_hands().draw(E)


def decode_discard(drawn: Game, tile: Tile | None, *covers: tuple[int, int], watch: Watch | None = None) -> None:
    """The decoder tells of East's discard."""
    decode(drawn, None if tile is None else TileDiscarded(E, tile), *covers, watch=watch)


def discards(drawn: Game) -> list[TileDiscarded]:
    return drawn.rig.happened(TileDiscarded)


def laid_astray(drawn: Game) -> Game:
    """East's first discard lies on the second place of its river; all have had a turn since, and East has drawn again."""
    decode_discard(drawn, Tile.P9, (drawn.place(E), 1))
    drawn.close_window()
    for seat, tile in ((S, "1m"), (W, "4m"), (N, "4s")):
        drawn.turn(seat, tile)
    return drawn.draw(E)


def test_a_table_gives_its_hand_to_a_decoder_only_where_its_settings_say_so(make_rig: MakeRig, drawn: Game) -> None:
    assert outputs_of(drawn.rig.setup, drawn.rig.state).decoded is None
    decoded = Game(make_rig, ASTRAY, setup=set_up(decodes=True)).take_hands().draw(E).rig
    assert present(outputs_of(decoded.setup, decoded.state).decoded).awaited == decoded.eye.watching


def test_no_discard_is_awaited_where_another_lies_astray_and_the_decoder_alone_tells_the_next_one(drawn: Game) -> None:
    laid_astray(drawn)
    assert drawn.rig.watched.slots == ()
    drawn.rig.mat.tiles[Slot(drawn.place(E), Area.RIVER, 1)] = Tile.P9
    assert drawn.rig.eye.observation() is None
    decode_discard(drawn, Tile.P1, (drawn.place(E), 2))
    assert discards(drawn)[-1] == TileDiscarded(E, Tile.P1)


@pytest.mark.parametrize(("of", "leaves_out"), [(E, False), (S, True)], ids=["near its place", "on another's river"])
def test_a_discard_leaves_out_the_place_of_another_one_on_which_it_lies(drawn: Game, of: Seat, leaves_out: bool) -> None:
    decode_discard(drawn, Tile.P9, (drawn.place(of), 0))
    assert bool(drawn.rig.happened(DiscardAstray)) is leaves_out
    drawn.close_window().draw(S)
    assert (drawn.rig.watched.slots == ()) is leaves_out


def test_a_discard_near_its_place_that_takes_a_call_back_leaves_no_place_out(drawn: Game) -> None:
    decode_discard(drawn.press(E, Key.KONG), Tile.P9, (drawn.place(E), 0))
    assert discards(drawn) == [TileDiscarded(E, Tile.P9)]
    assert not drawn.rig.happened(DiscardAstray)


def test_an_answer_to_an_earlier_watch_changes_nothing(drawn: Game) -> None:
    watch = drawn.rig.watched
    for _ in range(2):
        decode_discard(drawn, Tile.NORTH, watch=watch)
    assert not drawn.rig.happened(DealFouled)


def test_a_meld_that_the_rules_forbid_is_refused_when_it_is_seen_again(claimed_on: Game) -> None:
    game = claimed_on.press(S, Key.CHOW).close_window()
    for refused in ([], [ClaimRefused(S)]):
        decode(game, Claimed(S, Meld(MeldType.CHOW, parse_tiles("789s"), E)))
        assert game.rig.happened(ClaimRefused) == refused
    assert not game.rig.happened(DiscardAstray)


def test_a_tile_that_the_wall_has_not_given_counts_when_the_decoder_says_so_again(drawn: Game) -> None:
    decode_discard(drawn, Tile.NORTH)
    assert len(drawn.rig.happened(SightDoubted)) == 1
    assert not drawn.rig.happened(DealFouled)
    decode_discard(drawn, Tile.NORTH)
    assert len(drawn.rig.happened(DealFouled)) == 1


def test_the_referee_is_asked_what_the_decoder_cannot_tell_and_no_discard_is_awaited_where_it_lies(drawn: Game) -> None:
    decode_discard(drawn, None, (drawn.place(E), 0), (drawn.place(E), 1))
    asked = present(outputs_of(drawn.rig.setup, drawn.rig.state).asked.question)
    assert asked.slot == Slot(drawn.place(E), Area.RIVER, 0)
    drawn.rig.tell(AnswerTile(asked.n, asked.number, asked.where, "9p", "Ota"))
    assert discards(drawn) == [TileDiscarded(E, Tile.P9)]
    assert not drawn.rig.state.faults
    assert drawn.rig.happened(DiscardAstray) == [DiscardAstray(((drawn.place(E), 1),))]


def test_what_lies_astray_is_known_after_a_restart_and_until_the_referee_has_had_it_put_straight(drawn: Game) -> None:
    laid_astray(drawn).rig.die(power_cut=False)
    drawn.rig.settle()
    assert drawn.rig.watched.slots == ()
    drawn.rule()
    assert drawn.rig.watched.slots == ()
    decode_discard(drawn, None)
    drawn.rule()
    assert [*drawn.rig.watched.slots] == [Slot(drawn.place(E), Area.RIVER, 1)]


def test_what_cannot_be_told_of_a_kong_is_looked_for_at_the_next_river_place(drawn: Game) -> None:
    """East calls a kong with no pung to add to, and a tile lies astray on its next river place: no slot is awaited."""
    laid_astray(drawn).press(E, Key.KONG)
    assert drawn.rig.watched.slots == ()
    decode(drawn, None)
    assert "unread-tile" in drawn.rig.fault_codes()
