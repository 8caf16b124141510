"""A venue's gateway over real Mosquittos: what it passes on, what it holds while the centre is away, and what the centre may say."""

import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from centre.deploy.gateway_conf import BrokerEndpoint, CentreEnd, order_topic
from centre.deploy.venue_account import VenueAccount
from centre.tests.support.hostile_broker import HostileBroker
from dashboard.centre_link import CentreLink, venue_statement
from dashboard.hall_intake import ListenerClock
from dashboard.listening import HallListener
from dashboard.projections.hall_views import HallViews
from tests.support.patience import PATIENCE_S
from tests.support.wire.brokers import MOSQUITTO, Ear, eventually
from tests.support.wire.streams import START, ledger
from tests.support.wire.tls import Cable
from tools.rehearsal.programs import LOOPBACK, ExternalProgram, listens
from tools.rehearsal.venue_brokers import VenueBrokers
from twinwall.event.field import field_of
from twinwall.event.results import EntrantKind
from twinwall.event.store.programme import Programme
from twinwall.event.store.store_rows import lines_again
from twinwall.event.store.store_writer import StoreWriter
from twinwall.free_ports import free_ports
from twinwall.wire.ledger import parse
from twinwall.wire.messages.commands import CommandWriter
from twinwall.wire.messages.signing import KEY_SIZE, Counter, Signer
from twinwall.wire.messages.venue_messages import ResendOrder, write_notice, write_resend_order
from twinwall.wire.mqtt.access import SERVER_USER, VAULT_USER, Access, may_use_topic, rights, table_user
from twinwall.wire.mqtt.broker_address import BrokerAddress, Credentials
from twinwall.wire.mqtt.centre_topics import FOR_SERVER, FOR_VAULTS, GATEWAY_USER, CentreOrder, gateway_rights, heard_order, repeat_topic
from twinwall.wire.mqtt.link import MqttLink
from twinwall.wire.mqtt.topics import (
    FROM_TABLE,
    TO_TABLE,
    Channel,
    HallChannel,
    HallTopic,
    Topic,
    keys_topic,
    slips_topic,
    vault_orders_topic,
    venue_statement_topic,
    venue_vault_topic,
)

EVENT, TABLE = "Cup 2.1 / Herbst", "1.5"
VENUE = VenueAccount("Haus *7. Süd")
PASSED = {Channel.EVENTS, Channel.HEAD, Channel.HEALTH}

needs_mosquitto = pytest.mark.skipif(not MOSQUITTO.exists(), reason=f"{MOSQUITTO} is not installed (apt-get install mosquitto)")


class GatewayRig:
    """A venue's two brokers, and a Mosquitto in clear in place of the centre's."""

    def __init__(self, folder: Path) -> None:
        hall, centre = free_ports(2)
        self.venue = VenueBrokers(VENUE, folder / "venue", hall, (TABLE,))
        conf = folder / "centre.conf"
        conf.write_text(f"listener {centre} {LOOPBACK}\nallow_anonymous true\nuser root\n")
        self.centre = ExternalProgram("centre", [str(MOSQUITTO), "-c", str(conf)], folder, lambda: listens(centre))
        self.centre_port = centre
        self.links: list[MqttLink] = []
        self.cable = Cable(centre)
        self.cable.__enter__()
        self.gateway = self.venue.add_gateway(CentreEnd((BrokerEndpoint(LOOPBACK, self.cable.port),), "venue", None))
        for each in (self.venue.hall, self.centre, self.gateway):
            each.start()
            each.wait(PATIENCE_S)
        self.at_centre, self.centre_ear = self.link("centre", "#", at_centre=True)
        self.server, self.server_ear = self.link(SERVER_USER, *(heard_order(order) for order in CentreOrder))
        self.vault, self.vault_ear = self.link(VAULT_USER, *(heard_order(order) for order in CentreOrder))
        self.table, self.table_ear = self.link(table_user(TABLE), "twinwall-centre/#", "twinwall-centre/orders/+")
        self._wait_for_bridges()

    def _wait_for_bridges(self) -> None:
        """Both bridges have made their last subscription, and so all of them."""
        last_out, last_in = repeat_topic(slips_topic("first")), order_topic(VENUE, CentreOrder.NOTICE)

        def passes() -> bool:
            self.server.publish(last_out, b"")
            self.at_centre.publish(last_in, b"")
            return any("/orders/" not in topic for topic, _ in self.centre_ear.messages) and bool(self.server_ear.messages)

        eventually(passes, "the gateway passes both ways")
        self.server.publish(last_out, b"last")
        self.at_centre.publish(last_in, b"last")
        eventually(lambda: (at_centre(slips_topic("first")), b"last") in self.centre_ear.messages, "the last of them has come")
        eventually(lambda: any(payload == b"last" for _, payload in self.server_ear.messages), "the last of them has come")
        self.centre_ear.messages.clear()
        self.server_ear.messages.clear()

    def passed(self) -> list[tuple[str, bytes]]:
        """What has come from the venue, without what the centre said itself, and without what the rig sent while the bridges came up: a
        bridge may repeat that when it connects again."""
        first = at_centre(slips_topic("first"))
        return [(topic, payload) for topic, payload in self.centre_ear.messages if "/orders/" not in topic and topic != first]

    def link(self, user: str, *topics: str, at_centre: bool = False) -> tuple[MqttLink, Ear]:
        """A connection of one account, up."""
        ear = Ear()
        port = self.centre_port if at_centre else self.venue.port
        link = MqttLink(BrokerAddress(LOOPBACK, port), Credentials(user, self.venue.password), ear, subscriptions=topics)
        link.start()
        self.links.append(link)
        eventually(lambda: link.is_connected, f"{user} is connected")
        return link, ear

    def close(self) -> None:
        for link in self.links:
            link.close()
        for each in (self.gateway, self.centre, self.venue.hall):
            each.stop()
        self.cable.__exit__(None, None, None)


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[GatewayRig]:
    rig = GatewayRig(tmp_path)
    yield rig
    rig.close()


