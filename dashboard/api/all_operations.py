"""Every operation of the API."""

from __future__ import annotations

from dashboard.api import change_operations, event_operations
from dashboard.api.operations import Operation

OPERATIONS: tuple[Operation, ...] = (*event_operations.OPERATIONS, *change_operations.OPERATIONS)
