"""A controller killed at each write of its journal: ``python -m benchmarks.killed_controller --json [--rules R] [--every N] [--build]``.

One hand of each rule set is played at the controller over fake ports, with a real journal on a real disk. At every write the process is
killed (SIGKILL): before the bytes, after half of each line, and after each line. A new controller on that journal plays the hand to its
end, and its record with events and scores, its public events and the fold of its journal are compared with the undisturbed hand
(``tests.support.controller.killed_writes``). A hand begins with its walls in the magazines, with ``--build`` with its tiles in the drum.
``--every N`` kills at each N-th write. Exit 1 if anything differs.
"""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path

from tests.support.controller.hands_of_rules import HANDS, table_of
from tests.support.controller.killed_writes import killed, undisturbed


def measured(rules: str, every: int, *, raised: bool) -> dict[str, object]:
    """Measure the hand of one rule set, killed at each ``every``-th write."""
    began_s, began_cpu_s = time.monotonic(), _processor_s()
    with tempfile.TemporaryDirectory(prefix="twinwall-killed-") as made:
        make_table = partial(table_of, rules, raised=raised)
        due, writes = undisturbed(make_table, Path(made) / "undisturbed")
        hand = killed(make_table, Path(made) / "hand", due, range(1, writes + 1, every))
    return {
        "rules": rules,
        "play_events": len(due.record.events),
        "writes": writes,
        "killed_at": len({kill.write for kill in hand.kills}),
        "kills": len(hand.kills),
        "torn_lines": sum(kill.torn for kill in hand.kills),
        "same": len(hand.kills) - len(hand.different),
        "different": [asdict(kill) for kill in hand.different],
        "seconds": round(time.monotonic() - began_s, 1),
        "processor_s": round(_processor_s() - began_cpu_s, 1),
    }


def _processor_s() -> float:
    """Return the processor time of this process and of its ended forks."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--rules", choices=sorted(HANDS), help="one rule set instead of all four")
    parser.add_argument("--every", type=int, default=1, help="kill at each N-th write")
    parser.add_argument("--build", action="store_true", help="begin with the tiles in the drum")
    options = parser.parse_args(words)
    report = [measured(rules, options.every, raised=not options.build) for rules in ([options.rules] if options.rules else sorted(HANDS))]
    print(json.dumps(report, indent=1) if options.json else "\n".join(str(line) for line in report))
    return 1 if any(line["different"] for line in report) else 0


if __name__ == "__main__":
    raise SystemExit(main())