def at_centre(topic: str) -> str:
    return f"venue/Haus%20%2A7%2E%20S%C3%BCd/{topic}"


@needs_mosquitto
def test_ledgers_heads_keys_and_slips_reach_the_centre_and_nothing_else_does(rig: GatewayRig) -> None:
    vault = rig.vault
    for channel in TO_TABLE:
        vault.publish(str(Topic(EVENT, TABLE, channel)), b"vault")
    for topic in (keys_topic(EVENT), slips_topic(EVENT)):
        vault.publish(topic, b"vault")
    rig.server.publish(venue_statement_topic(EVENT), b"server")
    for channel in (*(channel for channel in FROM_TABLE if channel not in PASSED), *PASSED):
        rig.table.publish(str(Topic(EVENT, TABLE, channel)), b"table")
    passed = {at_centre(str(Topic(EVENT, TABLE, channel))) for channel in PASSED}
    announced = {at_centre(each(EVENT)) for each in (keys_topic, slips_topic, venue_statement_topic)}
    eventually(lambda: {topic for topic, _ in rig.passed()} >= passed | announced, "the centre has what it may have")
    assert {topic for topic, _ in rig.passed()} == passed | announced


@needs_mosquitto
def test_what_was_said_while_the_centre_was_away_comes_in_the_order_in_which_it_was_said(rig: GatewayRig) -> None:
    rig.cable.pull()
    topics = [str(Topic(EVENT, TABLE, channel)) for channel in (Channel.EVENTS, Channel.HEAD)]
    said = [(topics[number % 2], f"line {number}".encode()) for number in range(300)]
    for topic, line in said:
        assert rig.table.publish(topic, line) is not None
    eventually(lambda: len(rig.table_ear.tokens) == len(said), "the hall's broker has every line though the centre is away")
    rig.cable.plug()
    eventually(lambda: len(rig.passed()) >= len(said), "the centre has caught up")
    assert rig.passed() == [(at_centre(topic), line) for topic, line in said]


@needs_mosquitto
def test_the_halls_server_alone_hears_orders_and_sends_lines_again_and_vaults_alone_hear_shares_and_slips(rig: GatewayRig) -> None:
    for order in CentreOrder:
        rig.at_centre.publish(order_topic(VENUE, order), b"order")
    wanted = [{heard_order(order) for order in orders} for orders in (FOR_SERVER, FOR_VAULTS)]

    def heard() -> list[set[str]]:
        return [{topic for topic, _ in ear.messages} for ear in (rig.server_ear, rig.vault_ear)]

    eventually(lambda: heard() == wanted, "each hears his orders")
    rig.vault.publish(venue_vault_topic(EVENT), b"said")
    eventually(lambda: (at_centre(venue_vault_topic(EVENT)), b"said") in rig.passed(), "the venue's vault is heard at the centre")
    line = str(Topic(EVENT, TABLE, Channel.EVENTS))
    rig.server.publish(repeat_topic(line), b"again")
    eventually(lambda: (at_centre(line), b"again") in rig.passed(), "the line came again")
    assert rig.table_ear.messages == []


