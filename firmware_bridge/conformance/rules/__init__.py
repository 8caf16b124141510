"""The rules of the suite, in the order in which they are tried."""

from firmware_bridge.conformance.bench import Rule
from firmware_bridge.conformance.rules import (
    bring_up,
    draws,
    events,
    faults,
    frames,
    gate,
    lanes,
    numbers,
    session,
    silence,
    status,
    stops,
    walls,
)

GROUPS: dict[str, tuple[Rule, ...]] = {
    "Frames": frames.RULES,
    "Session": session.RULES,
    "Operation numbers": numbers.RULES,
    "Gate and trays": gate.RULES,
    "Queues, cells and returns": lanes.RULES,
    "Walls and well": walls.RULES,
    "Draw gates": draws.RULES,
    "Events": events.RULES,
    "Status": status.RULES,
    "Silence of the host": silence.RULES,
    "Faults": faults.RULES,
    "Stops and restarts": stops.RULES,
    "Bring-up": bring_up.RULES,
}
"""Rules by what they are about."""

RULES: tuple[Rule, ...] = tuple(rule for rules in GROUPS.values() for rule in rules)
