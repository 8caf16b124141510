"""Attack 33: whoever hands a release on changes it, or hands on an older one whose faults he knows."""

from pathlib import Path

import pytest

from cli import main
from tools.release import release_files
from twinwall.wire.messages.signing import Signer

MAKER = Signer("", b"\x31" * 32)
FORGER = Signer("", b"\x32" * 32)
TRUSTED = f"Li Na {MAKER.public.hex()}"
ARCHIVE, PARTS = "twinwall.tar", "twinwall.cdx.json"


def release_in(folder: Path, version: str = "1.4.0", number: int = 900, signer: Signer = MAKER, archive: bytes = b"sources") -> Path:
    folder.mkdir()
    files = release_files({ARCHIVE: archive, PARTS: b"{}"}, version=version, number=number, commit="a" * 40, signer=signer)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder


@pytest.fixture
def floor(tmp_path: Path) -> Path:
    """Where the machine keeps what it has accepted; nothing yet."""
    return tmp_path / "floor.json"


def check(folder: Path, floor: Path, *more: str) -> int:
    return main(["admin", "check-release", str(folder), "--signer", TRUSTED, "--floor", str(floor), *more])


def test_control_a_release_as_it_was_signed_is_accepted_and_becomes_the_highest(
    tmp_path: Path, floor: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = release_in(tmp_path / "r")
    assert check(folder, floor) == 0
    assert "is version 1.4.0, number 900, of commit aaaaaaaaaaaa, signed by Li Na; its 2 files are whole" in capsys.readouterr().out
    assert floor.read_bytes() == (folder / "release.json").read_bytes()
    assert check(folder, floor) == 0, "the same release may be installed again"


@pytest.mark.parametrize("name", [ARCHIVE, PARTS])
def test_a_changed_file_is_named_and_nothing_is_accepted(
    name: str, tmp_path: Path, floor: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = release_in(tmp_path / "r")
    (folder / name).write_bytes(b"another program")
    assert check(folder, floor) == 1
    assert f"{name} is not the file that Li Na signed" in capsys.readouterr().err
    assert not floor.exists()


def test_a_manifest_that_was_changed_with_its_files_or_signed_by_somebody_else_is_refused(
    tmp_path: Path, floor: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = release_in(tmp_path / "r")
    forged = release_in(tmp_path / "forged", signer=FORGER, archive=b"another program")
    for name in (ARCHIVE, "release.json"):
        (folder / name).write_bytes((forged / name).read_bytes())
    assert check(folder, floor) == 1
    assert "changed after" in capsys.readouterr().err
    assert check(forged, floor) == 1
    assert FORGER.public.hex() in capsys.readouterr().err
    assert not floor.exists()


def test_files_that_are_missing_or_were_added_are_named(tmp_path: Path, floor: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = release_in(tmp_path / "r")
    (folder / PARTS).unlink()
    (folder / "install.sh").write_text("rm -rf /")
    (folder / "plugins").mkdir()
    assert check(folder, floor) == 1
    told = capsys.readouterr().err
    assert f"{PARTS} is missing" in told
    assert "install.sh is not part of the release; plugins is not part of the release" in told
    for name in ("release.json.sig", "release.json"):
        (folder / name).unlink()
        assert check(folder, floor) == 1
        assert f"there is no {name}" in capsys.readouterr().err.replace("release.json and no ", "")


@pytest.mark.parametrize(("version", "number"), [("1.3.9", 950), ("1.4.0", 899), ("0.99.99", 900)])
def test_an_older_release_is_refused_by_name_unless_a_person_says_otherwise(
    version: str, number: int, tmp_path: Path, floor: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(release_in(tmp_path / "new"), floor) == 0
    older = release_in(tmp_path / "old", version, number)
    assert check(older, floor) == 1
    told = capsys.readouterr().err
    assert f"version {version}, number {number} is older than version 1.4.0, number 900, which was accepted here before" in told
    assert check(older, floor, "--allow-older") == 0
    assert "--allow-older was said" in capsys.readouterr().err
    assert check(older, floor) == 1, "the highest stays noted"


@pytest.mark.parametrize(("version", "number"), [("1.4.0", 901), ("1.10.0", 1)])
def test_a_newer_release_is_accepted_and_the_one_before_no_longer(version: str, number: int, tmp_path: Path, floor: Path) -> None:
    before = release_in(tmp_path / "before")
    assert check(before, floor) == 0
    assert check(release_in(tmp_path / "newer", version, number), floor) == 0
    assert check(before, floor) == 1


def test_another_release_of_the_same_number_is_refused(tmp_path: Path, floor: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(release_in(tmp_path / "one"), floor) == 0
    assert check(release_in(tmp_path / "two", archive=b"other sources"), floor) == 1
    assert "two releases have the same number" in capsys.readouterr().err


def test_control_a_machine_that_keeps_no_floor_accepts_the_older_release(tmp_path: Path, floor: Path) -> None:
    assert check(release_in(tmp_path / "new"), floor) == 0
    floor.unlink()
    assert check(release_in(tmp_path / "old", "1.3.9", 800), floor) == 0


def test_a_floor_that_cannot_be_read_or_kept_stops_the_check(tmp_path: Path, floor: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = release_in(tmp_path / "r")
    floor.write_text("1.4.0")
    assert check(folder, floor) == 2
    assert "does not say which release was accepted" in capsys.readouterr().err
    assert check(folder, tmp_path / "none" / "floor.json") == 2
    assert "cannot be written" in capsys.readouterr().err


@pytest.mark.parametrize("words", [[], ["check"], ["look", "."], ["check", ".", "--signer", "Li Na"]])
def test_wrong_use_is_said(words: list[str]) -> None:
    assert main(["admin", "check-release", *words]) == 2


def test_without_a_trusted_person_no_release_is_accepted(tmp_path: Path, floor: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["admin", "check-release", str(release_in(tmp_path / "r")), "--floor", str(floor)]) == 1
    assert "not trusted here (trusted: no key)" in capsys.readouterr().err
