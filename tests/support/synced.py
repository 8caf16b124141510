"""What a test's code puts on the disk, in order."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest


def synced(monkeypatch: pytest.MonkeyPatch, look: Callable[[], object]) -> list[tuple[str, object]]:
    """From now on: the name of each file or folder that is synced, and what ``look`` sees at that moment."""
    found: list[tuple[str, object]] = []
    fsync = os.fsync

    def noted(file: int) -> None:
        found.append((Path(f"/proc/self/fd/{file}").readlink().name, look()))
        fsync(file)

    monkeypatch.setattr(os, "fsync", noted)
    return found
