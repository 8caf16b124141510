"""The store: rows stay whole and unchanged, and give the same results in any order of arrival, and go to a reader that lacks them."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.children import ends_with_parent
from tests.support.event.databases import run_beside
from tests.support.event.ledgers import TABLES, events
from tests.support.event.stored_event import PROGRAMME, STARTED, open_desk, slip_bytes, stream
from tests.support.patience import PATIENCE_S
from tests.support.tiers import examples
from tests.support.wire.streams import START, ledger
from twinwall.event.field import field_of
from twinwall.event.points import Points
from twinwall.event.results import EntrantKind
from twinwall.event.store.databases.port import PostgresAddress, StoreAddress, StoreAddressError, StoreError, read_address
from twinwall.event.store.hall import Hall, SlipRefusedError
from twinwall.event.store.programme import Programme
from twinwall.event.store.store_contents import Acknowledgement, Complaint, RefereeLook, SignedHead, StaffChange
from twinwall.event.store.store_loading import load
from twinwall.event.store.store_records import read_records
from twinwall.event.store.store_rows import MOST_AGAIN, StoreRows, lines_again, read_store
from twinwall.event.store.store_writer import StoreWriter
from twinwall.game.deals import StartedPlan
from twinwall.game.documents import DocumentError
from twinwall.wire.ledger import PublicEvent, parse
from twinwall.wire.messages.commands import Resend
from twinwall.wire.receiver import ASK_AGAIN_S, MOST_ASKED, SILENT_AFTER_S, KnownJournal, TableReceiver


@pytest.fixture
def desk(store_address: StoreAddress) -> Iterator[StoreWriter]:
    with closing(open_desk(store_address)) as opened:
        yield opened


def shown(hall: Hall) -> object:
    """All that a hall shows, to compare two of them."""
    deals = [hall.deal(n, for_officials=True) for n in hall.deals()]
    hands = [hall.hands(as_referee_of=table) for table in TABLES]
    return deals, hands, hall.calls(), hall.comparison().comparison, hall.comparison().left_out


def stored_lines(address: StoreAddress) -> dict[str, list[bytes]]:
    return {journal.table: [line for line, _ in journal.lines] for journal in read_store(address).journals}


def deliver(desk: StoreWriter, table: str, lines: list[bytes], chance: random.Random, loss: float) -> None:
    """Send a ledger over a line that loses, repeats and disorders, until the desk has all of it."""
    receiver = TableReceiver(table, desk.known.get(table, ()))
    travelling, now_s, wanted = list(lines), 0.0, len(lines)
    while receiver.position is None or receiver.position.seq < wanted:
        chance.shuffle(travelling)
        arriving = [line for line in travelling for _ in range(chance.choice((1, 1, 2))) if chance.random() >= loss]
        outputs = [output for line in arriving for output in receiver.feed(line, now_s)]
        now_s += 2 * ASK_AGAIN_S
        outputs += receiver.expect(parse(lines[0]).journal, wanted, now_s)
        assert desk.take([output for output in outputs if isinstance(output, PublicEvent)]) == ()
        travelling = [line for output in outputs if isinstance(output, Resend) for line in lines[output.first - 1 : output.last]]


@settings(max_examples=examples(8))
@given(seed=st.integers(0, 2**32), loss=st.floats(0, 0.8))
def test_any_order_of_delivery_with_repeats_and_gaps_ends_in_the_same_store(
    tmp_path_factory: pytest.TempPathFactory, seed: int, loss: float
) -> None:
    chance = random.Random(seed)
    folder = tmp_path_factory.mktemp("store")
    opened = open_desk(folder)
    for table in chance.sample(TABLES, 4):
        deliver(opened, table, [event.line for event in stream(table)], chance, loss)
        if chance.random() < 0.5:
            opened.close()
            opened = open_desk(folder)
    expected = Hall(PROGRAMME)
    for table in TABLES:
        for event in stream(table):
            expected.take(event)
    assert shown(opened.hall) == shown(expected)
    opened.close()
    assert stored_lines(folder / "event.sqlite") == {table: [event.line for event in stream(table)] for table in TABLES}


@settings(max_examples=examples(12))
@given(st.data())
def test_a_hall_that_grew_is_the_hall_that_is_computed_again(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.mktemp("store")
    opened = open_desk(folder)
    for table in TABLES:
        opened.take(stream(table)[: data.draw(st.integers(0, len(stream(table))))])
        opened.hall.comparison()
    for n in data.draw(st.sets(st.sampled_from((1, 2, 3)))):
        opened.slip(slip_bytes(n), START)
    grown = shown(opened.hall)
    opened.close()
    assert shown(load(read_store(folder / "event.sqlite")).hall) == grown


def test_a_receiver_that_goes_on_from_the_store_asks_for_the_gap_alone(tmp_path: Path) -> None:
    lines = [event.line for event in stream("1")]
    with closing(open_desk(tmp_path)) as first:
        first.take(stream("1")[:10])
    with closing(open_desk(tmp_path)) as second:
        receiver = TableReceiver("1", second.known["1"])
    (ask,) = receiver.expect("j", len(lines), 0.0)
    assert isinstance(ask, Resend)
    assert (ask.first, ask.last) == (11, len(lines))
    assert receiver.feed(lines[3], 0.1) == []


def test_a_receiver_that_goes_on_knows_forks_and_former_journals() -> None:
    old, new, forked = ledger(3, journal="old"), ledger(3, journal="new"), ledger(5, journal="new")
    live = TableReceiver("12")
    for lines, at_s in ((old, 0.0), (new, SILENT_AFTER_S)):
        for line in lines:
            live.feed(line, at_s)
    known = [KnownJournal(parse(lines[0]).journal, tuple(parse(line).position.digest for line in lines)) for lines in (old, new)]
    resumed = TableReceiver("12", known)
    for line in (ledger(4, journal="old")[3], forked[2], forked[4], old[0]):
        changed = line.replace(b'"placed":2', b'"placed":3')
        assert resumed.feed(changed, 1.0 + SILENT_AFTER_S) == live.feed(changed, 1.0 + SILENT_AFTER_S)
    assert resumed.position == live.position


def test_a_line_that_contradicts_a_stored_one_is_refused_and_named_and_repeated_ones_are_stored_once(store_address: StoreAddress) -> None:
    first, second = stream("1")[:6], stream("2")[:4]
    forged = replace(first[4], line=first[4].line.replace(b'"wall-ready"', b'"wall-steady"'))
    contradiction = ("1", "table 1, journal 'j', line 5 contradicts the line that is stored, which stays")
    with closing(StoreRows(store_address, PROGRAMME, START)) as rows:
        assert rows.add_lines([*first[:5], *second, forged, *first[:3], *second]) == (contradiction,)
    with closing(open_desk(store_address)) as desk:
        assert desk.take([forged]) == (contradiction,)
        (gap,) = desk.take([stream("1")[6]])
        assert gap[1].startswith("table 1, journal 'j', line 7 does not follow what is stored: seq 7 where 6")
        assert desk.take([first[5]]) == ()
    assert stored_lines(store_address) == {"1": [event.line for event in first], "2": [event.line for event in second]}


def test_slips_notes_and_acknowledgements_are_there_after_a_restart(store_address: StoreAddress) -> None:
    with closing(open_desk(store_address)) as first:
        first.take(events([("referee-called", {"seat": "W"})]))
        (call,) = first.hall.calls()
        taken_up = Acknowledgement(call.table, call.journal, call.seq, "A. Referee", START)
        assert first.acknowledge(taken_up)
        assert not first.acknowledge(msgspec.structs.replace(taken_up, seq=9))
        first.note(RefereeLook("1", 1, "A. Referee", START))
        first.note(Complaint("1", "a line was refused", START))
        assert [first.slip(slip_bytes(2), START) is None for _ in range(2)] == [False, True]
        with pytest.raises(SlipRefusedError):
            first.slip(slip_bytes(2).replace(b"12:00", b"12:01"), START)
    with closing(open_desk(store_address)) as second:
        assert second.hall.calls()[0].acknowledged == taken_up
        assert second.hall.released(2) is not None
    contents = read_store(store_address)
    assert (len(contents.looks), len(contents.complaints), len(contents.acknowledgements)) == (1, 1, 1)


def test_a_change_of_an_account_is_a_record_that_names_who_made_it(store_address: StoreAddress) -> None:
    with closing(open_desk(store_address)) as desk:
        desk.note(StaffChange("Abe", "withdrawn", ("scorer",), START, 3, "Ota"))
        desk.note(StaffChange("Weber", "invited", (), START, 4))
    by_director, by_command = [record for record in read_records(read_store(store_address).records) if record.kind == "staff"]
    assert str(by_director).endswith("(staff of Ota)")
    assert (by_director.text("account"), by_director.fields["roles"], by_director.number("number")) == ("Abe", ["scorer"], 3)
    assert "staff" not in by_command.fields


def test_only_one_process_writes_and_others_may_read(desk: StoreWriter) -> None:
    with pytest.raises(StoreError, match="another process writes"):
        StoreWriter(desk.address, PROGRAMME, START)
    desk.take(stream("1")[:3])
    assert len(read_store(desk.address).journals[0].lines) == 3


def test_the_next_writer_waits_for_one_that_is_ending(store_address: StoreAddress) -> None:
    first = open_desk(store_address)
    ending = threading.Timer(0.1, first.close)
    ending.start()
    StoreRows(first.address, PROGRAMME, START, patience_s=PATIENCE_S).close()
    ending.join()


BARE = Programme(PROGRAMME.event, PROGRAMME.field)
ANOTHER = StartedPlan(STARTED.plan, msgspec.structs.replace(STARTED.start, public="another value"))


def test_a_store_of_another_event_or_plan_is_refused(store_address: StoreAddress) -> None:
    open_desk(store_address).close()
    with pytest.raises(DocumentError, match=r"begun with the start [-0-9A-Z]+, not with the start [-0-9A-Z]+: an event has one start"):
        open_desk(store_address, replace(PROGRAMME, custody=ANOTHER))
    with pytest.raises(DocumentError, match="is of the event 'Autumn / Herbst', not of 'Spring'"):
        open_desk(store_address, Programme("Spring", PROGRAMME.field))


def test_another_program_s_database_and_a_store_that_is_not_there_are_refused(store_address: StoreAddress) -> None:
    with pytest.raises(StoreError, match="there is no such store"):
        read_store(store_address)
    run_beside(store_address, "CREATE TABLE accounts (id INTEGER)")
    for opening in (open_desk, read_store):
        with pytest.raises(StoreError, match="another program's database"):
            opening(store_address)


def test_a_store_that_was_begun_without_a_start_gets_it_once_and_keeps_it_under_settings_that_name_none(
    store_address: StoreAddress,
) -> None:
    with closing(open_desk(store_address, BARE)) as desk:
        desk.give_custody(STARTED, START)
        with pytest.raises(DocumentError, match="an event has one start"):
            desk.give_custody(ANOTHER, START)
    with closing(open_desk(store_address, BARE)) as again:
        assert again.programme == PROGRAMME
        assert again.slip(slip_bytes(1), START) is not None
    assert load(read_store(store_address)).hall.programme == PROGRAMME


def test_a_store_in_which_tables_have_played_without_a_start_gets_none(store_address: StoreAddress) -> None:
    with closing(open_desk(store_address, BARE)) as desk:
        desk.take(stream("1")[:5])
        assert desk.hall.lines
        with pytest.raises(DocumentError, match="have played in the store"):
            desk.give_custody(STARTED, START)
        assert desk.programme.custody is None


def test_groups_and_points_may_be_put_right_and_the_store_keeps_what_was_used(store_address: StoreAddress) -> None:
    renamed = replace(PROGRAMME, field=field_of(EntrantKind.TEAM, TABLES, ("A", "B", "C", "Dragons")))
    by_rank = replace(renamed, points=Points.RANK)
    for programme in (PROGRAMME, renamed, by_rank):
        open_desk(store_address, programme).close()
    assert read_store(store_address).programmes == (PROGRAMME, renamed, by_rank)
    assert b"points" not in PROGRAMME.document
    with pytest.raises(DocumentError, match=r'points "medals": must be one of imp, rank'):
        Programme.from_document(by_rank.document.replace(b'"rank"', b'"medals"'))


def kill_while_writing(path: Path, after: int) -> int:
    """Let a process write line after line, kill it outright once it has said that so many are stored; the last number it said."""
    command = ends_with_parent([sys.executable, "-m", "tests.event.store.writer", str(path)])
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[3])
    assert process.stdout is not None
    said = 0
    for line in process.stdout:
        said = int(line)
        if said >= after and process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
            break
    for line in process.stdout:
        if line.endswith("\n"):
            said = int(line)
    process.stdout.close()
    process.wait()
    assert process.returncode == -signal.SIGKILL
    return said


@pytest.mark.slow
def test_a_writer_that_is_killed_outright_loses_no_line_that_it_said_was_stored(tmp_path: Path) -> None:
    path = tmp_path / "event.sqlite"
    for after in (1, 40, 300):
        said = kill_while_writing(path, after)
        contents = read_store(path)
        assert [line for line, _ in contents.journals[0].lines] == ledger(len(contents.journals[0].lines))
        assert len(contents.journals[0].lines) >= said
        load(contents)
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("event.sqlite", Path("event.sqlite")),
        ("sqlite:///var/lib/club%20evening.sqlite", Path("/var/lib/club evening.sqlite")),
        ("postgresql://a@b/c", PostgresAddress("postgresql://a@b/c")),
        (
            "postgres://a@b:5433/c?sslmode=verify-full&schema=event_0002",
            PostgresAddress("postgresql://a@b:5433/c?sslmode=verify-full", "event_0002"),
        ),
    ],
)
def test_an_address_is_a_path_or_a_url(text: str, address: StoreAddress) -> None:
    assert read_address(text) == address


@pytest.mark.parametrize("text", ["mysql://a@b/c", "sqlite://event.sqlite", "postgresql://a@b/c?schema=Drop;Table"])
def test_what_is_no_address_is_refused_with_a_reason(text: str) -> None:
    with pytest.raises(StoreAddressError, match=r"write"):
        read_address(text)


def test_an_address_is_shown_without_its_password() -> None:
    address = PostgresAddress("postgresql://a:secret@b/c?password=secret", "hall", "secret")
    assert str(address) == "postgresql://a@b/c?schema=hall"
    assert "secret" not in str(address)


LINES = ledger(MOST_AGAIN + 10)


def stored(folder: Path, heads: Iterable[int], lines: int = len(LINES)) -> Path:
    """A store with so many lines of table 12, and heads of these; a head is whatever was received."""
    store = folder / "event.sqlite"
    desk = StoreWriter(store, Programme("e", field_of(EntrantKind.INDIVIDUAL, ["12"])), START)
    desk.take([parse(line) for line in LINES[:lines]])
    for seq in heads:
        desk.note(SignedHead("12", "j1", seq, b"head %d" % seq))
    desk.close()
    return store


@pytest.mark.parametrize(
    ("heads", "asked", "ends", "headed"),
    [
        ((5, 10, 20), (3, 10), 10, True),
        ((5, 20), (3, 10), 20, True),
        ((5,), (3, 10), 5, True),
        ((2, 5, 5), (5, 5), 5, True),
        ((), (3, 10), 10, False),
        ((2,), (3, 10), 10, False),
        ((MOST_AGAIN,), (1, 9_000), MOST_AGAIN, True),
        ((MOST_AGAIN + 1,), (1, 9_000), MOST_ASKED, False),
    ],
)
def test_an_answer_ends_at_a_line_of_which_a_head_is_stored(
    tmp_path: Path, heads: tuple[int, ...], asked: tuple[int, int], ends: int, headed: bool
) -> None:
    again = lines_again(stored(tmp_path, heads), "12", "j1", *asked)
    assert again == (LINES[asked[0] - 1 : ends], b"head %d" % ends if headed else None)


def test_nothing_is_read_of_another_table_or_journal_or_beyond_the_end(tmp_path: Path) -> None:
    store = stored(tmp_path, (3,), 5)
    assert not any(lines_again(store, *asked)[0] for asked in (("1", "j1", 1, 5), ("12", "j2", 1, 5), ("12", "j1", 6, 9)))
