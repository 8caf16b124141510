"""The press makes PDF files one by one, each in a separate process, and caches the last ones. A file depends only on its page, so a printed
page is not printed again. A request during another print waits a while, and must then be repeated: prints never take more than one
processor from the pages."""

import hashlib
import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable

from dashboard.prints.pdf_writer import LACKS_LIBRARY

LIMIT_S = 600.0
"""The longest time for a file; on an idle machine the largest takes a tenth of it."""
PATIENCE_S = 30.0
"""How long a print waits for the one before it."""
KEPT_BYTES = 32 << 20
"""Most bytes of cached files."""


class PrintError(RuntimeError):
    """A file that cannot be printed; the message is for the log, ``key`` names the sentence for the requester."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key


def run_writer(html: str) -> bytes:
    """The PDF file of a page, made in a separate process; raises PrintError."""
    try:
        command = [sys.executable, "-m", "dashboard.prints.pdf_writer"]
        done = subprocess.run(command, input=html.encode(), capture_output=True, timeout=LIMIT_S, check=False)  # noqa: S603 - our own module
    except subprocess.TimeoutExpired:
        raise PrintError("print.failed", f"a print of {len(html)} characters was given up after {LIMIT_S:.0f} s") from None
    if done.returncode == 0:
        return done.stdout
    reason = " ".join(done.stderr.decode(errors="replace").split())[-500:]
    if done.returncode == LACKS_LIBRARY:
        advice = "install what Debian calls libpangoft2-1.0-0 and fonts-noto-cjk"
        raise PrintError("print.missing", f"nothing can be printed here ({reason}): {advice}")
    raise PrintError("print.failed", f"a print of {len(html)} characters failed: {reason}")


class PrintPress:
    """Makes one file at a time and caches the last ones; any thread may call."""

    def __init__(self, write: Callable[[str], bytes] = run_writer, patience_s: float = PATIENCE_S) -> None:
        self._write, self._patience_s = write, patience_s
        self._printing = threading.Lock()
        self._kept: OrderedDict[bytes, bytes] = OrderedDict()

    def pdf(self, html: str) -> bytes:
        """The PDF file of a page; raises PrintError."""
        if not self._printing.acquire(timeout=self._patience_s):
            raise PrintError("print.busy", f"a print was put off: another one took more than {self._patience_s:.0f} s")
        try:
            page = hashlib.sha256(html.encode()).digest()
            if page not in self._kept:
                self._kept[page] = self._write(html)
            self._kept.move_to_end(page)
            content = self._kept[page]
            while sum(map(len, self._kept.values())) > KEPT_BYTES:
                self._kept.popitem(last=False)
        finally:
            self._printing.release()
        return content
