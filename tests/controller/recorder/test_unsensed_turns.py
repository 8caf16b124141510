"""Turns where draws are not sensed and no key is pressed: what was laid tells of them, and in which order."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from controller.recorder import costs
from controller.recorder.margins.event_margins import decoded
from controller.recorder.moves.wins import shows
from tests.controller.recorder.test_whole_hand import followed as path_of
from tests.controller.recorder.test_whole_hand import with_open_tiles
from tests.support.recorder.played_hands import decoder_of, followed, only, played, told
from twinwall.game.play_events import HandShown, PlayEvent, TileDiscarded, WinDeclared, WinRefused
from vision.mat_observation import MatObservation


def test_the_next_discard_tells_who_has_won_before_though_no_winner_shows_a_hand_yet() -> None:
    """The seat whose turn it was next had won: its discard was waited for, and another seat was recorded as the winner later."""
    hand, win = played("sichuan", 707), 55
    assert isinstance(hand.events[win], WinDeclared)
    first = win + 12
    decoder = decoder_of(hand, deal=False, gates=False)
    seen = [message for message in told(hand.at_table(only(), first)) if isinstance(message, MatObservation)]
    followed(decoder, (*seen, *(replace(seen[-1], at_ms=seen[-1].at_ms + 250 * more) for more in range(1, 9))), gates=False)
    assert not decoder.searching
    assert _laid(each.event for each in decoder.best()) == _laid(hand.events[:first])


def _laid(events: Iterable[PlayEvent]) -> list[PlayEvent]:
    return [event for event in events if isinstance(event, TileDiscarded | WinDeclared)]


@pytest.mark.parametrize(("why", "asked"), [(costs.CostReason.NOTHING_LAID, True), ("key", False)])
def test_a_win_on_which_nothing_was_laid_and_whose_hand_does_not_win_is_asked_about(why: str, asked: bool) -> None:
    """The hand wins on another tile: the win was on that one."""
    hand = played("sichuan", 886)
    won, win = next((index, each) for index, each in enumerate(hand.events) if isinstance(each, WinDeclared) and each.source is not None)
    table, path = path_of(hand, hand.events[: won + 1], {})
    grounds = replace(path.grounds[won], costs=((why, costs.WAITING),))
    refused = WinRefused(win.seat, "not-a-win")
    path = replace(path, events=(*path.events, refused), marks=(*path.marks, 0), grounds=(*path.grounds[:won], grounds, grounds))
    assert (decoded(table, [path], [0.0], {})[won].margin < costs.ASK) is asked


@pytest.mark.parametrize("unseen", [0, 1])
def test_a_shown_hand_of_which_one_tile_stays_unseen_is_known_by_its_win_and_asked_about(unseen: int) -> None:
    hand = played("sichuan", 886)
    shows_at = next(index for index, each in enumerate(hand.events) if isinstance(each, HandShown))
    shown = hand.events[shows_at]
    assert isinstance(shown, HandShown)
    table, path = path_of(hand, hand.events[:shows_at], {})
    place = (hand.east + shown.seat.index) % 4
    table, path = with_open_tiles(table, path, place, shown.concealed[unseen:])
    table, path = replace(table, deal=None, gates=False, over=True), replace(path, held=None)
    ways = list(shows(table, path, path.permissions(table)))
    assert shown in [way.events[shows_at] for way in ways]
    way = next(way for way in ways if way.events[shows_at] == shown)
    assert (decoded(table, [way], [0.0], {})[shows_at].margin < costs.ASK) is bool(unseen)
