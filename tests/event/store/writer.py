"""A process that stores lines and reports their number until it is killed: ``python -m … STORE``."""

import sys
from pathlib import Path

from tests.support.event.stored_event import PROGRAMME
from tests.support.wire.streams import START, ledger
from twinwall.event.store.store_rows import StoreRows
from twinwall.wire.ledger import parse

LINES = 3000
TOGETHER = 3


def main(path: Path) -> None:
    """Store lines from where the store stands."""
    store = StoreRows(path, PROGRAMME, START)
    journals = store.contents().journals
    stored = len(journals[0].lines) if journals else 0
    events = [parse(line) for line in ledger(LINES)]
    while stored < LINES:
        assert store.add_lines(events[stored : stored + TOGETHER]) == ()
        stored += TOGETHER
        sys.stdout.write(f"{stored}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
