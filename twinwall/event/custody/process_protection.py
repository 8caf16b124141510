"""Protection of the vault's process: no core dumps, no tracing by other processes of the user.

It does not keep pages out of swap (switch swap off, docs/how-to/vault.md), and Python cannot wipe what it has copied: secrets end
with the process.
"""

from __future__ import annotations

import ctypes
import os
import resource

_PR_SET_DUMPABLE = 4


def keep_out_of_dumps() -> None:
    """Refuse core dumps and tracing for this process; raises OSError where the kernel does not know how (Linux does)."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
