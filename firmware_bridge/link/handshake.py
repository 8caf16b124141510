"""The states of the host's link and what leads from one to the next, as data; and the handshake, which judges the feeder's answers
to HELLO, CAPS and CONFIG (PROTOCOL.md, "Session").

``session`` reports what has happened and obeys this table; nothing else sets the phase. PROTOCOL.md shows it as a diagram.
"""

from collections.abc import Mapping
from dataclasses import fields
from enum import StrEnum

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


class LinkPhase(StrEnum):
    """Where the link stands; between CLOSED and UP it is named after the question that the feeder is asked."""

    CLOSED = "closed"
    HELLO = "hello"
    CAPABILITIES = "capabilities"
    CONFIG = "config"
    UP = "up"


class LinkInput(StrEnum):
    """What has happened, as far as it changes the phase."""

    PORT_OPENED = "port opened"
    PORT_CLOSED = "port closed"
    HELLO_FITS = "HELLO_ACK of the feeder that is wanted"
    CAPABILITIES_FIT = "CAPS as HELLO_ACK announced them"
    CAPABILITIES_CHANGED = "CAPS of another digest"
    CONFIG_ACCEPTED = "CONFIG_ACK, accepted"
    CONFIG_REFUSED = "CONFIG_ACK, not accepted"
    SILENCE = "silence"
    RESTARTED = "BEAT of another boot"
    SESSION_CLOSED = "BEAT or NAK without session"


GREETING = frozenset({LinkPhase.HELLO, LinkPhase.CAPABILITIES, LinkPhase.CONFIG})
"""The phases in which the host asks who is there."""

TRANSITIONS: Mapping[tuple[LinkPhase, LinkInput], LinkPhase] = {
    (LinkPhase.CLOSED, LinkInput.PORT_OPENED): LinkPhase.HELLO,
    (LinkPhase.HELLO, LinkInput.HELLO_FITS): LinkPhase.CAPABILITIES,
    (LinkPhase.CAPABILITIES, LinkInput.CAPABILITIES_FIT): LinkPhase.CONFIG,
    (LinkPhase.CAPABILITIES, LinkInput.CAPABILITIES_CHANGED): LinkPhase.HELLO,
    (LinkPhase.CONFIG, LinkInput.CONFIG_ACCEPTED): LinkPhase.UP,
    (LinkPhase.CONFIG, LinkInput.CONFIG_REFUSED): LinkPhase.HELLO,
    (LinkPhase.UP, LinkInput.SILENCE): LinkPhase.HELLO,
    (LinkPhase.UP, LinkInput.RESTARTED): LinkPhase.HELLO,
    (LinkPhase.UP, LinkInput.SESSION_CLOSED): LinkPhase.HELLO,
    **{(phase, LinkInput.PORT_CLOSED): LinkPhase.CLOSED for phase in LinkPhase},
}


class LinkTimer(StrEnum):
    """What a point in time may be kept for, in the order in which timers that are due together are run."""

    SILENCE = "silence"
    """Nothing intelligible has come for too long."""
    QUESTION = "question"
    """Ask the present question again."""
    HEARTBEAT = "heartbeat"
    STATUS = "status"
    """Ask for a status, again where none has come."""


TIMERS: Mapping[LinkPhase, frozenset[LinkTimer]] = {
    LinkPhase.CLOSED: frozenset(),
    **dict.fromkeys(GREETING, frozenset({LinkTimer.SILENCE, LinkTimer.QUESTION})),
    LinkPhase.UP: frozenset({LinkTimer.SILENCE, LinkTimer.HEARTBEAT, LinkTimer.STATUS}),
}
"""Which timers count in which phase."""


_SAMPLE_BYTES = 24


class Handshake:
    """One attempt to open a session; ``nonce`` ties HELLO_ACK to its HELLO, ``uid`` is that of the feeder that is wanted."""

    def __init__(self, nonce: int, expected: Capabilities | None, uid: bytes | None = None) -> None:
        self._nonce = nonce
        self._uid = uid
        self._expected = expected
        self._sample = bytearray()
        self._echoes = False
        self.hello: HelloAck | None = None
        """Who answers; None until somebody has."""
        self.capabilities = Capabilities()

    @property
    def version(self) -> int:
        """The version of the protocol that is spoken: the first one until HELLO_ACK has given the machine's."""
        return VERSION if self.hello is None else self.hello.protocol_version

    def question(self, phase: LinkPhase) -> Message:
        """What to ask in this phase, and again until it is answered."""
        match phase:
            case LinkPhase.CAPABILITIES:
                return GetCapabilities()
            case LinkPhase.CONFIG:
                return Config(self._digest(self.capabilities))
            case _:
                return Hello(self._nonce, VERSIONS[0], VERSIONS[-1])

    def take(self, phase: LinkPhase, message: Message) -> LinkInput | NotAFeeder | None:
        """Take a message; None when it does not belong to the question of this phase."""
        match phase, message:
            case LinkPhase.HELLO, HelloAck() if message.nonce == self._nonce:
                return self._take_hello(message)
            case LinkPhase.CAPABILITIES, Capabilities():
                return self._take_capabilities(message)
            case LinkPhase.CONFIG, ConfigAck():
                return LinkInput.CONFIG_ACCEPTED if message.accepted else self._begin_again(LinkInput.CONFIG_REFUSED)
            case _:
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
        if self.hello is None and self._sample:
            return _not_a_feeder(f"it sent bytes such as {bytes(self._sample)!r}")
        return None

    def _take_hello(self, hello: HelloAck) -> LinkInput | NotAFeeder:
        if hello.protocol_version not in VERSIONS:
            return wrong_version(hello.protocol_version)
        if self._uid is not None and hello.uid != self._uid:
            return NotAFeeder(
                f"this port answers as the Twinwall feeder {hello.uid.hex()}, not as {self._uid.hex()}, which the settings want; "
                "check the port, or the feeder's uid in the settings",
                another=True,
            )
        self.hello = hello
        return LinkInput.HELLO_FITS

    def _take_capabilities(self, capabilities: Capabilities) -> LinkInput | NotAFeeder:
        if self.hello is None or self._digest(capabilities) != self.hello.capabilities_digest:
            return self._begin_again(LinkInput.CAPABILITIES_CHANGED)
        differences = _differences(self._expected, capabilities)
        if differences:
            return NotAFeeder(
                f"this port answers as a Twinwall feeder, but not as the one in the settings: {', '.join(differences)}; "
                "check the port or the feeder's sizes in the settings"
            )
        self.capabilities = capabilities
        return LinkInput.CAPABILITIES_FIT

    def _digest(self, capabilities: Capabilities) -> bytes:
        return capabilities_digest(encode_message(capabilities, self.version)[1])

    def _begin_again(self, cause: LinkInput) -> LinkInput:
        self._nonce = (self._nonce + 1) % (1 << 32)
        self.hello = None
        return cause


def wrong_version(version: int) -> NotAFeeder:
    """A feeder of another protocol version."""
    older = "its firmware is older than this program: flash the one that belongs to it (docs/how-to/table/bring-up.md, step 0)"
    return NotAFeeder(
        f"this port answers as a Twinwall feeder, but speaks TWF/{version}, not {' or '.join(f'TWF/{each}' for each in VERSIONS)}: "
        f"{older if version < VERSION else 'update this program'}"
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
