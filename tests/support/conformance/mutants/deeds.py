"""Firmware that does, refuses or reports operations wrongly."""

from __future__ import annotations

from tests.support.conformance.mutation import Mutation, mutant
from tests.support.firmware.variants import Replacement

_REFUSED = "    if (refusal != 0)\n        return nak(refusal);\n"
_UNLOCK = "    return at_once(refusal);\n"


def agrees(does: str, breaks: str, code: str, *commands: str) -> Mutation:
    """Firmware that answers commands with DONE, and moves nothing, where a refusal is due."""
    these = " || ".join(f"command->type == TWF_TYPE_{command}" for command in commands)
    agreed = f"    if (refusal == TWF_NAK_{code} && ({these}))\n        return at_once(0);\n"
    return mutant(does, breaks, "operations.c", _REFUSED, agreed + _REFUSED)


def unlocks(does: str, breaks: str, code: str) -> Mutation:
    """Firmware that answers UNLOCK with DONE where a refusal is due."""
    return mutant(
        does,
        breaks,
        "operations.c",
        "    const uint8_t refusal = twf_locks_refusal(machine, gate);\n",
        f"    uint8_t refusal = twf_locks_refusal(machine, gate);\n    if (refusal == TWF_NAK_{code})\n        return at_once(0);\n",
    )


def blind(does: str, breaks: str, command: str, sensor: str) -> Mutation:
    """Firmware that does not tell a sensor of a command."""
    seen = f"(uint16_t)(job->command.type == TWF_TYPE_{command} ? job->sensors & ~TWF_SENSOR_{sensor} : job->sensors)"
    return mutant(does, breaks, "jobs.c", ".sensors = job->sensors,", f".sensors = {seen},")


