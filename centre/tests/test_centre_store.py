"""The centre's store: each line once, one writer a venue, evidence of what contradicts, and migrations beside running consumers."""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from centre.store.centre_reading import CentreReader
from centre.store.centre_rows import CentreRows
from centre.store.schema import CENTRE
from centre.store.venue_contents import STATEMENT, ContradictingLine, VenueBatch, VenueProgress, WaitingMessage
from tests.support.event.databases import run_beside
from tests.support.event.postgres import binaries
from tests.support.patience import PATIENCE_S
from tests.support.wire.streams import START, ledger
from twinwall.event.store.databases.port import PostgresAddress, StoreError
from twinwall.event.store.store_loading import checked_events
from twinwall.game.documents import digest
from twinwall.wire.ledger import PublicEvent, parse

EVENT = "Autumn / Herbst"


def lines(count: int, table: str = "1") -> list[PublicEvent]:
    return [parse(line) for line in ledger(count, table)]


def stored(address: PostgresAddress, venue: str, event: str = EVENT) -> list[int]:
    """How many lines each journal of a venue has."""
    reader = CentreReader(address, event)
    journals = list(reader.journals(venue))
    assert all(isinstance(event, PublicEvent) for journal in journals for event in checked_events(journal))
    found = [len(journal.lines) for journal in journals]
    reader.close()
    return found


def test_two_consumers_write_for_their_venues_and_a_third_for_none_of_them(postgres_store: PostgresAddress) -> None:
    kyoto = CentreRows(postgres_store, EVENT, ["Kyoto"])
    osaka = CentreRows(postgres_store, EVENT, ["Osaka"])
    kyoto.store({"Kyoto": VenueBatch(lines=lines(3))}, START)
    osaka.store({"Osaka": VenueBatch(lines=lines(2))}, START)
    with pytest.raises(StoreError, match="another process writes to this store"):
        CentreRows(postgres_store, EVENT, ["Nara", "Osaka"])
    osaka.close()
    CentreRows(postgres_store, EVENT, ["Nara", "Osaka"], patience_s=PATIENCE_S).close()
    kyoto.close()
    assert (stored(postgres_store, "Kyoto"), stored(postgres_store, "Osaka"), stored(postgres_store, "Nara")) == ([3], [2], [])


def test_a_consumer_goes_on_where_the_last_one_ended(postgres_store: PostgresAddress) -> None:
    events = lines(5)
    waits = WaitingMessage("topic", b"payload")
    first = CentreRows(postgres_store, EVENT, ["Kyoto"])
    batch = VenueBatch(lines=events[:3], telling={("1", "j1", 2)}, waiting={digest(b"payload"): waits})
    batch.results, batch.documents, batch.notices = [("1", 4, b"first"), ("1", 4, b"second")], {STATEMENT: b"said"}, ["a notice"]
    first.store({"Kyoto": batch}, START)
    first.close()
    second = CentreRows(postgres_store, EVENT, ["Kyoto"], patience_s=PATIENCE_S)
    known = second.known("Kyoto")
    (journal,) = known.journals["1"]
    assert (journal.position, known.telling) == (events[2].position, (events[1].line,))
    assert (known.waiting, known.results, known.documents) == (
        {digest(b"payload"): waits},
        {("1", 4): b"second"},
        {STATEMENT: b"said"},
    )
    second.store({"Kyoto": VenueBatch(lines=events[3:], used=[digest(b"payload")], results=[("1", 5, b"third")], notices=["more"])}, START)
    assert second.known("Kyoto").waiting == {}
    second.close()
    reader = CentreReader(postgres_store, EVENT)
    assert [(change.change, change.n, change.result) for change in reader.changes({"Kyoto": 1})] == [(2, 4, b"second"), (3, 5, b"third")]
    assert [sentence for _, sentence in reader.notices("Kyoto")] == ["a notice", "more"]
    reader.close()
    assert stored(postgres_store, "Kyoto") == [5]


