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
    about: tuple(each for each in vars(module).values() if isinstance(each, Rule))
    for about, module in {
        "Frames": frames,
        "Session": session,
        "Operation numbers": numbers,
        "Gate and trays": gate,
        "Queues, cells and returns": lanes,
        "Walls and well": walls,
        "Draw gates": draws,
        "Events": events,
        "Status": status,
        "Silence of the host": silence,
        "Faults": faults,
        "Stops and restarts": stops,
        "Bring-up": bring_up,
    }.items()
}
"""Rules by what they are about; those of a module in the order in which they stand there."""

RULES: tuple[Rule, ...] = tuple(rule for rules in GROUPS.values() for rule in rules)
