"""Changes of an event in its store: they outlive a restart, are signed, and decide what is compared."""

from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

import pytest

from tests.support.event.databases import run_beside
from tests.support.event.managed import PREPARED, rows
from tests.support.event.stored_event import PROGRAMME
from twinwall.event.event_standings import StandingRules
from twinwall.event.field import EventField, Group, SessionGroups
from twinwall.event.management.change_checks import ChangeRefusedError, Why
from twinwall.event.management.changes import Announced, EventChange, EventDescribed, SeatedGroup, SeatedPlayers, SessionSeated
from twinwall.event.management.managed_event import ManagedEvent
from twinwall.event.points import Points
from twinwall.event.results import EntrantKind
from twinwall.event.store.programme import Programme, managed_programme
from twinwall.event.store.store_contents import ManagementStep
from twinwall.event.store.store_loading import DamagedStoreError, load
from twinwall.event.store.store_records import bad_records
from twinwall.event.store.store_rows import read_store
from twinwall.event.store.store_writer import StoreWriter
from twinwall.wire.messages.signing import Signer

START = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
NEW = Programme("Club evening", EventField(EntrantKind.INDIVIDUAL, ()))
SERVER = Signer("server", bytes(range(32)))


def step(change: EventChange) -> ManagementStep:
    return ManagementStep(change, "Li Na", START)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "event.sqlite"
    with closing(StoreWriter(path, NEW, START, SERVER)) as desk:
        for version, change in enumerate(PREPARED):
            desk.manage(step(change), seen=version)
    return path


def test_an_event_is_as_it_was_left_after_a_restart_and_a_change_that_another_director_overtook_is_not_stored(path: Path) -> None:
    with closing(StoreWriter(path, read_store(path).programme, START, SERVER)) as again:
        assert again.event.seats(1)["2"] == ("5", "6", "7", "8")
        assert again.hall.programme.field.session(1).tables == ("1", "2", "3", "4")
        with pytest.raises(ChangeRefusedError) as refused:
            again.manage(step(rows(5)), seen=len(PREPARED) - 1)
        assert refused.value.refusal.why is Why.CHANGED
        assert again.event.version == len(PREPARED)
    assert len(load(read_store(path)).steps) == len(PREPARED)


def test_a_change_that_was_stored_decides_what_is_compared_though_the_power_failed_before_the_programme_was_written(tmp_path: Path) -> None:
    with closing(StoreWriter(tmp_path / "event.sqlite", NEW, START, SERVER)) as desk:
        for change in PREPARED:
            desk._rows.add_note(step(change))
    with closing(StoreWriter(tmp_path / "event.sqlite", NEW, START, SERVER)) as again:
        assert again.hall.programme.field.session(1).tables == ("1", "2", "3", "4")


def test_a_change_counts_though_the_programme_that_follows_cannot_be_stored_and_that_is_stored_with_the_next(tmp_path: Path) -> None:
    path = tmp_path / "event.sqlite"
    with closing(StoreWriter(path, NEW, START, SERVER)) as desk:
        for change in PREPARED[:-1]:
            desk.manage(step(change), None)
        run_beside(path, "CREATE TRIGGER full BEFORE INSERT ON programmes BEGIN SELECT RAISE(ABORT, 'the disk is full'); END")
        assert desk.manage(step(PREPARED[-1]), None).seats(1)["2"] == ("5", "6", "7", "8")
        assert desk.hall.programme.field.session(1).tables == ("1", "2", "3", "4"), "the director's pages go on"
        assert read_store(path).programme.field.session(1).tables == (), "the disk took the change alone"
        run_beside(path, "DROP TRIGGER full")
        desk.manage(step(Announced({"en": "Lunch at one"})), None)
        assert read_store(path).programme.field.session(1).tables == ("1", "2", "3", "4")


def test_changes_are_records_under_the_account_s_name_that_the_server_signed_and_one_that_was_edited_is_named(path: Path) -> None:
    records = read_store(path).records
    assert not list(bad_records(records, "Club evening", {SERVER.public.hex()}))
    assert sum(b'"kind":"management"' in record and b'"staff":"Li Na"' in record for record in records) == len(PREPARED)
    of_change = "WHERE CAST(record AS TEXT) LIKE '%session-seated%'"
    edited = """replace(CAST(record AS TEXT), '["5","6","7","8"]', '["6","5","7","8"]')"""
    run_beside(path, "DROP TRIGGER records_update", f"UPDATE records SET record = CAST({edited} AS BLOB) {of_change}")
    with pytest.raises(DamagedStoreError, match="management"):
        load(read_store(path))


PLAYERS = [str(number) for number in range(1, 17)]
TABLES = ("1", "2", "3", "4")


def seated(session: int, players: list[str]) -> SessionSeated:
    fours = [(players[i], players[i + 1], players[i + 2], players[i + 3]) for i in range(0, 16, 4)]
    at = [SeatedPlayers(table, four) for table, four in zip(TABLES, fours, strict=True)]
    return SessionSeated(session, (SeatedGroup("A", tuple(at)),))


EVENT = ManagedEvent(
    description=EventDescribed("individual", "mcr-duplicate", sessions=3, points="cross-imp", carry_over="1/2"),
    tables=TABLES,
    seatings={1: seated(1, PLAYERS), 2: seated(2, PLAYERS[::-1])},
    stood_in={2: {"99": "7"}},
    withdrawn={"3": 3},
    held=frozenset({2}),
)


def test_each_session_has_its_groups_and_substitutes_and_a_session_that_is_not_seated_has_none() -> None:
    field = managed_programme(PROGRAMME, EVENT).field
    group = (Group("A", TABLES),)
    assert field.kind is EntrantKind.INDIVIDUAL
    assert field.sessions == (SessionGroups(1, group), SessionGroups(2, group, {"99": "7"}))
    assert field.session(3).groups == ()


def test_points_share_weights_and_held_sessions_are_those_of_the_event_unless_it_is_not_described() -> None:
    assert managed_programme(PROGRAMME, ManagedEvent()) is PROGRAMME
    programme = managed_programme(PROGRAMME, EVENT)
    assert (programme.points, programme.rules, programme.held_sessions) == (Points.CROSS, StandingRules(Fraction(1, 2)), (2,))
    assert managed_programme(programme, replace(EVENT, held=frozenset())).held_sessions == ()
    assert Programme.from_document(programme.document) == programme
    described = EventDescribed("individual", "mcr-duplicate", sessions=3, weights=("1", "3/2"))
    assert managed_programme(PROGRAMME, replace(EVENT, description=described)).rules.weights == {1: Fraction(1), 2: Fraction(3, 2)}


def test_who_withdraws_before_a_session_does_not_play_its_first_deal_nor_any_after_it() -> None:
    assert managed_programme(Programme("e", PROGRAMME.field), EVENT).withdrawn == {"3": 33}
    assert PROGRAMME.custody is not None
    after_all = len(PROGRAMME.custody.plan.deals) + 1
    assert managed_programme(PROGRAMME, EVENT).withdrawn == {"3": after_all}, "the plan has one session"
