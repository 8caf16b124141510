"""Table page of hands that go on after a win: winners, open hands, and the texts at the end."""

import pytest

from dashboard.pages.table.board_picture import seat_pictures
from dashboard.projections.fold import fold
from dashboard.projections.table_view import TableView
from tests.support.controller.hands_of_rules import NOBODY, THREE_WINNERS, TWO_ON_ONE, written
from tests.support.dashboard.example import NAMES, SEATS
from tests.support.dashboard.hall import Hall
from tests.support.wire.streams import Line, hand_started, public_events
from twinwall.game.play_events import HandEnded, HandShown, PlayEvent, WinDeclared
from twinwall.game.play_json import to_json
from twinwall.game.tiles import Seat


def lines(events: list[PlayEvent]) -> list[Line]:
    """What a table publishes of a hand."""
    places = dict(zip(SEATS, range(4), strict=True))
    written_events = (to_json(event) for event in events)
    following = [(str(event.pop("type")), event) for event in written_events]
    return [hand_started(1, NAMES, places, 14, rules="sichuan"), *following]


def view_after(events: list[PlayEvent]) -> TableView:
    view = TableView("1")
    for event in public_events(lines(events)):
        view = fold(view, event)
        seat_pictures(view.hand, view.deal)
        assert view.unclear is None
    return view


@pytest.mark.parametrize("seed", [TWO_ON_ONE, THREE_WINNERS, NOBODY])
def test_every_moment_of_such_a_hand_can_be_drawn_and_all_hands_lie_open_at_its_end(seed: int) -> None:
    script = list(written("sichuan", seed))
    view = view_after(script)
    assert view.hand is not None
    for picture in seat_pictures(view.hand, view.deal):
        assert all(place.tile is not None for place in picture.hand)
    declared = tuple(event.seat for event in script if isinstance(event, WinDeclared))
    assert view.hand.winners == declared


def test_a_winner_that_has_left_is_known_and_its_self_drawn_tile_lies_beside_its_hand() -> None:
    script = list(written("sichuan", THREE_WINNERS))
    first = next(event for event in script if isinstance(event, WinDeclared))
    view = view_after(script[: script.index(first) + 3])
    assert view.hand is not None
    assert view.hand.winners == (first.seat,)
    picture = next(each for each in seat_pictures(view.hand, view.deal) if each.seat is first.seat)
    assert [place.tile for place in picture.hand if place.tile is not None] == [first.tile]
    assert view.hand.declared is None, "play goes on, no hand is to be shown"


def said(entered: Hall, events: list[PlayEvent]) -> str:
    entered.feed(lines(events))
    return entered.client.get("/table/1").text


def test_the_page_says_who_shows_and_who_has_won(entered: Hall) -> None:
    script = list(written("sichuan", TWO_ON_ONE))
    first = next(at for at, event in enumerate(script) if isinstance(event, HandShown))
    names = {Seat.EAST: "East", Seat.SOUTH: "South", Seat.WEST: "West", Seat.NORTH: "North"}
    winners = [names[event.seat] for event in script if isinstance(event, WinDeclared)]
    assert f"{winners[0]} lays the hand open." in said(entered, script[:first])
    page = said(entered, script)
    assert f"{' and '.join(winners)} won. The hand is closed." in page
    assert page.count('<p class="tiles shown"') == len(winners)
    assert isinstance(script[-1], HandEnded)
