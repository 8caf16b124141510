"""What ``tools.sbom`` and ``tools.release`` write: a list of parts as CycloneDX 1.6 asks for it, and the same bytes each time."""

import io
import re
import subprocess
import tarfile
import tomllib
from pathlib import Path

import msgspec
import pytest

from tests.support.patience import PATIENCE_S
from tools import release
from tools.sbom import TOP, SbomError, bill_of_materials, licence_of, python_parts, written
from twinwall.wire.messages.signing import Signer
from twinwall.wire.release_manifest import checked_release

SIGNER = Signer("", b"\x21" * 32)
KINDS = "application framework library container platform operating-system device device-driver firmware file machine-learning-model data"
PURL = re.compile(r"pkg:(pypi|deb|generic)/[\w.+/-]+(@[\w.+-]+)?(\?checksum=sha256:[0-9a-f]{64})?")


class Digested(msgspec.Struct):
    """A hash of the list."""

    alg: str
    content: str


class File(msgspec.Struct):
    type: str
    url: str
    hashes: list[Digested]


class Part(msgspec.Struct):
    """A component of the list."""

    type: str
    name: str
    purl: str
    version: str | None = None
    scope: str = "required"
    licenses: list[dict[str, str | dict[str, str]]] = []
    hashes: list[Digested] = []
    files: list[File] = msgspec.field(name="externalReferences", default_factory=list)
    reference: str = msgspec.field(name="bom-ref", default="")


class About(msgspec.Struct):
    """When the list was made, and of what."""

    timestamp: str
    component: Part


class Bill(msgspec.Struct):
    """The list, with what CycloneDX 1.6 requires of it."""

    form: str = msgspec.field(name="bomFormat")
    spec: str = msgspec.field(name="specVersion")
    version: int
    metadata: About
    components: list[Part]
    dependencies: list[dict[str, str | list[str]]]


@pytest.fixture(scope="module")
def bill() -> Bill:
    """The list of this clone."""
    return msgspec.json.decode(written(bill_of_materials(TOP, 0)), type=Bill)


def test_the_list_of_parts_has_what_cyclonedx_requires(bill: Bill) -> None:
    assert (bill.form, bill.spec, bill.version) == ("CycloneDX", "1.6", 1)
    assert bill.metadata.timestamp == "1970-01-01T00:00:00Z"
    for part in (*bill.components, bill.metadata.component):
        assert part.type in KINDS.split()
        assert part.name
        assert PURL.fullmatch(part.purl), part.purl
        assert part.scope in ("required", "excluded")
    references = [part.reference for part in bill.components]
    assert len(set(references)) == len(references)
    assert bill.dependencies == [{"ref": bill.metadata.component.reference, "dependsOn": references}]


def test_every_part_has_hashes_and_a_licence_but_what_apt_checks(bill: Bill) -> None:
    for part in bill.components:
        if part.purl.startswith("pkg:deb/"):
            continue
        digests = [*part.hashes, *(digest for file in part.files for digest in file.hashes)]
        assert digests, part.name
        assert all(digest.alg == "SHA-256" and re.fullmatch("[0-9a-f]{64}", digest.content) for digest in digests)
        assert part.version, part.name
        (licence,) = part.licenses
        assert licence.keys() <= {"expression", "license"}


def test_the_list_has_the_packages_of_the_lock_and_none_of_the_tests(bill: Bill) -> None:
    project = tomllib.loads((TOP / "pyproject.toml").read_text())
    names = {part.name: part.scope for part in bill.components}

    def plain(specifiers: list[str]) -> set[str]:
        return {re.split(r"[<>=]", text)[0].lower() for text in specifiers}

    assert {name for name in plain(project["project"]["dependencies"]) if names.get(name) != "required"} == set()
    assert {name for name in plain(project["dependency-groups"]["build"]) if names.get(name) != "excluded"} == set()
    assert names.keys() & plain(project["dependency-groups"]["dev"]) == set()
    assert {"colorama", "torch"} & names.keys() == set()


def test_the_list_has_firmware_weights_and_packages_of_debian(bill: Bill, tmp_path: Path) -> None:
    kinds = {part.name: part.type for part in bill.components}
    assert kinds["vision/model/weights/tiles.onnx"] == "machine-learning-model"
    assert kinds["gcc"] == kinds["python3"] == "application"
    (firmware,) = [part for part in bill.components if part.type == "firmware"]
    header = tmp_path / "digest.h"
    subprocess.run(["make", "--silent", "-C", TOP / "firmware", f"BUILD={tmp_path}", header], check=True, timeout=PATIENCE_S)
    told = re.findall("0x(..)", header.read_text())
    assert firmware.hashes[0].content.startswith("".join(told)), "what a feeder tells in HELLO_ACK"


def test_a_package_whose_licence_nobody_has_written_down_is_named() -> None:
    with pytest.raises(SbomError, match="axe-playwright-python does not name its licence"):
        licence_of("axe-playwright-python")


def test_a_clone_that_is_not_ready_is_told_to_be_made_ready(tmp_path: Path) -> None:
    with pytest.raises(SbomError, match="make setup"):
        python_parts(tmp_path, "required")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A small project under git."""
    (tmp_path / "b.txt").write_text("b")
    (tmp_path / "a.txt").write_text("a")
    named = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    for words in (["init", "-q"], ["add", "-A"], [*named, "commit", "-q", "-m", "first"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True, timeout=PATIENCE_S)
    return tmp_path


def test_the_archive_of_a_commit_has_the_same_bytes_whatever_the_files_of_the_clone(clone: Path) -> None:
    first = release.archive(clone, "1.2.3")
    (clone / "a.txt").touch()
    (clone / ".git" / "config").write_text("[core]\n\trepositoryformatversion = 0\n\tautocrlf = true\n[tar]\n\tumask = 0\n")
    assert release.archive(clone, "1.2.3") == first
    with tarfile.open(fileobj=io.BytesIO(first)) as tar:
        assert tar.getnames() == ["twinwall-1.2.3", "twinwall-1.2.3/a.txt", "twinwall-1.2.3/b.txt"]
        assert len({member.mtime for member in tar.getmembers()}) == 1


def test_a_clone_that_differs_from_its_commit_is_refused(clone: Path) -> None:
    release.refuse_uncommitted(clone)
    (clone / "new file.txt").touch()
    with pytest.raises(release.ReleaseError, match=r"1 files are not as in HEAD.*new file\.txt"):
        release.refuse_uncommitted(clone)


def test_what_is_made_is_what_the_check_accepts() -> None:
    parts = {"twinwall-1.2.3-4.tar": b"sources", "twinwall-1.2.3-4.cdx.json": b"{}"}
    files = release.release_files(parts, version="1.2.3", number=4, commit="0" * 40, signer=SIGNER)
    signer, made = checked_release(files, {"Li Na": SIGNER.public})
    assert (signer, str(made), sorted(made.files)) == ("Li Na", "version 1.2.3, number 4", sorted(parts))


def test_wrong_use_of_the_release_command_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert release.main(["--key", str(tmp_path / "none.key"), "--out", str(tmp_path / "out")]) == 2
    assert "none.key" in capsys.readouterr().err
