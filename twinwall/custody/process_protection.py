"""Protection of a process that holds secrets: no core dumps, no tracing by other processes of the user, no swapped pages.

The vault's process and, at an event, a table's. Python cannot wipe what it has copied: secrets end with the process. A folder in
memory (tmpfs) can be swapped whatever a process locks, so swap is to be off (docs/how-to/vault.md).
"""

import ctypes
import os
import resource
from pathlib import Path

_PR_SET_DUMPABLE = 4
_LOCK_ALL = 1 | 2 | 4
"""MCL_CURRENT, MCL_FUTURE, MCL_ONFAULT of mlockall(2): pages stay in memory from their first use on."""
SWAPS = Path("/proc/swaps")


def refuse_core_files() -> None:
    """Let this process and its children leave no core file; raises OSError where that cannot be set."""
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except ValueError as error:
        raise OSError(str(error)) from error


def keep_out_of_dumps() -> None:
    """Refuse core dumps and tracing for this process; raises OSError where the kernel does not know how (Linux does)."""
    refuse_core_files()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def lock_pages() -> bool:
    """Keep this process's pages out of swap; whether it may (CAP_IPC_LOCK, or LimitMEMLOCK=infinity in its unit)."""
    return bool(ctypes.CDLL(None).mlockall(_LOCK_ALL) == 0)


def swap_warning(swaps: str, *, locked: bool) -> str | None:
    """What to say about swap, from the text of ``/proc/swaps`` (proc(5)); None where there is none."""
    used = [line.split()[0] for line in swaps.splitlines()[1:] if line.strip()]
    if not used:
        return None
    own = "this process's pages stay in memory, but" if locked else "this process may not lock its pages (LimitMEMLOCK=infinity), and"
    return f"swap is on ({', '.join(used)}): {own} keys in a folder in memory can be written to it; switch it off with swapoff -a"


def protect() -> str | None:
    """All of it for this process; what a person should know of swap. Raises OSError where core dumps cannot be refused."""
    keep_out_of_dumps()
    return swap_warning(SWAPS.read_text(encoding="utf-8") if SWAPS.exists() else "", locked=lock_pages())
