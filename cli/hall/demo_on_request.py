"""Starts the demo championship that a director asks for on a page: a hall of its own beside the one that is served, on this computer."""

import logging
import re
import tempfile
from pathlib import Path

from cli.demo.supervisor import Process, ProcessDiedError, Supervisor
from dashboard.demo_request import DemoRequest, DemoStanding, DemoState
from twinwall.free_ports import free_ports

_WRITTEN = re.compile(r"director\s+(http\S+)/login\s+name (\S+)\s+password (\S+)")
_LOG = logging.getLogger(__name__)


class DemoOnRequest:
    """The demo of one hall; use as a context manager. What ends it leaves the hall as it is."""

    def __init__(self, events: Path, logs: Path) -> None:
        """``events`` is the folder of the hall's events, where directors ask; ``logs`` that of the hall's logs."""
        self._request, self._log = DemoRequest(events), logs / "demo.log"
        self.supervisor = Supervisor(logs)
        self._request.write(DemoStanding(DemoState.OFFERED))

    def __enter__(self) -> "DemoOnRequest":
        return self

    def __exit__(self, *_: object) -> None:
        self.supervisor.stop()
        self._request.withdraw()

    def look(self) -> None:
        """Start the demo where it is wanted, say where it is when it runs, and offer it again when it has ended."""
        standing = self._request.read()
        if standing is None or standing.state is DemoState.OFFERED:
            return
        if not self.supervisor.processes:
            self._start()
            return
        try:
            self.supervisor.look_after()
        except ProcessDiedError as died:
            _LOG.error("%s", died)
            self.supervisor.stop()
            self._request.write(DemoStanding(DemoState.OFFERED))
            return
        found = _WRITTEN.search(self._log.read_text(encoding="utf-8", errors="replace"))
        if found is not None and standing.state is DemoState.WANTED:
            self._request.write(DemoStanding(DemoState.RUNNING, *found.groups()))

    def _start(self) -> None:
        folder, (port,) = Path(tempfile.mkdtemp(prefix="twinwall-demo-")) / "demo", free_ports(1)
        self._log.unlink(missing_ok=True)
        words = ("demo", "--event", "championship", "--machines", "0", "--fast", "--port", str(port), "--folder", str(folder))
        self.supervisor.start((Process("demo", words, restartable=False), lambda: True))
