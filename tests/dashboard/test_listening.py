"""Listening: messages reach the views, no message ends the listening, and which heads of tables are stored."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from dashboard.hall_intake import HallIntake, ListenerClock
from dashboard.intake_reports import KEEP_EVERY_S, HeadsToKeep
from dashboard.listening import HallListener
from dashboard.projections.hall_views import COMPLAINT_S, STAFF, HallViews
from tests.support.dashboard.example import building, whole_hand
from tests.support.dashboard.hall import Hall
from tests.support.event.ledgers import closing, preparing, starting
from tests.support.event.ledgers import events as events_of
from tests.support.event.stored_event import EVENT as DEAL_EVENT
from tests.support.event.stored_event import open_desk, slip_bytes
from tests.support.wire.brokers import eventually, free_port
from tests.support.wire.streams import START, Line, ledger_lines
from twinwall.event.field import field_of
from twinwall.event.results import EntrantKind
from twinwall.event.store.programme import Programme
from twinwall.event.store.store_contents import StoredLine
from twinwall.event.store.store_rows import read_store
from twinwall.event.store.store_writer import StoreWriter
from twinwall.wire.ledger import PublicEvent, parse
from twinwall.wire.messages.boot_keys import Head, LedgerKind
from twinwall.wire.messages.commands import Command, CommandWriter, Health, Resend, write_health
from twinwall.wire.messages.signing import Counter
from twinwall.wire.messages.venue_messages import write_notice
from twinwall.wire.mqtt.broker_address import BrokerAddress, Credentials
from twinwall.wire.mqtt.topics import Channel, Topic, slips_topic
from twinwall.wire.receiver import MOST_ASKED, SILENT_AFTER_S

EVENTS = str(Topic("e", "1", Channel.EVENTS))
HEALTH = str(Topic("e", "1", Channel.HEALTH))
LINES = ledger_lines([*building()])


class FaultyViews(HallViews):
    bad_seq = 0

    def add(self, event: PublicEvent, heard: datetime) -> None:
        if event.seq == self.bad_seq:
            raise RuntimeError("a defect of the views")
        super().add(event, heard)


@pytest.fixture
def views() -> FaultyViews:
    return FaultyViews("boot")


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[StoreWriter]:
    opened = StoreWriter(tmp_path / "event.sqlite", Programme("e", field_of(EntrantKind.INDIVIDUAL, ["1"])), START)
    yield opened
    opened.close()


@dataclass
class Elapsed:
    """The time that never jumps, in a test's hand."""

    seconds: float = 0.0


@pytest.fixture
def elapsed() -> Elapsed:
    return Elapsed()


@contextmanager
def listening(views: HallViews, desk: StoreWriter, elapsed: Elapsed, event: str = "e") -> Iterator[HallListener]:
    """A listener whose broker is not there: the test plays the link."""
    address, clock = BrokerAddress("127.0.0.1", free_port()), ListenerClock(lambda: START, lambda: elapsed.seconds)
    unsigned = CommandWriter(event, None, Counter(lambda: 0), lambda: "")
    listener = HallListener(views, desk, address, Credentials("server", "x"), clock, commands=unsigned)
    listener.start()
    yield listener
    listener.close()


@pytest.fixture
def listener(views: FaultyViews, desk: StoreWriter, elapsed: Elapsed) -> Iterator[HallListener]:
    with listening(views, desk, elapsed) as listener:
        yield listener


def complaint(views: HallViews, table: str = "1") -> str:
    status = views.table(table)
    return (status.complaint or "") if status is not None else ""


def taken(views: HallViews) -> int:
    status = views.table("1")
    return len(status.view.log) if status is not None else 0


@pytest.mark.parametrize("poison", [b'{"n":1e999}\n', b'{"n":' + b"9" * 5000 + b"}\n", rb'{"n":"\ud800"}' + b"\n", b"\xff", b""])
@pytest.mark.parametrize("topic", [EVENTS, HEALTH])
def test_a_poisonous_message_is_complained_of_and_the_next_line_is_taken(
    listener: HallListener, views: FaultyViews, topic: str, poison: bytes
) -> None:
    listener.message(topic, poison)
    eventually(lambda: complaint(views) != "", "the page complains")
    listener.message(EVENTS, LINES[0])
    eventually(lambda: complaint(views) == "", "the next line is taken, and the complaint is over")
    assert listener.is_alive


