"""The commands: a bundle is written from a store, and proved under a code that a person types."""

from __future__ import annotations

import io
import json
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from cli import main
from tests.support.event.evenings import VAULT, bundle, stored_evening
from tests.support.event.stored_event import COMMITMENTS, STARTED
from tests.support.tiers import one_in
from twinwall.event.bundle import bundle_files
from twinwall.game.documents import pretty_json

pytestmark = pytest.mark.slow

WORDS = STARTED.start.words


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    """The evening's bundle as a zip."""
    file = tmp_path / "evening.zip"
    file.write_bytes(bundle_files.write_zip(bundle()))
    return file


def test_a_store_leaves_as_a_bundle_that_is_proved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store, commitments, out = stored_evening(tmp_path), tmp_path / "commitments.json", tmp_path / "evening.zip"
    commitments.write_bytes(pretty_json(COMMITMENTS.to_json()))
    words = ["export", str(store), "--format", "bundle", "--commitments", str(commitments), "--out", str(out)]
    assert main(words) == 0
    assert bundle_files.read_zip(out.read_bytes()) == bundle()
    assert main(["verify", str(out), "--start", WORDS, "--vault-key", VAULT.public.hex()]) == 0
    said = capsys.readouterr().out
    assert said.endswith("all of it is proved\n")
    assert "3 deals" in said
    assert "12 hands" in said


def test_a_deal_that_is_not_released_keeps_the_bundle_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = stored_evening(tmp_path, released=(1, 2))
    assert main(["export", str(store), "--format", "bundle", "--out", str(tmp_path / "evening.zip")]) == 1
    assert "deal 3 is not released, and table 1 has opened it" in capsys.readouterr().err
    assert not (tmp_path / "evening.zip").exists()


@pytest.mark.parametrize("spelled", one_in(3, [WORDS.lower(), WORDS.replace("0", "O"), WORDS.replace("-", " "), STARTED.start.code.hex()]))
def test_the_code_is_read_as_people_type_it(packed: Path, spelled: str) -> None:
    assert main(["verify", str(packed), "--start", spelled]) == 0


def test_a_bundle_is_never_its_own_witness(packed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(packed)]) == 2
    assert "a bundle is never its own witness" in capsys.readouterr().err
    with zipfile.ZipFile(packed) as archive:
        archive.extractall(tmp_path / "evening")
    assert main(["verify", str(tmp_path / "evening"), "--start", str(tmp_path / "evening" / "start.json")]) == 2
    assert "a bundle is never its own witness" in capsys.readouterr().err
    elsewhere = tmp_path / "start-of-the-hall.json"
    elsewhere.write_bytes(STARTED.start.canonical)
    assert main(["verify", str(tmp_path / "evening"), "--start", str(elsewhere), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["good"], report["deals"], report["vault_key_given"]) == (True, [1, 2, 3], False)


@pytest.mark.parametrize("code", ["5PHC", "UUUU" * 8, "", "5PHC-HMHS-VS5A-JBJQ-S7FW-EC9W-ZR06-KA9"])
def test_what_is_no_code_is_wrong_use(packed: Path, code: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(packed), "--start", code]) == 2
    assert capsys.readouterr().err.startswith(f"twinwall: --start {code}: a start code ")


def test_another_start_exits_1_with_both_codes(packed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(packed), "--start", "5PHC-HMHS-VS5A-JBJQ-S7FW-EC9W-ZR06-KA92"]) == 1
    said = capsys.readouterr().out
    assert f"start.json, line 1: this start has the code {WORDS}, and you gave 5PHC-HMHS-VS5A-JBJQ-S7FW-EC9W-ZR06-KA92" in said


def zipped(members: list[tuple[str, bytes]]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, member in members:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of a name that is there twice
                archive.writestr(zipfile.ZipInfo(name), member, zipfile.ZIP_DEFLATED)
    return content.getvalue()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (lambda: b"no zip", "it is no zip, or only a part of one"),
        (lambda: b"", "it is no zip, or only a part of one"),
        (lambda: zipped([("start.json", b"1"), ("start.json", b"2")]), "it holds two files of one name"),
        (lambda: zipped([(f"{number}", b"") for number in range(bundle_files.MOST_FILES + 1)]), "it holds 4097 files"),
        (lambda: zipped([("plan.json", bytes(bundle_files.LARGEST_FILE + 1))]), "no file of a bundle has more than"),
    ],
)
def test_what_cannot_be_read_is_wrong_use(
    content: Callable[[], bytes], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "evening.zip"
    file.write_bytes(content())
    assert main(["verify", str(file), "--start", WORDS]) == 2
    assert sentence in capsys.readouterr().err


def test_a_zip_with_a_damaged_member_is_not_proved_and_the_file_is_named(packed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = packed.read_bytes()
    with zipfile.ZipFile(packed) as archive:
        member = archive.getinfo("results.csv")
    place = member.header_offset + 30 + len(member.filename) + member.compress_size // 2
    packed.write_bytes(content[:place] + bytes([content[place] ^ 0x55]) + content[place + 1 :])
    assert main(["verify", str(packed), "--start", WORDS]) == 1
    assert "results.csv: the zip is damaged here" in capsys.readouterr().out


def test_a_member_that_unpacks_to_more_than_it_says_is_damaged(packed: Path) -> None:
    """A bomb that lies about its size: what comes out is never more than the limit, and its checksum does not hold."""
    content = bytearray(zipped([("plan.json", bytes(1 << 20))]))
    for at in (22, content.index(b"PK\x01\x02") + 24):
        content[at : at + 4] = (10).to_bytes(4, "little")
    assert bundle_files.read_zip(bytes(content)) == {"plan.json": None}
