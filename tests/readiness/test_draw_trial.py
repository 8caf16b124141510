"""The trial of four draws, as pure steps."""

from tableside.readiness.trial_run import DrawTrial, confirmed, read_at_gate, seen_on_mat
from twinwall.game.tiles import Tile
from twinwall.wire.shapes.readiness import DrawHint, DrawStep
from vision.reading import Read, ReadRefusal, Reason
from vision.table.slots import Presence
from vision.table.table_reader import SlotReading

READ = Read(Tile.P5, 0.99, turned=False)


def on_mat(trial: DrawTrial, tile: Tile | None, reason: Reason | None = None) -> DrawTrial:
    return seen_on_mat(trial, [SlotReading(trial.slot, Presence.TILE, reason, {} if tile is None else {tile: 0.99})])


def laid(trial: DrawTrial) -> DrawTrial:
    return on_mat(read_at_gate(trial, READ), Tile.P5)


def test_each_place_shows_lays_and_confirms_once_and_then_the_trial_is_over() -> None:
    trial = DrawTrial()
    for place in range(4):
        assert (trial.place, trial.step) == (place, DrawStep.SHOW)
        trial = laid(trial)
        assert trial.step is DrawStep.CONFIRM
        trial = confirmed(trial, place)
    assert trial.step is DrawStep.DONE
    assert confirmed(laid(trial), 0) == trial


def test_without_keys_a_tile_that_was_laid_ends_the_draw() -> None:
    assert laid(DrawTrial(confirms=False)) == DrawTrial(confirms=False, place=1)


def test_a_tile_that_the_mats_camera_is_not_sure_of_is_waited_for_and_a_key_pressed_too_early_does_nothing() -> None:
    shown = read_at_gate(DrawTrial(), READ)
    assert on_mat(shown, Tile.P5, Reason.UNSURE) == on_mat(shown, None) == confirmed(shown, 0) == shown
    assert confirmed(DrawTrial(), 0) == DrawTrial()


def test_what_does_not_fit_is_said_and_the_trial_stays_where_it_is() -> None:
    unread = read_at_gate(DrawTrial(), ReadRefusal(Reason.UNSURE, "two kinds are likely"))
    assert (unread.step, unread.hint) == (DrawStep.SHOW, DrawHint.UNREAD)
    shown = read_at_gate(unread, READ)
    assert (shown.step, shown.hint) == (DrawStep.LAY, DrawHint.NONE)
    assert seen_on_mat(shown, []).hint is DrawHint.NO_MAT
    other = on_mat(shown, Tile.P6)
    assert (other.step, other.hint) == (DrawStep.LAY, DrawHint.OTHER_TILE)
    elsewhere = confirmed(on_mat(other, Tile.P5), 2)
    assert (elsewhere.step, elsewhere.hint) == (DrawStep.CONFIRM, DrawHint.OTHER_PLACE)
