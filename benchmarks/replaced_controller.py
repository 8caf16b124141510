"""How long the replacement of a lost controller takes: ``python -m benchmarks.replaced_controller --json``.

A demo with four tables loses one of them with its disk in the middle of a hand, as in the nightly test, and the commands of
docs/how-to/table/replace-controller.md are given one after the other. The time is that of pages and commands, without waiting for people.
"""

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

from tests.support.demo.harness import DemoRun
from tests.support.demo.replaced_controller import HANDS, MOST_S, TABLES, replaced_controller


def main() -> int:
    """Print the figures; return 1 if the procedure took too long."""
    parser = argparse.ArgumentParser(prog="benchmarks.replaced_controller", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON document; always so")
    parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="replaced-") as folder,
        DemoRun(Path(folder) / "demo", "--tables", str(TABLES), "--hands", str(HANDS)) as demo,
    ):
        times = replaced_controller(demo)
        load = os.getloadavg()[0]
    print(json.dumps({"tables": TABLES, **times.document(), "most_s": MOST_S, "load": round(load, 1)}, indent=2))
    return 0 if times.all_s <= MOST_S else 1


if __name__ == "__main__":
    sys.exit(main())
