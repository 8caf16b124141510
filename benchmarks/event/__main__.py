"""An event's figures: ``python -m benchmarks.event [--only PART…] [--json]``; all parts when none is named."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable

from benchmarks.event import comparison, corrections, hall, killed, movements, prints, replay

PARTS: dict[str, Callable[[], dict[str, object]]] = {
    "comparison": comparison.measure,
    "movements": movements.measure,
    "hall": hall.measure,
    "corrections": corrections.measure,
    "killed": killed.measure,
    "prints": prints.measure,
    "replay": replay.measure,
}


def _size(text: str) -> tuple[int, int]:
    tables, _, viewers = text.partition(":")
    return int(tables), int(viewers)


def main() -> int:
    """Run the parts, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", default=list(PARTS), choices=PARTS, metavar="PART", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--json", action="store_true")
    parser.add_argument(
        "--sizes", nargs="+", type=_size, metavar="TABLES:VIEWERS", help="runs of the part hall, in place of four; of no other part"
    )
    options = parser.parse_args()
    sizes = options.sizes or hall.SIZES
    report = {part: hall.measure(sizes) if part == "hall" else PARTS[part]() for part in options.only}
    print(json.dumps(report, indent=1) if options.json else report)
    return 0


if __name__ == "__main__":
    sys.exit(main())
