"""Certificates that end in the middle of a session: connections that stand go on, new ones are refused."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.support.wire.brokers import EVENT, MOSQUITTO, Ear, RunningBroker, eventually, link_of
from tests.support.wire.tls import LASTS, HallCertificates, account, new_tls_broker
from twinwall.wire.mqtt.link import MqttLink
from twinwall.wire.mqtt.topics import Channel, Topic

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not MOSQUITTO.exists(), reason=f"{MOSQUITTO} is not installed (apt-get install mosquitto)"),
]
LINES = str(Topic(EVENT, "1", Channel.EVENTS))


def connected_before(end: datetime, broker: RunningBroker, ear: Ear) -> MqttLink | None:
    """A connection that is made while the certificates are good; None where the machine was too slow."""
    link = link_of(broker, "1", ear)
    while not link.is_connected and datetime.now(UTC) < end:
        time.sleep(0.05)
    if not link.is_connected:
        link.close()
        return None
    return link


def outlives(folder: Path, lasts_s: int) -> bool:
    """Whether a connection was made while certificates were good for so long; it has then outlived them, and a new one was refused."""
    end = datetime.now(UTC) + timedelta(seconds=lasts_s)
    folder.mkdir()
    hall = HallCertificates(folder / "certificates", now=end - LASTS)
    broker = new_tls_broker("mosquitto", folder, hall)
    reached, ear, late = broker.reached_with(hall.issue(account("1"))), Ear(), Ear()
    link = connected_before(end, reached, ear)
    if link is not None:
        eventually(lambda: datetime.now(UTC) > end + timedelta(seconds=2), "the certificates have ended")
        refused = link_of(reached, "1", late, instance="another")
        eventually(lambda: any("expired" in reason for reason in late.reasons), "the new connection is told why")
        token = link.publish(LINES, b"line")
        eventually(lambda: token in ear.tokens, "the connection that stands takes the line")
        assert (late.times_connected, ear.reasons) == (0, [])
        refused.close()
        link.close()
    broker.stop()
    return link is not None


def test_a_connection_outlives_its_certificate_and_a_new_one_is_refused(tmp_path: Path) -> None:
    assert any(outlives(tmp_path / f"{lasts_s}", lasts_s) for lasts_s in (8, 60, 150)), "a connection is made in time"
