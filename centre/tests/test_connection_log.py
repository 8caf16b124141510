"""What a consumer's log says of its connections: each outage once, and of each venue."""

import logging

import pytest

from centre.consuming import ConnectionLog

AWAY, REFUSED = "broker mq1:8883: refused", "the broker refused 'consumer-1'"
VENUES = ("Kyoto", "Osaka", "Sendai")


def test_a_broker_that_is_away_is_said_once_in_each_outage(caplog: pytest.LogCaptureFixture) -> None:
    log = ConnectionLog(len(VENUES))
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            for venue in 3 * VENUES:
                log.disconnected(venue, AWAY)
            for venue in VENUES:
                log.connected(venue)
    assert caplog.messages == [f"venue Kyoto: {AWAY}"] * 2


def test_a_venue_that_never_connects_silences_no_other_one(caplog: pytest.LogCaptureFixture) -> None:
    log = ConnectionLog(len(VENUES))
    with caplog.at_level(logging.WARNING):
        log.connected("Osaka")
        for venue in ("Kyoto", "Osaka"):
            for _ in range(3):
                log.disconnected("Sendai", REFUSED)
                log.disconnected("Sendai", AWAY)
            log.connected(venue)
            log.disconnected(venue, AWAY)
            log.connected(venue)
    said = [each for each in caplog.messages if "Sendai" not in each]
    assert said == [f"venue Kyoto: {AWAY}", f"venue Osaka: {AWAY}"]
    assert sum("Sendai" in each for each in caplog.messages) == 2
