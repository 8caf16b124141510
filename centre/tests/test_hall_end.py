"""The hall's server towards the centre: it answers orders from its store, and a gap that is longer than an order closes."""

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest

from centre.intake.venue_intake import IntakeMoment, VenueIntake
from centre.store.venue_contents import KnownVenue
from centre.tests.support.playing_venue import CENTRE, EVENT, Message, PlayingVenue
from dashboard.centre_link import ANSWERS_A_TICK, LONGEST_SENTENCE, MOST_ORDERS, SAY_AGAIN_S, CentreLink, venue_statement
from tests.support.wire.streams import START
from twinwall.event.field import field_of
from twinwall.event.results import EntrantKind
from twinwall.event.store.databases.port import StoreError
from twinwall.event.store.programme import Programme
from twinwall.event.store.store_contents import SignedHead
from twinwall.event.store.store_rows import LinesAgain, lines_again
from twinwall.event.store.store_writer import StoreWriter
from twinwall.wire.ledger import parse
from twinwall.wire.messages.boot_keys import SettledKeys, TableKeys
from twinwall.wire.messages.commands import Command, Resend
from twinwall.wire.messages.venue_messages import SPOKEN, ResendOrder, read_venue_statement, write_notice, write_resend_order
from twinwall.wire.mqtt.centre_topics import CentreOrder, heard_order, repeat_topic
from twinwall.wire.mqtt.topics import venue_statement_topic
from twinwall.wire.receiver import ASK_AGAIN_S, MOST_ASKED

RESEND = heard_order(CentreOrder.RESEND)
LENGTH = 3 * MOST_ASKED
STATEMENT = venue_statement_topic(EVENT)
PROGRAMME = Programme(EVENT, field_of(EntrantKind.INDIVIDUAL, ["1"]))
VENUE = PlayingVenue("Kyoto", (("1", tuple(("building", {"placed": n % 137, "of": 136}) for n in range(LENGTH))),))


STATES = partial(venue_statement, "Kyoto", VENUE.server, VENUE.vault_key, "0.9.0")


@dataclass
class FakeStore:
    """A store that has every line of every table, without heads, unless it is ``broken``."""

    broken: bool = False
    head: bytes | None = None
    asked: list[str] = field(default_factory=list)

    def read(self, table: str, _journal: str, first: int, last: int) -> LinesAgain:
        if self.broken:
            raise StoreError("the disk is gone")
        self.asked.append(table)
        return [b"line"] * (last - first + 1), self.head


def order(table: str, first: int = 1, last: int = 1, event: str = EVENT) -> bytes:
    return write_resend_order(ResendOrder(event, table, "j", first, last))


def to_nobody(_sentence: str) -> None:
    """A staff that reads nothing."""


def taken(sent: list[Message], topic: str, payload: bytes) -> int:
    """A broker that takes everything."""
    sent.append((topic, payload))
    return len(sent)


def link_to(sent: list[Message], store: FakeStore) -> CentreLink:
    link = CentreLink(STATES, lambda: PROGRAMME, store.read, lambda: 0.0, tell=to_nobody)
    link.publish = partial(taken, sent)
    link.tick()
    assert sent.pop()[0] == STATEMENT
    return link


@pytest.mark.parametrize("heads_every", [7, 200, 600])
def test_a_gap_longer_than_an_order_closes(tmp_path: Path, heads_every: int) -> None:
    desk = StoreWriter(tmp_path / "event.sqlite", PROGRAMME, START)
    desk.take([parse(line) for line in VENUE.ledgers["1"]])
    for seq in range(heads_every, LENGTH, heads_every):
        desk.note(SignedHead("1", "j", seq, VENUE.head("1", seq)[1]))
    sent: list[Message] = []
    keys = SettledKeys({"1": VENUE.table_key("1")})
    link = CentreLink(STATES, lambda: desk.programme, partial(lines_again, desk.address), lambda: now, tell=to_nobody, keys=keys)
    link.publish = partial(taken, sent)
    centre, now = VenueIntake(VENUE.venue, CENTRE, KnownVenue(), IntakeMoment(START, 0.0)), 0.0
    link.tick()
    for topic, payload in (*sent, VENUE.announcement, VENUE.head("1", LENGTH)):
        centre.take(topic, payload, IntakeMoment(START, now))
    sent.clear()
    stored = 0
    while stored < LENGTH and now < 10 * ASK_AGAIN_S:
        batch, orders = centre.batch()
        stored += len(batch.lines)
        for each in orders:
            link.hear(RESEND, write_resend_order(each))
        link.tick()
        came = {repeat_topic(topic): topic for topic in (VENUE.line("1", 1)[0], VENUE.head("1", 1)[0])}
        now += ASK_AGAIN_S
        for topic, payload in sent:
            centre.take(came.get(topic, topic), payload, IntakeMoment(START, now))
        sent.clear()
        centre.tick(IntakeMoment(START, now))
    desk.close()
    assert stored == LENGTH


