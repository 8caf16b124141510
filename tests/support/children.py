"""Processes that a test starts end with it, however it ends."""

from collections.abc import Sequence


def ends_with_parent(command: Sequence[str]) -> list[str]:
    """The command, told to end (SIGTERM) when the process that starts it has ended, even by SIGKILL: prctl(2), PR_SET_PDEATHSIG."""
    return ["setpriv", "--pdeathsig", "TERM", *command]
