"""The Debian package: what it needs, what its scripts do, and that an installed program finds its firmware."""

import ctypes
import marshal
import re
import subprocess
import tomllib
from pathlib import Path

import msgspec
import pytest

from tools import image
from tools.package import (
    ADDED,
    BUILT,
    CENTRE,
    EXTRAS,
    FILES,
    PROGRAM,
    TOP,
    UV,
    UvLock,
    add_system_files,
    compile_program,
    control,
    finish,
    move,
    requirement,
)

SCRIPTS = [*FILES.iterdir(), *(path for path in image.FILES.rglob("*") if path.is_file() and path.read_bytes().startswith(b"#!"))]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_each_script_of_the_package_and_of_the_images_is_one_that_the_shell_can_read(script: Path) -> None:
    assert script.stat().st_mode & 0o111
    assert subprocess.run(["/bin/sh", "-n", script], check=False).returncode == 0


def test_the_package_is_for_the_python_that_compiled_it() -> None:
    text = control("0.1.0-7", "amd64", 1000)
    assert re.search(r"^Depends: python3 \(>= 3\.\d+~\), python3 \(<< 3\.\d+~\), ", text, re.MULTILINE)
    assert text.startswith("Package: twinwall\nVersion: 0.1.0-7\nArchitecture: amd64\n")
    assert all(line for line in text.splitlines()), "an empty line would begin another package"


def test_what_comes_as_source_is_compiled_from_the_files_whose_hashes_the_lock_has() -> None:
    lock = msgspec.toml.decode((TOP / "uv.lock").read_bytes(), type=UvLock)
    for name in BUILT:
        assert re.fullmatch(rf"{name}==[\d.]+( --hash=sha256:[0-9a-f]{{64}})+", requirement(lock, name))
    source_only = {package.name for package in lock.package if package.sdist and not package.wheels}
    assert source_only <= {"pymahjonggb"}, "whatever else comes as source only belongs into BUILT"


def test_the_packages_hold_what_every_extra_needs_but_the_data_sets() -> None:
    project = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    added = {added.extra for added in ADDED if added.extra}
    assert {*EXTRAS} | added == project["optional-dependencies"].keys() - {"dataset"}


def test_the_centre_is_a_distribution_and_a_package_of_the_programs_version() -> None:
    program, centre = (
        tomllib.loads((TOP / name).read_text(encoding="utf-8"))["project"] for name in ("pyproject.toml", "centre/pyproject.toml")
    )
    assert (centre["name"], centre["version"]) == (CENTRE.name, program["version"])
    assert centre["dependencies"] == [f"twinwall[postgresql]=={program['version']}"]
    assert "Package: twinwall-centre\n" in (text := control("0.1.0-7", "amd64", 100, CENTRE))
    assert "Depends: twinwall (= 0.1.0-7)\n" in text


def test_the_program_is_compiled_for_where_it_will_lie(tmp_path: Path) -> None:
    packages = tmp_path / PROGRAM / "lib" / "python3" / "site-packages"
    packages.mkdir(parents=True)
    (packages / "good.py").write_text("def answer() -> int:\n    return 1\n", encoding="utf-8")
    (packages / "of_another_python.py").write_text("print 1\n", encoding="utf-8")
    compile_program(tmp_path)
    (compiled,) = (packages / "__pycache__").iterdir()
    code = marshal.loads(compiled.read_bytes()[16:])
    assert code.co_filename == "/opt/twinwall/.venv/lib/python3/site-packages/good.py", "as errors name it"
    assert int.from_bytes(compiled.read_bytes()[8:12], "little") == int((packages / "good.py").stat().st_mtime), "it is taken as long as"


