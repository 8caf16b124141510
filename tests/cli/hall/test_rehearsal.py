"""Tables of a hall that are simulated beside real ones: which process runs for which choice."""

import os
from pathlib import Path

import pytest

from cli.hall.guided_tables import Rehearsal
from cli.hall.hall_folder import HallFolder
from config import load
from controller.settings import TableSettings
from dashboard.hall_requests import RehearsalFile, RehearsedTables
from tests.support.wire.brokers import eventually, free_port


@pytest.fixture
def hall(tmp_path: Path) -> HallFolder:
    made = HallFolder(tmp_path / "hall", tmp_path / "memory", ("1", "2", "3"), free_port(), free_port(), trusting=True)
    made.folder.mkdir()
    made.passwords()
    return made


def children(hall: HallFolder) -> list[str]:
    """The command lines of running processes of this hall."""
    found = []
    for each in Path("/proc").iterdir():
        if each.name.isdecimal() and int(each.name) != os.getpid():
            try:
                words = (each / "cmdline").read_text().replace("\0", " ")
            except OSError:
                continue
            if str(hall.folder) in words:
                found.append(words)
    return found


def test_a_chosen_table_is_simulated_until_it_is_chosen_no_more(hall: HallFolder) -> None:
    file = RehearsalFile(hall.events)
    with Rehearsal(hall, ("2", "3"), hall.folder / "logs") as rehearsal:
        rehearsal.look()
        assert (file.tables(), children(hall)) == (RehearsedTables(("2", "3")), [])
        file.write(file.tables().with_table("3", simulated=True))
        rehearsal.look()
        eventually(lambda: len(children(hall)) == 1, "its program runs")
        (running,) = children(hall)
        assert f"simulate tables {hall.folder}/rehearsed-table-3.toml" in running
        settings = load(hall.folder / "rehearsed-table-3.toml", TableSettings)
        assert (settings.table.name, settings.table.kind, settings.table.is_assigned) == ("3", "simulated", True)
        file.write(file.tables().with_table("3", simulated=False))
        rehearsal.look()
        eventually(lambda: children(hall) == [], "its program has ended")


def test_a_choice_outlasts_the_hall_and_is_offered_by_nobody_meanwhile(hall: HallFolder) -> None:
    file = RehearsalFile(hall.events)
    with Rehearsal(hall, ("2", "3"), hall.folder / "logs"):
        file.write(file.tables().with_table("3", simulated=True))
    assert file.tables() == RehearsedTables((), ("3",))
    with Rehearsal(hall, ("3",), hall.folder / "logs") as rehearsal:
        rehearsal.look()
        eventually(lambda: len(children(hall)) == 1, "its program runs")
    eventually(lambda: children(hall) == [], "its program ends with the hall")
    with Rehearsal(hall, ("2",), hall.folder / "logs"):
        assert file.tables() == RehearsedTables(("2",)), "a table that has a program of its own now is not simulated"
