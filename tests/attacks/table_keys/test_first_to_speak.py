"""Attack 6: a copy of a table's disk speaks before the table is switched on."""

from pathlib import Path

import pytest

from tests.support.custody.hall import Hall, PlayedTable, boot_of, deal_topic
from twinwall.custody.release import AllowKey


def given(hall: Hall) -> int:
    return sum(topic == deal_topic("1") for topic, _ in hall.sent)


@pytest.mark.parametrize("enrolled", [(), ("1",)])
def test_a_copied_disk_that_speaks_first_is_given_nothing_and_the_table_is_played(tmp_path: Path, enrolled: tuple[str, ...]) -> None:
    """Whether a person has compared the true table's digits already or does so afterwards."""
    hall = Hall(tmp_path, enrolled=enrolled)
    copy = hall.add(PlayedTable("1", tmp_path / "copy", boot=7, journal="stolen"))
    hall.settle()
    assert given(hall) == 0
    assert any("shows its first boot keys" in sentence and "compare these digits" in sentence for sentence in hall.sentences)
    copy.close()
    table = hall.add(PlayedTable("1", tmp_path / "1"))
    if not enrolled:
        hall.order(AllowKey("1", boot_of("1").public.fingerprint))
    hall.settle()
    assert table.open_next()
    hall.close()


def test_control_where_new_keys_are_accepted_unasked_the_copy_is_given_the_first_deals(tmp_path: Path) -> None:
    hall = Hall(tmp_path, ask=False, enrolled=())
    assert hall.add(PlayedTable("1", tmp_path / "copy", boot=7, journal="stolen")).open_next()
    hall.run()
    assert given(hall) > 1
    hall.close()
