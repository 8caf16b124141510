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


def _size(text: str) -> tuple[int, int]:
    tables, _, viewers = text.partition(":")
    return int(tables), int(viewers)


def main() -> int:
    parser = parts_parser(__doc__, PARTS)
    parser.add_argument(
        "--sizes", nargs="+", type=_size, metavar="TABLES:VIEWERS", help="runs of the part hall, in place of the usual four"
    )
    options = parser.parse_args()
    return run_parts(options, {**PARTS, "hall": lambda: hall.measure(options.sizes or hall.SIZES)})


if __name__ == "__main__":
    sys.exit(main())
