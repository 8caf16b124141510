"""``twinwall admin``: the upgrade of an installation, and one file for the service, without secrets, names of people or tiles."""

import json
import shutil
import stat
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from cli import main
from cli.table.upgrade import Installation, upgrade
from cli.usage import DoesNotHoldError, UsageError
from config import write
from controller.device_settings import ServiceSection
from controller.ledger.journal_lines import JournalChain
from controller.settings import LedgerSection, SeatsSection, TableSettings
from tests.support.commands import Twinwall
from tests.support.disks import full_disk
from tools.default_settings import TABLE

DEB = "Package: twinwall\nVersion: 0.9.0-900\n"
OWN = 40


class Programs:
    """What the machine's programs answer, and which were told to install."""

    def __init__(self, answers: Mapping[str, tuple[int, str]] | None = None, ends_with: int = 0) -> None:
        self.answers = {"dpkg-deb": (0, DEB), "dpkg-query": (0, "0.1.0-842"), "dpkg": (1, ""), "systemctl": (127, ""), **(answers or {})}
        self.ends_with = ends_with
        self.installed: list[Sequence[str]] = []

    def ask(self, words: Sequence[str]) -> tuple[int, str]:
        return self.answers[words[0]]

    def install(self, words: Sequence[str]) -> int:
        self.installed.append(words)
        return self.ends_with


@pytest.fixture
def debian(tmp_path: Path) -> Installation:
    (tmp_path / "program").mkdir()
    (tmp_path / "proc").mkdir()
    (tmp_path / "twinwall.list").write_text(f"/.\n/opt\n{tmp_path}/program\n", encoding="utf-8")
    return Installation(tmp_path / "program", tmp_path / "proc", tmp_path / "twinwall.list", frozenset({OWN}), root=True)


@pytest.fixture
def package(tmp_path: Path) -> Path:
    file = tmp_path / "twinwall_0.9.0-900_amd64.deb"
    file.touch()
    return file


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    file = tmp_path / "twinwall-99.0.0-py3-none-linux_x86_64.whl"
    file.touch()
    return file


def runs(installation: Installation, number: int, *words: str) -> None:
    folder = installation.processes / str(number)
    folder.mkdir()
    (folder / "cmdline").write_text("\0".join(words) + "\0", encoding="utf-8")


