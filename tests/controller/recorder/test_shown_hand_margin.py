"""How certain a shown hand is at a running table: what contradicts its record, or names another winning tile, is no rival."""

from __future__ import annotations

import pytest

from controller.recorder import costs
from controller.recorder.hypothesis import Hypothesis, TableContext
from controller.recorder.margins.event_margins import contradicts, shown_hand
from controller.recorder.marks import mark_of
from controller.recorder.places import MatPlaces, all_seats
from controller.recorder.signals import Grounds
from controller.recorder.tracks import TrackList
from twinwall.game.play_events import HandShown, PlayEvent, TileDrawn, WinDeclared
from twinwall.game.rules import rule_set
from twinwall.game.tiles import Seat, Tile, parse_tiles

RULES = rule_set("mcr-duplicate")
TABLE = TableContext(RULES, Seat.EAST, MatPlaces(all_seats(0)), TrackList(), None, gates=True)
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
    found = shown_hand(TABLE, [best, rival], [0.0, after], {}, before=RECORD, seat=Seat.SOUTH)
    assert found is not None
    assert found.margin == margin


def test_a_dropped_path_with_another_winning_tile_does_not_contradict_a_shown_hand() -> None:
    best = path(*RECORD, shown(Tile.M3))
    assert not contradicts(path(*RECORD, shown(Tile.S6)), best, 2)
    assert contradicts(path(*RECORD, shown(Tile.M3, OTHERS)), best, 2)
    assert contradicts(path(*RECORD), best, 2)
    assert contradicts(path(*OTHER), best, 1)
