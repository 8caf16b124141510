"""The hall's server towards the centre: it answers orders from its store, and a gap that is longer than an order closes."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest

from dashboard.centre_link import ANSWERS_A_TICK, MOST_ORDERS, CentreLink
from tests.support.centre.playing_venue import CENTRE, EVENT, Message, PlayingVenue
from tests.support.wire.streams import START
from twinwall.centre.intake.venue_intake import IntakeMoment, VenueIntake
from twinwall.centre.store.venue_contents import KnownVenue
from twinwall.event.field import field_of
from twinwall.event.results import EntrantKind
from twinwall.event.store.databases.port import StoreError
from twinwall.event.store.lines_again import LinesAgain, lines_again
from twinwall.event.store.programme import Programme
from twinwall.event.store.store_signatures import SignedHead
from twinwall.event.store.store_writer import StoreWriter
from twinwall.wire.ledger import parse
from twinwall.wire.messages.resend_order import ResendOrder, write_resend_order
from twinwall.wire.mqtt.centre_topics import CentreOrder, again_topic, heard_order
from twinwall.wire.receiver import ASK_AGAIN_S, MOST_ASKED

RESEND = heard_order(CentreOrder.RESEND)
LENGTH = 3 * MOST_ASKED
VENUE = PlayingVenue("Kyoto", (("1", tuple(("building", {"placed": n % 137, "of": 136}) for n in range(LENGTH))),))


@dataclass
class FakeStore:
    """A store that has every line of every table, without heads, unless it is ``broken``."""

    broken: bool = False
    asked: list[str] = field(default_factory=list)

    def read(self, table: str, _journal: str, first: int, last: int) -> LinesAgain:
        if self.broken:
            raise StoreError("the disk is gone")
        self.asked.append(table)
        return LinesAgain([b"line"] * (last - first + 1))


def order(table: str, first: int = 1, last: int = 1, event: str = EVENT) -> bytes:
    return write_resend_order(ResendOrder(event, table, "j", first, last))


def taken(sent: list[Message], topic: str, payload: bytes) -> int:
    """A broker that takes everything."""
    sent.append((topic, payload))
    return len(sent)


def link_to(sent: list[Message], store: FakeStore) -> CentreLink:
    link = CentreLink(EVENT, store.read)
    link.publish = partial(taken, sent)
    return link


@pytest.mark.parametrize("heads_every", [7, 200, 600])
def test_a_gap_longer_than_an_order_closes(tmp_path: Path, heads_every: int) -> None:
    desk = StoreWriter(tmp_path / "event.sqlite", Programme(EVENT, field_of(EntrantKind.INDIVIDUAL, ["1"])), START)
    desk.take([parse(line) for line in VENUE.ledgers["1"]])
    for seq in range(heads_every, LENGTH, heads_every):
        desk.keep_signature(SignedHead("1", "j", seq, VENUE.head("1", seq)[1]))
    sent: list[Message] = []
    link = CentreLink(EVENT, partial(lines_again, desk.address))
    link.publish = partial(taken, sent)
    centre, now = VenueIntake(VENUE.venue, CENTRE, KnownVenue(), IntakeMoment(START, 0.0)), 0.0
    for topic, payload in (VENUE.statement(), VENUE.announcement, VENUE.head("1", LENGTH)):
        centre.take(topic, payload, IntakeMoment(START, now))
    stored = 0
    while stored < LENGTH and now < 10 * ASK_AGAIN_S:
        batch, orders = centre.batch()
        stored += len(batch.lines)
        for each in orders:
            link.hear(RESEND, write_resend_order(each))
        link.tick()
        came = {again_topic(topic): topic for topic in (VENUE.line("1", 1)[0], VENUE.head("1", 1)[0])}
        now += ASK_AGAIN_S
        for topic, payload in sent:
            centre.take(came[topic], payload, IntakeMoment(START, now))
        sent.clear()
        centre.tick(IntakeMoment(START, now))
    desk.close()
    assert stored == LENGTH


def test_the_last_order_for_a_journal_is_answered_once() -> None:
    sent: list[Message] = []
    link = link_to(sent, FakeStore())
    for last in (5, 3):
        link.hear(RESEND, order("1", 2, last))
    link.tick()
    link.tick()
    assert sent == [(again_topic(VENUE.line("1", 1)[0]), b"line")] * 2


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
