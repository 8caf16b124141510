"""Where tiles lie, as the edges and level sensors say; commands never change it (invariant I1)."""

from __future__ import annotations

from firmware_bridge.firmware.port import GateReading, Levels
from firmware_bridge.messages import REAR_GATE, REAR_PLACES, Capabilities, Where

SEATS = range(4)


class Occupancy:
    """Gates, bypass cells, trays and magazines; each a bit mask of places, per seat where there are seats."""

    def __init__(self, capabilities: Capabilities) -> None:
        self._capabilities = capabilities
        self.gates: list[GateReading | None] = [None] * capabilities.gates
        self.door_open = False
        self.cells = 0
        self.trays = [0] * len(SEATS)
        self.magazines = [0] * len(SEATS)

    def adopt(self, levels: Levels) -> list[int]:
        """Take the level sensors for granted; return the places (``Where``) that had been believed otherwise."""
        wrong = [Where.TRAY + seat for seat in SEATS if self.trays[seat] != levels.trays[seat]]
        wrong += [Where.MAGAZINE + seat for seat in SEATS if self.magazines[seat] != levels.magazines[seat]]
        wrong += [Where.CELL + cell for cell in self._capabilities.cells if (self.cells ^ levels.cells) >> cell & 1]
        self.trays, self.magazines = list(levels.trays), list(levels.magazines)
        self.cells, self.door_open = levels.cells, levels.door_open
        return wrong

    def tiles_behind(self, gate: int) -> bool:
        """Whether anything lies behind a draw gate, or a rear gate."""
        first = self._capabilities.hand_places if gate < REAR_GATE else self._capabilities.wall_places - REAR_PLACES
        return self.magazines[gate % REAR_GATE] >> first != 0

    @property
    def gates_mask(self) -> int:
        """Bit per gate in which a tile lies."""
        return sum(1 << gate for gate, reading in enumerate(self.gates) if reading is not None)

    def set_cell(self, cell: int, filled: bool) -> None:
        """A bypass cell has got a tile, or lost it."""
        self.cells = self.cells | 1 << cell if filled else self.cells & ~(1 << cell)

    def set_tray(self, seat: int, position: int, filled: bool) -> None:
        """A tray's position has got a tile, or lost it."""
        self.trays[seat] = self.trays[seat] | 1 << position if filled else self.trays[seat] & ~(1 << position)

    def set_magazine(self, seat: int, position: int, filled: bool) -> None:
        """A magazine's position has got a tile, or lost it."""
        self.magazines[seat] = self.magazines[seat] | 1 << position if filled else self.magazines[seat] & ~(1 << position)

    def raise_walls(self) -> None:
        """The lift has put every tray's wall into the magazine above it; what lies in spare places stays."""
        wall = (1 << self._capabilities.wall_places) - 1
        for seat in SEATS:
            self.magazines[seat] = self.trays[seat] & wall
            self.trays[seat] &= ~wall
