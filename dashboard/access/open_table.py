"""A table of the hall as its pages may show it to everybody, and to the staff."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from dashboard.projections.open_view import OpenView
from twinwall.wire.messages.commands import FeederLinkQuality
from twinwall.wire.messages.machine import MachineCondition


@dataclass(frozen=True, slots=True)
class OpenTable:
    """A table as far as everybody (or the staff) may know it; that a line was refused is for the staff, and so is its machine."""

    name: str
    view: OpenView
    heard: datetime | None
    silent: bool
    complained: datetime | None = None
    feeder_line: FeederLinkQuality | None = None
    machine: MachineCondition | None = None
