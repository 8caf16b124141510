"""The table's custodian: sealed deals that come late, signed commands, and a network that fails and returns."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.core.apply import apply
from controller.state.messages import PartFound, PartLost, SlipHeard
from controller.state.sides import Build, Making, OpenDeal
from controller.state.table_state import TableState
from tests.support.controller.rigs import set_up
from tests.support.custody.hall import EVENT, KEEPER, PLAN, PUBLIC, ROOT, SEEDS, VAULT, PlayedTable, deal_topic
from tests.support.narrowed import of_type
from twinwall.game.deals import make_slip
from twinwall.game.documents import canonical_json
from twinwall.wire.events.trouble_events import LinkRestored
from twinwall.wire.messages.commands import Resend, sign_command, write_command
from twinwall.wire.messages.ruling import Ruling
from twinwall.wire.messages.signing import Recipient, Signer, seal_deal
from twinwall.wire.mqtt.topics import Channel, Topic, parse_topic, slips_topic

COMMAND = str(Topic(EVENT, "1", Channel.COMMAND))


class Outward:
    """A link that remembers what was sent."""

    def __init__(self) -> None:
        self.sent: list[tuple[Channel, bytes]] = []

    def publish(self, topic: str, payload: bytes) -> int | None:
        self.sent.append((parse_topic(topic).channel, payload))
        return len(self.sent)

    def count(self, channel: Channel) -> int:
        return sum(sent is channel for sent, _ in self.sent)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[PlayedTable]:
    table = PlayedTable("1", tmp_path)
    yield table
    table.close()


@pytest.fixture
def link(table: PlayedTable) -> Outward:
    table.publisher.link = link = Outward()
    return link


def sealed(table: PlayedTable, n: int) -> bytes:
    share = canonical_json(KEEPER.share(n).to_json())
    return seal_deal(VAULT, Recipient(EVENT, "1", ROOT), n, share, table.boot_keys.sealing)


def play_one(table: PlayedTable) -> None:
    table.publisher.message(deal_topic("1"), sealed(table, 1))
    assert table.open_next()
    table.finish()


def test_a_deal_that_comes_while_the_table_waits_is_posted_once(table: PlayedTable) -> None:
    assert table.deals.after(()) is None
    for _ in range(3):
        table.publisher.message(deal_topic("1"), sealed(table, 1))
    assert [message.n for message in table.posted if isinstance(message, OpenDeal)] == [1]


@pytest.mark.parametrize(
    ("share", "reason"),
    [
        (canonical_json(KEEPER.share(1).to_json() | {"key": "00" * 80}), "key"),
        (canonical_json(KEEPER.share(1).to_json() | {"holder": "witness"}), "format"),
        (canonical_json(KEEPER.share(1).to_json() | {"leaf": ["00" * 32]}), "path"),
        (canonical_json(KEEPER.share(1).to_json() | {"path": []}), "path"),
        (canonical_json(KEEPER.share(2).to_json()), "format"),
        (b"no share", "format"),
    ],
)
def test_a_deal_that_is_not_the_committed_one_is_refused_though_the_vault_seals_it(table: PlayedTable, share: bytes, reason: str) -> None:
    table.open_next()
    table.deals.take(seal_deal(VAULT, Recipient(EVENT, "1", ROOT), 1, share, table.boot_keys.sealing))
    assert not table.open_next()
    assert [bad.reason for bad in table.bad] == [reason]
    assert table.played == {}


def test_the_next_deal_waits_until_the_present_one_is_played(table: PlayedTable) -> None:
    table.publisher.message(deal_topic("1"), sealed(table, 2))
    assert (table.deals.after(()), table.posted, table.deals.holds) == (None, [], (2,))
    play_one(table)
    assert table.open_next()
    assert set(table.played) == {1, 2}


def test_a_table_states_where_it_stands_with_each_heartbeat_and_when_the_broker_is_found(table: PlayedTable, link: Outward) -> None:
    table.publisher.connected()
    table.publisher.beat(())
    assert link.count(Channel.CUSTODY) == 2


def test_a_signed_command_counts_once(table: PlayedTable, link: Outward) -> None:
    play_one(table)
    lines = link.count(Channel.EVENTS)
    command = sign_command(VAULT, EVENT, "1", Resend("j1", 1, 2), identity="a", counter=7)
    for _ in range(2):
        table.publisher.message(COMMAND, command)
    assert link.count(Channel.EVENTS) == lines + 2


@pytest.mark.parametrize(
    "payload",
    [
        write_command(Resend("j1", 1, 2)),
        sign_command(Signer("vault", b"\x44" * 32), EVENT, "1", Resend("j1", 1, 2), identity="a", counter=7),
        sign_command(VAULT, EVENT, "2", Resend("j1", 1, 2), identity="a", counter=7),
        sign_command(VAULT, "another", "1", Resend("j1", 1, 2), identity="a", counter=7),
        sign_command(VAULT, EVENT, "1", Resend("j1", 1, 2), identity="a", counter=7).replace(b'"to":2', b'"to":9'),
        sign_command(VAULT, EVENT, "1", Ruling("r1", 1, "Ota", {"en": "Play goes on."}), identity="a", counter=7),
    ],
    ids=["unsigned", "by another key", "for another table", "of another event", "altered", "a ruling by the vault"],
)
def test_a_command_that_nobody_trusted_signed_for_this_table_has_no_effect(
    table: PlayedTable, link: Outward, payload: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    play_one(table)
    lines, rulings = link.count(Channel.EVENTS), list[object]()
    table.publisher.from_server = rulings.append
    table.publisher.message(COMMAND, payload)
    assert (link.count(Channel.EVENTS), rulings) == (lines, [])
    assert "was refused" in caplog.text


def test_a_table_says_once_that_it_plays_offline_and_what_it_holds(table: PlayedTable, caplog: pytest.LogCaptureFixture) -> None:
    table.publisher.message(deal_topic("1"), sealed(table, 1))
    table.publisher.message(deal_topic("1"), sealed(table, 2))
    for _ in range(3):
        table.publisher.disconnected("no route")
    table.publisher.connected()
    assert caplog.text.count("the table plays offline; it holds deal 1, deal 2") == 1
    assert table.posted == [PartLost("broker"), PartFound("broker")]


def test_a_network_that_comes_and_goes_leaves_what_the_sensors_told_as_it_is() -> None:
    setup = set_up()
    known = TableState(lost=frozenset({"broker", "feeder"}), making=Making(build=Build(surveyed=True)))
    assert apply(setup, known, LinkRestored("broker")).making.build.surveyed
    assert not apply(setup, known, LinkRestored("feeder")).making.build.surveyed


def slip(n: int) -> bytes:
    return canonical_json(make_slip(PLAN, SEEDS, n, PUBLIC).to_json())


def test_a_released_slip_of_this_event_is_told_to_the_table_as_often_as_it_comes(table: PlayedTable) -> None:
    for _ in range(2):
        table.publisher.message(slips_topic(EVENT), slip(1))
    assert table.posted == [SlipHeard(1), SlipHeard(1)]


@pytest.mark.parametrize("payload", [b"", slip(1)[:-2], slip(1).replace(b'"n":1', b'"n":2')], ids=["empty", "torn", "of another deal"])
def test_a_slip_of_another_event_is_no_release(table: PlayedTable, payload: bytes, caplog: pytest.LogCaptureFixture) -> None:
    table.publisher.message(slips_topic(EVENT), payload)
    assert table.posted == []
    assert "is none of this event's" in caplog.text


def test_the_deal_in_play_and_the_one_whose_wall_is_built_are_held_and_a_third_waits(table: PlayedTable) -> None:
    for n in (1, 2, 3):
        table.publisher.message(deal_topic("1"), sealed(table, n))
    assert [given.n for given in map(table.deals.after, ((), (1,))) if isinstance(given, OpenDeal)] == [1, 2]
    assert set(table.deals.holds) == {1, 2, 3}
    assert isinstance(table.deals.after((1, 2)), OpenDeal)
    assert set(table.deals.holds) == {2, 3}, "what was played before the deal in play is let go"


def test_a_killed_controller_finds_the_deal_that_it_had_not_opened_yet(table: PlayedTable) -> None:
    for n in (1, 2):
        table.publisher.message(deal_topic("1"), sealed(table, n))
    table.deals.after(())
    table.deals.after((1,))
    later = table.new_deals()
    later.begin(TableState(), table.posted.append)
    assert of_type(OpenDeal, later.after((1,))).n == 2
