"""The end of a hand: what is put where its last discard was due, which no frame saw."""

from controller.recorder.hypothesis import Hypothesis, TableContext
from controller.recorder.moves.ending import ended
from controller.recorder.places import MatPlaces, all_seats
from controller.recorder.tracks import TrackList
from tests.support.recorder.played_hands import PlayedHand, played
from twinwall.game.play_events import EndReason, HandEnded, TileDiscarded
from twinwall.game.session import round_wind


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
