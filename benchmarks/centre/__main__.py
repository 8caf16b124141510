"""The centre's figures: ``python -m benchmarks.centre [--only PART…] [--json]``; all parts if none is named."""

import sys

from benchmarks.centre import ranking, streams
from benchmarks.support.measuring import Parts, parts_parser, run_parts

PARTS: Parts = {"ranking": ranking.measure, "streams": streams.measure}


if __name__ == "__main__":
    sys.exit(run_parts(parts_parser(__doc__, PARTS).parse_args(), PARTS))
