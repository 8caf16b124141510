"""Protects a process with secrets (the vault's, and a table's at an event): no core dumps, no tracing, no swapped pages. Python cannot wipe
copies, so secrets end with the process. Files in memory (tmpfs) can be swapped even if a process locks its pages, so swap must be off
(docs/how-to/vault.md)."""

import ctypes
import os
import resource
from pathlib import Path

_PR_SET_DUMPABLE = 4
_LOCK_ALL = 1 | 2 | 4
"""MCL_CURRENT, MCL_FUTURE, MCL_ONFAULT of mlockall(2): pages stay in memory after their first use."""
SWAPS = Path("/proc/swaps")


def refuse_core_files() -> None:
    """Forbid core files of this process and its children; raises OSError."""
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except ValueError as error:
        raise OSError(str(error)) from error


def keep_out_of_dumps() -> None:
    """Forbid core dumps and tracing of this process; raises OSError, also on a kernel other than Linux."""
    refuse_core_files()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def lock_pages() -> bool:
    """Keep this process's pages out of swap; return whether that was allowed (CAP_IPC_LOCK, or LimitMEMLOCK=infinity in its unit)."""
    return bool(ctypes.CDLL(None).mlockall(_LOCK_ALL) == 0)


def swap_warning(swaps: str, *, locked: bool) -> str | None:
    """A warning about swap from ``/proc/swaps`` (proc(5)); None if there is none."""
    used = [line.split()[0] for line in swaps.splitlines()[1:] if line.strip()]
    if not used:
        return None
    own = "this process's pages stay in memory, but" if locked else "this process may not lock its pages (LimitMEMLOCK=infinity), and"
    return f"swap is on ({', '.join(used)}): {own} keys in a folder in memory can be written to it; switch it off with swapoff -a"


def protect() -> str | None:
    """Do all of it; return a warning about swap, or None. Raises OSError if core dumps cannot be forbidden."""
    keep_out_of_dumps()
    return swap_warning(SWAPS.read_text(encoding="utf-8") if SWAPS.exists() else "", locked=lock_pages())
