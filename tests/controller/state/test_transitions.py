"""Transition tables of wall, seat check and hand: every step of them happens, no other does, and one place sets a stage."""

import ast
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.core.apply import apply
from controller.ledger.journal_events import JournalEvent, OperationIssued, PaymentsComputed, PositionsChecked, PositionsDoubted
from controller.state.sides import PlayStage, WallStage
from controller.state.table_state import SeatStage, Setup, TableState, replace
from controller.state.transitions import (
    PLAY_TRANSITIONS,
    SEAT_TRANSITIONS,
    WALL_TRANSITIONS,
    PlayStep,
    SeatStep,
    TransitionError,
    WallStep,
    next_stage,
)
from firmware_bridge.messages import Raise
from tests.support.controller.rigs import opened, set_up
from tests.support.game.tables import random_walls
from tools.diagrams import DIAGRAMS, drawn
from twinwall.game.tiles import SEATS, Seat
from twinwall.wire.events.hand_events import HandClosed, HandStarted
from twinwall.wire.events.seat_events import SeatsAwaited, SeatsConfirmed, SeatTaken
from twinwall.wire.events.wall_events import Cleared, ClearingBegan, DealOpened, WallRaised, WallReady
from twinwall.wire.messages.ruling import Ruling

SETUP: Setup = set_up()
DEAL = opened(random_walls(1))
RULES = DEAL.rules
TABLES: tuple[Mapping[tuple[StrEnum, StrEnum], StrEnum], ...] = (
    dict(WALL_TRANSITIONS.items()),
    dict(SEAT_TRANSITIONS.items()),
    dict(PLAY_TRANSITIONS.items()),
)
WALL_EVENTS: Mapping[WallStep, JournalEvent] = {
    WallStep.DEAL_OPENED: DealOpened(DEAL.n, DEAL.session, DEAL.hand, RULES, DEAL.check, DEAL.walls, DEAL.digest, DEAL.rest),
    WallStep.WALL_READY: WallReady(DEAL.n, DEAL.check, DEAL.digest),
    WallStep.NO_LONGER_WHOLE: PositionsDoubted(((0, 0),), (), "sampled"),
    WallStep.READ_AGAIN: PositionsChecked((), agreed=True),
    WallStep.CLEARING_BEGAN: ClearingBegan(DEAL.n, 0),
    WallStep.CLEARED: Cleared(DEAL.n, 136),
    WallStep.RAISE_ISSUED: OperationIssued(1, Raise(), None),
    WallStep.WALL_RAISED: WallRaised(DEAL.n),
}
FOUR = ("11", "12", "13", "14")
OF_THE_SEATS: Mapping[SeatStep, JournalEvent] = {
    SeatStep.SEATS_AWAITED: SeatsAwaited(1, FOUR),
    SeatStep.SEAT_TAKEN: SeatTaken(0, "11"),
    SeatStep.SEATS_CONFIRMED: SeatsConfirmed(1, FOUR),
}
OF_A_HAND: Mapping[PlayStep, JournalEvent] = {
    PlayStep.HAND_STARTED: HandStarted(DEAL.n, 1, 1, RULES, {}, Seat.EAST, {}, {}, {}),
    PlayStep.PAYMENTS_COMPUTED: PaymentsComputed(Seat.EAST, (), 0, dict.fromkeys(SEATS, 0)),
    PlayStep.HAND_CLOSED: HandClosed(DEAL.n),
    PlayStep.RULED: Ruling("1", DEAL.n, "referee", {}),
}


@pytest.mark.parametrize("table", TABLES, ids=["wall", "seats", "hand"])
def test_every_stage_is_reached_and_left(table: Mapping[tuple[StrEnum, StrEnum], StrEnum]) -> None:
    stages = {stage for stage, _ in table} | set(table.values())
    assert stages == set(type(next(iter(stages))))
    cycle = {stage for stage in stages if stage is not PlayStage.NONE and stage is not SeatStage.NONE}  # before the first hand of all
    for begin in cycle:
        reached = {begin}
        while more := {after for (stage, _), after in table.items() if stage in reached} - reached:
            reached |= more
        assert reached == cycle


