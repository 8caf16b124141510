"""The centre's figures: ``python -m benchmarks.centre [--only PART…] [--json]``; all parts when none is named."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable

from benchmarks.centre import ranking, streams

PARTS: dict[str, Callable[[], dict[str, object]]] = {
    "ranking": ranking.measure,
    "streams": streams.measure,
}


def main() -> int:
    """Run the parts, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", default=list(PARTS), choices=PARTS, metavar="PART", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    report = {part: PARTS[part]() for part in options.only}
    print(json.dumps(report, indent=1) if options.json else report)
    return 0


if __name__ == "__main__":
    sys.exit(main())