def test_a_defect_at_one_line_is_logged_and_told_and_the_next_lines_are_taken(
    listener: HallListener, views: FaultyViews, caplog: pytest.LogCaptureFixture
) -> None:
    views.bad_seq = 2
    for line in LINES[:2]:
        listener.message(EVENTS, line)
    eventually(lambda: "a defect of the views" in complaint(views), "the page tells of the defect")
    before = taken(views)
    for line in LINES[2:]:
        listener.message(EVENTS, line)
    eventually(lambda: taken(views) > before, "the lines after it are taken")
    assert listener.is_alive
    assert any(record.exc_info for record in caplog.records)


@pytest.mark.parametrize(("off", "word"), [(timedelta(days=1), "ahead of"), (-timedelta(days=1), "behind")])
def test_a_table_whose_clock_is_a_day_off_is_named_until_it_is_right_and_loses_no_line(
    listener: HallListener, views: FaultyViews, caplog: pytest.LogCaptureFixture, off: timedelta, word: str
) -> None:
    sentence = f"the clock of table 1 is more than 10 minutes {word} this server's: set the one that is wrong; no result depends on it"

    def beat(at: datetime) -> None:
        listener.message(HEALTH, write_health(Health("1", "j1", 1, at)))

    def until_told(notice: str) -> None:
        """Whatever came before is done with."""
        listener.message(str(Topic("e", "1", Channel.NOTICE)), write_notice(notice))
        eventually(lambda: complaint(views) == f"the vault: {notice}", "the vault's notice is on the page")

    listener.message(EVENTS, LINES[0])
    eventually(lambda: taken(views) == 1, "a line that is taken ends complaints: it is to come before them")
    beat(START + off)
    eventually(lambda: complaint(views) == sentence, "it is told on the table's page")
    beat(START + off)
    until_told("after two heartbeats")
    assert caplog.text.count(sentence) == 1, "it was told already"
    assert taken(views) == 1
    beat(START)
    beat(START + off)
    until_told("after it was right")
    assert caplog.text.count(sentence) == 2