@pytest.mark.parametrize("table", TABLES, ids=["wall", "seats", "hand"])
def test_every_step_leads_somewhere(table: Mapping[tuple[StrEnum, StrEnum], StrEnum]) -> None:
    steps = {step for _, step in table}
    assert steps == set(type(next(iter(steps))))


@given(stage=st.sampled_from(WallStage), step=st.sampled_from(WallStep))
def test_a_step_without_an_entry_is_an_error(stage: WallStage, step: WallStep) -> None:
    if (stage, step) in WALL_TRANSITIONS:
        assert next_stage(WALL_TRANSITIONS, stage, step) is WALL_TRANSITIONS[stage, step]
    else:
        with pytest.raises(TransitionError, match=f"{step.name} cannot happen in stage {stage.name}"):
            next_stage(WALL_TRANSITIONS, stage, step)


@given(st.lists(st.sampled_from(WallStep), max_size=30))
def test_the_fold_of_a_walls_events_follows_the_table(steps: list[WallStep]) -> None:
    """Whatever order events come in: where the table has an entry the fold goes there, and nowhere else it goes at all."""
    state, stage = TableState(), WallStage.NONE
    for step in steps:
        due = WALL_TRANSITIONS.get((stage, step))
        if due is None and step is WallStep.NO_LONGER_WHOLE:
            due = stage  # only a wall that stood ready can stop being whole
        if due is None:
            with pytest.raises(TransitionError):
                apply(SETUP, state, WALL_EVENTS[step])
            continue
        playing = replace(state.playing, stage=PlayStage.NONE)
        state = apply(SETUP, replace(state, playing=playing), WALL_EVENTS[step])
        stage = due
        assert state.making.stage is stage


@given(st.lists(st.sampled_from(sorted(OF_A_HAND)), max_size=20))
def test_the_fold_of_a_hands_events_follows_the_table(steps: list[PlayStep]) -> None:
    raising = TableState(making=replace(TableState().making, stage=WallStage.RAISING, deal=DEAL))
    state = apply(SETUP, raising, WallRaised(DEAL.n))
    assert state.playing.stage is PlayStage.TAKING
    walk(PLAY_TRANSITIONS, OF_A_HAND, steps, state, lambda state: state.playing.stage)


@given(st.lists(st.sampled_from(sorted(OF_THE_SEATS)), max_size=20))
def test_the_fold_of_a_seat_checks_events_follows_the_table(steps: list[SeatStep]) -> None:
    walk(SEAT_TRANSITIONS, OF_THE_SEATS, steps, TableState(), lambda state: state.seats.stage)


def walk(
    table: Mapping[Any, Any], events: Mapping[Any, Any], steps: Sequence[Any], state: TableState, stage_of: Callable[[TableState], Any]
) -> None:
    for step in steps:
        due = table.get((stage_of(state), step))
        if due is None:
            with pytest.raises(TransitionError):
                apply(SETUP, state, events[step])
            continue
        state = apply(SETUP, state, events[step])
        assert stage_of(state) is due


def functions_that_set_a_stage(module: Path) -> list[str]:
    """The functions of a module in which a call is given a stage that is not a copy of one."""
    found = []
    for function in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(function, ast.FunctionDef):
            calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
            stages = [keyword.value for call in calls for keyword in call.keywords if keyword.arg == "stage"]
            found += [function.name for value in stages if not (isinstance(value, ast.Attribute) and value.attr == "stage")]
    return found


def test_each_transition_table_has_one_function_of_the_whole_controller_that_sets_its_stage() -> None:
    found = {module.name: names for module in Path("controller").rglob("*.py") if (names := functions_that_set_a_stage(module))}
    assert found.pop("wall_reducer.py") == ["moved_on"]
    assert set(found) == {"hand_reducer.py", "seat_check.py", "collecting.py"}
    assert all(names == ["_moved_on"] for names in found.values())


@pytest.mark.parametrize("name", DIAGRAMS)
def test_the_diagrams_of_the_documents_are_drawn_from_the_tables(name: str) -> None:
    assert drawn(name) == DIAGRAMS[name][0].read_text(encoding="utf-8"), "run python -m tools.diagrams"
