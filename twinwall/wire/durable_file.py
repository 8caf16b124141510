"""Writes small files whole (``write_durably``): a reader sees the old content or the new, also after a power cut if written durably. Files
that grow line by line sync themselves. ``write_over`` is for what is written often and may be lost."""

import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def write_durably(path: Path, content: bytes, mode: int = 0o644) -> None:
    """Write a file; it is on disk when this returns. Raises OSError; then the old file stays."""
    _replace(path, content, mode, durable=True)
    sync_folder(path.parent)


def write_whole(path: Path, content: bytes, mode: int = 0o644) -> None:
    """The same for a file that need not survive a power cut."""
    _replace(path, content, mode, durable=False)


def create_durably(path: Path, content: bytes, mode: int = 0o644) -> None:
    """Create a file; it is on disk when this returns. Raises FileExistsError or another OSError; then there is no new file."""
    _create(path, content, mode, durable=True)
    sync_folder(path.parent)


def write_over(path: Path, content: bytes) -> None:
    """Overwrite a file whose content always has the same length. It is not truncated first, because ext4 would then write it to disk each
    time."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT, 0o644), "wb") as file:
        file.write(content)


def sync_folder(folder: Path) -> None:
    """Wait until the names of new files are on disk, without which the files would be lost."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


@contextmanager
def in_turn(path: Path) -> Iterator[None]:
    """Hold the lock of the file's folder: of several threads and programs that read a file and write it back, one does so at a time.
    Raises OSError if the folder is missing."""
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _replace(path: Path, content: bytes, mode: int, *, durable: bool) -> None:
    beside = path.with_name(f"{path.name}.{threading.get_native_id()}.new")  # of several writers each has its own
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
