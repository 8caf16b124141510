"""How certain a shown hand or a meld is at a running table: what contradicts its record, or names another winning tile, is no rival."""

import pytest

from controller.recorder import costs
from controller.recorder.hypothesis import Hypothesis, TableContext
from controller.recorder.margins.event_margins import contradicts, laid_open
from controller.recorder.marks import mark_of
from controller.recorder.places import MatPlaces, all_seats
from controller.recorder.signals import Grounds
from controller.recorder.tracks import TrackList
from twinwall.game.play_events import Claimed, HandShown, Meld, MeldType, PlayEvent, TileDiscarded, TileDrawn, WinDeclared
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
    found = laid_open(TABLE, [best, rival], [0.0, after], {}, before=RECORD, seat=Seat.SOUTH)
    assert found is not None
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
    found = laid_open(TABLE, [each for _, each in beam], [total for total, _ in beam], {}, before=DISCARDED, seat=Seat.SOUTH)
    assert found is not None
    assert (found.event, found.margin) == (CHOW, margin)


def test_a_dropped_path_with_another_winning_tile_does_not_contradict_a_shown_hand() -> None:
    best = path(*RECORD, shown(Tile.M3))
    assert not contradicts(path(*RECORD, shown(Tile.S6)), best, 2)
    assert contradicts(path(*RECORD, shown(Tile.M3, OTHERS)), best, 2)
    assert contradicts(path(*RECORD), best, 2)
    assert contradicts(path(*OTHER), best, 1)
