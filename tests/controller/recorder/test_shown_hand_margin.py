"""How certain a found event is: what contradicts the record, what was published before, and what ends a hand."""

import pytest

from controller.recorder import costs
from controller.recorder.hypothesis import Hypothesis, TableContext
from controller.recorder.margins.event_margins import contradicts, laid_open, revised
from controller.recorder.margins.event_order import unordered_from
from controller.recorder.marks import mark_of
from controller.recorder.moves.ending import ended
from controller.recorder.places import MatPlaces, all_seats
from controller.recorder.signals import Decoded, Grounds, MarginBound
from controller.recorder.tracks import TrackList
from tests.support.narrowed import present
from tests.support.recorder.played_hands import PlayedHand, played
from tests.support.recorder.small_tables import a_table, tracks_of
from twinwall.game.play_events import (
    Claimed,
    ClaimsPassed,
    EndReason,
    HandEnded,
    HandShown,
    Meld,
    MeldType,
    PlayEvent,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
)
from twinwall.game.rules import rule_set
from twinwall.game.session import round_wind
from twinwall.game.tiles import Seat, Tile, parse_tiles
from twinwall.wire.shapes.panel import Key, KeyEdge

RULES = rule_set("mcr-duplicate")
TABLE = a_table(now_ms=0)
RECORD = (TileDrawn(Seat.SOUTH, from_end=False), WinDeclared(Seat.SOUTH, None, None))
OTHER = (TileDrawn(Seat.SOUTH, from_end=False), WinDeclared(Seat.SOUTH, Seat.EAST, Tile.M9))
ALL = parse_tiles("33567m345p345567s")
OTHERS = parse_tiles("33567m345p345568s")


def shown(winning: Tile, tiles: tuple[Tile, ...] = ALL) -> HandShown:
    left = list(tiles)
    left.remove(winning)
    return HandShown(Seat.SOUTH, tuple(sorted(left)), winning)


def path(*events: PlayEvent) -> Hypothesis:
    return Hypothesis(
        RULES.start(), None, events=events, grounds=tuple(Grounds(1000) for _ in events), marks=tuple(mark_of(event) for event in events)
    )


@pytest.mark.parametrize(
    ("rival", "after", "margin"),
    [
        pytest.param(path(*OTHER, shown(Tile.M3, OTHERS)), 7.0, costs.ODD, id="contradicts the record"),
        pytest.param(path(*OTHER, shown(Tile.M3, OTHERS)), -1.0, 0.0, id="contradicts the record and is likelier"),
        pytest.param(path(*RECORD, shown(Tile.S6)), 0.0, costs.ODD, id="names another winning tile"),
        pytest.param(path(*RECORD, shown(Tile.M3, OTHERS)), 7.0, 7.0, id="has another tile"),
    ],
)
def test_a_shown_hand_is_as_certain_as_its_tiles_by_the_tables_record(rival: Hypothesis, after: float, margin: float) -> None:
    best = path(*RECORD, shown(Tile.M3))
    found = present(laid_open(TABLE, [best, rival], [0.0, after], {}, before=RECORD, seat=Seat.SOUTH))
    assert found.margin == margin


CHOW = Claimed(Seat.SOUTH, Meld(MeldType.CHOW, parse_tiles("345m"), Seat.EAST))
OTHER_CHOW = Claimed(Seat.SOUTH, Meld(MeldType.CHOW, parse_tiles("234m"), Seat.EAST))
DISCARDED = (TileDrawn(Seat.EAST, from_end=False), TileDiscarded(Seat.EAST, Tile.M3))


@pytest.mark.parametrize(
    ("rival", "after", "margin"),
    [
        pytest.param(path(*DISCARDED), 1.0, costs.ODD, id="has the tiles as a false claim"),
        pytest.param(path(*DISCARDED), -1.0, costs.ODD, id="has them as a false claim and is likelier"),
        pytest.param(path(DISCARDED[0]), -1.0, costs.ODD, id="has not the record"),
        pytest.param(path(*DISCARDED, OTHER_CHOW), 7.0, 7.0, id="has another meld"),
        pytest.param(path(*DISCARDED, WinDeclared(Seat.WEST, Seat.EAST, Tile.M3)), 4.0, costs.ODD, id="has another one's claim"),
    ],
)
def test_a_meld_that_was_called_is_as_certain_as_its_tiles_by_the_tables_record(rival: Hypothesis, after: float, margin: float) -> None:
    beam = sorted([(0.0, path(*DISCARDED, CHOW)), (after, rival)], key=lambda pair: pair[0])
    found = present(laid_open(TABLE, [each for _, each in beam], [total for total, _ in beam], {}, before=DISCARDED, seat=Seat.SOUTH))
    assert (found.event, found.margin) == (CHOW, margin)


def test_a_dropped_path_with_another_winning_tile_does_not_contradict_a_shown_hand() -> None:
    best = path(*RECORD, shown(Tile.M3))
    assert not contradicts(path(*RECORD, shown(Tile.S6)), best, 2)
    assert contradicts(path(*RECORD, shown(Tile.M3, OTHERS)), best, 2)
    assert contradicts(path(*RECORD), best, 2)
    assert contradicts(path(*OTHER), best, 1)


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
    tracks = tracks_of(at_ms=(*range(0, SILENT_FROM_MS + 1, 250), *range(SILENT_TO_MS, SILENT_TO_MS + 2000, 250)))
    return a_table(tracks=tracks, now_ms=SILENT_TO_MS + 2000)


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


def a_drawn_hand() -> PlayedHand:
    return played("yangzhou", 0)


def path_until(number: int, *, gates: bool = True) -> tuple[TableContext, Hypothesis]:
    """The path that holds so many events of the hand, and nothing more lies there."""
    hand = a_drawn_hand()
    places = MatPlaces(all_seats(hand.east))
    table = TableContext(hand.rules, round_wind(hand.to_play.hand), places, TrackList(), None, gates)
    path = Hypothesis(hand.rules.start(), None)
    for event in hand.events[:number]:
        path = path.recorded(table, event)
    return table, path


def without_last_discard() -> int:
    """How many events there are before the last discard."""
    events = a_drawn_hand().events
    return max(index for index, event in enumerate(events) if isinstance(event, TileDiscarded))


def test_the_last_discard_that_nobody_saw_is_one_whose_kind_is_asked() -> None:
    number = without_last_discard()
    path = ended(*path_until(number))
    assert isinstance(path.events[number], TileDiscarded)
    assert path.grounds[number].never_seen
    assert isinstance(path.events[-1], HandEnded)
    assert path.events[-1].reason is EndReason.DRAWN


def test_a_hand_that_stops_in_its_middle_is_unfinished() -> None:
    path = ended(*path_until(without_last_discard() - 9))
    assert not isinstance(path.events[-1], HandEnded)


def test_without_gates_nobody_knows_that_a_discard_is_missing() -> None:
    path = ended(*path_until(without_last_discard(), gates=False))
    assert not isinstance(path.events[-1], HandEnded)