def test_how_far_it_is_with_a_venue_is_known_after_a_restart(postgres_store: PostgresAddress) -> None:
    first, second = VenueProgress(2, 7, {"1": 3}, None), VenueProgress(2, 9, {}, START)
    for before, now in ((None, first), (first, second)):
        rows = CentreRows(postgres_store, EVENT, ["Kyoto", "Osaka"])
        assert (rows.known("Kyoto").progress, rows.known("Osaka").progress) == (before, None)
        rows.store({"Kyoto": VenueBatch(progress=now)}, START)
        assert rows.known("Kyoto").progress == now
        rows.close()


def test_a_line_that_contradicts_a_stored_one_is_evidence_and_a_repeated_one_is_nothing(postgres_store: PostgresAddress) -> None:
    rows = CentreRows(postgres_store, EVENT, ["Kyoto"])
    rows.store({"Kyoto": VenueBatch(lines=lines(3))}, START)
    true = lines(3)[1]
    other = replace(true, line=true.line.replace(b'"of":136', b'"of":135'))
    for _ in range(2):
        rows.store({"Kyoto": VenueBatch(repeated=[true, other])}, START)
    rows.close()
    reader = CentreReader(postgres_store, EVENT)
    assert [(each.line, each.stored) for each in reader.evidence("Kyoto")] == [(other.line, digest(true.line))]
    reader.close()
    assert stored(postgres_store, "Kyoto") == [3]


def contradicting(count: int) -> tuple[PublicEvent, list[PublicEvent]]:
    """The second line of a table, and so many others with its number."""
    true = lines(3)[1]
    return true, [replace(true, line=true.line.replace(b'"of":136', b'"of":%d' % number)) for number in range(10, 10 + count)]


