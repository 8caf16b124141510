"""Keys that are no longer in the right hands: one order ends what they can do, and the table goes on with new ones."""

from pathlib import Path

from tests.support.custody.hall import PlayedTable, replacement, second_deal_at_table_2
from twinwall.custody.release import AllowKey
from twinwall.custody.table_rules import RevokeKey


def test_revoked_keys_report_no_progress_and_new_ones_go_on_where_the_table_stood(tmp_path: Path) -> None:
    hall = second_deal_at_table_2(tmp_path)
    table = hall.tables["2"]
    order = replacement(table)
    hall.order(RevokeKey("2", table.boot_keys.fingerprint))
    table.finish()
    hall.settle()
    assert list(hall.slips) == [1], "what the revoked keys sign does not count"
    for _ in range(2):  # also after a restart of the vault
        hall.kill_vault()
        hall.settle()
        assert list(hall.slips) == [1]
    renewed = PlayedTable("2", tmp_path / "again", boot=1, journal="j2", lost=order)
    hall.add(renewed)
    hall.order(AllowKey("2", renewed.boot_keys.fingerprint))
    hall.settle()
    assert list(hall.slips) == [1, 2]
    table.close()
    hall.close()


def test_control_keys_that_nobody_has_revoked_report_the_end_of_the_deal(tmp_path: Path) -> None:
    hall = second_deal_at_table_2(tmp_path)
    hall.tables["2"].finish()
    hall.settle()
    assert list(hall.slips) == [1, 2]
    hall.close()
