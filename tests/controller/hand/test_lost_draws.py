"""What the table finds out late: misreads that a second look puts right, draws that were not reported, and late timers."""

import pytest

from controller.ledger.journal_events import PositionsDoubted, SightDoubted
from controller.state.messages import ClaimWindowTimer, StarvedTimer, TimerFired
from tests.controller.hand.test_play import CALLS
from tests.support.controller.game import E, Game, N, S, W
from tests.support.controller.rigs import MakeRig, Rig
from tests.support.narrowed import present
from twinwall.game.play_events import Claimed, ClaimsPassed, HandShown, TileDiscarded, TileDrawn
from twinwall.game.rules import rule_set
from twinwall.game.tiles import Tile
from twinwall.wire.events.hand_events import ClaimRefused, GateUnlocked
from twinwall.wire.events.trouble_events import FaultCleared, RefereeCalled, TableFault, Violation
from twinwall.wire.shapes.panel import Key
from vision.mat import Slot


@pytest.fixture
def game(make_rig: MakeRig) -> Game:
    return Game(make_rig, CALLS).take_hands()


def start_anew(rig: Rig) -> None:
    """The feeder loses power and what it had to tell, and comes back."""
    rig.feeder.restart()
    rig.settle()
    rig.run(lambda: rig.state.playing.surveyed, most_s=2)


def test_a_draw_that_a_feeder_forgot_when_it_started_anew_is_found_in_the_magazine(game: Game) -> None:
    game.rig.feeder.disconnect()
    game.rig.feeder.lift(game.place(E))
    start_anew(game.rig)
    assert (game.rig.happened(TileDrawn), game.violations()) == ([TileDrawn(E)], [])
    game.discard(E, "9p").close_window()
    assert (game.rig.happened(TileDiscarded), game.unlocked) == ([TileDiscarded(E, Tile.P9)], "S")


def test_a_draw_still_to_be_told_is_waited_for_and_counts_once(game: Game) -> None:
    """The line was cut; the account of the sensors comes back before the event does."""
    feeder = game.rig.feeder
    feeder.disconnect()
    feeder.lift(game.place(E))
    late, feeder._kept = feeder._kept, []
    feeder.connect()
    game.rig.settle()
    assert game.rig.happened(TileDrawn) == []
    feeder._kept = late
    feeder._tell(late[-1])
    game.rig.settle()
    assert (game.rig.happened(TileDrawn), game.violations()) == ([TileDrawn(E)], [])
    game.rig.run(lambda: game.rig.state.playing.surveyed, most_s=2)
    assert game.violations() == []


def test_a_feeder_that_starts_anew_with_nothing_drawn_opens_the_same_gate_again(game: Game) -> None:
    start_anew(game.rig)
    game.rig.run(lambda: game.unlocked == "E", most_s=3)
    assert (game.violations(), game.rig.happened(TileDrawn)) == ([], [])


def test_a_magazine_that_lacks_another_seats_tile_is_for_the_referee_once(game: Game) -> None:
    west = game.place(W)
    del game.rig.feeder.magazines[min(position for position in game.rig.feeder.magazines if position[0] == west)]
    start_anew(game.rig)
    assert [(event.seat, event.what) for event in game.rig.happened(Violation)] == [(W, "magazine-differs")]
    assert "1 fewer" in game.rig.happened(Violation)[0].sentence
    assert game.rig.happened(RefereeCalled) == [RefereeCalled(W)]
    start_anew(game.rig)
    assert (len(game.rig.happened(Violation)), game.rig.happened(TileDrawn)) == (1, [])


def test_a_draw_is_found_though_the_referee_has_been_called(game: Game) -> None:
    west = game.place(W)
    del game.rig.feeder.magazines[min(position for position in game.rig.feeder.magazines if position[0] == west)]
    start_anew(game.rig)
    game.rig.run(lambda: game.referee_called_by == "W", most_s=3)
    game.rule()
    game.rig.run(lambda: game.unlocked == "E", most_s=3)
    game.rig.feeder.disconnect()
    game.rig.feeder.lift(game.place(E))
    start_anew(game.rig)
    assert game.rig.happened(TileDrawn) == [TileDrawn(E)]


def test_no_gate_opens_before_the_magazines_have_been_compared(game: Game) -> None:
    game.draw(E).discard(E, "9p")
    asked: list[None] = []
    game.rig.request_status = lambda: asked.append(None)  # type: ignore[method-assign]  # an account that is long in coming
    game.rig.feeder.restart()
    game.rig.settle()
    game.close_window()
    assert game.rig.happened(ClaimsPassed)
    assert asked
    assert [event.seat for event in game.rig.happened(GateUnlocked)] == [E]
    game.rig.feeder.request_status()
    game.rig.settle()
    assert game.unlocked == "S"


