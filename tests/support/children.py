"""Processes that a test starts end with it, however it ends."""

import signal
import subprocess
from collections.abc import Sequence

from tests.support.patience import PATIENCE_S


def ends_with_parent(command: Sequence[str]) -> list[str]:
    """The command, told to end (SIGTERM) when the process that starts it has ended, even by SIGKILL: prctl(2), PR_SET_PDEATHSIG."""
    return ["setpriv", "--pdeathsig", "TERM", *command]


class Program:
    """A program that a test has started as ``process``, can end, and may start again."""

    process: subprocess.Popen[bytes] | None = None

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        assert self.process is not None
        self.process.send_signal(number)
        return self.wait()

    def wait(self) -> int:
        assert self.process is not None
        code = self.process.wait(PATIENCE_S)
        self.process = None
        return code
