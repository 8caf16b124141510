"""Which assignment a table takes: sentences for what it refuses, and the moment at which it goes over."""

import re
from itertools import product

import pytest

from controller.assigning import AssignmentStanding, assigned_deals, hall_stage, is_between_hands, refusal
from controller.state.sides import Hand, Making, Playing, PlayStage, WallStage
from controller.state.table_state import TableState
from tests.support.controller.rigs import opened
from tests.support.game.tables import random_walls
from tests.support.narrowed import present
from tests.support.wire.assignments import EVENT, an_assignment
from twinwall.game.tiles import Seat
from twinwall.wire.messages.assignment import Assignment, HallStage

FIRST = an_assignment(3)
DEAL = opened(random_walls(1))
NEW = AssignmentStanding()
PLAYED = AssignmentStanding(FIRST, {EVENT: FIRST}, TableState())


def at_work(stage: PlayStage = PlayStage.CLOSED, wall: WallStage = WallStage.NONE, *, taken: bool = False) -> AssignmentStanding:
    making = Making(stage=wall, deal=None if wall is WallStage.NONE else DEAL)
    hand = Hand(taken=frozenset({(Seat.EAST, 0)}) if taken else frozenset())
    return AssignmentStanding(FIRST, {EVENT: FIRST}, TableState(making=making, playing=Playing(stage, DEAL, hand=hand)))


@pytest.mark.parametrize(
    ("standing", "new"),
    [
        pytest.param(NEW, FIRST, id="the first one"),
        pytest.param(PLAYED, FIRST, id="the same again"),
        pytest.param(AssignmentStanding(deals_in_clear=True), an_assignment(vault_keys={}), id="no vault for a rehearsal with a folder"),
        pytest.param(
            AssignmentStanding(accepted=FIRST, asks_key=True), an_assignment(4, event="Other"), id="another event, journal closed"
        ),
    ],
)
def test_a_table_takes_an_assignment(standing: AssignmentStanding, new: Assignment) -> None:
    assert refusal(standing, new) is None


@pytest.mark.parametrize(
    ("standing", "new", "said"),
    [
        (PLAYED, an_assignment(2), "assignment 2 is older than 3"),
        (PLAYED, an_assignment(3, session=2), "another assignment has the number 3"),
        (NEW, an_assignment(rules="riichi"), "the rule set 'riichi' is not known"),
        (NEW, an_assignment(options={"no_such": 1}), "no_such"),
        (NEW, an_assignment(session=9), "no deal for hand 1 of session 9"),
        (NEW, an_assignment(vault_keys={}), "vault keys of no holder"),
        (NEW, an_assignment(vault_keys={"server": "ab" * 32, "witness": "cd" * 32}), "vault keys of server, witness"),
        (AssignmentStanding(vault_keys={"server": "cd" * 32}), FIRST, "this table's settings name other vault keys"),
        (PLAYED, an_assignment(4, public="another value"), "this is another start of"),
        (PLAYED, an_assignment(4, options={"minimum": 0}), "an event keeps rule set and options"),
        (PLAYED, an_assignment(4, vault_keys={"server": "cd" * 32}), "an event keeps its vaults"),
        (AssignmentStanding(accepted=FIRST), an_assignment(4, session=2), "the table still starts with session 1"),
        (AssignmentStanding(accepted=FIRST, asks_key=True), an_assignment(4, session=2), "waits for the key of its journal of session 1"),
        (at_work(PlayStage.PLAYING), an_assignment(4, event="Other"), "hand 1 of session 1 of .* is in play"),
        (at_work(PlayStage.TAKING), an_assignment(4, event="Other"), "is in play"),
        (at_work(PlayStage.TAKING, taken=True), an_assignment(4, session=2), "is in play"),
        (at_work(wall=WallStage.BUILDING), an_assignment(4, event="Other"), "the wall of hand 1 .* is being built"),
    ],
)
def test_what_a_table_refuses_is_told_in_a_sentence(standing: AssignmentStanding, new: Assignment, said: str) -> None:
    assert re.search(said, present(refusal(standing, new)))


def test_other_players_of_the_same_session_are_taken_whatever_goes_on() -> None:
    new = an_assignment(4, players=("11", "12", "13", "99"))
    assert [at for at in product(PlayStage, WallStage) if refusal(at_work(*at), new) is not None] == []


def test_a_wall_of_which_no_tile_was_drawn_keeps_no_session_of_the_event_back() -> None:
    untouched = product([PlayStage.NONE, PlayStage.TAKING, PlayStage.CLOSED], WallStage)
    assert [at for at in untouched if refusal(at_work(*at), an_assignment(4, session=2)) is not None] == []


def test_a_table_goes_over_to_another_assignment_in_no_hand() -> None:
    between = {stage for stage in PlayStage if is_between_hands(TableState(playing=Playing(stage)))}
    assert between == {PlayStage.NONE, PlayStage.TAKING, PlayStage.CLOSED}


def test_a_table_says_when_all_hands_of_its_assignment_are_over() -> None:
    assert hall_stage(assigned_deals(FIRST), None) is HallStage.STARTING
    assert hall_stage(assigned_deals(FIRST), TableState(closed=(1,))) is HallStage.PLAYING
    assert hall_stage(assigned_deals(FIRST), TableState(closed=(1, 2))) is HallStage.FINISHED
