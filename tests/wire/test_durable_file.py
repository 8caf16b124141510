"""A small file that outlasts a power cut: the content first, then the name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.synced import synced
from twinwall.wire.durable_file import write_durably


def test_the_content_is_on_disk_before_the_name_and_the_name_when_it_returns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "small"
    path.write_bytes(b"old")
    disk = synced(monkeypatch, path.read_bytes)
    write_durably(path, b"new", 0o600)
    assert disk == [("small.new", b"old"), (tmp_path.name, b"new")]
    assert path.stat().st_mode & 0o777 == 0o600
