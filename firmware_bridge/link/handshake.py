"""Finding out who answers on a port: greeting, capabilities, configuration (PROTOCOL.md, "Session").

::

    HELLO --HELLO_ACK--> CAPABILITIES --CAPS--> CONFIG --CONFIG_ACK--> established
      ^                        |                   |
      +---- digest differs ----+---- not accepted -+
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import Enum, auto

from firmware_bridge.frames import VERSION, VERSIONS
from firmware_bridge.link.events import NotAFeeder
from firmware_bridge.messages import (
    Capabilities,
    Config,
    ConfigAck,
    GetCapabilities,
    Hello,
    HelloAck,
    Message,
    capabilities_digest,
    encode_message,
)

_SAMPLE_BYTES = 24


class Question(Enum):
    """What the host is asking at the moment."""

    HELLO = auto()
    CAPABILITIES = auto()
    CONFIG = auto()


class HandshakeProgress(Enum):
    """An answer has led to the next question, which can be asked at once."""

    ASK_NEXT = auto()


@dataclass(frozen=True, slots=True)
class Established:
    """The feeder is the right one and its session is open."""

    hello: HelloAck
    capabilities: Capabilities


class Handshake:
    """One attempt to open a session; ``nonce`` ties HELLO_ACK to its HELLO, ``uid`` is that of the feeder that is wanted."""

    def __init__(self, nonce: int, expected: Capabilities | None, uid: bytes | None = None) -> None:
        self._nonce = nonce
        self._uid = uid
        self._expected = expected
        self._asking = Question.HELLO
        self._hello: HelloAck | None = None
        self._capabilities = Capabilities()
        self._sample = bytearray()
        self._echoes = False

    @property
    def version(self) -> int:
        """The version of the protocol that is spoken: the first one until HELLO_ACK has told the machine's."""
        return VERSION if self._hello is None else self._hello.protocol_version

    def question(self) -> Message:
        """What to ask now, and again until it is answered."""
        match self._asking:
            case Question.HELLO:
                return Hello(self._nonce, VERSIONS[0], VERSIONS[-1])
            case Question.CAPABILITIES:
                return GetCapabilities()
            case Question.CONFIG:
                return Config(self._digest(self._capabilities))

    def take(self, message: Message) -> HandshakeProgress | Established | NotAFeeder | None:
        """Take a message; None when it does not belong to the present question."""
        hello = self._hello
        if isinstance(message, HelloAck) and self._asking is Question.HELLO and message.nonce == self._nonce:
            return self._take_hello(message)
        if isinstance(message, Capabilities) and self._asking is Question.CAPABILITIES and hello:
            return self._take_capabilities(message, hello)
        if isinstance(message, ConfigAck) and self._asking is Question.CONFIG and hello:
            return Established(hello, self._capabilities) if message.accepted else self._begin_again()
        return None

    def hear(self, received: bytes) -> None:
        """Note what comes, to be able to say what it looks like if it is no feeder."""
        self._sample += received[: _SAMPLE_BYTES - len(self._sample)]

    def hear_echo(self) -> None:
        """A frame has come that only a host sends."""
        self._echoes = True

    def stranger(self) -> NotAFeeder | None:
        """What to say of a port that has not even answered HELLO; None when it has, or when it is silent."""
        if self._echoes:
            return _not_a_feeder("it sends back what it is sent, like a loopback or a terminal")
        if self._hello is None and self._sample:
            return _not_a_feeder(f"it sent bytes such as {bytes(self._sample)!r}")
        return None

    def _take_hello(self, hello: HelloAck) -> HandshakeProgress | NotAFeeder:
        if hello.protocol_version not in VERSIONS:
            return wrong_version(hello.protocol_version)
        if self._uid is not None and hello.uid != self._uid:
            return NotAFeeder(
                f"this port answers as the Twinwall feeder {hello.uid.hex()}, not as {self._uid.hex()}, which the settings want; "
                "check the port, or the feeder's uid in the settings",
                another=True,
            )
        self._hello = hello
        self._asking = Question.CAPABILITIES
        return HandshakeProgress.ASK_NEXT

    def _take_capabilities(self, capabilities: Capabilities, hello: HelloAck) -> HandshakeProgress | NotAFeeder:
        if self._digest(capabilities) != hello.capabilities_digest:
            return self._begin_again()
        differences = _differences(self._expected, capabilities)
        if differences:
            return NotAFeeder(
                f"this port answers as a Twinwall feeder, but not as the one in the settings: {', '.join(differences)}; "
                "check the port or the feeder's sizes in the settings"
            )
        self._capabilities = capabilities
        self._asking = Question.CONFIG
        return HandshakeProgress.ASK_NEXT

    def _digest(self, capabilities: Capabilities) -> bytes:
        return capabilities_digest(encode_message(capabilities, self.version)[1])

    def _begin_again(self) -> HandshakeProgress:
        self._nonce = (self._nonce + 1) % (1 << 32)
        self._asking = Question.HELLO
        self._hello = None
        return HandshakeProgress.ASK_NEXT


def wrong_version(version: int) -> NotAFeeder:
    """A feeder of another protocol version."""
    return NotAFeeder(
        f"this port answers as a Twinwall feeder, but speaks TWF/{version}, not {' or '.join(f'TWF/{each}' for each in VERSIONS)}: "
        "update its firmware or this program"
    )


def _not_a_feeder(what: str) -> NotAFeeder:
    return NotAFeeder(f"this port answers, but not as a Twinwall feeder: {what}; check the port in the settings")


def _differences(expected: Capabilities | None, found: Capabilities) -> list[str]:
    """What a feeder has otherwise than expected, in words; its gate period is its own affair."""
    if expected is None:
        return []
    names = [field.name for field in fields(Capabilities) if field.name != "gate_period_ms"]
    pairs = [(name, getattr(expected, name), getattr(found, name)) for name in names]
    return [f"{name.replace('_', ' ')} is {there}, not {wanted}" for name, wanted, there in pairs if wanted != there]
