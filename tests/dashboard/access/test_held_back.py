"""A session that is held back: who may not see its results is given nothing that depends on them, at any door."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from dashboard.access.api_tokens import TokenScope
from dashboard.access.roles import Role
from dashboard.api.api_routes import OPERATIONS
from tests.support.dashboard.api import Program
from tests.support.dashboard.odd_events import OddEvent, addresses_asked, odd_hall
from tests.support.dashboard.staff import enrol

HELD = OddEvent(held=True, late=True, rulings=("penalty", "excluded"))
OTHERWISE = replace(HELD, rulings=("adjusted", "penalty"), entered=True)
"""As many lines in the ledgers, and other results and rulings."""
NOT_ASKED = ("/metrics", "/api/")
OF_A_TABLE = re.compile(r"/(events\?)?table\b(?!.*history).*|/tables/.*")
"""A referee who has opened a table sees its hands, on which he rules, whether results are held back or not."""
MADE_FOR_ONCE = re.compile(rb"[0-9a-f]{16}|[\w-]{32}")


def outputs(odd: OddEvent, role: Role | None, scope: TokenScope) -> dict[str, bytes]:
    """Every page and stream for somebody of a role, and every answer that the API reads to a token, without what is made for once."""
    hall, found = odd_hall(odd), dict[str, bytes]()
    client = hall.new_client()
    if role is not None:
        enrol(hall.staff, "Abe", roles={role})
        hall.log_in("Abe", client=client)
    for address in sorted(set(addresses_asked(hall, odd))):
        if not address.startswith(NOT_ASKED):
            hall.turns_left = 1
            answer = client.get(address)
            found[address] = answer.data
            answer.close()
    program = Program(hall, scope)
    for operation in OPERATIONS:
        if operation.method == "GET":
            path = operation.path.format(deal=1, session=1, table="1", player="1", webhook=1)
            found[path] = program.ask("GET", path).data
    return {address: MADE_FOR_ONCE.sub(b"", content) for address, content in found.items()}


@pytest.mark.parametrize(
    ("role", "scope"), [(None, TokenScope.VIEWER), (Role.SCORER, TokenScope.SCORER), (Role.REFEREE, TokenScope.REFEREE)], ids=str
)
def test_nothing_that_others_are_given_depends_on_what_is_held_back(role: Role | None, scope: TokenScope) -> None:
    one, other = outputs(HELD, role, scope), outputs(OTHERWISE, role, scope)
    differing = {address for address in one if one[address] != other[address]}
    if role is Role.REFEREE:
        differing = {address for address in differing if not OF_A_TABLE.fullmatch(address)}
    assert differing == set()


def test_a_director_is_given_what_is_held_back_and_everybody_once_it_is_released() -> None:
    one, other = (outputs(odd, Role.DIRECTOR, TokenScope.DIRECTOR) for odd in (HELD, OTHERWISE))
    seen = {address for address in one if one[address] != other[address]}
    assert {"/standings", "/deal/1", "/player/1", "/table/1/history", "/player/1/history", "/events?page=standings"} <= seen
    one, other = (outputs(replace(odd, held=False), Role.SCORER, TokenScope.VIEWER) for odd in (HELD, OTHERWISE))
    assert {"/table/1/history", "/player/1/history"} <= {address for address in one if one[address] != other[address]}
