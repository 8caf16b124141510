"""Venues' accounts: names, client identifiers and rights at RabbitMQ."""

import json
import re
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from centre.deploy.gateway_conf import order_topic
from centre.deploy.rabbitmq_conf import definitions
from centre.deploy.venue_account import VenueAccount, VenueError, accounts_of
from twinwall.wire.certificates import new_authority
from twinwall.wire.mqtt.centre_topics import FOR_VAULTS, CentreOrder
from twinwall.wire.mqtt.topics import Channel, Topic, shares_topic, venue_vault_topic

NAMES = st.text("aB1.-_+#*/%~$^\\[(é麻 ", min_size=1, max_size=4)
NOW = datetime(2026, 11, 20, tzinfo=UTC)
CONSUMER, FIELD_VAULT = "consumer-1", "vault-1"


def granted(venues: tuple[VenueAccount, ...], right: str, user: str, topic: str) -> bool:
    """Whether RabbitMQ would grant it: a regular expression that is found in the routing key."""
    rights = {each["user"]: each[right] for each in json.loads(definitions(venues, (CONSUMER,), (FIELD_VAULT,)))["topic_permissions"]}
    return re.search(rights[user], topic.replace("/", ".").replace("+", "*")) is not None


@given(NAMES, NAMES, NAMES, NAMES)
def test_a_venue_writes_below_its_own_prefix_and_reads_its_own_orders_alone(mine: str, other: str, event: str, table: str) -> None:
    me, you = VenueAccount(mine), VenueAccount(other)
    line = str(Topic(event, table, Channel.EVENTS))
    assert granted((me, you), "write", me.user, f"{me.prefix}{line}")
    assert granted((me, you), "read", me.user, order_topic(me, CentreOrder.RESEND))
    assert not granted((me, you), "read", me.user, f"{me.prefix}{line}")
    assert not granted((me, you), "write", me.user, order_topic(me, CentreOrder.RESEND))
    if mine != other:
        assert not granted((me, you), "write", me.user, f"{you.prefix}{line}")
        assert not granted((me, you), "read", me.user, order_topic(you, CentreOrder.RESEND))


@pytest.mark.parametrize("topic", ["#", "+/+/orders/+", "venue/+/orders/+", "venue/#", "venue/a/#", "venue/b/orders/#"])
def test_a_venue_may_not_subscribe_to_more_than_its_orders(topic: str) -> None:
    assert not granted((VenueAccount("a"), VenueAccount("b")), "read", VenueAccount("a").user, topic)


def test_a_consumer_hears_every_venue_and_says_orders_alone() -> None:
    venues = (VenueAccount("a"),)
    assert granted(venues, "read", CONSUMER, "venue/+/twinwall/+/+/events")
    assert granted(venues, "write", CONSUMER, order_topic(venues[0], CentreOrder.NOTICE))
    assert not granted(venues, "write", CONSUMER, "venue/a/twinwall/e/1/events")
    assert not granted(venues, "read", CONSUMER, "venue/+/orders/+")


def test_the_centres_vault_hears_venues_vaults_alone_and_a_consumer_sends_no_share() -> None:
    (venue,) = venues = (VenueAccount("a"),)
    assert granted(venues, "read", FIELD_VAULT, f"venue/+/{venue_vault_topic('e')}")
    assert not granted(venues, "read", FIELD_VAULT, "venue/a/twinwall/e/1/events")
    assert granted(venues, "write", venue.user, f"{venue.prefix}{venue_vault_topic('e')}")
    for right in ("read", "write"):
        assert granted(venues, right, FIELD_VAULT, shares_topic("e"))
        assert not granted(venues, right, CONSUMER, shares_topic("e"))
    for order in CentreOrder:
        topic = order_topic(venue, order)
        assert granted(venues, "write", FIELD_VAULT, topic) == (order is not CentreOrder.RESEND)
        assert granted(venues, "write", CONSUMER, topic) == (order not in FOR_VAULTS)


def test_a_name_is_one_level_of_a_topic_and_dots_and_wildcards_of_it_are_encoded() -> None:
    assert VenueAccount("a.b/c+#*").prefix == "venue/a%2Eb%2Fc%2B%23%2A/"
    assert VenueAccount("a", 2).user == "venue-a-2"
    assert VenueAccount("a", 2).prefix == VenueAccount("a").prefix


def test_the_session_of_a_venue_is_named_after_its_certificate() -> None:
    authority, _ = new_authority("centre", ("127.0.0.1",), NOW, timedelta(days=1))
    account = VenueAccount("a")
    first, second = (account.client_id(authority.issue(account.user, (), NOW).certificate) for _ in range(2))
    assert first != second
    sessions = {each["user"]: each["configure"] for each in json.loads(definitions((account, VenueAccount("a-1")), ()))["permissions"]}
    assert re.search(sessions["venue-a-1"], f"mqtt-subscription-{first}qos1")
    assert not re.search(sessions["venue-a-1-1"], f"mqtt-subscription-{first}qos1")


@pytest.mark.parametrize("name", ["", "x" * 60])
def test_a_name_that_no_certificate_takes_is_refused(name: str) -> None:
    with pytest.raises(VenueError):
        VenueAccount(name)


def test_two_venues_with_one_name_are_refused_by_name() -> None:
    with pytest.raises(VenueError, match="'a' is named twice"):
        accounts_of((VenueAccount("a"), VenueAccount("b"), VenueAccount("a", 2)))
