"""The embedded broker: amqtt on loopback with users and rights, for a venue without a broker.

It stores nothing: tables send from their ledgers and receivers ask for gaps, so it can be killed and started again. A venue with
Mosquitto obeys the same access file (``twinwall.wire.mqtt.mosquitto``).
"""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Callable
from dataclasses import dataclass

from amqtt.broker import Broker
from amqtt.contexts import BrokerConfig
from amqtt.errors import AMQTTError

from twinwall.wire.mqtt.access import AccessFiles, read_passwords, read_rights
from twinwall.wire.mqtt.tls import TlsFiles

KEEPALIVE_GRACE_S = 10
"""amqtt ends a session after exactly its keep-alive; clients send their sign of life at about that moment, so it gets this on top."""


class BrokerFailedError(RuntimeError):
    """The broker could not begin; the message says why (most often the port is taken)."""


@dataclass(frozen=True, slots=True)
class EmbeddedBrokerSettings:
    """Where the broker listens and whom it lets in. ``host`` stays on loopback unless a venue decides otherwise.

    With ``tls`` it is reached by mqtts:// alone. Clients say who they are by a password there too; a certificate that one shows
    must be of the same authority.
    """

    access: AccessFiles
    host: str = "127.0.0.1"
    port: int = 1883
    tls: TlsFiles | None = None


def serve(settings: EmbeddedBrokerSettings, started: Callable[[], None] = lambda: None) -> None:
    """Run until SIGTERM or SIGINT; ``started`` is called once the port is open.

    Raises AccessError or OSError for access files that cannot be read, BrokerFailedError when the port cannot be opened.
    """
    read_passwords(settings.access.passwords)
    read_rights(settings.access.rights)
    logging.getLogger("amqtt").setLevel(logging.ERROR)
    logging.getLogger("transitions").setLevel(logging.ERROR)
    asyncio.run(_serve(settings, started))


async def _serve(settings: EmbeddedBrokerSettings, started: Callable[[], None]) -> None:
    asked_to_stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, asked_to_stop.set)
    broker = Broker(_config(settings), loop=loop)
    try:
        await broker.start()
    except (AMQTTError, OSError) as problem:
        raise BrokerFailedError(f"the broker cannot listen on {settings.host}:{settings.port}: {problem}") from None
    started()
    await asked_to_stop.wait()
    await broker.shutdown()


def _config(settings: EmbeddedBrokerSettings) -> BrokerConfig:
    listener: dict[str, object] = {"type": "tcp", "bind": f"{settings.host}:{settings.port}"}
    if (tls := settings.tls) is not None:
        listener |= {"ssl": True, "cafile": str(tls.authority), "certfile": str(tls.certificate), "keyfile": str(tls.key)}
    return BrokerConfig.from_dict(
        {
            "listeners": {"default": listener},
            "timeout_disconnect_delay": KEEPALIVE_GRACE_S,
            "plugins": {
                "twinwall.wire.mqtt.broker_guard.BrokerGuard": {
                    "passwords": str(settings.access.passwords),
                    "rights": str(settings.access.rights),
                }
            },
        }
    )