def test_a_timer_of_an_earlier_empty_drum_does_not_begin_to_name_what_is_missing(make_rig: MakeRig) -> None:
    faces = list(rule_set("mcr-duplicate").tiles)
    faces.remove(Tile.EAST)
    rig = make_rig(faces=[*faces])
    rig.run(lambda: rig.state.making.build.starved is not None)
    rig.tell(TimerFired(StarvedTimer(rig.state.last_event - 1)))
    assert not rig.happened(PositionsDoubted)
    rig.tell(TimerFired(StarvedTimer(rig.state.last_event)))
    assert [event.reason for event in rig.happened(PositionsDoubted)] == ["naming"]


def test_a_timer_of_an_earlier_deals_claim_window_closes_nothing(game: Game) -> None:
    game.draw(E).discard(E, "9p")
    window = present(game.rig.state.playing.hand.window)
    game.rig.tell(TimerFired(ClaimWindowTimer(game.rig.deal.n + 1, window.number)))
    assert game.rig.lamps.window
    game.rig.tell(TimerFired(ClaimWindowTimer(game.rig.deal.n, window.number)))
    assert not game.rig.lamps.window


@pytest.fixture
def drawn(make_rig: MakeRig) -> Game:
    return Game(make_rig, CALLS).take_hands().draw(E)


def misread_once(drawn: Game, slot: Slot, seen: Tile) -> None:
    """The camera takes the tile in this slot for another one, in one look."""
    truth = drawn.rig.mat.tiles[slot]
    drawn.rig.mat.tiles[slot] = seen
    drawn.rig.eye.look()
    drawn.rig.settle()
    drawn.rig.mat.tiles[slot] = truth


def lay(drawn: Game, tiles: tuple[Tile, ...]) -> tuple[Slot, ...]:
    slots = drawn.rig.watched.slots
    drawn.rig.mat.tiles.update(zip(slots, tiles, strict=True))
    return slots


def test_a_discard_misread_once_is_called_unreadable_and_read_again_and_every_discard_has_two_looks_of_its_own(drawn: Game) -> None:
    (slot,) = lay(drawn, (Tile.P9,))
    misread_once(drawn, slot, Tile.NORTH)
    assert drawn.rig.fault_codes() == {"unread-tile"}
    assert not drawn.rig.state.playing.fouled
    first, second = drawn.rig.eye.watched[-2:]
    assert (first.slots, first != second) == (second.slots, True)
    assert drawn.rig.happened(SightDoubted) == [SightDoubted(first.label)]
    drawn.look()
    assert drawn.rig.happened(TileDiscarded) == [TileDiscarded(E, Tile.P9)]
    assert not drawn.rig.state.faults
    assert len(drawn.rig.happened(TableFault)) == len(drawn.rig.happened(FaultCleared)) == 1
    assert drawn.referee_called_by == ""
    drawn.close_window().draw(S)
    (slot,) = lay(drawn, (Tile.M1,))
    misread_once(drawn, slot, Tile.NORTH)
    drawn.look()
    assert drawn.rig.happened(TileDiscarded)[1:] == [TileDiscarded(S, Tile.M1)]
    assert not drawn.rig.state.playing.fouled


def test_a_controller_that_dies_between_the_looks_looks_a_second_time_and_not_a_third(drawn: Game) -> None:
    (slot,) = lay(drawn, (Tile.NORTH,))
    drawn.rig.eye.look()
    drawn.rig.settle()
    drawn.rig.restart()
    drawn.rig.run(lambda: drawn.rig.state.playing.fouled, most_s=1)
    assert len(drawn.rig.happened(SightDoubted)) == 1
    assert slot in drawn.rig.mat.tiles


@pytest.mark.parametrize("seen", [Tile.S3, Tile.RED], ids=["as a tile it has", "as a tile it has not"])
def test_a_meld_misread_once_is_not_held_against_the_seat(drawn: Game, seen: Tile) -> None:
    drawn.discard(E, "5s").press(W, Key.PUNG).close_window()
    misread_once(drawn, lay(drawn, (Tile.S5, Tile.S5, Tile.S5))[1], seen)
    drawn.look()
    assert [event.seat for event in drawn.rig.happened(Claimed)] == [W]
    assert not drawn.rig.happened(ClaimRefused)
    assert not drawn.rig.state.playing.fouled
    assert drawn.violations() == []


def test_a_shown_hand_misread_once_fouls_nothing(drawn: Game) -> None:
    drawn.discard(E, "5s").press(N, Key.WIN).close_window()
    misread_once(drawn, lay(drawn, tuple(sorted(drawn.held(N).elements())))[0], Tile.EAST)
    drawn.look()
    assert [event.seat for event in drawn.rig.happened(HandShown)] == [N]
    assert not drawn.rig.state.playing.fouled
    assert not drawn.rig.state.faults