def test_what_nobody_uses_is_left_out_and_a_library_loads_without_its_debugging_names(tmp_path: Path) -> None:
    packages = tmp_path / PROGRAM / "lib" / "python3" / "site-packages"
    kept = ("babel/locale-data/ja.dat", "numpy/testing/utils.py", "numpy/_core/numeric.py")
    for name in (*kept, "babel/locale-data/fr.dat", "numpy/tests/tests/test_a.py", "numpy/core.pyi", "fontTools/a.c", "cv2/data/a.xml"):
        (packages / name).parent.mkdir(parents=True, exist_ok=True)
        (packages / name).touch()
    (packages / "library.c").write_text("int answer(void) { return 7; }", encoding="utf-8")
    library = packages / "library.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-g", "-o", library, packages / "library.c"], check=True)
    before = library.stat().st_size
    finish(tmp_path)
    left = {str(path.relative_to(packages)) for path in packages.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    assert left == {*kept, "library.so"}
    assert library.stat().st_size < before
    assert ctypes.CDLL(str(library)).answer() == 7


def test_a_package_that_is_not_installed_leaves_no_folder_that_python_takes_for_it(tmp_path: Path) -> None:
    root, own = tmp_path / "root", tmp_path / "own"
    (root / "google" / "cloud").mkdir(parents=True)
    before = {*root.rglob("*")}
    for name in ("centre/commands/consume.py", "google/added.py"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    move({*root.rglob("*")} - before, root, own)
    assert {*root.rglob("*")} == before
    assert {str(path.relative_to(own)) for path in own.rglob("*.py")} == {"centre/commands/consume.py", "google/added.py"}


@pytest.mark.nightly  # fetches hatchling
def test_a_clean_clone_builds_its_wheel(tmp_path: Path) -> None:
    subprocess.run(["git", "clone", "--quiet", "--depth", "1", TOP.as_uri(), tmp_path / "clone"], check=True)
    done = subprocess.run([UV, "build", "--quiet", "--wheel"], cwd=tmp_path / "clone", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert list((tmp_path / "clone" / "dist").glob("twinwall-*.whl"))


def test_units_users_command_and_examples_are_in_it(tmp_path: Path) -> None:
    add_system_files(tmp_path)
    assert (tmp_path / "usr/bin/twinwall").readlink() == Path("/opt/twinwall/.venv/bin/twinwall")
    units = tmp_path / "usr/lib/systemd/system"
    for name in (
        "twinwall-.service.d/sandbox.conf",
        "twinwall-table.service",
        "../../sysusers.d/twinwall.conf",
        "../../tmpfiles.d/twinwall.conf",
    ):
        assert (units / name).exists()
    assert not (units / "tmpfiles.conf").exists()
    assert (tmp_path / "usr/share/doc/twinwall/examples/phones.toml").exists()


def test_the_boards_port_is_opened_to_whoever_sits_at_the_computer(tmp_path: Path) -> None:
    add_system_files(tmp_path)
    (file,) = (tmp_path / "usr/lib/udev/rules.d").iterdir()
    assert file.name < "73-seat-late.rules", "systemd's rule for the tag comes after it"
    rules = [line for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    assert rules
    for rule in rules:
        assert re.fullmatch(r'(\w+(\{\w+\})?(==|\+=|=)"[^"]+"(, |$))+', rule)
        assert rule.endswith(
            'TAG+="uaccess"' if 'SUBSYSTEM=="tty"' in rule else 'SUBSYSTEM=="gpio", KERNEL=="gpiochip*", GROUP="gpio", MODE="0660"'
        )


@pytest.mark.parametrize(("active", "status"), [("twinwall-table.service loaded active running", 1), ("", 0)])
def test_an_upgrade_is_refused_while_a_service_runs(tmp_path: Path, active: str, status: int) -> None:
    (tmp_path / "systemctl").write_text(f"#!/bin/sh\necho '{active}'\n", encoding="utf-8")
    (tmp_path / "systemctl").chmod(0o755)
    script = (FILES / "preinst").read_text(encoding="utf-8").replace("/run/systemd/system", str(tmp_path)).replace("/proc/", "/none/")
    words, path = ["/bin/sh", "-s", "upgrade", "0.1.0-1"], f"{tmp_path}:/usr/bin:/bin"
    done = subprocess.run(words, check=False, capture_output=True, text=True, input=script, env={"PATH": path})
    assert done.returncode == status
    assert ("stop twinwall-table.service, upgrade" in done.stderr) == bool(status)


@pytest.mark.parametrize(("words", "status"), [("hall serve /srv/club", 1), ("upgrade new.deb", 0)])
def test_an_upgrade_is_refused_while_a_program_runs_that_is_no_service(tmp_path: Path, words: str, status: int) -> None:
    (tmp_path / "17").mkdir()
    command = f"/opt/twinwall/.venv/bin/python /usr/bin/twinwall {words} "
    (tmp_path / "17" / "cmdline").write_text(command.replace(" ", "\0"), encoding="utf-8")
    (tmp_path / "18").mkdir()
    part = "/opt/twinwall/.venv/bin/python -P -m cli hall broker --settings b.toml " if status else ""
    (tmp_path / "18" / "cmdline").write_text(part.replace(" ", "\0"), encoding="utf-8")
    script = (FILES / "preinst").read_text(encoding="utf-8").replace("/proc/", f"{tmp_path}/").replace("/run/systemd/system", "/none")
    done = subprocess.run(["/bin/sh", "-s", "upgrade", "0.1.0-1"], check=False, capture_output=True, text=True, input=script)
    assert done.returncode == status
    said = "stop /usr/bin/twinwall hall serve /srv/club (process 17), twinwall hall broker --settings b.toml (process 18), upgrade"
    assert (said in done.stderr) == bool(status)


def test_events_and_settings_stay_when_the_package_goes(tmp_path: Path) -> None:
    script = (FILES / "postrm").read_text(encoding="utf-8")
    assert "rm -rf /opt/twinwall/.venv\n" in script
    assert not re.search(r"rm .*(/etc|/var)", script)
    kept = tmp_path / ".venv"
    kept.mkdir()
    moved = script.replace("/opt/twinwall", str(tmp_path)).replace("/run/systemd/system", str(tmp_path / "none"))
    assert subprocess.run(["/bin/sh", "-s", "upgrade", "0.2.0-1"], check=False, text=True, input=moved).returncode == 0
    assert kept.exists(), "the next version lies there already when the old one's script runs"
