"""Exactly once: operations over a bad line, each carried out once, in memory and in simulated time.

``python -m benchmarks.firmware.link --operations 1000000 --json`` drives the host's link and the firmware over a line that harms 3 % of all
bytes (lost, flipped, doubled, inserted), stalls and dies, while host and firmware restart now and then. It prints the counts, and
operations a second of processor time and of the clock. The first operation or event that is lost or carried out twice ends it with an
error. ``--jobs`` processes share the operations, each with its own line; after ``--limit`` seconds each ends with what it has done.
"""

import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict

from benchmarks.support.measuring import run_measure
from tests.support.link.exactly_once import WORST, Tally, Trial

_HOST_RESTART, _FIRMWARE_RESTART = 0.001, 0.0002
_AT_ONCE = 1000


def measure(operations: int = 20_000, seed: int = 1, jobs: int = 1, limit: float = 3600.0) -> dict[str, float]:
    """Run ``operations`` operations, shared by ``jobs`` processes."""
    began_s = time.perf_counter()
    share = -(-operations // jobs)
    with ProcessPoolExecutor(jobs) as pool:
        runs = list(pool.map(_run, [(seed + job, share, limit) for job in range(jobs)]))
    took_s = time.perf_counter() - began_s
    tallies, processor_s = [asdict(tally) for tally, _ in runs], sum(processor_s for _, processor_s in runs)
    figures = {name: round(sum(tally[name] for tally in tallies), 1) for name in tallies[0]}
    figures |= {
        "bytes_harmed_share": WORST.bytes_share,
        "operations_a_second": round(figures["operations"] / took_s),
        "operations_a_processor_second": round(figures["operations"] / processor_s),
        "processor_s": round(processor_s, 1),
        "took_s": round(took_s, 1),
    }
    return figures


def _run(task: tuple[int, int, float]) -> tuple[Tally, float]:
    seed, operations, limit_s = task
    trial = Trial(WORST, seed, host_restart=_HOST_RESTART, firmware_restart=_FIRMWARE_RESTART)
    end_s = time.perf_counter() + limit_s
    tally = trial.run(min(_AT_ONCE, operations))
    while tally.operations < operations and time.perf_counter() < end_s:
        tally = trial.run(min(tally.operations + _AT_ONCE, operations))
    return tally, time.process_time()


if __name__ == "__main__":
    run_measure(measure)