def test_of_a_flood_of_contradicting_lines_the_first_ones_are_kept(
    postgres_store: PostgresAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("centre.store.centre_rows.MOST_EVIDENCE", 3)
    rows = CentreRows(postgres_store, EVENT, ["Kyoto", "Osaka"])
    rows.store({name: VenueBatch(lines=lines(3)) for name in ("Kyoto", "Osaka")}, START)
    _, forged = contradicting(5)
    for each in forged:
        rows.store({"Kyoto": VenueBatch(repeated=[each])}, START)
    rows.store({"Osaka": VenueBatch(repeated=forged[-1:])}, START)
    rows.close()
    reader = CentreReader(postgres_store, EVENT)
    assert {each.line for each in reader.evidence("Kyoto")} == {each.line for each in forged[:3]}
    assert [each.line for each in reader.evidence("Osaka")] == [forged[-1].line]
    reader.close()


def test_the_evidence_of_one_batch_ends_at_the_bound_and_the_same_line_counts_once(
    postgres_store: PostgresAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("centre.store.centre_rows.MOST_EVIDENCE", 3)
    rows = CentreRows(postgres_store, EVENT, ["Kyoto"])
    rows.store({"Kyoto": VenueBatch(lines=lines(3))}, START)
    true, forged = contradicting(5)
    signed = ContradictingLine("1", forged[0].line, digest(true.line))
    found = [rows.store({"Kyoto": VenueBatch(repeated=[*forged[:1] * 4, true], evidence=[signed])}, START)]
    found.append(rows.store({"Kyoto": VenueBatch(repeated=forged)}, START))
    rows.close()
    assert [{each.line for each in of["Kyoto"]} for of in found] == [{each.line for each in forged[:count]} for count in (1, 3)]
    reader = CentreReader(postgres_store, EVENT)
    assert {each.line for each in reader.evidence("Kyoto")} == {each.line for each in forged[:3]}
    reader.close()


def test_repeated_lines_of_a_venue_with_all_its_evidence_are_compared_no_more_after_a_restart_too(
    postgres_store: PostgresAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("centre.store.centre_rows.MOST_EVIDENCE", 1)
    rows = CentreRows(postgres_store, EVENT, ["Kyoto"])
    rows.store({"Kyoto": VenueBatch(lines=lines(3))}, START)
    _, forged = contradicting(2)
    assert len(rows.store({"Kyoto": VenueBatch(repeated=forged)}, START)["Kyoto"]) == 1
    assert rows.store({"Kyoto": VenueBatch(repeated=forged)}, START) == {"Kyoto": []}
    rows.close()
    again = CentreRows(postgres_store, EVENT, ["Kyoto"], patience_s=PATIENCE_S)
    again.known("Kyoto")
    assert again.store({"Kyoto": VenueBatch(repeated=forged)}, START) == {"Kyoto": []}
    again.close()


def test_a_batch_is_stored_as_a_whole_or_not_at_all(postgres_store: PostgresAddress) -> None:
    rows = CentreRows(postgres_store, EVENT, ["Kyoto", "Osaka"])
    doubled = VenueBatch(lines=[*lines(2), *lines(2)])
    with pytest.raises(StoreError, match="duplicate key"):
        rows.store({"Kyoto": VenueBatch(lines=lines(2)), "Osaka": doubled}, START)
    rows.close()
    assert stored(postgres_store, "Kyoto") == stored(postgres_store, "Osaka") == []


def test_the_schema_grows_while_a_consumer_of_the_earlier_version_runs(postgres_store: PostgresAddress) -> None:
    earlier = CentreRows(postgres_store, EVENT, ["Kyoto"])
    earlier.store({"Kyoto": VenueBatch(lines=lines(2))}, START)
    added = "CREATE TABLE colours (id INTEGER PRIMARY KEY);\nALTER TABLE lines ADD COLUMN colour INTEGER;\n"
    later = CentreRows(postgres_store, EVENT, ["Osaka"], form=replace(CENTRE, migrations=(*CENTRE.migrations, added)))
    earlier.store({"Kyoto": VenueBatch(lines=lines(4)[2:])}, START)
    later.store({"Osaka": VenueBatch(lines=lines(1))}, START)
    earlier.close()
    again = CentreRows(postgres_store, EVENT, ["Kyoto"], patience_s=PATIENCE_S)
    assert len(again.known("Kyoto").journals) == 1
    again.store({"Kyoto": VenueBatch(lines=lines(5)[4:])}, START)
    again.close()
    later.close()
    assert (stored(postgres_store, "Kyoto"), stored(postgres_store, "Osaka")) == ([5], [1])


def test_stored_lines_are_not_changed_by_another_program(postgres_store: PostgresAddress) -> None:
    rows = CentreRows(postgres_store, EVENT, ["Kyoto"])
    rows.store({"Kyoto": VenueBatch(lines=lines(2))}, START)
    rows.close()
    for statement in ("DELETE FROM lines", "UPDATE lines_of_1 SET seq = 9", "TRUNCATE lines"):
        with pytest.raises(Exception, match="rows of a store are never changed"):
            run_beside(postgres_store, statement)


@pytest.mark.nightly
def test_a_store_that_postgresqls_own_programs_have_saved_and_restored_is_gone_on_with(
    postgres_store: PostgresAddress, tmp_path: Path
) -> None:
    rows = CentreRows(postgres_store, EVENT, ["Kyoto"])
    rows.store({"Kyoto": VenueBatch(lines=lines(2), results=[("1", 4, b"first")])}, START)
    saved, at = tmp_path / "centre.dump", f"--dbname={postgres_store.url}"
    run_program("pg_dump", at, "--format=custom", f"--schema={postgres_store.schema}", f"--file={saved}")
    rows.store({"Kyoto": VenueBatch(lines=lines(4)[2:])}, START)
    rows.close()
    run_beside(postgres_store, f"DROP SCHEMA {postgres_store.schema} CASCADE")
    run_program("pg_restore", at, "--exit-on-error", str(saved))
    again = CentreRows(postgres_store, EVENT, ["Kyoto"], patience_s=PATIENCE_S)
    (journal,) = again.known("Kyoto").journals["1"]
    assert (journal.position, again.known("Kyoto").results) == (lines(2)[1].position, {("1", 4): b"first"})
    again.store({"Kyoto": VenueBatch(lines=lines(4)[2:])}, START)
    again.close()
    assert stored(postgres_store, "Kyoto") == [4]
    with pytest.raises(Exception, match="rows of a store are never changed"):
        run_beside(postgres_store, "DELETE FROM lines")


def run_program(name: str, *words: str) -> None:
    """One of PostgreSQL's own programs."""
    folder = binaries()
    assert folder is not None
    subprocess.run([folder / name, *words], check=True, timeout=PATIENCE_S)
