"""The disk of a test: what is put on it, in order, and one that takes no more."""

import os
import resource
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def full_disk(most_bytes: int) -> Iterator[None]:
    """No file grows beyond so many bytes meanwhile. A write that would go beyond takes what there is room for, and the next one fails."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def synced(monkeypatch: pytest.MonkeyPatch, look: Callable[[], object]) -> list[tuple[str, object]]:
    """From now on: the name of each file or folder that is synced, and what ``look`` sees at that moment."""
    found: list[tuple[str, object]] = []
    fsync = os.fsync

    def noted(file: int) -> None:
        name = Path(f"/proc/self/fd/{file}").readlink().name
        found.append((name.replace(f".{threading.get_native_id()}.new", ".new"), look()))
        fsync(file)

    monkeypatch.setattr(os, "fsync", noted)
    return found
