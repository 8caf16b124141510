"""What is not taken back in silence: an event that was published, and a win that was called while the camera was silent."""

import pytest

from controller.recorder import costs
from controller.recorder.hypothesis import Hypothesis, TableContext
from controller.recorder.margins.event_margins import revised
from controller.recorder.margins.event_order import unordered_from
from controller.recorder.marks import mark_of
from controller.recorder.places import MatPlaces, all_seats
from controller.recorder.signals import Decoded, Grounds, MarginBound
from controller.recorder.tracks import TrackList
from twinwall.game.play_events import ClaimsPassed, PlayEvent, TileDiscarded, TileDrawn, WinDeclared
from twinwall.game.rules import rule_set
from twinwall.game.tiles import Seat, Tile
from twinwall.wire.shapes.panel import Key, KeyEdge
from vision.mat_observation import MatObservation

RULES = rule_set("mcr-duplicate")
SILENT_FROM_MS, SILENT_TO_MS = 10_000, 20_000
DISCARD = TileDiscarded(Seat.WEST, Tile.S3)


def decoded(margin: float, event: PlayEvent = DISCARD) -> Decoded:
    return Decoded(1, event, margin, Grounds(1000))


@pytest.mark.parametrize(
    ("published", "margin", "bound"),
    [
        pytest.param({}, 11.0, MarginBound.NOTHING, id="nothing was published"),
        pytest.param({1: decoded(12.0)}, 11.0, MarginBound.NOTHING, id="the same was published"),
        pytest.param({1: decoded(12.0, ClaimsPassed())}, costs.LINGERING, MarginBound.REVISED, id="another event was published"),
    ],
)
def test_an_event_in_whose_place_another_one_was_published_is_asked_about(
    published: dict[int, Decoded], margin: float, bound: MarginBound
) -> None:
    (after,) = revised([decoded(11.0)], published)
    assert (after.margin, after.bound, after.event) == (margin, bound, DISCARD)


def test_the_question_offers_what_was_published() -> None:
    (after,) = revised([decoded(11.0)], {1: decoded(12.0, ClaimsPassed())})
    assert after.rival == ClaimsPassed()


def test_an_event_in_doubt_anyway_keeps_its_reason() -> None:
    (after,) = revised([decoded(2.0)], {1: decoded(12.0, ClaimsPassed())})
    assert (after.margin, after.bound) == (2.0, MarginBound.NOTHING)


def table_with_a_silence() -> TableContext:
    tracks = TrackList()
    for at_ms in (*range(0, SILENT_FROM_MS + 1, 250), *range(SILENT_TO_MS, SILENT_TO_MS + 2000, 250)):
        tracks.see(MatObservation(at_ms, (), frozenset()))
    return TableContext(RULES, Seat.EAST, MatPlaces(all_seats(0)), tracks, None, gates=True, now_ms=SILENT_TO_MS + 2000)


def after_a_key(key: Key, at_ms: int, event: PlayEvent) -> Hypothesis:
    """A path whose second event is done with a key of West."""
    events = (TileDrawn(Seat.WEST, from_end=False), event)
    pressed = KeyEdge(at_ms, all_seats(0)[Seat.WEST], key)
    grounds = Grounds(9000), Grounds(SILENT_TO_MS + 500, keys=(pressed,))
    return Hypothesis(RULES.start(), None, events=events, grounds=grounds, marks=tuple(map(mark_of, events)))


@pytest.mark.parametrize(
    ("path", "lost"),
    [
        pytest.param(after_a_key(Key.WIN, SILENT_FROM_MS + 1000, DISCARD), 1, id="a win"),
        pytest.param(after_a_key(Key.PUNG, SILENT_FROM_MS + 1000, DISCARD), None, id="another call"),
        pytest.param(after_a_key(Key.WIN, SILENT_TO_MS - 1000, DISCARD), None, id="too late to show a hand in the silence"),
        pytest.param(after_a_key(Key.WIN, SILENT_FROM_MS - 3000, DISCARD), None, id="before the silence"),
        pytest.param(after_a_key(Key.WIN, SILENT_FROM_MS + 1000, WinDeclared(Seat.WEST, None, None)), None, id="a win that the path holds"),
    ],
)
def test_a_win_called_to_no_effect_while_the_camera_is_silent_leaves_the_rest_of_the_hand_in_doubt(
    path: Hypothesis, lost: int | None
) -> None:
    """The hand may have been shown, refused and taken up again: then each later number is another one."""
    assert unordered_from(table_with_a_silence(), path) == lost


def test_that_nobody_claimed_before_a_draw_without_a_turn_is_in_doubt_with_it() -> None:
    """Claims that were made while the camera was silent leave such a draw: the end of the window before it was published."""
    events = (TileDrawn(Seat.EAST, from_end=False), DISCARD, ClaimsPassed(), TileDrawn(Seat.SOUTH, from_end=False))
    grounds = *(Grounds(1000 * number) for number in range(3)), Grounds(3000, costs=((costs.CostReason.WITHOUT_TURN, costs.RARE),))
    path = Hypothesis(RULES.start(), None, events=events, grounds=grounds, marks=tuple(map(mark_of, events)))
    assert unordered_from(table_with_a_silence(), path) == events.index(ClaimsPassed())
