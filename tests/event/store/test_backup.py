"""Backup and restore while 64 tables write, and a store that was put back to an earlier state."""

import threading
from collections.abc import Mapping
from contextlib import closing as ending
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pytest

from tests.event.store.test_store import stored_lines
from tests.support.commands import Twinwall
from tests.support.event.databases import run_beside
from tests.support.event.ledgers import closing, events, preparing, starting
from tests.support.event.managed import INDIVIDUAL
from tests.support.event.stored_event import open_desk, until_closed
from tests.support.wire.streams import START
from twinwall.event.field import EventField
from twinwall.event.management.changes import Announced
from twinwall.event.results import EntrantKind
from twinwall.event.store.databases.opening import copy_store, restore_store
from twinwall.event.store.databases.port import PostgresAddress, StoreAddress, StoreError
from twinwall.event.store.programme import Programme
from twinwall.event.store.store_contents import Complaint, ManagementStep, RefereeLook, RulingGiven
from twinwall.event.store.store_loading import load
from twinwall.event.store.store_records import RESTORED, read_records
from twinwall.event.store.store_rows import read_store
from twinwall.event.store.store_writer import StoreWriter
from twinwall.wire.ledger import PublicEvent

pytestmark = pytest.mark.slow

NEW = Programme("Club evening", EventField(EntrantKind.INDIVIDUAL, ()))
LATER = datetime(2026, 11, 20, 19, 30, tzinfo=UTC)


@cache
def sixty_four() -> Mapping[str, tuple[PublicEvent, ...]]:
    names = [str(number) for number in range(1, 65)]
    return {name: tuple(events([*preparing(1), *starting(1, name), *closing(1, (24, -8, -8, -8))], name)) for name in names}


