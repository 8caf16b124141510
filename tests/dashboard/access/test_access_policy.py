"""Access policy: what it lets through by role, class and release; no other way leads to what is known.

Who may not see the results of a session that is held back is given nothing that depends on them, at any door.
"""

import ast
import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from dashboard.access.access_policy import SPECTATOR, AccessPolicy, Viewer, may_see
from dashboard.access.api_tokens import TokenScope
from dashboard.access.shown_results import ReleasedDeal
from dashboard.access.staff_schema import Role
from dashboard.access.viewer_scope import UnreleasedDeal
from dashboard.api.api_routes import OPERATIONS
from dashboard.projections.hall_views import HallViews, Level
from tests.support.dashboard.api import Program
from tests.support.dashboard.desks import MemoryDesk, released
from tests.support.dashboard.example import building, whole_hand
from tests.support.dashboard.odd_events import OddEvent, addresses_asked, odd_hall
from tests.support.dashboard.staff import enrol
from tests.support.event.stored_event import STARTED
from tests.support.narrowed import of_type, present
from tests.support.wire.streams import START, Line, public_events
from twinwall.event.field import field_of
from twinwall.event.player_names import NamesShown
from twinwall.event.results import EntrantKind
from twinwall.wire.events.definitions import Secrecy

DIRECTOR, REFEREE = Viewer(frozenset({Role.DIRECTOR})), Viewer(frozenset({Role.REFEREE}), "Ota")
EVERYONE = (SPECTATOR, DIRECTOR, REFEREE)
AT = ((False, False), (True, False), (False, True))
"""Whether a table was opened, and whether the viewer sits there."""
WHOLE: list[Line] = [*whole_hand(), ("hand-closed", {"n": 1})]
DASHBOARD = Path(__file__).parents[3] / "dashboard"
MAY_READ_THE_VIEWS = {"access_policy", "viewer_scope", "seat_scope", "listening", "hall_intake", "serving", "app"}
"""The access policy itself with its scopes, who fills the views, and who puts the two together."""


class Tables:
    """Two tables that play deal 1, behind an access policy."""

    def __init__(self) -> None:
        self.views = HallViews("boot", ("1", "2"))
        self.desk = MemoryDesk(field_of(EntrantKind.INDIVIDUAL, ("1", "2")), custody=STARTED)
        self.policy = AccessPolicy(self.views, self.desk, lambda: START + timedelta(hours=1), NamesShown.FULL, None)

    def play(self, table: str, first: int | None = None, last: int | None = None) -> None:
        for event in public_events(WHOLE, table)[first:last]:
            self.desk.hall.take(event)
            self.views.add(event, event.at)

    def release(self) -> None:
        self.desk.hall.release(released())
        self.views.release(1)


@pytest.fixture
def tables() -> Tables:
    return Tables()


@pytest.mark.parametrize("viewer", EVERYONE)
def test_play_is_seen_by_the_referee_who_opened_the_table_and_by_who_sits_there_and_concealed_tiles_by_nobody(viewer: Viewer) -> None:
    seen = {secrecy: [may_see(viewer, secrecy, at_table=opened, sits_there=sits) for opened, sits in AT] for secrecy in Secrecy}
    assert seen == {Secrecy.PUBLIC: [True] * 3, Secrecy.TABLE: [False, viewer is REFEREE, True], Secrecy.CONCEALED: [False] * 3}
    assert all(may_see(viewer, secrecy, released=True) for secrecy in Secrecy)


def test_only_the_access_policy_hands_out_what_the_views_know() -> None:
    for path in sorted(DASHBOARD.rglob("*.py")):
        imported = {
            name.name
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.ImportFrom) and node.module == "dashboard.projections.hall_views"
            for name in node.names
        }
        assert "HallViews" not in imported or path.stem in MAY_READ_THE_VIEWS, f"{path.name} reads the views past the access policy"


def test_a_finished_hand_is_told_to_the_staff_at_once_and_to_others_when_its_deal_is_released(tables: Tables) -> None:
    tables.play("1")
    tables.play("2", last=-20)
    stages = {viewer: [table.view.stage for table in tables.policy.scope(viewer).tables()] for viewer in (SPECTATOR, DIRECTOR)}
    assert stages == {SPECTATOR: ["playing", "playing"], DIRECTOR: ["finished", "playing"]}
    before = tables.views.sequence(tables.policy.scope(SPECTATOR).channel)
    tables.play("2", first=-20)
    assert tables.views.sequence(tables.policy.scope(SPECTATOR).channel) == before, "not even a number tells that something happened"
    tables.release()
    assert [table.view.stage for table in tables.policy.scope(SPECTATOR).tables()] == ["finished", "finished"]


def test_a_sealed_deal_tells_the_staff_who_is_missing_and_others_only_that_it_is_sealed(tables: Tables) -> None:
    tables.play("1")
    tables.play("2", last=-20)
    assert tables.policy.scope(DIRECTOR).deal(1) == UnreleasedDeal(1, 1, 2, ("2",))
    assert tables.policy.scope(SPECTATOR).deal(1) == UnreleasedDeal(1, 1, 2, None)
    tables.play("2", first=-20)
    assert tables.policy.scope(DIRECTOR).deal(1) == UnreleasedDeal(1, 1, 2, ())
    assert tables.policy.scope(DIRECTOR).results.standings().groups == ()
    tables.release()
    assert [hand.table for hand in of_type(ReleasedDeal, tables.policy.scope(SPECTATOR).deal(1)).hands] == ["1", "2"]


def test_a_call_is_told_to_the_staff_without_the_seat_and_to_nobody_else(tables: Tables) -> None:
    for event in public_events([*building(), ("referee-called", {"seat": "S"})], "1"):
        tables.desk.hall.take(event)
        tables.views.add(event, event.at)
    (call,) = tables.policy.scope(DIRECTOR).calls()
    assert call.seat is None
    assert tables.policy.scope(SPECTATOR).calls() == ()
    assert not tables.policy.acknowledge(SPECTATOR, call.table, call.journal, call.seq)
    assert tables.policy.acknowledge(REFEREE, call.table, call.journal, call.seq)
    (taken,) = tables.policy.scope(DIRECTOR).calls()
    assert present(taken.acknowledged).by == "Ota"


@pytest.mark.parametrize("role", Role)
def test_a_director_alone_may_change_the_event_and_see_results_that_are_held_back(tables: Tables, role: Role) -> None:
    viewer = Viewer(frozenset({role}), "Ota")
    assert (tables.policy.director_desk(viewer) is not None) == tables.policy.results(viewer).results.sees_held == (role is Role.DIRECTOR)


def test_scopes_of_one_level_are_one_channel(tables: Tables) -> None:
    assert tables.policy.scope(REFEREE).channel == tables.policy.scope(DIRECTOR).channel != tables.policy.scope(SPECTATOR).channel
    assert present(tables.policy.open_table(REFEREE, "1")).channel.level is Level.TABLE


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


def test_every_look_at_a_table_is_written_down_once_for_each_deal(tables: Tables) -> None:
    tables.play("1")
    assert tables.policy.open_table(REFEREE, "1") is not None
    assert tables.policy.open_table(REFEREE, "1") is not None
    assert tables.policy.open_table(DIRECTOR, "1") is None
    assert [(look.table, look.n, look.by) for look in tables.desk.looks] == [("1", 1, "Ota")]


def test_a_look_that_cannot_be_written_down_is_none(tables: Tables) -> None:
    tables.desk.full = True
    assert tables.policy.open_table(REFEREE, "1") is None
