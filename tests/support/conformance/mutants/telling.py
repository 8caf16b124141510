"""Firmware that tells events, statuses and silence wrongly."""

from __future__ import annotations

from tests.support.conformance.mutation import Mutation, mutant
from tests.support.firmware.variants import Replacement

_WAITING = "(" + " || ".join(f"twf_motion_waiting(&feeder->machine, {seat})" for seat in range(4)) + ")"
_SILENT = "    if (machine->powered && is_silent(feeder, TWF_REFERENCE_MOTORS_OFF_AFTER_MS)) {\n"
_HOLDING = "return is_silent(feeder, TWF_REFERENCE_HOLD_AFTER_MS);"
_ADDED = "    if (events->count < TWF_EVENTS_ROOM) {\n        *at(events, events->count++) = *event;\n"

MUTANTS: tuple[Mutation, ...] = (
    mutant(
        "names an event that is over",
        "next-event",
        "reports.c",
        "= feeder->machine.events.oldest,",
        "= feeder->machine.events.oldest - (feeder->machine.events.oldest > 1u),",
    ),
    mutant(
        "tells each event under two numbers",
        "events-are-numbered one-tile-per-unlock events-are-told-again acknowledge-up-to next-event full-buffer-holds hand-tiles-told",
        "events.c",
        _ADDED,
        _ADDED + "        if (events->count < TWF_EVENTS_ROOM)\n            *at(events, events->count++) = *event;\n",
    ),
    mutant(
        "changes what it has told",
        "events-are-told-again",
        "feeder.c",
        "        feeder->repeat_next++;\n",
        """        if (feeder->repeat_next >= events->oldest)
            events->event[(events->first + feeder->repeat_next - events->oldest) % TWF_EVENTS_ROOM].width++;
        feeder->repeat_next++;
""",
    ),
    mutant(
        "takes every event as acknowledged",
        "acknowledge-up-to",
        "events.c",
        "const uint32_t covered = number - events->oldest + 1u;",
        "const uint32_t covered = (events->sent > number ? events->sent : number) - events->oldest + 1u;",
    ),
    mutant(
        "tells all its events again at once",
        "eight-at-once",
        "feeder.c",
        "kept < TWF_EVENTS_AT_ONCE ? kept : (uint8_t)TWF_EVENTS_AT_ONCE",
        "kept",
    ),
    mutant(
        "overwrites its oldest event",
        "full-buffer-holds",
        "events.c",
        _ADDED,
        "    if (events->count == TWF_EVENTS_KEPT - 1u)\n        twf_events_acknowledge(events, events->oldest);\n" + _ADDED,
    ),
    mutant("has one snapshot number", "one-snapshot", "reports.c", "feeder->snapshot++;", "feeder->snapshot = 7;"),
    mutant(
        "counts before it senses",
        "snapshot-consistent",
        "reports.c",
        ".placed = count[TWF_COUNT_PLACED],",
        f".placed = count[TWF_COUNT_PLACED] + {_WAITING},",
    ),
    mutant(
        "takes a counter back",
        "counters-grow",
        "reports.c",
        ".arrived = count[TWF_COUNT_ARRIVED],",
        f".arrived = {_WAITING} ? 0 : count[TWF_COUNT_ARRIVED],",
    ),
    mutant(
        "does not count what is returned",
        "tiles-are-kept-track-of",
        "reports.c",
        ".arrived = count[TWF_COUNT_ARRIVED],",
        ".arrived = count[TWF_COUNT_ARRIVED] - count[TWF_COUNT_RETURNED],",
    ),
    mutant(
        "does not beat as its status says",
        "beat-agrees-with-status",
        "reports.c",
        "(twf_machine_flags(&feeder->machine) | ",
        "((twf_machine_flags(&feeder->machine) & ~TWF_FLAG_GATE_OCCUPIED) | ",
    ),
    mutant(
        "feeds on in silence", "holds-after-300-ms", "feeder.c", _HOLDING, "return is_silent(feeder, 3u * TWF_REFERENCE_HOLD_AFTER_MS);"
    ),
    mutant(
        "leaves its motors on",
        "motors-off-after-1-s",
        "machine.c",
        "    if (machine->motors_on)\n        flags |=",
        "    if (machine->motors_on || !machine->powered)\n        flags |=",
    ),
    mutant(
        "does not mind silence",
        "holds-after-300-ms motors-off-after-1-s session-ends-in-silence feed-forgotten-in-silence",
        "feeder.c",
        "return feeder->machine.now_ms - feeder->heard_ms >= for_ms;",
        "return false;",
    ),
    mutant(
        "feeds again by itself",
        "feed-forgotten-in-silence",
        "feeder.c",
        "        machine->feeding = false;\n        feeder->session",
        "        feeder->session",
    ),
    mutant(
        "shuts open locks in silence",
        "lease-outlives-silence",
        "feeder.c",
        _SILENT,
        _SILENT + "        twf_locks_close(machine, TWF_ALL_SEATS);\n",
        Replacement("feeder.c", '#include "motion/motion.h"', '#include "motion/motion.h"\n#include "operations/locks.h"'),
    ),
)
