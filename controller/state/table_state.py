"""State of a table: frozen records, changed by ``controller.core.apply`` alone.

A table has two sides that work at the same time: the wall of the next deal is made in the trays from one tile set
(``Making``) while the hand of the present deal is played from the magazines with the other set (``Playing``). Places are
physical (0–3, counter-clockwise); seats are winds and belong to places for one hand.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from controller.ledger.journal_events import OperationIssued, RecordDisputed
from controller.state.making import Making
from controller.state.playing import Playing
from controller.state.seats import Seats
from twinwall.game.tiles import TileRow
from twinwall.values import FrozenStruct
from twinwall.wire.events.trouble_events import TableFault

if TYPE_CHECKING:  # the same for a type checker, which knows the fields of this one
    from dataclasses import replace as replace  # noqa: PLC0414 — exported
else:
    from msgspec.structs import replace as replace  # noqa: PLC0414 — exported


FEEDER, TABLE_CAMERA, BROKER, PANEL = "feeder", "table-camera", "broker", "panel"
"""Names of parts of a table that can be lost."""


class TableState(FrozenStruct):
    """Everything a table knows; the fold of its journal."""

    journal: str = ""
    """The journal's id."""
    next_operation: int = 1
    boot: int | None = None
    last_event: int = 0
    """The last of the feeder's numbered events that is in the journal."""
    lost: frozenset[str] = frozenset()
    troubles: Mapping[str, str] = {}
    pending: tuple[OperationIssued, ...] = ()
    """Operations that the feeder has not answered for good."""
    making: Making = Making()
    playing: Playing = Playing()
    seats: Seats = Seats()
    paused: bool = False
    """Whether the director has paused the clock: no hand begins."""
    faults: tuple[TableFault, ...] = ()
    closed: tuple[int, ...] = ()
    """Numbers of the deals played and recorded."""
    released: frozenset[int] = frozenset()
    """Those of them that every table has finished."""
    disputes: tuple[RecordDisputed, ...] = ()
    """Doubts of the records of hands that the referee has not answered, asked about or not."""
    worn: Mapping[int, TileRow] = {}
    """The kinds of each set, by its backs, of which staff know that they are read less surely than they were."""
    rulings: frozenset[str] = frozenset()
    """The ids of all rulings that have come, those that were refused included."""

    @property
    def done(self) -> tuple[int, ...]:
        """Numbers of the deals that need not be asked for any more: those played, and the one in play."""
        deal = self.playing.deal
        return self.closed if deal is None or deal.n in self.closed else (*self.closed, deal.n)

    def awaits(self, *commands: type) -> bool:
        """Whether an operation of one of these kinds is unanswered."""
        return any(isinstance(pending.command, commands) for pending in self.pending)

    def has_fault(self, code: str) -> bool:
        """Whether a fault of this code is standing."""
        return any(fault.code == code for fault in self.faults)
