"""Firmware that opens a gate when it should not, or tells wrongly who took a tile."""

from __future__ import annotations

from tests.support.conformance.mutants.deeds import unlocks
from tests.support.conformance.mutation import Mutation, mutant

_RENEW = (
    "        return at_once(twf_locks_renew(machine, command->argument[0], twf_get_u32(command->argument + 1)) ? 0 : TWF_NAK_NOT_OPEN);"
)
_PROLONGED = "if (refusal != 0 || twf_locks_renew(machine, gate, lease_ms))"

MUTANTS: tuple[Mutation, ...] = (
    unlocks("unlocks a falling magazine", "dumped-magazine-stays-locked", "BUSY"),
    unlocks("unlocks past the host", "draw-unacknowledged", "UNACKNOWLEDGED"),
    unlocks("unlocks in an emergency", "emergency-stop", "STOPPED"),
    mutant(
        "locks gates that are not there",
        "unlock-empty",
        "operations.c",
        "    if (gate >= TWF_GATES && gate != TWF_ALL_SEATS)\n        return TWF_NAK_NO_SUCH_PLACE;\n",
        "",
    ),
    mutant(
        "grants twice the lease",
        "lease-runs-out unlock-again-prolongs renew-prolongs lease-outlives-silence",
        "locks.c",
        "machine->now_ms + (lease_ms < MOST_LEASE_MS ? lease_ms : MOST_LEASE_MS);",
        "machine->now_ms + 2u * lease_ms;",
    ),
    mutant(
        "does not prolong by UNLOCK",
        "unlock-again-prolongs",
        "operations.c",
        _PROLONGED,
        "if (refusal != 0 || (machine->locks.leased >> gate & 1u))",
    ),
    mutant(
        "does not prolong by RENEW",
        "renew-prolongs",
        "operations.c",
        _RENEW,
        "        return at_once(machine->locks.leased >> command->argument[0] & 1u ? 0 : TWF_NAK_NOT_OPEN);",
    ),
    mutant(
        "opens by RENEW",
        "renew-never-opens",
        "operations.c",
        _RENEW,
        "        return unlock(machine, operation, command);",
    ),
    mutant(
        "tells hand places wrongly",
        "hand-tiles-told",
        "edges.c",
        "twf_machine_tell(machine, TWF_TYPE_TAKEN, seat, position);",
        "twf_machine_tell(machine, TWF_TYPE_TAKEN, seat, 0);",
    ),
    mutant(
        "lets two tiles pass",
        "one-tile-per-unlock rear-gate",
        "locks.c",
        "    close_one(machine, gate);\n    locks->sprung &= (uint8_t)~twf_mask(gate);\n    return gate;\n",
        "    return gate;\n",
    ),
    mutant(
        "takes PUT_BACK for a draw",
        "put-back-told",
        "edges.c",
        "twf_machine_tell(machine, full ? TWF_TYPE_PUT_BACK : TWF_TYPE_DRAWN,",
        "twf_machine_tell(machine, TWF_TYPE_DRAWN,",
    ),
    mutant(
        "takes the rear gate for the front one",
        "rear-gate",
        "locks.c",
        "    locks->sprung &= (uint8_t)~twf_mask(gate);\n    return gate;\n",
        "    locks->sprung &= (uint8_t)~twf_mask(gate);\n    return seat;\n",
    ),
)
