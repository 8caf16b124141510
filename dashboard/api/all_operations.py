"""Every operation of the API."""

from __future__ import annotations

from dashboard.api import (
    change_operations,
    deal_operations,
    event_operations,
    question_operations,
    result_operations,
    table_operations,
    webhook_operations,
)
from dashboard.api.operations import Operation

OPERATIONS: tuple[Operation, ...] = (
    *event_operations.OPERATIONS,
    *change_operations.OPERATIONS,
    *deal_operations.OPERATIONS,
    *table_operations.OPERATIONS,
    *question_operations.OPERATIONS,
    *result_operations.OPERATIONS,
    *webhook_operations.OPERATIONS,
)