def test_a_debian_package_is_installed_by_apt_and_each_step_is_said(
    debian: Installation, package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    programs = Programs()
    upgrade(package, debian, programs.ask, programs.install)
    assert programs.installed == [("apt-get", "install", "--yes", str(package))]
    assert capsys.readouterr().out.splitlines() == [
        "installed: 0.1.0-842, as a Debian package",
        f"to install: 0.9.0-900, from {package}",
        "kept: settings, journals, stores and the folders of halls; the new program goes on with them",
        f"running: apt-get install --yes {package}",
        "installed: 0.9.0-900. Start what was stopped; an event's store gets its new form, if there is one, when it is first opened",
    ]


def test_the_packages_that_add_to_the_program_are_installed_with_it(debian: Installation, package: Path) -> None:
    (debian.debian_list.parent / "twinwall-centre.list").touch()
    with pytest.raises(DoesNotHoldError, match=f"put twinwall-centre_.* beside {package.name}"):
        upgrade(package, debian, Programs().ask, Programs().install)
    centre = package.with_name(package.name.replace("twinwall_", "twinwall-centre_"))
    centre.touch()
    programs = Programs()
    upgrade(package, debian, programs.ask, programs.install)
    assert programs.installed == [("apt-get", "install", "--yes", str(package), str(centre))]


@pytest.mark.parametrize(("mark", "words"), [("uv-receipt.toml", ("uv", "tool")), ("pipx_metadata.json", ("pipx",))])
def test_a_wheel_is_installed_by_the_program_that_installed_the_first(
    debian: Installation, wheel: Path, mark: str, words: tuple[str, ...]
) -> None:
    (debian.prefix / mark).touch()
    programs = Programs()
    upgrade(wheel, debian, programs.ask, programs.install)
    assert programs.installed == [(*words, "install", "--force", str(wheel))]


def test_a_wheel_that_lies_beside_compiled_packages_is_installed_without_a_compiler(debian: Installation, wheel: Path) -> None:
    (wheel.parent / "pymahjonggb-1.4.0-cp311-cp311-linux_x86_64.whl").touch()
    for mark, words in (
        ("pipx_metadata.json", ("pipx", "install", "--force", "--pip-args", f"--only-binary=:all: --find-links={wheel.parent}")),
        ("uv-receipt.toml", ("uv", "tool", "install", "--force", "--no-build", "--find-links", str(wheel.parent))),
    ):
        (debian.prefix / mark).touch()
        programs = Programs()
        upgrade(wheel, debian, programs.ask, programs.install)
        assert programs.installed == [(*words, str(wheel))]


@pytest.mark.parametrize(
    ("running", "service", "said"),
    [
        (("python /usr/bin/twinwall hall serve club",), "", r"stop twinwall hall serve club \(process 1\), then upgrade"),
        (("python -P -m cli vault run --settings f.toml",), "", r"stop twinwall vault run --settings f\.toml \(process 1\), then"),
        (("twinwall table",) * 5, "", r"\(process 3\) and 2 more, then"),
        ((), "twinwall-table.service loaded active running Twinwall: the controller\n", r"stop twinwall-table\.service, then"),
    ],
    ids=["a program", "a process of a hall, as a person types it", "many, which are counted", "a service"],
)
def test_what_runs_of_this_installation_stops_the_upgrade(
    debian: Installation, package: Path, running: Sequence[str], service: str, said: str
) -> None:
    for number, words in enumerate(running, start=1):
        runs(debian, number, *f"{debian.prefix}/bin/{words}".split())
    programs = Programs({"systemctl": (0, service)} if service else {})
    with pytest.raises(DoesNotHoldError, match=said):
        upgrade(package, debian, programs.ask, programs.install)
    assert programs.installed == []


def test_the_upgrade_itself_and_other_installations_do_not_stop_it(debian: Installation, package: Path) -> None:
    runs(debian, OWN, f"{debian.prefix}/bin/python", "/usr/bin/twinwall", "upgrade", str(package))
    runs(debian, 8, "/home/li/clone/.venv/bin/python", "twinwall", "demo")
    runs(debian, 9, "less", "/tmp/notes", f"{debian.prefix}/bin/twinwall")
    programs = Programs()
    upgrade(package, debian, programs.ask, programs.install)
    assert len(programs.installed) == 1


def test_an_older_package_is_refused_until_it_is_allowed(debian: Installation, package: Path) -> None:
    programs = Programs({"dpkg": (0, "")})
    with pytest.raises(DoesNotHoldError, match=r"0\.9\.0-900 is older than 0\.1\.0-842.*--allow-older"):
        upgrade(package, debian, programs.ask, programs.install)
    upgrade(package, debian, programs.ask, programs.install, older=True)
    assert programs.installed == [("apt-get", "install", "--yes", "--allow-downgrades", str(package))]


def test_an_older_wheel_is_known_by_its_numbers(debian: Installation, tmp_path: Path) -> None:
    (debian.prefix / "uv-receipt.toml").touch()
    older = tmp_path / "twinwall-0.0.10-py3-none-any.whl"
    older.touch()
    with pytest.raises(DoesNotHoldError, match="is older"):
        upgrade(older, debian, Programs().ask, Programs().install)


def test_with_look_nothing_is_installed(debian: Installation, package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    programs = Programs()
    upgrade(package, debian, programs.ask, programs.install, look=True)
    assert programs.installed == []
    assert capsys.readouterr().out.splitlines()[-1] == f"would run: apt-get install --yes {package}"


def test_a_failed_installation_is_no_success(debian: Installation, package: Path) -> None:
    programs = Programs(ends_with=100)
    with pytest.raises(DoesNotHoldError, match="apt-get ended with 100"):
        upgrade(package, debian, programs.ask, programs.install)


def test_a_debian_package_needs_root(package: Path, debian: Installation) -> None:
    programs = Programs()
    user = Installation(debian.prefix, debian.processes, debian.debian_list)
    with pytest.raises(DoesNotHoldError, match="with sudo"):
        upgrade(package, user, programs.ask, programs.install)
    assert programs.installed == []


def test_a_file_of_another_kind_or_none_is_wrong_use(debian: Installation, wheel: Path, tmp_path: Path) -> None:
    other = Programs({"dpkg-deb": (2, "")})
    with pytest.raises(UsageError, match="is not a Debian package of Twinwall"):
        upgrade(wheel, debian, other.ask, other.install)
    with pytest.raises(UsageError, match="there is no such file"):
        upgrade(tmp_path / "none.deb", debian, other.ask, other.install)
    (debian.prefix / "uv-receipt.toml").touch()
    (tmp_path / "other.whl").touch()
    with pytest.raises(UsageError, match="is not a wheel of Twinwall"):
        upgrade(tmp_path / "other.whl", debian, other.ask, other.install)


@pytest.fixture
def settings(tmp_path: Path) -> TableSettings:
    """A table whose journal tells of a missing tile."""
    folder = tmp_path / "ledger"
    folder.mkdir()
    lines = (
        {"seq": 1, "at": "2026-11-20T10:00:00.000Z", "type": "deal-opened", "n": 1, "walls": {"E": {"hand": "2s 7p"}}},
        {"seq": 2, "at": "2026-11-20T10:00:01.000Z", "type": "fault", "code": "missing", "where": "drum", "sentence": "One 3p is missing"},
    )
    chain = JournalChain(None)
    (folder / "table.journal").write_bytes(b"".join(chain.write(json.dumps(line).encode()) for line in lines))
    (folder / "feeder-link.json").write_text('{"frames_sent":12}\n')
    return replace(TABLE, ledger=LedgerSection(folder), seats=SeatsSection(("4711", "12", "3", "4")))


def packed(tmp_path: Path, settings: TableSettings, *more: str) -> dict[str, str]:
    write(tmp_path / "table.toml", settings)
    out = tmp_path / "service.zip"
    assert main(["admin", "pack", "--settings", str(tmp_path / "table.toml"), "--out", str(out), *more]) == 0
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    with zipfile.ZipFile(out) as file:
        return {name: file.read(name).decode() for name in file.namelist()}


def test_the_file_has_settings_versions_line_and_faults_and_no_tile_and_no_name(tmp_path: Path, settings: TableSettings) -> None:
    parts = packed(tmp_path, settings)
    assert set(parts) == {"about.json", "settings.toml", "feeder-link.json", "faults.jsonl"}
    assert json.loads(parts["about.json"])["packages"]["pyserial"]
    assert "4711" not in "".join(parts.values())
    assert json.loads(parts["faults.jsonl"])["code"] == "missing"
    assert "3p" not in parts["faults.jsonl"]
    assert "2s 7p" not in "".join(parts.values())


def test_with_the_service_switch_on_faults_keep_their_sentences(
    tmp_path: Path, settings: TableSettings, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = packed(tmp_path, replace(settings, service=ServiceSection(switch=True)))
    assert "One 3p is missing" in parts["faults.jsonl"]
    assert "may name tiles" in capsys.readouterr().err


def test_what_a_check_printed_can_go_along(tmp_path: Path, settings: TableSettings, twinwall: Twinwall) -> None:
    (tmp_path / "check.json").write_text('{"passed": 96}')
    assert packed(tmp_path, settings, "--attach", str(tmp_path / "check.json"))["attached/check.json"] == '{"passed": 96}'
    (tmp_path / "other").mkdir()
    shutil.copy(tmp_path / "check.json", tmp_path / "other")
    both = [word for folder in (tmp_path, tmp_path / "other") for word in ("--attach", folder / "check.json")]
    twinwall("admin", "pack", "--settings", tmp_path / "table.toml", "--out", tmp_path / "both.zip", *both, code=2)


def test_a_full_disk_leaves_no_half_of_a_file(tmp_path: Path, settings: TableSettings, twinwall: Twinwall) -> None:
    write(tmp_path / "table.toml", settings)
    with full_disk(100):
        refused = twinwall("admin", "pack", "--settings", tmp_path / "table.toml", "--out", tmp_path / "service.zip", code=2)
    assert "cannot be written: File too large" in refused.err
    assert not (tmp_path / "service.zip").exists()


def test_a_file_that_exists_is_not_overwritten(tmp_path: Path, settings: TableSettings, twinwall: Twinwall) -> None:
    packed(tmp_path, settings)
    assert (
        "exists: name another file, or remove it"
        in twinwall("admin", "pack", "--settings", tmp_path / "table.toml", "--out", tmp_path / "service.zip", code=2).err
    )


def test_a_table_that_has_not_begun_is_packed_as_well(tmp_path: Path, settings: TableSettings) -> None:
    assert set(packed(tmp_path, replace(settings, ledger=LedgerSection(tmp_path / "nothing")))) == {"about.json", "settings.toml"}
