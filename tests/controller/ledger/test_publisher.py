"""The outbox: the ledger and a position; every line arrives in the end, whatever the broker does."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest

from controller.ledger.journal import JournalEntry
from controller.ledger.public import PublicLedger, open_ledger, table_ledger
from controller.ledger.publisher import WINDOW, Publisher
from tests.support.controller.rigs import EVENTS, HEALTH, PUBLIC
from tests.support.tiers import some
from tests.support.wire.link import FakeLink
from twinwall.game.documents import DocumentError
from twinwall.wire.events.wall_events import Building, ControllerStarted
from twinwall.wire.ledger import PublicEvent
from twinwall.wire.messages.boot_keys import read_head
from twinwall.wire.messages.commands import Resend, SwapSeats, TakeSeat, read_health, sign_command, write_command
from twinwall.wire.messages.signing import Signer
from twinwall.wire.receiver import Output, TableReceiver

NOW = datetime(2026, 11, 20, 10, 0, tzinfo=UTC)
SIGNER = Signer("1", b"\x05" * 32)
COMMAND, HEAD = "twinwall/test/1/command", "twinwall/test/1/head"


Ledgers = tuple[PublicLedger, PublicLedger]


@pytest.fixture
def ledgers(tmp_path: Path) -> Iterator[Ledgers]:
    both = (table_ledger(tmp_path, "1", "j"), open_ledger(tmp_path, "1", "j"))
    for ledger in both:
        ledger.catch_up((JournalEntry(1, "2026-11-20T10:00:00.000Z", ControllerStarted("j", "0.1.0", False, 1)),))
    yield both
    for ledger in both:
        ledger.close()


def grow(ledgers: Ledgers, lines: int) -> None:
    """Add public events."""
    for ledger in ledgers:
        ledger.append(JournalEntry(2 + number, "2026-11-20T10:00:01.000Z", Building(number % 137, 136)) for number in range(lines))


def publisher_of(ledgers: Ledgers, link: FakeLink, signer: Signer | None = None) -> Publisher:
    publisher = Publisher("test", "1", ledgers, ledgers[0].path.parent, lambda: NOW, signer=signer)
    publisher.link = link
    return publisher


def pumped(ledgers: Ledgers, lines: int = 0, signer: Signer | None = None) -> tuple[Publisher, FakeLink]:
    """A publisher that has sent its first lines, and its link."""
    grow(ledgers, lines)
    publisher = publisher_of(ledgers, link := FakeLink(), signer)
    publisher.pump()
    return publisher, link


def take(publisher: Publisher, link: FakeLink) -> None:
    """The broker takes everything that has been sent."""
    for token in range(1, len(link.sent) + 1):
        publisher.published(token)


def test_both_ledgers_go_to_their_topics_in_order(ledgers: Ledgers) -> None:
    _, link = pumped(ledgers, 20)
    assert (link.on(EVENTS), link.on(PUBLIC)) == (ledgers[0].lines, ledgers[1].lines)


def test_nothing_is_lost_while_the_broker_is_away(ledgers: Ledgers) -> None:
    link = FakeLink()
    link.up = False
    publisher = publisher_of(ledgers, link)
    publisher.pump()
    grow(ledgers, 30)
    publisher.pump()
    assert link.sent == []
    link.up = True
    publisher.connected()
    assert link.on(EVENTS) == ledgers[0].lines


def test_what_was_not_acknowledged_is_sent_again_after_a_break_and_what_was_is_not(ledgers: Ledgers) -> None:
    publisher, link = pumped(ledgers, 9)
    numbers = [token for token, (topic, _) in enumerate(link.sent, 1) if topic == EVENTS]
    for token in numbers[:4]:
        publisher.published(token)
    publisher.disconnected("cable")
    link.sent.clear()
    publisher.connected()
    assert link.on(EVENTS) == ledgers[0].lines[4:]


def test_an_acknowledgement_from_before_the_break_counts_for_nothing_new(ledgers: Ledgers) -> None:
    publisher, link = pumped(ledgers)
    publisher.disconnected("cable")
    link.up = False
    publisher.published(1)
    link.up = True
    publisher.connected()
    assert link.on(EVENTS) == ledgers[0].lines * 2


def test_no_more_than_a_window_of_lines_is_on_its_way_at_a_time(ledgers: Ledgers) -> None:
    publisher, link = pumped(ledgers, 3 * WINDOW)
    assert len(link.on(EVENTS)) == WINDOW
    publisher.published(next(number for number, (topic, _) in enumerate(link.sent, 1) if topic == EVENTS))
    assert len(link.on(EVENTS)) == WINDOW + 1


@pytest.mark.parametrize("content", ["", "nonsense", "other-journal 3\n", "j three\n", "j -2\n", "j 3 4\n", 99 * "x"])
def test_a_position_that_makes_no_sense_only_sends_lines_again(ledgers: Ledgers, content: str) -> None:
    position = ledgers[0].path.parent / "events.position"
    position.write_text(content)
    publisher, link = pumped(ledgers, 5)
    assert link.on(EVENTS) == ledgers[0].lines
    take(publisher, link)
    assert position.stat().st_size == max(80, len(content)), "cut to nothing it goes to the disk each time"
    _, later = pumped(ledgers, 2)
    assert later.on(EVENTS) == ledgers[0].lines[-2:]


def test_lines_that_a_receiver_lacks_are_sent_again_when_asked_for(ledgers: Ledgers) -> None:
    publisher, link = pumped(ledgers, 10)
    link.sent.clear()
    publisher.message(COMMAND, write_command(Resend("j", 3, 5)))
    publisher.message(COMMAND, write_command(Resend("j", 10, 99)))
    assert (link.on(EVENTS), link.on(PUBLIC)) == ([*ledgers[0].lines[2:5], *ledgers[0].lines[9:]], [])


def test_lines_that_are_asked_for_again_before_the_broker_has_taken_them_are_on_their_way_once(ledgers: Ledgers) -> None:
    (publisher, link), taken = pumped(ledgers, 3 * WINDOW), 0
    while taken < len(link.sent):
        taken += 1
        publisher.published(taken)
    link.sent.clear()
    for _ in range(5):
        publisher.message(COMMAND, write_command(Resend("j", 1, 2 * WINDOW)))
    assert link.on(EVENTS) == ledgers[0].lines[:WINDOW]
    for token in range(1, 1 + WINDOW):
        publisher.published(token)
    assert link.on(EVENTS) == ledgers[0].lines[: 2 * WINDOW]
    link.sent.clear()
    publisher.message(COMMAND, write_command(Resend("j", 1, 1)))
    publisher.disconnected("cable")
    publisher.connected()
    assert link.on(EVENTS) == ledgers[0].lines[:1]


@pytest.mark.parametrize("payload", [b"", b"{}", b'{"type":"open-all-gates"}\n', write_command(Resend("another", 1, 2))])
def test_other_commands_are_refused_and_do_nothing(ledgers: Ledgers, payload: bytes) -> None:
    publisher, link = pumped(ledgers)
    link.sent.clear()
    publisher.message(COMMAND, payload)
    assert link.sent == []


def test_the_heartbeat_tells_what_is_lost_and_none_follows_one_that_the_broker_has_not_taken(ledgers: Ledgers) -> None:
    grow(ledgers, 4)
    link = FakeLink()
    publisher = publisher_of(ledgers, link)
    publisher.beat(("feeder",))
    health = read_health(link.on(HEALTH)[0])
    assert (health.table, health.journal, health.seq, health.links_lost, health.at) == ("1", "j", 5, ("feeder",), NOW)
    taken = len(link.sent)
    publisher.beat(())
    assert len(link.sent) == taken
    publisher.published(taken)
    publisher.beat(())
    assert len(link.on(HEALTH)) == 2
    publisher.disconnected("cable")
    publisher.connected()
    publisher.beat(())
    assert len(link.on(HEALTH)) == 3, "what was on its way when the connection broke is void"


def test_a_heartbeat_that_the_broker_takes_before_it_is_counted_as_sent_stops_no_other(ledgers: Ledgers) -> None:
    link = FakeLink(lambda token: publisher.published(token) if link.sent[-1][0] == HEALTH else None)
    publisher = publisher_of(ledgers, link)
    for _ in range(3):
        publisher.beat(())
    assert len(link.on(HEALTH)) == 3


@pytest.mark.parametrize("seed", some(range(10), 4))
def test_over_any_broker_a_receiver_that_asks_for_gaps_ends_with_the_exact_ledger(ledgers: Ledgers, seed: int) -> None:
    chance, link, receiver = Random(seed), FakeLink(), TableReceiver("1")
    publisher = publisher_of(ledgers, link)
    accepted: list[bytes] = []
    delivered, now_s = 0, 0.0

    def lines_arrive(lossless: bool) -> None:
        nonlocal delivered
        while delivered < len(link.sent):
            topic, payload = link.sent[delivered]
            delivered += 1
            if topic == EVENTS and (lossless or chance.random() < 0.7):
                act(receiver.feed(payload, now_s), publisher, accepted)
            if lossless or chance.random() < 0.8:
                publisher.published(delivered)

    for _ in range(40):
        grow(ledgers, chance.randrange(4))
        link.up = chance.random() < 0.7
        actions: list[Callable[[], None]] = [publisher.pump, lambda: publisher.disconnected("cable"), lambda: lines_arrive(lossless=False)]
        chance.choice(actions)()
    link.up = True
    publisher.disconnected("cable")
    publisher.connected()
    for _ in range(20):
        now_s += 3
        act(receiver.tick(now_s), publisher, accepted)
        lines_arrive(lossless=True)
    assert accepted == ledgers[0].lines


def act(outputs: list[Output], publisher: Publisher, accepted: list[bytes]) -> None:
    """Keep what a receiver accepts, and ask for what it lacks."""
    for output in outputs:
        match output:
            case PublicEvent() as event:
                accepted.append(event.line)
            case Resend() as resend:
                publisher.message(COMMAND, write_command(resend))
            case _:
                pass


def test_a_signed_head_follows_each_batch_and_is_sent_again_with_later_heartbeats(ledgers: Ledgers) -> None:
    publisher, link = pumped(ledgers, 3, SIGNER)
    (head,) = link.on(HEAD)
    assert read_head(head, "test", "1", SIGNER.public).position == ledgers[0].position
    assert link.sent.index((HEAD, head)) > link.sent.index((EVENTS, ledgers[0].lines[-1]))
    publisher.pump()
    assert link.on(HEAD) == [head], "nothing new, no head"
    beat(publisher, link, 1)
    assert link.on(HEAD) == [head], "it has just been sent"
    beat(publisher, link, 1)
    assert link.on(HEAD) == [head, head]
    (public,) = set(link.on("twinwall/test/1/public-head"))
    with pytest.raises(DocumentError, match="of the ledger 'public'"):
        read_head(public, "test", "1", SIGNER.public)


def beat(publisher: Publisher, link: FakeLink, times: int) -> list[int]:
    """Heartbeats that the broker takes; with which of them, counted from 1, a head of the table went out."""
    found: list[int] = []
    for number in range(1, times + 1):
        before = len(link.on(HEAD))
        publisher.beat(())
        if len(link.on(HEAD)) > before:
            found.append(number)
        publisher.published(len(link.sent))
    return found


def test_the_head_of_a_table_that_writes_nothing_is_repeated_ever_more_seldom(ledgers: Ledgers) -> None:
    publisher, link = pumped(ledgers, signer=SIGNER)
    assert beat(publisher, link, 50) == [2, 4, 8, 16, 32, 48]
    for _ in range(3):
        grow(ledgers, 1)
        publisher.pump()
        assert beat(publisher, link, 1) == [], "a new head is not repeated while the next line is not late"
    publisher.disconnected("cable")
    link.sent.clear()
    publisher.connected()
    assert len(link.on(HEAD)) == 1, "a broker that was away hears it at once"
    assert beat(publisher, link, 4) == [2, 4]


def test_a_head_that_no_broker_took_is_sent_with_the_first_heartbeat_that_one_takes(ledgers: Ledgers) -> None:
    publisher, link = pumped(ledgers, signer=SIGNER)
    take(publisher, link)
    later = FakeLink()
    later.up = False
    again = publisher_of(ledgers, later, SIGNER)
    again.pump()
    for _ in range(20):
        again.beat(())
    later.up = True
    again.beat(())
    assert len(later.on(HEAD)) == 1


def test_lines_that_are_sent_again_are_followed_by_a_head_that_covers_them(ledgers: Ledgers) -> None:
    publisher, link = pumped(ledgers, 9, SIGNER)
    publisher.message(COMMAND, write_command(Resend("j", 2, 4)))
    read = read_head(link.on(HEAD)[-1], "test", "1", SIGNER.public)
    assert read.seq == 4
    assert beat(publisher, link, 1) == [1], "whoever asked learns how many more there are"
    read = read_head(link.on(HEAD)[-1], "test", "1", SIGNER.public)
    assert read.position == ledgers[0].position


def test_what_players_say_of_their_seats_counts_from_the_server_alone(ledgers: Ledgers, tmp_path: Path) -> None:
    server, vault = Signer("server", bytes(32)), Signer("vault", bytes(range(32)))
    publisher = Publisher("test", "1", ledgers, tmp_path, lambda: NOW, trusted={each.by: each.public for each in (server, vault)})
    told: list[object] = []
    publisher.from_server = told.append
    for counter, signer in enumerate((vault, server), 1):
        publisher.message(COMMAND, sign_command(signer, "test", "1", TakeSeat(2, "17"), identity="a", counter=counter))
    assert told == [TakeSeat(2, "17")]
    publisher.message(COMMAND, sign_command(server, "test", "1", SwapSeats((2, 3)), identity="b", counter=2))
    assert told == [TakeSeat(2, "17")], "a repeated counter has no effect"
