"""The embedded broker's subscriptions: who subscribes while a message is handed on changes nothing of that message's way."""

from __future__ import annotations

from amqtt.session import Session

from twinwall.wire.mqtt.embedded_broker import Subscriptions


def test_subscriptions_are_gone_through_as_they_were_though_somebody_subscribes_meanwhile() -> None:
    subscriptions, first, second = Subscriptions(), Session(), Session()
    subscriptions["a"] = [(first, 1)]
    reached = []
    for topic, sessions in subscriptions.items():
        subscriptions["b"] = [(second, 1)]
        subscriptions["a"].append((second, 1))
        reached += [(topic, session) for session, _ in sessions]
    assert reached == [("a", first)]
    assert set(dict(subscriptions.items())) == {"a", "b"}
