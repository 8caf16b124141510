"""Table page of a hand of Seigo, whose claims wait and whose kongs leave a place empty, and of one of Sichuan that goes on after a win."""

import re
from collections.abc import Iterator

import pytest

from dashboard.pages.table.board_picture import seat_pictures
from dashboard.projections.fold import fold
from dashboard.projections.table_view import TableView
from tests.dashboard.pages.test_pages import piece, tiles
from tests.support.controller.hands_of_rules import NOBODY, THREE_WINNERS, TWO_ON_ONE, written
from tests.support.dashboard.example import NAMES, building, play
from tests.support.dashboard.hall import Hall
from tests.support.wire.streams import Line, hand_started, public_events
from twinwall.game.play_events import HandEnded, HandShown, PlayEvent, WinDeclared
from twinwall.game.play_json import to_json
from twinwall.game.tiles import SEATS, Seat


def started() -> Iterator[Line]:
    for kind, fields in [*building(), *play("")]:
        rules = {"rules": "seigo"} if "rules" in fields else {}
        draws = {"draws": {seat.value: 18 for seat in SEATS}} if kind == "hand-started" else {}
        yield kind, {**fields, **rules, **draws}


def turn(seat: str, tile: str, **more: object) -> Iterator[Line]:
    yield "tile-drawn", {"seat": seat}
    yield "tile-discarded", {"seat": seat, "tile": tile, **more}
    yield "claims-closed", {}
    yield "passed", {}


def places(markup: str) -> list[tuple[str, ...]]:
    """Where the tiles of a river lie, each by the numbers of its transform or corner."""
    return [tuple(re.findall(r'[xy]="(-?[\d.]+)"', use)) for use in re.findall(r"<use[^>]*>", markup)]


def test_a_turn_with_a_kong_leaves_its_place_and_a_claim_may_wait(entered: Hall) -> None:
    kong: Line = ("kong-declared", {"seat": "S", "meld": "concealed_kong", "tiles": "9s 9s 9s 9s"})
    claim: Line = ("claimed", {"seat": "N", "meld": "pung", "tiles": "C C C", "from": "E"})
    events: list[Line] = [
        *started(),
        ("shared-tile-turned", {"place": 10, "tile": "5m"}),
        *turn("E", "C"),
        ("tile-drawn", {"seat": "S"}),
        kong,
        *turn("W", "1m"),
        claim,
        ("tile-discarded", {"seat": "N", "tile": "2m"}),
        ("claims-closed", {}),
        ("passed", {}),
        *turn("E", "3m", riichi=True),
        *turn("S", "4m"),
    ]
    entered.feed(events)
    page = entered.client.get("/table/1").text
    assert "cannot be followed" not in page
    east, south = piece(page, "river-E"), piece(page, "river-S")
    assert "claimed by North" in east
    assert tiles(south) == ["4m"]
    assert places(south)[-1] == places(east)[-1]


def test_a_table_that_waits_for_a_shared_tile_says_at_whose_rear_gate(entered: Hall) -> None:
    entered.feed(list(started()))
    assert "Everybody waits: East takes the shared tile at the rear gate" in entered.client.get("/table/1?lang=en").text
    entered.feed([*started(), ("shared-tile-turned", {"place": 10, "tile": "5m"})], table="2")
    assert "Everybody waits" not in entered.client.get("/table/2").text


def lines(events: list[PlayEvent]) -> list[Line]:
    places = {seat.value: place for place, seat in enumerate(SEATS)}
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
