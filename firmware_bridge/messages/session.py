"""Messages that open and keep a session: handshake, capabilities, heartbeat, status, acknowledgement."""

import hashlib

from firmware_bridge.messages.codes import FeederState, Flags, ResetReason
from twinwall.values import frozen


@frozen
class Hello:
    """The host introduces itself; ``nonce`` ties the answer to this very question."""

    nonce: int
    lowest_version: int
    highest_version: int


@frozen
class HelloAck:
    """Who the firmware is and how far it has come."""

    nonce: int
    protocol_version: int
    uid: bytes
    boot_id: int
    """Drawn again at every start of the firmware; never 0."""
    reset_reason: ResetReason
    firmware_digest: bytes
    capabilities_digest: bytes
    last_operation: int
    """The highest operation number seen since this boot, 0 if none."""
    next_event: int
    """The number of the oldest event not yet acknowledged (of the next one if none is kept)."""


@frozen
class GetCapabilities:
    """Ask for CAPS."""


@frozen
class Capabilities:
    """What the machine has; lengths in places, times in milliseconds of wall time unless said otherwise."""

    seats: int = 4
    tray_places: int = 37
    wall_places: int = 34
    """Tray places that RAISE moves into the magazine; the rest are spare."""
    hand_places: int = 13
    """Magazine places open to the player; the others are drawn one at a time."""
    bypass_cells: int = 4
    shuttle_queue: int = 2
    """Tiles that may wait at a shuttle besides the one it carries."""
    two_high: bool = True
    """Whether draws lie in two rows (``support_below``)."""
    answers_kept: int = 64
    events_kept: int = 32
    hold_after_ms: int = 300
    motors_off_after_ms: int = 1000
    gate_period_ms: int = 600
    """Time from tile to tile at a gate when nothing delays it; scaled in a fast simulation."""
    gates: int = 1
    """Each with a lane, ``bypass_cells`` and a reject cell of its own."""
    exchangers: int = 0
    """What carries tiles from one gate to the seats of another."""
    pocket_places: int = 0
    """Tiles that may wait for an exchanger at each gate."""
    shuttles: int = 1
    """Shuttles of a seat: one that begins at the tray's end, or two that begin in its middle, each for its half."""

    def cells_of(self, gate: int) -> range:
        """The bypass cells of a gate; they are numbered through all gates."""
        return range(gate * self.bypass_cells, (gate + 1) * self.bypass_cells)

    def gate_of_cell(self, cell: int) -> int:
        return cell // self.bypass_cells

    def gate_of_seat(self, seat: int) -> int:
        """A seat's own gate: its tiles get to that seat without an exchanger, and a tile that is returned comes there."""
        return seat * self.gates // self.seats

    def shuttle_of(self, seat: int, position: int) -> int:
        """The number of the shuttle that serves a tray position: the seat's, and from ``seats`` on the seats' second ones."""
        return seat + self.seats * (self.shuttles > 1 and position >= self.middle)

    @property
    def middle(self) -> int:
        """The first tray position of a seat's second shuttle. No pair of a two-high tray stands across it."""
        offset = (self.wall_places // 2 - self.hand_places) % 2
        return self.wall_places // 2 + offset

    def support_below(self, position: int) -> int | None:
        """The tray place that must be filled before this one, None if there is none.

        In a two-high tray the draws stand in pairs: the first of each pair, drawn first, lies on
        top of the second. With 21 draws that is 11 below and 10 above.
        """
        offset = position - self.hand_places
        if not self.two_high or position < self.hand_places or position + 1 >= self.wall_places or offset % 2:
            return None
        return position + 1

    def covered_by(self, position: int) -> int | None:
        """The tray place that lies on top of this one, None if there is none."""
        above = position - 1
        return above if above >= 0 and self.support_below(above) == position else None

    def column_of(self, position: int) -> int:
        """Where a position is along its tray: a pair of a two-high tray shares a column, every other position has one of its own."""
        if not self.two_high or position < self.hand_places:
            return position
        return position - (min(position + 1, self.wall_places) - self.hand_places) // 2

    def in_column(self, column: int) -> tuple[int, ...]:
        """The positions of a column from the lowest up; none beyond the tray's end."""
        return tuple(each for each in reversed(range(self.tray_places)) if self.column_of(each) == column)


def capabilities_digest(payload: bytes) -> bytes:
    """The first 8 bytes of SHA-256 over a CAPS payload: what HELLO_ACK and CONFIG carry."""
    return hashlib.sha256(payload).digest()[:8]


@frozen
class Config:
    """The host has understood the capabilities that have this digest; motion is allowed once it is confirmed."""

    digest: bytes


@frozen
class ConfigAck:
    """Whether the digest was the right one, and what it should have been."""

    accepted: bool
    digest: bytes


@frozen
class Heartbeat:
    """The host is alive; every 100 ms."""


@frozen
class Beat:
    boot_id: int
    state: FeederState
    flags: Flags


@frozen
class EventAck:
    """Every event up to and including ``event`` has been taken over by the host."""

    event: int


@frozen
class StatusRequest:
    """Ask for one STATUS_STATE, STATUS_PLACES and STATUS_COUNTERS of the same instant."""


@frozen
class PinsRequest:
    """Ask for PINS."""


@frozen
class Pins:
    """Every input as the board read it last, before two readings must agree: bit ``number % 8`` of byte ``number // 8``."""

    inputs: bytes


@frozen
class StatusState:
    """First part of a status: state, faults and what the single sensors say."""

    snapshot: int
    """Parts with the same number belong together."""
    state: FeederState
    flags: Flags
    faults: int
    """Bit ``1 << FaultCode`` for every fault that is active."""
    open_locks: int
    """Bit per seat."""
    bypass: int
    """Bit per cell that holds a tile."""
    waiting: tuple[int, ...]
    """Tiles on their way to a tray, per seat: in the queue or in the shuttle."""
    well: int
    """Tiles counted since the well was last opened."""
    last_operation: int
    boot_id: int
    gates: int = 0
    """Bit per gate in which a tile lies, where there are several."""


@frozen
class StatusPlaces:
    """Second part: bit ``1 << position`` for every place that holds a tile, one number per seat."""

    snapshot: int
    trays: tuple[int, ...]
    magazines: tuple[int, ...]


@frozen
class StatusCounters:
    """Third part: what has been sensed since this boot; counters only grow (modulo 2³²)."""

    snapshot: int
    arrived: int
    """Tiles that entered the gate, whether from the drum or returned."""
    placed: int
    bypassed: int
    released: int
    returned: int
    recirculated: int
    rejected: int
    dumped: int
    """Containers dumped."""
    taken: int
    drawn: int
    put_back: int
