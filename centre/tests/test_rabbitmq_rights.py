"""A real RabbitMQ with the accounts that are written for it: rights by venue, and a venue that is cut off."""

import logging
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from queue import SimpleQueue

import pytest

from centre.consumer import subscriptions
from centre.consuming import ConsumerSettings, consume
from centre.deploy.gateway_conf import order_topic
from centre.tests.support.playing_venue import CENTRE, PlayingVenue, played_hands
from centre.tests.support.rabbit_rig import CONSUMER, OTHER, ROBBED, RabbitRig, needs
from tests.support.wire.brokers import Ear, eventually
from tools.rehearsal.programs import ProgramError
from tools.rehearsal.rabbit_nodes import LASTS, CentreCertificates
from tools.rehearsal.rehearsal import CONNECTED
from twinwall.event.store.databases.port import PostgresAddress
from twinwall.wire.mqtt.broker_address import Credentials, TlsFiles
from twinwall.wire.mqtt.centre_topics import CentreOrder
from twinwall.wire.mqtt.link import MqttLink, Unsettled
from twinwall.wire.mqtt.topics import Channel, Topic

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.slow,
    pytest.mark.timeout(900),
    needs("rabbitmq-server"),
]


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RabbitRig]:
    rig = RabbitRig(tmp_path_factory.mktemp("rabbitmq"))
    yield rig
    rig.close()


def test_a_venue_speaks_below_its_prefix_alone_and_a_robbed_one_is_cut_off_without_the_others(rig: RabbitRig) -> None:
    consumer, heard = rig.link(CONSUMER, "venue/+/twinwall/#", instance="1-of-1")
    robbed, robbed_ear = rig.link(ROBBED.user, order_topic(ROBBED, CentreOrder.RESEND))
    other, other_ear = rig.link(OTHER.user, order_topic(OTHER, CentreOrder.RESEND))
    eventually(lambda: all(link.is_connected for link in (consumer, robbed, other)), "all are connected")
    first_tries = len(other_ear.reasons)

    for link, account in ((robbed, ROBBED), (other, OTHER)):
        assert link.publish(f"{account.prefix}twinwall/e/1/events", b"line") is not None
    eventually(lambda: len(heard.messages) == 2, "both venues are heard")
    assert consumer.publish(order_topic(OTHER, CentreOrder.RESEND), b"order") is not None
    eventually(lambda: other_ear.messages == [(order_topic(OTHER, CentreOrder.RESEND), b"order")], "the order is heard")
    assert robbed_ear.messages == []

    robbed.publish(f"{OTHER.prefix}twinwall/e/1/events", b"forged")
    eventually(lambda: bool(robbed_ear.reasons), "who speaks for another venue is thrown out")
    _, curious = rig.link(ROBBED.user, order_topic(OTHER, CentreOrder.RESEND), instance="fedcba9876543210")
    eventually(lambda: bool(curious.problems or curious.reasons), "who listens to another venue's orders is refused")

    rig.control("delete_user", ROBBED.user)
    rig.control("close_all_user_connections", ROBBED.user, "robbed")
    seen = len(heard.messages)
    eventually(lambda: not robbed.is_connected and len(robbed_ear.reasons) > 1, "the stolen certificate is of nobody")
    assert other.publish(f"{OTHER.prefix}twinwall/e/1/events", b"after") is not None
    eventually(lambda: (f"{OTHER.prefix}twinwall/e/1/events", b"after") in heard.messages[seen:], "the other venue goes on")
    assert other_ear.reasons[first_tries:] == []
    assert not any(payload == b"forged" for _, payload in heard.messages)


def test_who_has_no_certificate_of_the_centre_is_not_heard(rig: RabbitRig, tmp_path: Path) -> None:
    stranger = CentreCertificates(tmp_path / "stranger", datetime.now(UTC)).issue(OTHER.user)
    mixed = TlsFiles(rig.files[OTHER.user].authority, stranger.certificate, stranger.key)
    tried = [rig.link(OTHER.user, files=files) for files in (mixed, TlsFiles(rig.files[OTHER.user].authority))]
    eventually(lambda: all(len(ear.reasons) > 1 for _, ear in tried), "they are refused again and again")
    assert [ear.times_connected for _, ear in tried] == [0, 0]


