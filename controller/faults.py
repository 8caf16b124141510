"""What staff are called for, by stable words; sentences are made where the fault is found."""

from __future__ import annotations

FOREIGN, EXTRA, UNREADABLE, MISSING = "foreign-tile", "extra-tile", "unreadable-tile", "missing-tiles"

STAFF_FAULTS = frozenset({FOREIGN, EXTRA, UNREADABLE, MISSING})
"""Faults of the set: no hand starts until somebody has dealt with them and pressed CONFIRM."""

MACHINE_FAULT = "feeder-"
"""Faults that the feeder reports begin so, followed by the protocol's own word."""
