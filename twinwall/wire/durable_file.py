"""Writing a small file as a whole: a reader finds the old content or the new one, and after a power cut too where it is written durably.

What grows line by line (journal, heads, lines of a vault, answers) syncs its own file. ``write_over`` is for what is written often and may
be lost.
"""

import os
from pathlib import Path


def write_durably(path: Path, content: bytes, mode: int = 0o644) -> None:
    """Put a file there, on disk when this returns; raises OSError, and then the file that was there stays."""
    _replace(path, content, mode, durable=True)
    sync_folder(path.parent)


def write_whole(path: Path, content: bytes, mode: int = 0o644) -> None:
    """The same for what need not outlast a power cut."""
    _replace(path, content, mode, durable=False)


def create_durably(path: Path, content: bytes, mode: int = 0o644) -> None:
    """Put a new file there, on disk when this returns; raises FileExistsError, or another OSError and leaves no file."""
    _create(path, content, mode, durable=True)
    sync_folder(path.parent)


def write_over(path: Path, content: bytes) -> None:
    """Write over the beginning of a file, whose content has the same length each time. It is not cut to nothing before: ext4 then writes it
    to the disk each time."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT, 0o644), "wb") as file:
        file.write(content)


def sync_folder(folder: Path) -> None:
    """Wait until the names of new files are on disk: a file lasts only with its name."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _replace(path: Path, content: bytes, mode: int, *, durable: bool) -> None:
    beside = path.with_name(f"{path.name}.new")
    beside.unlink(missing_ok=True)
    _create(beside, content, mode, durable=durable)
    beside.replace(path)


def _create(path: Path, content: bytes, mode: int, *, durable: bool) -> None:
    opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(opened, "wb") as file:
            file.write(content)
            if durable:
                file.flush()
                os.fsync(file.fileno())
    except BaseException:
        path.unlink(missing_ok=True)
        raise
