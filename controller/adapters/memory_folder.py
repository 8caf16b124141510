"""Memory folder of a table: the boot keys, the journal's key and the sealed deals, on a file system without a disk.

A stolen disk must not open a coming deal, so the folder must be on tmpfs or ramfs, such as below /run. This module checks that, and stores
the boot keys there: a killed controller finds them again, a table that lost power makes new ones.
"""

import re
from pathlib import Path

from config.reading import SettingsError
from twinwall.wire.durable_file import write_whole
from twinwall.wire.messages.boot_keys import BOOT_SECRETS_SIZE, BootSecrets

IN_MEMORY = frozenset({"tmpfs", "ramfs"})
MOUNTS = Path("/proc/self/mountinfo")


def file_system_of(path: Path, mountinfo: str) -> str:
    """The type of an absolute path's file system, from the text of ``/proc/self/mountinfo`` (proc(5))."""
    longest, found = -1, "unknown"
    for line in mountinfo.splitlines():
        mount, _, kind = line.partition(" - ")
        words, kinds = mount.split(" "), kind.split(" ")
        if len(words) < 5 or not kinds[0]:
            continue
        point = Path(re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), words[4]))
        if path.is_relative_to(point) and len(point.parts) >= longest:
            longest, found = len(point.parts), kinds[0]
    return found


def open_folder(folder: Path, mountinfo: str) -> Path:
    """Create the folder if it is missing, for its owner alone; raises SettingsError if it is not in memory."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    kind = file_system_of(folder.resolve(), mountinfo)
    if kind not in IN_MEMORY:
        raise SettingsError(f"{folder} is on a disk ({kind}): set [custody] memory to a folder in memory, such as one below /run")
    return folder


def boot_secrets(folder: Path, table: str, fresh: bytes) -> BootSecrets:
    """The table's boot keys: those in the folder, or the ``fresh`` random bytes (``BOOT_SECRETS_SIZE``), which are then stored there."""
    path = folder / "boot.keys"
    try:
        kept = path.read_bytes()
    except FileNotFoundError:
        kept = b""
    if len(kept) == BOOT_SECRETS_SIZE:
        return BootSecrets.from_bytes(table, kept)
    return renewed_secrets(folder, table, fresh)


def renewed_secrets(folder: Path, table: str, fresh: bytes) -> BootSecrets:
    """New boot keys from ``fresh`` random bytes, which replace those in the folder."""
    path = folder / "boot.keys"
    write_whole(path, fresh, 0o600)
    return BootSecrets.from_bytes(table, fresh)
