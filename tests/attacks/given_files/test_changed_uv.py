"""Attack 30: whoever keeps a package index, or stands before it, gives the set-up another uv.

The pip is the real one; only the folder that it installs from is the test's.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.support.patience import PATIENCE_S

TOP = Path(__file__).parents[3]
(VERSION,) = re.findall(r"^uv==(\S+)", (TOP / "scripts" / "uv.txt").read_text(), re.MULTILINE)
PIP = f'#!/bin/sh\nexec {TOP}/.build/uv/bin/pip "$@" --ignore-installed --prefix .build/uv\n'
PYTHON = f"""
case "$*" in
*'-m venv'*) mkdir -p .build/uv/bin && cp bin/real-pip .build/uv/bin/pip ;;
*) exec {sys.executable} "$@" ;;
esac"""
STAND_INS = {"getconf": "echo 64", "make": ":", "python3": PYTHON, "swig": ":", "g++": ":", "gcc": ":"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the set-up, and an index whose uv writes down that it ran."""
    for name in ("scripts", "bin", "index", ".venv/bin"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("uv.lock", "pyproject.toml"):
        (tmp_path / name).write_text("")
    for name in ("setup", "uv.txt"):
        shutil.copy(TOP / "scripts" / name, tmp_path / "scripts")
    for name, does in STAND_INS.items():
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{does}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    (tmp_path / "bin" / "real-pip").write_text(PIP)
    (tmp_path / ".venv" / "bin" / "twinwall").touch()  # as if compiled already: no compiler's headers are asked for
    for name in ("bin/real-pip", ".venv/bin/twinwall"):
        (tmp_path / name).chmod(0o755)
    about = f"uv-{VERSION}.dist-info"
    with zipfile.ZipFile(tmp_path / "index" / f"uv-{VERSION}-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: uv\nVersion: {VERSION}\n")
        wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{about}/RECORD", "")
        program = zipfile.ZipInfo(f"uv-{VERSION}.data/scripts/uv")
        program.external_attr = 0o100755 << 16
        wheel.writestr(program, f"#!/bin/sh\n: > {tmp_path}/uv-ran\n")
    return tmp_path


def set_up(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the set-up with pip's index in the folder."""
    pip = {"PIP_CONFIG_FILE": os.devnull, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(folder / "index")}
    return subprocess.run(
        [folder / "scripts" / "setup"],
        env={"PATH": f"{folder / 'bin'}:{os.environ['PATH']}", **pip},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )


def test_a_uv_of_another_hash_is_refused_with_a_sentence_before_it_runs(folder: Path) -> None:
    done = set_up(folder)
    assert done.returncode == 2
    assert f"refused: what the package index gives as uv {VERSION} is not the file whose SHA-256 stands in scripts/uv.txt" in done.stderr
    assert not (folder / "uv-ran").exists()


def test_control_a_uv_whose_hash_is_named_is_installed_and_runs(folder: Path) -> None:
    (wheel,) = (folder / "index").iterdir()
    (folder / "scripts" / "uv.txt").write_text(f"uv=={VERSION} --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n")
    done = set_up(folder)
    assert done.returncode == 0, done.stderr
    assert (folder / "uv-ran").exists()