@pytest.mark.nightly
def test_copies_made_while_64_tables_write_are_whole_states_and_one_of_them_put_back_is_filled_by_the_tables(
    store_address: StoreAddress, tmp_path: Path
) -> None:
    opened, lines = StoreWriter(store_address, NEW, START), sixty_four()
    half_way, copied = threading.Event(), threading.Event()

    def play() -> None:
        for number in range(len(lines["1"])):
            opened.take([of_table[number] for of_table in lines.values()])
            if number == len(lines["1"]) // 2:
                half_way.set()
                copied.wait()

    playing_tables = threading.Thread(target=play)
    playing_tables.start()
    copies = [tmp_path / f"copy-{number}.sqlite" for number in range(3)]
    copy_store(store_address, copies[0])
    half_way.wait()
    copy_store(store_address, copies[1])
    copied.set()
    copy_store(store_address, copies[2])
    playing_tables.join()
    opened.close()
    for copy in copies:
        load(read_store(copy))
        for table, found in stored_lines(copy).items():
            assert found == [event.line for event in lines[table][: len(found)]]
    assert all(len(found) == len(lines["1"]) // 2 + 1 for found in stored_lines(copies[1]).values())

    aside = restore_store(copies[1], store_address, LATER)
    assert aside is not None
    assert stored_lines(aside) == {table: [event.line for event in of_table] for table, of_table in lines.items()}
    again = StoreWriter(store_address, NEW, START)
    for table, of_table in lines.items():
        (known,) = again.known[table]
        again.take(of_table[len(known.digests) :])
    again.close()
    assert stored_lines(store_address) == stored_lines(aside)
    if isinstance(aside, PostgresAddress):
        run_beside(aside, f"DROP SCHEMA {aside.schema} CASCADE")


def put_back(store: StoreAddress, tmp_path: Path) -> None:
    """A store whose backup was made, in which a director and a referee then did something, and which was put back to the backup."""
    with ending(opening(store, tmp_path)) as opened:
        opened.manage(ManagementStep(INDIVIDUAL, "Li Na", START), seen=0)
        opened.manage(announced("before"), seen=1)
        copy_store(store, tmp_path / "backup.sqlite")
        opened.take(until_closed("1", 1))
        opened.manage(announced("after"), seen=2)
        opened.note(RefereeLook("1", 1, "Ota", START))
    aside = restore_store(tmp_path / "backup.sqlite", store, LATER)
    if isinstance(aside, PostgresAddress):
        run_beside(aside, f"DROP SCHEMA {aside.schema} CASCADE")


def opening(store: StoreAddress, tmp_path: Path) -> StoreWriter:
    return StoreWriter(store, NEW, START, copy=tmp_path / "records")


def announced(words: str, at: datetime = START) -> ManagementStep:
    return ManagementStep(Announced({"en": words}), "Li Na", at)


def test_a_store_put_back_names_what_the_staff_did_and_takes_nothing_more_of_them_until_a_director_decides(
    store_address: StoreAddress, tmp_path: Path
) -> None:
    put_back(store_address, tmp_path)
    with ending(opening(store_address, tmp_path)) as again:
        assert [(record.kind, record.text("staff")) for record in again.lost] == [("management", "Li Na"), ("look", "Ota")]
        with pytest.raises(StoreError, match="put back to an earlier state and lacks 2 acts of the staff"):
            again.manage(announced("new", LATER), seen=2)
        with pytest.raises(StoreError, match="a director decides"):
            again.note(RefereeLook("1", 1, "Ota", LATER))
        assert again.event.announcement == {"en": "before"}
        assert again.take(until_closed("1", 1)) == (), "tables give their lines again meanwhile"
        again.note(Complaint("1", "complaints are noted meanwhile", LATER))
    before = (tmp_path / "records").read_bytes()
    with ending(opening(store_address, tmp_path)) as decided:
        decided.give_up_lost("Li Na", LATER)
        assert not decided.lost
        decided.manage(announced("new", LATER), seen=2)
    (restored,) = [record for record in read_records(read_store(store_address).records) if record.kind == RESTORED]
    assert (restored.number("records"), restored.text("staff")) == (2, "Li Na")
    assert len(list(tmp_path.glob("records.*"))) == 1, "what was lost stays in a file"
    for power_failed in (False, True):
        if power_failed:
            (tmp_path / "records").write_bytes(before)  # before the copy was put aside
        with ending(opening(store_address, tmp_path)) as after:
            assert (after.lost, after.event.announcement) == ((), {"en": "new"})


@pytest.mark.parametrize("torn", [None, 0, 1, 40], ids=["put back to a state in which the staff had done all", "whole", "1 byte", "40"])
def test_a_copy_that_lacks_its_end_after_a_power_cut_is_made_whole_and_asks_nobody(tmp_path: Path, torn: int | None) -> None:
    store, records = tmp_path / "event.sqlite", tmp_path / "records"
    with ending(opening(store, tmp_path)) as opened:
        opened.note(RefereeLook("1", 1, "Ota", START))
        if torn is None:
            copy_store(store, tmp_path / "backup.sqlite")
            opened.take(until_closed("1", 1))
    if torn is None:
        restore_store(tmp_path / "backup.sqlite", store, LATER)
    else:
        content = records.read_bytes()
        records.write_bytes(content[: len(content) - torn])
    with ending(opening(store, tmp_path)) as again:
        assert again.lost == ()
        again.note(RefereeLook("1", 2, "Ota", LATER))
    assert records.read_bytes().splitlines(keepends=True) == list(read_store(store).records)
    assert records.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("noted", [False, True])
def test_a_ruling_of_which_the_store_has_no_record_is_reported(tmp_path: Path, noted: bool) -> None:
    ruling: dict[str, object] = {"ruling": "r1", "n": 1, "by": "Ota", "texts": {"en": "no"}, "effects": [], "resolved": True}
    with ending(opening(tmp_path / "event.sqlite", tmp_path)) as desk:
        if noted:
            desk.note(RulingGiven("1", "Ota", START, ruling))
        problems = [sentence for _, sentence in desk.take(events([*preparing(1), *starting(1), ("ruling", ruling)]))]
    assert bool(problems) is not noted
    assert all("a ruling of which the store has no record" in sentence for sentence in problems)


@pytest.mark.parametrize("harm", ["the backup is damaged", "a link names the store", "the backup is the store"])
def test_a_store_stays_in_its_place_until_all_of_the_backup_is_beside_it(harm: str, tmp_path: Path) -> None:
    store, link, backup = (tmp_path / name for name in ("event.sqlite", "link.sqlite", "backup.sqlite"))
    link.symlink_to(store)
    with ending(open_desk(store)) as opened:
        opened.take(until_closed("1", 1))
        with pytest.raises(StoreError, match="another process writes"):
            restore_store(store, link, LATER)
        copy_store(store, backup)
        opened.take(until_closed("1", 2))
    before = stored_lines(store)
    match harm:
        case "the backup is damaged":
            content = backup.read_bytes()
            backup.write_bytes(content[: len(content) // 2] + bytes(len(content) - len(content) // 2))
            with pytest.raises(StoreError, match="damaged"):
                restore_store(backup, store, LATER)
            assert not [each.name for each in tmp_path.iterdir() if each.name.startswith("event.sqlite.")]
        case "a link names the store":
            restore_store(backup, link, LATER)
            assert link.is_symlink()
            with pytest.raises(StoreError, match="is there already"):
                restore_store(backup, store, LATER)
            (former,) = tmp_path.glob("event.sqlite.*z")
            assert stored_lines(former) == before, "a second restoring in the same second keeps the first one's former store"
            before = stored_lines(backup)
        case _:
            restore_store(store, link, LATER)
    assert stored_lines(store) == before


def test_the_command_puts_a_backup_in_the_place_of_a_store_and_keeps_that(
    store_address: StoreAddress, tmp_path: Path, twinwall: Twinwall
) -> None:
    backup = tmp_path / "backup.sqlite"
    store = store_address if isinstance(store_address, Path) else f"{store_address.url}&schema={store_address.schema}"
    with ending(open_desk(store_address)) as opened:
        opened.take(until_closed("1", 1))
        copy_store(store_address, backup)
        assert "another process writes" in twinwall("results", "restore", backup, store, code=2).err
        opened.take(until_closed("1", 2))
    twinwall("results", "restore", tmp_path / "nothing.sqlite", store, code=2)
    assert "the former store is" in twinwall("results", "restore", backup, store).out
    assert stored_lines(store_address) == stored_lines(backup)
    if isinstance(store_address, PostgresAddress):
        loop = f"FOR former IN SELECT nspname FROM pg_namespace WHERE nspname LIKE '{store_address.schema}\\_2%'"
        dropping = "EXECUTE format('DROP SCHEMA %I CASCADE', former)"
        run_beside(store_address, f"DO $$ DECLARE former text; BEGIN {loop} LOOP {dropping}; END LOOP; END $$")
    else:
        (former,) = tmp_path.glob("event.sqlite.*z")
        assert len(stored_lines(former)["1"]) == len(until_closed("1", 2))
