"""An event's figures: ``python -m benchmarks.event [--only PART…] [--json]``; all parts if none is named."""

import sys

from benchmarks.event import comparison, corrections, hall, killed, movements, prints, replay
from benchmarks.support.measuring import Parts, parts_parser, run_parts

PARTS: Parts = {
    "comparison": comparison.measure,
    "movements": movements.measure,
    "hall": hall.measure,
    "corrections": corrections.measure,
    "killed": killed.measure,
    "prints": prints.measure,
    "replay": replay.measure,
}


if __name__ == "__main__":
    sys.exit(run_parts(parts_parser(__doc__, PARTS).parse_args(), PARTS))