@needs_mosquitto
def test_the_halls_true_server_says_its_statement_and_takes_both_orders(rig: GatewayRig, tmp_path: Path) -> None:
    rig.server.close()
    told: list[str] = []
    line = ledger(1, TABLE)[0]
    desk = StoreWriter(tmp_path / "event.sqlite", Programme(EVENT, field_of(EntrantKind.INDIVIDUAL, [TABLE])), START)
    desk.take([parse(line)])
    states = partial(venue_statement, VENUE.venue, Signer(SERVER_USER, bytes(KEY_SIZE)), None, "0.9.0")
    centre = CentreLink(states, lambda: desk.programme, partial(lines_again, desk.address), time.monotonic, tell=told.append)
    listener = HallListener(
        HallViews("boot"),
        desk,
        BrokerAddress(LOOPBACK, rig.venue.port),
        Credentials(SERVER_USER, rig.venue.password),
        ListenerClock(lambda: START, time.monotonic),
        commands=CommandWriter(EVENT, None, Counter(lambda: 0), lambda: ""),
        centre=centre,
    )
    listener.start()
    try:
        statement = at_centre(venue_statement_topic(EVENT)), states(desk.programme)
        eventually(lambda: statement in rig.passed(), "the statement is at the centre")
        rig.at_centre.publish(order_topic(VENUE, CentreOrder.RESEND), write_resend_order(ResendOrder(EVENT, TABLE, "j1", 1, 9)))
        eventually(lambda: (at_centre(str(Topic(EVENT, TABLE, Channel.EVENTS))), line) in rig.passed(), "the line came again")
        rig.at_centre.publish(order_topic(VENUE, CentreOrder.NOTICE), write_notice("set the clock"))
        eventually(lambda: told == ["set the clock"], "the staff are told")
    finally:
        listener.close()
        desk.close()


@needs_mosquitto
def test_whatever_a_centre_sends_no_table_and_no_vault_hears_it(tmp_path: Path) -> None:
    at_tables = [str(Topic("e", TABLE, channel)) for channel in Channel]
    of_hall = [*(str(HallTopic(TABLE, channel)) for channel in HallChannel), vault_orders_topic(VAULT_USER)]
    sent = [(topic, b"forged") for topic in (*at_tables, *of_hall, "twinwall-centre/orders/rule", "orders/rule", "again/e/1/events")]
    hostile = HostileBroker([*sent, (order_topic(VENUE, CentreOrder.NOTICE), b"last")], subscriptions=len(CentreOrder))
    (port,) = free_ports(1)
    venue = VenueBrokers(VENUE, tmp_path / "venue", port, (TABLE,))
    gateway = venue.add_gateway(CentreEnd((BrokerEndpoint(LOOPBACK, hostile.port),), "venue", None))
    ears: dict[str, Ear] = {user: Ear() for user in (table_user(TABLE), VAULT_USER, SERVER_USER)}
    links: list[MqttLink] = []
    try:
        venue.hall.start()
        venue.hall.wait(PATIENCE_S)
        links = [
            MqttLink(BrokerAddress(LOOPBACK, port), Credentials(user, venue.password), ear, subscriptions=["#"])
            for user, ear in ears.items()
        ]
        for link in links:
            link.start()
        eventually(lambda: all(link.is_connected for link in links), "everybody listens to whatever he may hear")
        gateway.start()
        eventually(lambda: (heard_order(CentreOrder.NOTICE), b"last") in ears[SERVER_USER].messages, "the one true order is heard")
        assert {user: [topic for topic, _ in ear.messages] for user, ear in ears.items()} == {
            table_user(TABLE): [],
            VAULT_USER: [],
            SERVER_USER: [heard_order(CentreOrder.NOTICE)],
        }
    finally:
        for link in links:
            link.close()
        gateway.stop()
        hostile.close()
        venue.hall.stop()


def test_the_gateway_may_hear_what_the_centre_gets_and_say_orders_and_nothing_else() -> None:
    granted = (*rights(None, [TABLE]), *gateway_rights())
    hears = {channel for channel in Channel if may_use_topic(granted, GATEWAY_USER, Access.READ, str(Topic(EVENT, TABLE, channel)))}
    assert hears == PASSED
    assert not any(may_use_topic(granted, GATEWAY_USER, Access.WRITE, str(Topic(EVENT, TABLE, channel))) for channel in Channel)
    assert not any(may_use_topic(granted, table_user(TABLE), access, heard_order(order)) for access in Access for order in CentreOrder)
    for user, orders in ((SERVER_USER, FOR_SERVER), (VAULT_USER, FOR_VAULTS)):
        assert {order for order in CentreOrder if may_use_topic(granted, user, Access.READ, heard_order(order))} == set(orders)
        assert not any(may_use_topic(granted, user, Access.WRITE, heard_order(order)) for order in CentreOrder)
    assert may_use_topic(granted, VAULT_USER, Access.WRITE, venue_vault_topic(EVENT))
    assert not may_use_topic(granted, SERVER_USER, Access.WRITE, venue_vault_topic(EVENT))