def test_a_problem_of_the_link_is_logged(listener: HallListener, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        listener.problem("the broker refused a subscription")
    assert "the broker refused a subscription" in caplog.text


def test_a_table_that_goes_back_to_a_former_journal_is_named_on_its_page(
    listener: HallListener, views: FaultyViews, elapsed: Elapsed
) -> None:
    newer = ledger_lines([*building()], journal="j2")
    listener.message(EVENTS, LINES[0])
    eventually(lambda: taken(views) == 1, "the first controller is heard")
    elapsed.seconds = SILENT_AFTER_S
    for line in (*newer[:2], LINES[1]):
        listener.message(EVENTS, line)
    eventually(lambda: "'j1'" in complaint(views), "the complaint names the journal")
    listener.message(HEALTH, write_health(Health("1", "j2", 2, START)))
    before = views.sequence(STAFF)
    listener.message(EVENTS, newer[2])
    eventually(lambda: views.sequence(STAFF) > before, "the true stream goes on")
    assert "'j1'" in complaint(views), "and the complaint stays for its time: whoever it was may do it again"


@pytest.mark.parametrize(
    ("payload", "said"), [(write_notice("table '1' shows a new key"), "the vault: table '1' shows a new key"), (b"{}", "not understood")]
)
def test_what_the_vault_says_of_a_table_is_on_its_page(listener: HallListener, views: FaultyViews, payload: bytes, said: str) -> None:
    listener.message(str(Topic("e", "1", Channel.NOTICE)), payload)
    eventually(lambda: said in complaint(views), "the page says it")


def test_a_complaint_is_over_by_itself_after_a_while(views: FaultyViews) -> None:
    views.complain("1", "not understood", START)
    views.tick(START + timedelta(seconds=COMPLAINT_S))
    assert complaint(views) == "not understood"
    before = views.sequence(STAFF)
    views.tick(START + timedelta(seconds=COMPLAINT_S + 1))
    assert complaint(views) == ""
    assert views.sequence(STAFF) == before + 1, "the pages are told"


def test_it_is_said_not_to_be_alive_once_nothing_is_heard_any_more(listener: HallListener) -> None:
    hall = Hall()
    assert (listener.is_alive, hall.client.get("/alive").status_code) == (True, 200)
    listener.close()
    hall.listening = listener.is_alive
    assert (hall.listening, hall.client.get("/alive").status_code) == (False, 503)


def test_lines_are_stored_and_a_restarted_listener_goes_on_from_them(listener: HallListener, views: FaultyViews, desk: StoreWriter) -> None:
    for line in LINES[:5]:
        listener.message(EVENTS, line)
    eventually(lambda: len(stored(desk)) == 5, "the lines are stored")
    listener.close()
    path, programme = desk.address, desk.hall.programme
    desk.close()
    again = StoreWriter(path, programme, START)
    assert list(again.found["1"]) == [parse(line) for line in LINES[:5]]
    assert len(again.known["1"][0].digests) == 5
    again.close()


def test_tables_that_went_on_unheard_are_asked_as_soon_as_the_broker_is_found(desk: StoreWriter, views: FaultyViews) -> None:
    desk.take([parse(line) for line in LINES[:5]])
    programme, address = desk.hall.programme, desk.address
    desk.close()
    again, asked = StoreWriter(address, programme, START), list[tuple[str, Command]]()

    def send(table: str, command: Command) -> bool:
        asked.append((table, command))
        return True

    intake = HallIntake(views, again, ListenerClock(lambda: START, lambda: 0.0), send)
    intake.connection(up=True)
    assert asked == [("1", Resend("j1", 6, 5 + MOST_ASKED))]
    for line in LINES[5:8]:
        intake.take(EVENTS, line)
    intake.keep_accepted()
    intake.connection(up=False)
    intake.connection(up=True)
    assert asked[1:] == [("1", Resend("j1", 9, 8 + MOST_ASKED))]
    again.close()


def stored(desk: StoreWriter) -> tuple[StoredLine, ...]:
    journals = read_store(desk.address).journals
    return journals[0].lines if journals else ()


def test_a_result_that_is_entered_twice_is_complained_of_and_noted(
    listener: HallListener, views: FaultyViews, desk: StoreWriter, elapsed: Elapsed
) -> None:
    whole: list[Line] = [*whole_hand(), ("hand-closed", {"n": 1})]
    for line in ledger_lines(whole):
        listener.message(EVENTS, line)
    eventually(lambda: len(stored(desk)) == len(whole), "the first controller is heard")
    elapsed.seconds = SILENT_AFTER_S
    for line in ledger_lines(whole, journal="j2"):
        listener.message(EVENTS, line)
    eventually(lambda: any("a second time" in note.reason for note in read_store(desk.address).complaints), "the store notes it")


def test_a_released_slip_opens_the_deal_and_a_false_one_is_told_once(
    tmp_path: Path, views: FaultyViews, caplog: pytest.LogCaptureFixture
) -> None:
    desk = open_desk(tmp_path)
    before = views.sequence(STAFF)
    with listening(views, desk, Elapsed(), DEAL_EVENT) as listener:
        for payload in (slip_bytes(2).replace(b"12:00", b"12:01"),) * 2 + (slip_bytes(1),):
            listener.message(slips_topic(DEAL_EVENT), payload)
        eventually(lambda: desk.hall.released(1) is not None, "the slip opens its deal")
        eventually(lambda: views.sequence(STAFF) > before, "the pages are told")
    desk.close()
    assert desk.hall.released(2) is None
    assert caplog.text.count("a slip is refused") == 1


HEAD_LINES = events_of([*preparing(1), *starting(1), *closing(1, (8, -8, 0, 0))], "1")


def due(heads: HeadsToKeep, line: int, now_s: float, *types: str) -> tuple[int, bytes] | None:
    """The head that is to be stored when lines of these types are accepted up to this one."""
    found = heads.due("1", HEAD_LINES[line].position, types, now_s)
    return None if found is None else (found.seq, found.head)


def heads_of(*events: PublicEvent) -> HeadsToKeep:
    heads = HeadsToKeep()
    for event in events:
        place = event.position
        heads.hear("1", Head(place.journal, place.seq, place.digest, LedgerKind.EVENTS), f"head {place.seq}".encode())
    return heads


def test_a_head_that_covers_the_end_of_a_hand_is_stored_at_once_and_once_and_others_after_ten_seconds() -> None:
    heads, last = heads_of(*HEAD_LINES), len(HEAD_LINES)
    assert due(heads, 0, 0.0, "deal-opened") == (1, b"head 1")
    assert due(heads, 2, KEEP_EVERY_S - 0.1, "building") is None, "the next one waits"
    assert due(heads, 2, KEEP_EVERY_S) == (3, b"head 3")
    assert due(heads, -1, KEEP_EVERY_S + 1.0, "hand-ended", "hand-closed") == (last, f"head {last}".encode())
    assert due(heads, -1, 60.0, "hand-closed") is None


def test_a_table_whose_lines_no_head_ends_at_stores_none() -> None:
    heads = heads_of(HEAD_LINES[0])
    assert due(heads, 1, 0.0, "hand-closed") is None
    assert heads.due("2", HEAD_LINES[0].position, ["hand-closed"], 0.0) is None
    assert heads.due("1", None, (), 0.0) is None
