"""The handshake of a session: judges the feeder's answers to HELLO, CAPS and CONFIG (PROTOCOL.md, "Session").

``transitions`` says which question comes next.
"""

from dataclasses import fields

from firmware_bridge.frames import VERSION, VERSIONS
from firmware_bridge.link.events import NotAFeeder
from firmware_bridge.link.transitions import LinkInput, LinkPhase
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
