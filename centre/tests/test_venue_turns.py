"""Turns between the venues of one consumer: what has come, and what one transaction takes of it."""

from collections.abc import Iterator

import pytest

from centre.consumer import CentreConsumer
from centre.consuming import MOST_LINES, MOST_OF_A_VENUE, MOST_TOGETHER, take_together
from centre.deploy.venue_account import VenueAccount
from centre.intake.venue_intake import IntakeMoment
from centre.store.centre_rows import CentreRows
from centre.tests.support.playing_venue import CENTRE, EVENT, Message, PlayingVenue, played_hands
from centre.venue_turns import MOST_OF_THE_MOMENT, VenueTurns
from tests.support.wire.streams import START
from twinwall.event.store.databases.port import PostgresAddress
from twinwall.wire.mqtt.link import Unsettled

SCORES = 8 * ((75, -25, -25, -25), (-8, 48, -32, -8))
FLOODING = PlayingVenue("Haus 7", tuple((str(table), played_hands(str(table), SCORES)) for table in range(1, 41)), heads_every=1000)
OTHER = PlayingVenue("Kyoto", (("1", played_hands("1", SCORES[:1])),))


@pytest.fixture
def consumer(postgres_store: PostgresAddress) -> Iterator[CentreConsumer]:
    venues = [FLOODING.venue, OTHER.venue]
    rows = CentreRows(postgres_store, EVENT, [venue.name for venue in venues])
    yield CentreConsumer(rows, venues, CENTRE, lambda *_: None, lambda: IntakeMoment(START, 0.0))
    rows.close()


def put(turns: VenueTurns, venue: PlayingVenue, messages: list[Message]) -> None:
    for number, (topic, payload) in enumerate(messages, 1):
        turns.put(venue.name, Unsettled(f"{VenueAccount(venue.name).prefix}{topic}", payload, 1, number, 1))


def taken_from(turns: VenueTurns, consumer: CentreConsumer) -> list[str]:
    return [each.venue for each in take_together(turns, consumer)]


def test_one_message_of_each_venue_is_taken_in_turn_and_each_venues_in_their_order() -> None:
    turns = VenueTurns()
    for venue, letter in (("A", "a"), ("A", "b"), ("A", "c"), ("B", "d"), ("C", "e"), ("B", "f")):
        turns.put(venue, Unsettled(letter, b"", 1, 1, 1))
    taken = []
    while (came := turns.take()) is not None:
        taken.append(came.message.topic)
    assert taken == ["a", "d", "e", "b", "f", "c"]


def test_venues_that_are_left_out_keep_their_turn() -> None:
    turns = VenueTurns()
    for venue, letter in (("A", "a"), ("B", "b"), ("C", "c"), ("B", "d")):
        turns.put(venue, Unsettled(letter, b"", 1, 1, 1))
    left_out = {"A", "C"}
    taken = [turns.take(without=left_out), turns.take(without=left_out), turns.take(without=left_out), turns.take(), turns.take()]
    assert [each and each.message.topic for each in taken] == ["b", "d", None, "a", "c"]


def test_of_a_flood_that_is_never_settled_a_bounded_part_is_kept_and_every_line_that_is() -> None:
    turns = VenueTurns()
    for number in range(3 * MOST_OF_THE_MOMENT):
        turns.put("A", Unsettled(f"{number}", b"", 1, number, 0))
    turns.put("A", Unsettled("line", b"", 1, 1, 1))
    turns.put("B", Unsettled("heartbeat", b"", 1, 1, 0))
    taken = []
    while (came := turns.take()) is not None:
        taken.append(came.message.topic)
    assert sorted(taken) == sorted([*map(str, range(MOST_OF_THE_MOMENT)), "line", "heartbeat"])


def test_what_a_venue_sends_after_thousands_of_another_one_is_in_the_next_transaction_which_is_short(consumer: CentreConsumer) -> None:
    turns = VenueTurns()
    put(turns, FLOODING, FLOODING.messages)
    assert taken_from(turns, consumer) == [FLOODING.name] * MOST_OF_A_VENUE
    consumer.keep()
    put(turns, OTHER, OTHER.messages)
    taken = taken_from(turns, consumer)
    assert {venue: taken.count(venue) for venue in taken} == {FLOODING.name: MOST_OF_A_VENUE, OTHER.name: len(OTHER.messages)}


def test_many_venues_together_fill_a_transaction_and_no_more(consumer: CentreConsumer) -> None:
    turns = VenueTurns()
    for number in range(2 * MOST_TOGETHER):
        turns.put(f"venue {number % 8}", Unsettled("venue/none", b"", 1, number, 1))
    assert len(taken_from(turns, consumer)) == MOST_TOGETHER


def test_heads_that_each_cover_many_waiting_lines_do_not_all_fit_into_one_transaction(consumer: CentreConsumer) -> None:
    turns, heads = VenueTurns(), [FLOODING.head(table, len(lines)) for table, lines in FLOODING.ledgers.items()]
    put(turns, FLOODING, [message for message in FLOODING.messages if message not in heads])
    while taken_from(turns, consumer):
        consumer.keep()
    put(turns, FLOODING, heads)
    put(turns, OTHER, OTHER.messages)
    taken = taken_from(turns, consumer)
    longest = max(map(len, FLOODING.ledgers.values()))
    assert MOST_LINES <= consumer.brought < MOST_LINES + longest
    assert taken.count(OTHER.name) == len(OTHER.messages)
    assert taken.count(FLOODING.name) < len(heads)
