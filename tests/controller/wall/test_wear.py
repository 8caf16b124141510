"""Worn tiles, from the journal's reads: a kind whose certainty falls over walls, and no other."""

import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.core.apply import apply
from controller.core.decide import decide
from controller.ledger.journal_events import JournalEvent, TileArrived, TileRead
from controller.state.messages import Refused, WearSeen, Worn
from controller.state.sides import Playing, PlayStage
from controller.state.table_state import TableState, replace
from controller.wall.wear import ReadingHistory, looks_of
from tests.support.controller.rigs import MakeRig, set_up
from tests.support.controller.sessions import SHORT_HANDS, hand_is, seat_session
from tests.support.controller.wear import wall
from twinwall.game.tiles import ALL_TILES, Tile
from twinwall.wire.events.wall_events import TilesWorn


def test_a_kind_that_is_read_less_surely_is_named_and_no_other() -> None:
    events = [event for n in range(1, 9) for event in wall(n, {Tile.P3: 0.999 if n < 5 else 0.93, Tile.EAST: 0.999})]
    (found,) = looks_of(events).worn()
    assert (found.back, found.tile) == (1, Tile.P3)
    assert found.now < found.then


STEADY = [event for n in range(1, 9) for event in wall(n, {Tile.P3: 0.999})]


@pytest.mark.parametrize(
    ("events", "worn"),
    [
        pytest.param(
            [event for n in range(1, 9) for event in wall(n, {Tile.S1: 0.998}, doubts=0 if n < 5 else 2)], [Tile.S1], id="more looks needed"
        ),
        pytest.param(
            [event for n in range(1, 13) for event in wall(n, {Tile.P3: 0.9999 if n % 2 else 0.97}, back=1 + n % 2)], [], id="two sets"
        ),
        pytest.param([event for n in range(1, 6) for event in wall(n, {Tile.P3: 0.999 if n < 3 else 0.5})], [], id="too few walls"),
        pytest.param([*STEADY[:40], *[TileRead(None, 0.0, "dark")] * 50, *STEADY[40:]], [], id="reads that the camera spoils"),
    ],
)
def test_a_kind_that_needs_more_looks_is_worn_and_where_only_looks_differ_it_is_not(events: list[JournalEvent], worn: list[Tile]) -> None:
    assert [one.tile for one in looks_of(events).worn()] == worn


def test_showings_at_several_gates_are_told_apart() -> None:
    events: list[JournalEvent] = []
    for n in range(1, 9):
        alone = list(wall(n, {Tile.S1: 0.998}, doubts=0 if n < 5 else 2))
        beside = [dataclasses.replace(event, gate=1) for event in wall(n, {Tile.P3: 0.998}) if isinstance(event, TileArrived | TileRead)]
        events.append(alone[0])
        for number, event in enumerate(alone[1:]):
            events += [event, *beside[number : number + 1]]
        events += beside[len(alone) - 1 :]
    assert [one.tile for one in looks_of(events).worn()] == [Tile.S1]


@given(st.lists(st.sampled_from(ALL_TILES), min_size=1, max_size=6, unique=True), st.floats(0.5, 0.99999))
def test_a_set_that_stays_as_it_is_never_wears(kinds: list[Tile], probability: float) -> None:
    events = [event for n in range(1, 10) for event in wall(n, dict.fromkeys(kinds, probability))]
    assert looks_of(events).worn() == []


WORN = Worn(1, Tile.P3, 3.0, 1.2, 14)


def at(stage: PlayStage, **changes: object) -> TableState:
    return replace(TableState(), playing=Playing(stage=stage), **changes)  # type: ignore[arg-type]  # fields of TableState


@pytest.mark.parametrize("stage", list(PlayStage))
def test_staff_hear_of_worn_tiles_between_hands_and_never_while_one_is_played(stage: PlayStage) -> None:
    decision = decide(set_up(), at(stage), WearSeen((WORN,)))
    if stage in (PlayStage.NONE, PlayStage.CLOSED):
        assert decision == (TilesWorn(1, set_up().sets[1], (Tile.P3,), 14),)
    else:
        assert isinstance(decision, Refused)


def test_each_change_is_told_once_and_so_is_that_a_set_is_good_again() -> None:
    setup, state = set_up(), at(PlayStage.CLOSED)
    (told,) = decide(setup, state, WearSeen((WORN,)))  # type: ignore[misc]  # no refusal between hands
    state = apply(setup, state, told)
    assert decide(setup, state, WearSeen((WORN,))) == ()
    (gone,) = decide(setup, state, WearSeen(()))  # type: ignore[misc]
    assert gone == TilesWorn(1, setup.sets[1], None, 0)
    assert decide(setup, apply(setup, state, gone), WearSeen(())) == ()


def test_walls_of_deals_that_are_not_over_count_for_nothing() -> None:
    looks = ReadingHistory()
    for n in range(1, 9):
        for event in wall(n, {Tile.P3: 0.999 if n < 5 else 0.93}):
            looks.note(event)
    assert [one.tile for one in looks.worn()] == [Tile.P3]
    assert looks.worn(of=range(1, 6)) == []


def test_a_table_tells_its_referee_of_a_worn_kind_when_a_hand_is_over_and_nobody_else(make_rig: MakeRig) -> None:
    rig = seat_session(make_rig, 2, SHORT_HANDS, raised=True).rig
    for n in range(1, 9):
        for event in wall(n, {Tile.P3: 0.999 if n < 5 else 0.93}):
            rig.table.looks.note(event)
    rig.table.state = replace(rig.state, closed=tuple(range(2, 9)))
    rig.run(hand_is(rig, 1, PlayStage.CLOSED))
    rig.settle()
    (told,) = rig.happened(TilesWorn)
    assert (told.tiles, told.looks) == ((Tile.P3,), 12)
    at_table, everywhere = ([json.loads(line)["type"] for line in ledger.lines] for ledger in rig.ledgers)
    assert at_table.index("tiles-worn") > at_table.index("hand-closed")
    assert "tiles-worn" not in everywhere
