"""Table page of a hand of Seigo: own-turn claims, and kongs that leave a place empty."""

import re
from collections.abc import Iterator

from tests.dashboard.pages.test_pages import piece, tiles
from tests.support.dashboard.example import building, play
from tests.support.dashboard.hall import Hall
from tests.support.wire.streams import Line
from twinwall.game.tiles import SEATS


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
