"""Cost of signatures: processor time to sign and to check a line, as shares of a session's and of 64 tables' time.

The worst case is assumed: a head for every line. A table signs it twice, for the ledger and for its public part, and a third time for its
journal; the server checks both, the vault one. The demo of the same run measures a session's processor time.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable

from tests.support.event.evenings import SIGNERS, evening_ledgers, head_of
from tests.support.event.stored_event import EVENT
from twinwall.wire.messages.boot_keys import read_head

HAND_S = 450
"""A hand at a real table."""
TABLES = 64


def measure() -> dict[str, object]:
    """Return milliseconds a line, and the shares."""
    ledgers = evening_ledgers()
    table, events = next(iter(ledgers.items()))
    hands = sum(event.type == "hand-closed" for event in events)
    positions = [event.position for event in events]
    heads = [head_of(position, table) for position in positions]
    sign_ms = _each_ms(lambda: [head_of(position, table) for position in positions], len(positions))
    check_ms = _each_ms(lambda: [read_head(head, EVENT, table, SIGNERS[table].public) for head in heads], len(heads))
    lines = len(events) / hands
    of_hand_s = lines * (3 * sign_ms + 3 * check_ms) / 1000
    session_s = _demo_hand_s()
    return {
        "lines_a_hand": round(lines, 1),
        "sign_ms": round(sign_ms, 3),
        "check_ms": round(check_ms, 3),
        "signatures_s_a_hand": round(of_hand_s, 3),
        "session_s_a_hand": round(session_s, 1),
        "share_of_session": round(of_hand_s / session_s, 4),
        "share_of_a_core_for_64_tables": round(TABLES * lines / HAND_S * 2 * check_ms / 1000, 4),
    }


def _each_ms(work: Callable[[], object], count: int) -> float:
    best_s = float("inf")
    for _ in range(3):
        began_s = time.process_time()
        work()
        best_s = min(best_s, time.process_time() - began_s)
    return 1000 * best_s / count


def _demo_hand_s() -> float:
    """Return the processor time of all processes of a demo of one table for a hand, without the start."""
    command = [sys.executable, "-m", "benchmarks.cost", "--tables", "1", "--hands", "2", "--json"]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return float(report["core_s_per_hand"])
