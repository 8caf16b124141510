"""Assignments and a joined table's heartbeats: what travels is read back, and only from whom it should come."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
import pytest

from tests.support.wire.assignments import HALL_SERVER, IDENTITY, an_assignment
from twinwall.wire.canonical_json import canonical, read_object
from twinwall.wire.messages.assignment import (
    ASSIGNMENT,
    NO_EVENT,
    Assignment,
    AssignmentError,
    HallStage,
    JoinedTable,
    open_assignment,
    read_joined_table,
    write_assignment,
    write_joined_table,
)
from twinwall.wire.messages.signing import Signer

OTHER = Signer("server", bytes(32))
HEARTBEAT = JoinedTable(
    table="1",
    at=datetime(2026, 11, 20, 10, 2, 3, 123_000, tzinfo=UTC),
    version="0.1.0",
    identity_key=IDENTITY.public.hex(),
    stage=HallStage.WAITING,
    lacks=("feeder",),
)


def test_an_assignment_is_read_back_as_it_was_written() -> None:
    assignment = an_assignment(options={"minimum": 0, "flowers": True, "counted": "all"}, seat_check=True)
    assert open_assignment(write_assignment(HALL_SERVER, "1", assignment), "1", HALL_SERVER.public) == assignment


def test_an_assignment_says_in_which_order_the_table_plays_its_hands() -> None:
    assert an_assignment().hands == (1, 2)
    assert an_assignment(begins=2).hands == (2, 1)


def test_an_assignment_counts_for_its_table_alone_and_under_the_servers_key_alone() -> None:
    payload = write_assignment(HALL_SERVER, "1", an_assignment())
    with pytest.raises(AssignmentError, match="not signed by 'server' for table '2'"):
        open_assignment(payload, "2", HALL_SERVER.public)
    with pytest.raises(AssignmentError, match="altered, or meant for another"):
        open_assignment(write_assignment(OTHER, "1", an_assignment()), "1", HALL_SERVER.public)


def test_an_altered_assignment_is_refused() -> None:
    read = read_object(write_assignment(HALL_SERVER, "1", an_assignment()))
    with pytest.raises(AssignmentError, match="altered"):
        open_assignment(canonical({**read, "session": 2}), "1", HALL_SERVER.public)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"first": 2, "last": 1}, "first .2. must not be after last .1."),
        ({"begins": 3}, "begins .3. must be a hand from first .1. to last .2."),
        ({"players": ("11", "12", "11", "14")}, "one player for two places"),
        ({"players": ("11", "12", "Li Na", "14")}, "players.2."),
        ({"session": 0}, "session"),
        ({"rules": "No such"}, "rules"),
        ({"vault_keys": {"server": "ab"}}, "vault_keys.server"),
    ],
)
def test_an_assignment_with_a_value_that_no_table_could_play_is_refused_by_its_name(change: dict[str, object], said: str) -> None:
    written: dict[str, object] = {**msgspec.to_builtins(an_assignment()), **change}
    with pytest.raises(AssignmentError, match=said):
        open_assignment(HALL_SERVER.sign(ASSIGNMENT, NO_EVENT, "1", written), "1", HALL_SERVER.public)


@pytest.mark.parametrize(
    ("assignment", "said"),
    [
        (an_assignment(last=3), "no deal for hand 3 of session 1"),
        (an_assignment(session=3), "no deal for hand 1 of session 3"),
        (an_assignment(rules="sichuan"), "session 1 is for mcr-duplicate"),
        (msgspec.structs.replace(an_assignment(), event="Another"), "the plan is of 'Club evening / 例会'"),
        (an_assignment(plan="{}\n"), "cannot be used"),
    ],
)
def test_a_plan_that_does_not_fit_the_rest_is_told_in_a_sentence(assignment: Assignment, said: str) -> None:
    with pytest.raises(AssignmentError, match=said):
        assignment.started()


def test_a_heartbeat_is_read_back_as_it_was_written() -> None:
    assert read_joined_table(write_joined_table(IDENTITY, HEARTBEAT), "1") == HEARTBEAT


def test_a_heartbeat_under_another_key_than_it_names_is_refused() -> None:
    with pytest.raises(AssignmentError, match="not signed by '1'"):
        read_joined_table(write_joined_table(Signer("1", bytes(32)), HEARTBEAT), "1")


def test_a_heartbeat_on_another_tables_topic_is_refused() -> None:
    with pytest.raises(AssignmentError, match="table 2 is refused"):
        read_joined_table(write_joined_table(IDENTITY, HEARTBEAT), "2")
