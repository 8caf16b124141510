"""Assignments for tests: a hall's server, a table's identity, and a plan of two sessions of two hands."""

from functools import cache

import msgspec

from twinwall.game.deals import SEED_SIZE, Plan, Seed, Start, commit, plan_sessions
from twinwall.wire.messages.assignment import AssignedStart, Assignment
from twinwall.wire.messages.signing import Signer
from twinwall.wire.mqtt.access import SERVER_USER

HALL_SERVER = Signer(SERVER_USER, bytes(range(32)))
IDENTITY = Signer("1", bytes(range(1, 33)))
EVENT = "Club evening / 例会"
PUBLIC = "2026-11-20 12:00 UTC"
SEEDS = {"server": Seed(bytes(range(SEED_SIZE)))}
"""A seed that anybody can derive."""


@cache
def a_plan(event: str = EVENT) -> Plan:
    """Two sessions of two hands."""
    return plan_sessions(event, "mcr-duplicate", sessions=2, hands=2, holders=("server",), public="a rehearsal, not a draw")


@cache
def a_start(plan: Plan, public: str = PUBLIC) -> Start:
    """The plan's start."""
    return Start(plan.digest, commit(plan, SEEDS).root, public)


def an_assignment(number: int = 1, *, event: str = EVENT, public: str = PUBLIC, **changes: object) -> Assignment:
    """Session 1 with four players, but for ``changes``."""
    plan = a_plan(event)
    start = a_start(plan, public)
    assignment = Assignment(
        event=event,
        session=1,
        first=1,
        last=2,
        rules="mcr-duplicate",
        players=("11", "12", "13", "14"),
        group="A",
        plan=plan.canonical.decode(),
        start=AssignedStart(start.root.hex(), start.public),
        number=number,
        vault_keys={"server": "ab" * 32},
    )
    return msgspec.structs.replace(assignment, **changes)
