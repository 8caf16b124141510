"""Trust: whether proofs agree, harms are found, outputs depend on secrets, what signatures cost, and what leaks.

``python -m benchmarks.trust [PART…] [--slips N] [--harms N] [--pairs N] [--frames N] [--seed S] [--processes P] [--record FILE] [--limit S]
[--only KIND…] [--json]``; parts are ``slips`` (needs a browser), ``bundles``, ``secrecy``, ``signing``, ``codes`` and ``leaks``, all if
none is named. ``--record`` keeps the pairs and relabellings of secrecy in a file from which a later run continues. Exit 1 if the two
programs differ, a harm is not found, an output depends on unseen tiles, or something leaks.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.support.parts import Run, RunRecord, sources_digest
from benchmarks.trust import codes, leaks, proofs, secrecy, signing

PARTS = ("slips", "bundles", "secrecy", "signing", "codes", "leaks")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)} (default all)")
    parser.add_argument("--slips", type=int, default=10_000)
    parser.add_argument("--harms", type=int, default=10_000)
    parser.add_argument("--pairs", type=int, default=2_000, help="pairs and relabellings of each rule set (default 2000)")
    parser.add_argument("--frames", type=int, default=40, help="frames of each code and size (default 40)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--record", type=Path, metavar="FILE")
    parser.add_argument("--limit", type=float, default=float("inf"), metavar="S")
    parser.add_argument("--only", nargs="+", default=[], choices=secrecy.KINDS, help="of secrecy, run these")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"{sorted(unknown)[0]!r} is none of {', '.join(PARTS)}")
    record = RunRecord(options.record, sources_digest(Path(__file__).parents[2]) if options.record else "")
    run = Run(options.processes, time.monotonic() + options.limit, record, secrecy.series_of(options.only))
    measures: dict[str, Callable[[], dict[str, object]]] = {
        "slips": lambda: proofs.slips(options.slips, options.seed),
        "bundles": lambda: proofs.harms(options.harms, options.seed),
        "secrecy": lambda: secrecy.measure(run, options.pairs),
        "signing": signing.measure,
        "leaks": lambda: leaks.measure(options.seed),
        "codes": lambda: codes.measure(options.frames, options.seed),
    }
    report = {}
    for part in options.parts or PARTS:
        began_s = time.process_time()
        report[part] = measures[part]() | {"processor_s": round(time.process_time() - began_s, 1)}
    print(json.dumps(report, indent=1) if options.json else report)
    return int(any(_is_bad(figures) for figures in report.values()))


def _is_bad(figures: dict[str, object]) -> bool:
    unlike = any(isinstance(of, dict) and of.get("unlike") for of in figures.values())
    return unlike or any(figures.get(name) for name in ("differing", "not_found", "not_named", "hits"))


if __name__ == "__main__":
    sys.exit(main())
