"""Several changes of an event are made all or none, and the names file goes with them."""

from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Thread

import pytest

from cli import main
from config import dumps
from dashboard.access.director_desk import DirectorDesk, NamesNotKeptError
from dashboard.access.shown_names import NamesFile
from tests.support.dashboard.desks import MemoryDesk
from tests.support.event.databases import run_beside
from tests.support.wire.streams import START
from tools.default_settings import DASHBOARD
from twinwall.event.field import field_of
from twinwall.event.management.change_checks import ChangeRefusal, ChangeRefusedError, Why
from twinwall.event.management.changes import EnteredPlayer, EntrantsEntered, EntrantsRemoved, EventChange, EventDescribed, TablesChosen
from twinwall.event.management.managed_event import ManagedEvent
from twinwall.event.player_names import PlayerNames
from twinwall.event.results import EntrantKind
from twinwall.event.store.databases.port import StoreError
from twinwall.event.store.programme import Programme
from twinwall.event.store.store_contents import ManagementStep
from twinwall.event.store.store_rows import read_store
from twinwall.event.store.store_writer import StoreWriter
from twinwall.wire.durable_file import in_turn

DESCRIBED = EventDescribed("individual", "mcr-duplicate", sessions=2)
ENTERED = EntrantsEntered((EnteredPlayer("1"), EnteredPlayer("2"), EnteredPlayer("3")))
NAMES = {"1": "Ida", "2": "Jun", "3": "Ota"}


def not_ready(event: ManagedEvent, change: EventChange) -> ChangeRefusal | None:
    """A hall that waits for something before tables are chosen for players."""
    return ChangeRefusal(Why.NO_DEALS) if event.players and isinstance(change, TablesChosen) else None


def director(store: StoreWriter, names: Path) -> DirectorDesk:
    return DirectorDesk(store, NamesFile(names, lambda: None), "Li Na", lambda: START, lambda _event, _change, _by: None, not_ready)


@pytest.fixture
def desk(tmp_path: Path) -> DirectorDesk:
    return director(MemoryDesk(), tmp_path / "names.json")


def test_a_hall_that_is_not_ready_for_the_last_change_takes_none_of_them(desk: DirectorDesk) -> None:
    with pytest.raises(ChangeRefusedError):
        desk.change(0, DESCRIBED, ENTERED, TablesChosen(("1",)), names=NAMES)
    assert (desk.event.version, desk.names.by_number) == (0, {})


def test_who_is_removed_is_forgotten_whatever_name_comes_with_it(desk: DirectorDesk) -> None:
    desk.change(0, DESCRIBED, ENTERED, names=NAMES)
    desk.change(2, EntrantsRemoved(("1",)), EntrantsRemoved(("3",)), names={"1": "Ida"})
    assert (set(desk.event.players), desk.names.by_number) == ({"2"}, {"2": "Jun"})


def test_a_names_file_that_cannot_be_read_is_not_written_over(desk: DirectorDesk, tmp_path: Path) -> None:
    spoilt = b'{"format": "twinwall-names-1", "players": {"1": "Ida", "2": "Ida"}}'
    (tmp_path / "names.json").write_bytes(spoilt)
    with pytest.raises(NamesNotKeptError):
        desk.change(0, DESCRIBED, ENTERED, names=NAMES)
    assert (desk.event.version, (tmp_path / "names.json").read_bytes()) == (0, spoilt)


@pytest.mark.parametrize("by", ["the director", "a command"])
def test_a_name_waits_for_another_one_that_is_being_written_and_both_are_kept(by: str, desk: DirectorDesk, tmp_path: Path) -> None:
    names, settings = tmp_path / "names.json", tmp_path / "dashboard.toml"
    settings.write_text(dumps(replace(DASHBOARD, event=replace(DASHBOARD.one_event, players=names))))
    command = ["hall", "players", "name", "3", "Ota", "--settings", str(settings)]
    entering = Thread(
        target=partial(desk.change, 0, DESCRIBED, ENTERED, names={"3": "Ota"}) if by == "the director" else partial(main, command)
    )
    with in_turn(names):
        entering.start()
        entering.join(0.2)
        assert entering.is_alive()
        names.write_bytes(PlayerNames({"7": "Gen"}).document)
    entering.join()
    assert desk.names.by_number == {"3": "Ota", "7": "Gen"}


def test_a_disk_that_takes_the_first_of_two_changes_alone_keeps_none_of_them(tmp_path: Path) -> None:
    path = tmp_path / "event.sqlite"
    with closing(StoreWriter(path, Programme("Club evening", field_of(EntrantKind.INDIVIDUAL, ())), START)) as store:
        full = "CREATE TRIGGER full BEFORE INSERT ON records WHEN (SELECT count(*) FROM records) = {} BEGIN SELECT RAISE(ABORT, 'no'); END"
        run_beside(path, full.format(len(read_store(path).records) + 1))
        desk = director(store, tmp_path / "names.json")
        with pytest.raises(StoreError):
            desk.change(0, DESCRIBED, ENTERED, names=NAMES)
        assert (desk.event.version, desk.since(0), desk.names.by_number) == (0, (), {})
        run_beside(path, "DROP TRIGGER full")
        desk.change(0, DESCRIBED, ENTERED, names=NAMES)
        assert (desk.event.version, len(desk.since(0)), desk.names.by_number) == (2, 2, NAMES)


class StoredAndEnded(MemoryDesk):
    def manage(self, step: ManagementStep, seen: int | None, *further: ManagementStep) -> ManagedEvent:
        super().manage(step, seen, *further)
        raise KeyboardInterrupt


def test_names_stay_with_a_change_that_is_stored_when_the_program_ends(tmp_path: Path) -> None:
    desk = director(StoredAndEnded(), tmp_path / "names.json")
    with pytest.raises(KeyboardInterrupt):
        desk.change(0, DESCRIBED, ENTERED, names=NAMES)
    assert (set(desk.event.players), desk.names.by_number) == (set(NAMES), NAMES)