MUTANTS: tuple[Mutation, ...] = (
    mutant(
        "does not reach the first place of seat 3",
        "every-seat",
        "jobs.c",
        "    else if (job->failed)\n",
        "    else if (job->failed || (job->command.type == TWF_TYPE_PLACE && twf_job_seat(job) == 3u && twf_job_position(job) == 0))\n",
    ),
    mutant(
        "judges a cell as it is now",
        "cell-judged-as-it-will-be",
        "motion.c",
        "            full = lane->waiting[i]->command.type == TWF_TYPE_BYPASS;\n",
        "            (void)full;\n",
        Replacement("motion.c", "        full = lane->active->command.type == TWF_TYPE_BYPASS;\n", "        (void)full;\n"),
    ),
    mutant(
        "forgets whose tile comes while it feeds",
        "returned-goes-first",
        "lane.c",
        ".operation = returned_by,",
        ".operation = machine->feeding ? 0 : returned_by,",
    ),
    mutant(
        "fails everything when a tile sticks",
        "what-sticks",
        "machine.c",
        "    job->failed = true;\n    twf_machine_end(machine, job);\n",
        """    for (uint8_t i = 0; i < TWF_MOST_JOBS; i++) {
        if (machine->jobs.job[i].operation == 0 || twf_job_locks(&machine->jobs.job[i]))
            continue;
        machine->jobs.job[i].failed = true;
        twf_machine_end(machine, &machine->jobs.job[i]);
    }
""",
    ),
    mutant(
        "does not measure tiles",
        "tile-at-gate",
        "lane.c",
        ".width = (uint16_t)(tenths < UINT16_MAX ? tenths : UINT16_MAX),",
        ".width = 0,",
    ),
    blind("does not see the shuttle's pick", "place-edges", "PLACE", "PICKED"),
    blind("does not see a cell's tile leave", "bypass-and-release", "RELEASE", "CELL_OUT"),
    blind("does not see the drum's mouth", "recirculated", "RECIRCULATE", "DRUM_IN"),
    blind("does not see the reject cell", "rejected", "REJECT", "REJECT_IN"),
    blind("does not see a returned tile's pick", "returned", "RETURN", "PICKED"),
    blind("does not see the lift", "raise-walls", "RAISE", "RAISED"),
    blind("does not see a lock move", "unlock-opens-one", "UNLOCK", "LOCK_MOVED"),
    mutant(
        "is busy where no tile lies",
        "no-tile",
        "motion.c",
        "lane->entering_ms == 0 ? 0 : TWF_NAK_NO_TILE;",
        "lane->entering_ms == 0 ? 0 : TWF_NAK_BUSY;",
    ),
    agrees("returns from anywhere", "no-such-place", "NO_SUCH_PLACE", "RETURN"),
    agrees("fills a full cell", "occupied", "OCCUPIED", "BYPASS"),
    agrees("releases from an empty cell", "empty", "EMPTY", "RELEASE"),
    agrees("lays tiles on nothing", "two-high-support", "UNSUPPORTED", "PLACE"),
    agrees("pulls tiles out from below", "two-high-covered", "COVERED", "RETURN"),
    agrees("fills a place twice", "queued-counts-as-filled", "OCCUPIED", "RELEASE"),
    agrees("takes two commands at the gate", "gate-takes-one-command", "BUSY", "RECIRCULATE"),
    agrees("overfills a shuttle", "shuttle-queue", "BUSY", "RELEASE"),
    agrees("returns two tiles at once", "one-return", "BUSY", "RETURN"),
    agrees("dumps under a moving shuttle", "dump-waits-for-shuttles", "BUSY", "DUMP"),
    agrees("raises walls onto walls", "raise-only-into-empty", "OCCUPIED", "RAISE"),
    agrees("moves though it is stopped", "stop-stops", "STOPPED", "BYPASS"),
    mutant(
        "dumps every tray",
        "dump-one-tray",
        "cams.c",
        "return seat == TWF_ALL_SEATS ? ALL_SEATS_MASK : twf_mask(seat);",
        "return seat == TWF_ALL_SEATS || job->command.argument[0] == TWF_CONTAINER_TRAY ? ALL_SEATS_MASK : twf_mask(seat);",
    ),
    mutant("feeds with the well open", "well-ends-feeding", "operations.c", "        return TWF_NAK_WELL_OPEN;\n", "        return 0;\n"),
    mutant(
        "begins to count at five",
        "well-counts-from-zero",
        "reports.c",
        "        .well = machine->well,\n",
        "        .well = (uint16_t)(machine->well + 5u),\n",
    ),
    mutant(
        "misses a tile in the well",
        "well-counts-tiles",
        "edges.c",
        "(uint8_t)(machine->well & 0xffu)",
        "(uint8_t)(machine->well - 1u & 0xffu)",
    ),
    mutant(
        "disagrees with itself",
        "sense-agrees",
        "operations.c",
        "    case TWF_TYPE_SENSE: ",
        "    case TWF_TYPE_SENSE:\n        machine->faults |= TWF_FAULT_BIT(TWF_FAULT_SENSORS_DISAGREE); ",
    ),
    mutant(
        "takes its time",
        "acknowledged-at-once",
        "jobs.c",
        ".ms = now_ms - job->accepted_ms}",
        ".ms = job->command.type == TWF_TYPE_CLOSE_WELL ? 60000u : now_ms - job->accepted_ms}",
    ),
    mutant(
        "refuses to clear nothing",
        "clear-of-nothing",
        "operations.c",
        "static uint8_t clear(struct twf_machine *machine, uint8_t fault) {\n",
        "static uint8_t clear(struct twf_machine *machine, uint8_t fault) {\n    if (fault == 0)\n        return TWF_NAK_EMPTY;\n",
    ),
    mutant(
        "clears the lid while it is open",
        "lid",
        "operations.c",
        " ||\n        (fault == TWF_FAULT_LID && twf_input(&machine->inputs, TWF_IN_LID_OPEN)))",
        ")",
    ),
    mutant(
        "trusts what was disturbed",
        "stop-disturbs",
        "jobs.c",
        "    else if (job->disturbed || ",
        "    else if ((job->disturbed && job->command.type != TWF_TYPE_PLACE) || ",
    ),
)
