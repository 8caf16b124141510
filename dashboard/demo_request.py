"""The demo championship of a hall: a director asks for it on a page, and the program that serves the hall starts it beside the hall.

The two share a file in the folder of the events. There is none where no program starts demos, and then no page offers one.
"""

from enum import StrEnum
from pathlib import Path

from dashboard.events_folder import SharedFile
from twinwall.values import Shape

REQUEST = "demo.json"


class DemoState(StrEnum):
    """How far the demo is."""

    OFFERED = "offered"
    WANTED = "wanted"
    RUNNING = "running"


class DemoStanding(Shape, tag_field="format", tag="twinwall-demo-request-1"):
    """Where the demo stands; while it runs, its address and the account of its director."""

    state: DemoState
    address: str = ""
    name: str = ""
    password: str = ""


class DemoRequest(SharedFile[DemoStanding]):
    """Where the demo of a hall stands; no file where no program starts one."""

    def __init__(self, events: Path) -> None:
        super().__init__(events / REQUEST, DemoStanding)

    def ask(self) -> None:
        """Ask for the demo, once; raises StoreError."""
        found = self.read()
        if found is not None and found.state is DemoState.OFFERED:
            self.write(DemoStanding(DemoState.WANTED))

    def withdraw(self) -> None:
        """No program starts demos any more."""
        self.path.unlink(missing_ok=True)
