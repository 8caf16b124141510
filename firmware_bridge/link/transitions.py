"""The states of the host's link and what leads from one to the next, as data.

``session`` reports what has happened and obeys this table; nothing else sets the phase. PROTOCOL.md shows it as a diagram.
"""

from collections.abc import Mapping
from enum import StrEnum


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