def test_a_line_with_names_of_any_length_is_heard_by_its_consumer(rig: RabbitRig) -> None:
    """AMQP's names end at 255 bytes; a character of Japanese takes nine in a topic."""
    event, table = "全国麻雀同時大会" * 20, "卓" * 40
    line = f"{OTHER.prefix}{Topic(event, table, Channel.EVENTS)}"
    told = SimpleQueue[Unsettled]()
    consumer, heard = rig.link(CONSUMER, *subscriptions(event, OTHER), instance="long", unsettled=told.put)
    venue, ear = rig.link(OTHER.user)
    eventually(lambda: consumer.is_connected and venue.is_connected, "both are connected")
    lost = len(ear.reasons), len(heard.reasons)
    token = venue.publish(line, b"line")
    eventually(lambda: token in ear.tokens and not told.empty(), "the line is taken and heard")
    assert told.get().topic == line
    assert (len(ear.reasons), len(heard.reasons), heard.problems) == (*lost, [])


def outlives(folder: Path, lasts_s: int) -> bool:
    """Whether connections were made while certificates were good for so long; they have then outlived them, and a new one was refused."""
    end = datetime.now(UTC) + timedelta(seconds=lasts_s)
    try:
        rig = RabbitRig(folder, made_at=end - LASTS)
    except ProgramError:
        return False  # it did not start in time
    consumer, heard = rig.link(CONSUMER, f"{OTHER.prefix}twinwall/#")
    venue, told = rig.link(OTHER.user)
    while not (consumer.is_connected and venue.is_connected) and datetime.now(UTC) < end:
        time.sleep(0.05)
    is_made = consumer.is_connected and venue.is_connected
    if is_made:
        eventually(lambda: datetime.now(UTC) > end + timedelta(seconds=2), "the certificates have ended")
        _, late = rig.link(OTHER.user, instance="fedcba9876543210")
        eventually(lambda: any("expired" in reason for reason in late.reasons), "the new connection is told why")
        assert venue.publish(f"{OTHER.prefix}twinwall/e/1/events", b"line") is not None
        eventually(lambda: bool(heard.messages), "the line is heard")
        assert (late.times_connected, told.reasons, heard.reasons) == (0, [], [])
    rig.close()
    return is_made


def test_connections_outlive_their_certificates_and_new_ones_are_refused(tmp_path: Path) -> None:
    assert any(outlives(tmp_path / f"{lasts_s}", lasts_s) for lasts_s in (45, 120)), "connections are made in time"


def is_up(link: MqttLink) -> bool:
    return link.is_connected


def has_ended(ear: Ear) -> bool:
    return bool(ear.reasons)


def test_a_venue_that_knows_a_consumers_name_cannot_end_its_sessions(
    rig: RabbitRig, postgres_store: PostgresAddress, caplog: pytest.LogCaptureFixture
) -> None:
    venue = PlayingVenue(OTHER.venue, (("1", played_hands("1", ((75, -25, -25, -25),))),))
    settings = ConsumerSettings([venue.venue], CENTRE, postgres_store, [rig.address(CONSUMER)], Credentials(CONSUMER, ""))
    ended, stored = threading.Event(), [0]
    thread = threading.Thread(target=consume, args=(settings, ended, stored.append))
    with caplog.at_level(logging.INFO):
        thread.start()
        try:
            eventually(lambda: CONNECTED in caplog.text, "the consumer has its session")
            for name in (OTHER.encoded, f"{OTHER.encoded}/0123456789abcdef"):
                guessed, ear = rig.link(CONSUMER, instance=name, files=rig.files[OTHER.user])
                eventually(partial(is_up, guessed), "a venue takes a consumer's name")
                rig.link(CONSUMER, instance=name, files=rig.files[OTHER.user])
                eventually(partial(has_ended, ear), "whoever names a session ends its connection")
            link, _ = rig.link(OTHER.user)
            eventually(partial(is_up, link), "the venue is connected")
            for topic, payload in venue.messages:
                assert link.publish(f"{OTHER.prefix}{topic}", payload) is not None
            eventually(lambda: stored[-1] == len(venue.ledgers["1"]), "what the venue says still arrives")
        finally:
            ended.set()
            thread.join()
    assert caplog.text.count(CONNECTED) == 1, "it came over the consumer's first connection"
