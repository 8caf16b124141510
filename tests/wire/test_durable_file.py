"""A file is replaced whole, also by several writers."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from twinwall.wire.durable_file import write_durably, write_whole

LONG = 1 << 20


def test_a_reader_sees_what_one_of_several_writers_has_written_whole(tmp_path: Path) -> None:
    path = tmp_path / "record"
    contents = [bytes([letter]) * (LONG - letter) for letter in b"ABCD"]
    write_whole(path, contents[0])

    def write_often(content: bytes) -> None:
        for _ in range(40):
            write_whole(path, content)

    with ThreadPoolExecutor(len(contents)) as writers:
        written = [writers.submit(write_often, content) for content in contents]
        while not all(one.done() for one in written):
            assert path.read_bytes() in contents
    assert [one.result() for one in written] == [None] * len(contents)
    assert [each.name for each in tmp_path.iterdir()] == ["record"]


def test_a_failed_write_keeps_the_old_file_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError("no space left on device")

    path = tmp_path / "record"
    write_durably(path, b"old")
    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="no space"):
        write_durably(path, b"new")
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [("record", b"old")]
