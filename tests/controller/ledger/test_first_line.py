"""The start of the event is the first line of a table's journal, and a table takes one start."""

from pathlib import Path

import pytest

from controller.ledger.first_lines import first_lines, journal_id
from controller.ledger.journal import Journal, JournalError
from twinwall.game.deals import Start
from twinwall.game.deals.encoding import Sha256
from twinwall.wire.events.wall_events import ControllerStarted, StartFixed

START = Start(Sha256(32), Sha256(32), "5p 3s E")
OTHER = Start(Sha256(32), Sha256(32), "5p 3s W")
STARTED = ControllerStarted("j7", "0.1.0", False, 1)
AT = "2026-11-20T10:00:00.000Z"


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    """A journal that was begun under the start."""
    begun = Journal(tmp_path / "table.journal")
    begun.append(AT, [*first_lines(begun, START), STARTED])
    begun.close()
    return Journal(tmp_path / "table.journal")


def test_a_new_journal_begins_with_the_start(tmp_path: Path) -> None:
    assert first_lines(Journal(tmp_path / "table.journal"), START) == (StartFixed(START.code.hex()),)


def test_a_journal_goes_on_under_its_own_start_and_keeps_its_id(journal: Journal) -> None:
    assert first_lines(journal, START) == ()
    assert journal_id(journal, "fresh") == "j7"


def test_a_second_start_is_refused_and_both_are_named(journal: Journal) -> None:
    with pytest.raises(JournalError, match=f"{START.words}.*{OTHER.words}: an event has one start"):
        first_lines(journal, OTHER)


def test_a_journal_without_a_start_is_refused(tmp_path: Path) -> None:
    begun = Journal(tmp_path / "table.journal")
    begun.append(AT, [STARTED])
    begun.close()
    with pytest.raises(JournalError, match="does not begin with the start"):
        first_lines(Journal(tmp_path / "table.journal"), START)
