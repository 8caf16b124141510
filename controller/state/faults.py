"""What staff are called for, by stable words; sentences are made where the fault is found."""

from __future__ import annotations

FOREIGN, EXTRA, UNREADABLE, MISSING = "foreign-tile", "extra-tile", "unreadable-tile", "missing-tiles"
OTHER_SET = "other-set"
WALL_DOUBTED = "wall-doubted"
WELL_COUNT = "well-count"
DEAL_REFUSED = "deal-refused"
UNREAD = "unread-tile"
ESTOP, LID = "estop", "lid"
NO_GATE = "no-rear-gate"

SET_FAULTS = frozenset({FOREIGN, EXTRA, UNREADABLE, MISSING, OTHER_SET, WALL_DOUBTED})
"""Faults of the set being built from: no wall is ready until somebody has dealt with them and pressed CONFIRM."""

STAFF_FAULTS = SET_FAULTS | {WELL_COUNT, NO_GATE}
"""Everything that a person at the table answers with CONFIRM, beside the machine's own faults."""

MACHINE_FAULT = "feeder-"
"""Faults that the feeder reports begin so, followed by the protocol's own word."""


def forbids_motion(code: str) -> bool:
    """Whether the feeder moves nothing while this fault stands: asking it again and again would only fill the journal."""
    return code.startswith(MACHINE_FAULT) or code in (ESTOP, LID)