def test_heads_of_an_earlier_boot_are_left_out_and_the_table_is_asked_now_and_then() -> None:
    said, asked = Said(keys=SettledKeys({"1": bytes(32)})), list[tuple[str, object]]()

    def ask(table: str, command: Command) -> bool:
        asked.append((table, command))
        return True

    said.link.ask = ask
    said.store.head = VENUE.head("1", 3)[1]
    said.tick()
    for seconds in (0.0, ASK_AGAIN_S / 2, ASK_AGAIN_S):
        said.now_s = seconds
        said.link.hear(RESEND, order("1", 1, 3))
        said.tick()
    assert {payload for _, payload in said.sent[1:]} == {b"line"}
    assert asked == [("1", Resend("j", 1, 3))] * 2


def test_the_last_order_for_a_journal_is_answered_once() -> None:
    sent: list[Message] = []
    link = link_to(sent, FakeStore())
    for last in (5, 3):
        link.hear(RESEND, order("1", 2, last))
    link.tick()
    link.tick()
    assert sent == [(repeat_topic(VENUE.line("1", 1)[0]), b"line")] * 2


def test_a_flood_of_orders_is_bounded_and_answered_in_turn() -> None:
    store = FakeStore()
    link = link_to([], store)
    for number in range(MOST_ORDERS + 5):
        link.hear(RESEND, order(f"{number}"))
    link.tick()
    assert store.asked == [f"{number}" for number in range(ANSWERS_A_TICK)]
    for _ in range(MOST_ORDERS):
        link.tick()
    assert len(store.asked) == MOST_ORDERS


@pytest.mark.parametrize("poison", [b"", b"{}", order("1", 3, 2), order("1", 0, 2), order("1", 2**53, 2**70), order("1", event="other")])
def test_an_order_that_is_none_or_of_another_event_is_not_answered(poison: bytes) -> None:
    store = FakeStore()
    link = link_to([], store)
    link.hear(RESEND, poison)
    link.tick()
    assert store.asked == []


def test_a_store_that_fails_leaves_an_order_to_be_asked_again() -> None:
    sent: list[Message] = []
    store = FakeStore(broken=True)
    link = link_to(sent, store)
    link.hear(RESEND, order("1"))
    link.tick()
    store.broken = False
    link.tick()
    assert sent == []
    link.hear(RESEND, order("1"))
    link.tick()
    assert sent != []


@dataclass
class Said:
    """A venue's server whose broker, clock and programme are in a test's hand."""

    sent: list[Message] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    up: bool = True
    now_s: float = 0.0
    programme: Programme = PROGRAMME
    keys: TableKeys | None = None
    store: FakeStore = field(default_factory=FakeStore)

    def __post_init__(self) -> None:
        self.link = CentreLink(STATES, lambda: self.programme, self.store.read, lambda: self.now_s, tell=self.told.append, keys=self.keys)
        self.link.publish = lambda topic, payload: taken(self.sent, topic, payload) if self.up else None

    def tick(self) -> int:
        """How often the statement was said by now."""
        self.link.tick()
        return len(self.sent)


def test_the_statement_is_the_venues_own_at_the_centre() -> None:
    said = Said()
    said.tick()
    ((topic, payload),) = said.sent
    statement = read_venue_statement(payload, EVENT, "Kyoto", VENUE.server.public if VENUE.server else None)
    assert (topic, statement.spoken, statement.version) == (STATEMENT, SPOKEN, "0.9.0")
    assert Programme.from_document(statement.programme.encode()) == PROGRAMME
    assert statement.vault_key == VENUE.vault_key.hex()


def test_a_rehearsal_without_keys_says_its_statement_bare() -> None:
    statement = read_venue_statement(venue_statement("Kyoto", None, None, "0.9.0", PROGRAMME), EVENT, "Kyoto", None)
    assert statement.vault_key is None


def test_the_statement_is_said_once_the_broker_is_there_and_from_time_to_time() -> None:
    said = Said(up=False)
    assert said.tick() == 0
    said.up = True
    assert [said.tick(), said.tick()] == [1, 1]
    said.now_s = SAY_AGAIN_S
    assert [said.tick(), said.tick()] == [2, 2]
    assert said.sent[0] == said.sent[1]


def test_another_programme_is_said_at_once() -> None:
    said = Said()
    said.tick()
    said.programme = Programme(EVENT, field_of(EntrantKind.INDIVIDUAL, ["1", "2"]))
    assert [said.tick(), said.tick()] == [2, 2]
    assert said.sent[0] != said.sent[1]


@pytest.mark.parametrize(("sentence", "shown"), [("set the clock", "set the clock"), ("x" * 5000, "x" * (LONGEST_SENTENCE - 1) + "…")])
def test_what_the_centre_says_is_told_to_the_staff(sentence: str, shown: str) -> None:
    said = Said()
    said.link.hear(heard_order(CentreOrder.NOTICE), write_notice(sentence))
    assert said.told == [shown]


@pytest.mark.parametrize("poison", [b"", b"\xff", b"{}", order("1")])
def test_a_notice_that_is_none_is_not_told(poison: bytes) -> None:
    said = Said()
    said.link.hear(heard_order(CentreOrder.NOTICE), poison)
    assert said.told == []
