"""scripts/setup: what it asks of a machine, with stand-ins for the machine's own commands."""

import os
import re
import shutil
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.patience import PATIENCE_S

TOP = Path(__file__).parents[2]
COMMANDS = "sh dirname printf cat sha256sum cut mkdir tail env rm find cmp cp sed grep date sleep"


@dataclass(frozen=True, slots=True)
class Machine:
    """A copy of the script and a PATH that holds only what is put there."""

    top: Path

    def has(self, name: str, script: str = "exit 0") -> None:
        """Put a command onto the machine; what it is called with is written down."""
        path = self.top / "bin" / name
        path.write_text(f'#!/bin/sh\necho "{name} $*" >> "{self.top}/calls"\n{script}\n')
        path.chmod(0o755)

    def setup(self, purpose: str = "run") -> subprocess.CompletedProcess[str]:
        """Run the script."""
        return subprocess.run(
            [self.top / "scripts" / "setup", purpose],
            env={"PATH": str(self.top / "bin")},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )

    @property
    def calls(self) -> str:
        """Every call of a stand-in, a line each."""
        path = self.top / "calls"
        return path.read_text() if path.exists() else ""


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A 64-bit machine with a good python3 and nothing else."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "scripts").mkdir()
    (tmp_path / "centre").mkdir()
    for name in ("uv.lock", "pyproject.toml", "centre/pyproject.toml"):
        (tmp_path / name).write_text("locked")
    for name in ("setup", "uv.txt"):
        shutil.copy(TOP / "scripts" / name, tmp_path / "scripts")
    for name in COMMANDS.split():
        (tmp_path / "bin" / name).symlink_to(shutil.which(name) or name)
    made = Machine(tmp_path)
    made.has("getconf", "echo 64")
    made.has("id", "echo 1000")
    made.has("python3", python3(tmp_path))
    made.has("make", f'echo "make $*" >> {tmp_path}/calls')
    made.has("gcc", ":")
    return made


def python3(top: Path) -> str:
    """A python3 whose ``-m venv`` makes a pip that brings a uv that makes a .venv, and whose headers are there once apt has run."""
    uv = f"""
        echo "uv $*" >> {top}/calls
        mkdir -p .venv/bin && : > .venv/bin/twinwall && /bin/chmod +x .venv/bin/twinwall"""
    pip = f"""
        echo "pip $*" >> {top}/calls
        printf '#!/bin/sh\\n%s\\n' '{uv}' > .build/uv/bin/uv
        /bin/chmod +x .build/uv/bin/uv"""
    return f"""
        case "$*" in
        *get_path*) echo {top}/include ;;
        *'-m venv'*) mkdir -p .build/uv/bin && cat > .build/uv/bin/pip <<'PIP' && /bin/chmod +x .build/uv/bin/pip
#!/bin/sh{pip}
PIP
        esac"""


def apt(machine: Machine) -> None:
    """Give the machine an apt-get that installs a compiler and Python's headers."""
    top = machine.top
    machine.has("apt-get", f"mkdir -p {top}/include; : > {top}/include/Python.h; : > {top}/bin/g++; /bin/chmod +x {top}/bin/g++")


@pytest.mark.parametrize(
    ("name", "script", "said"),
    [
        pytest.param("getconf", "echo 32", ("32-bit", "64-bit Raspberry Pi OS"), id="a 32-bit system, with what to install"),
        pytest.param(
            "python3",
            'case "$*" in -V) echo Python 3.9.2 ;; *3,\\ 11*) exit 1 ;; esac',
            ("Python 3.9.2, but Twinwall needs 3.11",),
            id="an old Python, by its version",
        ),
        pytest.param(
            "apt-get", "echo E: no network >&2; exit 100", ("E: no network", "apt failed"), id="an apt that fails, by its last lines"
        ),
    ],
)
def test_what_is_in_the_way_is_named(machine: Machine, name: str, script: str, said: tuple[str, ...]) -> None:
    machine.has(name, script)
    machine.has("id", "echo 0")
    done = machine.setup()
    assert done.returncode == 2
    assert [words for words in said if words not in done.stderr] == []


def test_without_root_and_sudo_the_exact_apt_command_is_told(machine: Machine) -> None:
    apt(machine)
    done = machine.setup()
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.rstrip().endswith("run: apt-get install --no-install-recommends g++ python3-dev")
    assert "apt-get" not in machine.calls


def test_a_sudo_that_wants_a_password_is_not_tried_where_nobody_can_type_it(machine: Machine) -> None:
    apt(machine)
    machine.has("sudo", '[ "$1" != -n ]')
    done = machine.setup()
    assert done.returncode == 2
    assert "apt-get install" in done.stderr
    assert "apt-get" not in machine.calls


@pytest.mark.parametrize("root", [True, False])
def test_missing_packages_are_installed_in_one_go_and_said_in_one_line(machine: Machine, root: bool) -> None:
    apt(machine)
    machine.has("sudo", '[ "$1" = -n ] && exit 0; exec "$@"')
    machine.has("id", f"echo {0 if root else 1000}")
    done = machine.setup()
    assert done.returncode == 0, done.stderr
    assert (
        done.stderr.splitlines()[0]
        == f"setup: installing with {'apt' if root else 'sudo apt'}: g++ python3-dev (for compiling PyMahjongGB); a minute or more"
    )
    assert machine.calls.count("install g++ python3-dev") >= 1
    assert ("sudo env" in machine.calls) is not root


def test_a_step_that_takes_long_says_that_it_goes_on_and_the_end_says_how_long_it_took(machine: Machine) -> None:
    top = machine.top
    machine.has("id", "echo 0")
    (top / "bin" / "sleep").unlink()
    machine.has("sleep", f"[ -e {top}/once ] && : >{top}/twice; : >{top}/once; exec /bin/sleep 0.01")
    machine.has("apt-get", f"until [ -e {top}/twice ]; do /bin/sleep 0.01; done; mkdir -p {top}/include; : >{top}/include/Python.h")
    machine.has("g++")
    done = machine.setup()
    assert done.returncode == 0, done.stderr
    assert re.search(r"^setup: still running: \d+ s$", done.stderr, re.MULTILINE)
    assert re.search(r"^setup: ready after \d+ s; ", done.stderr, re.MULTILINE)


def test_a_second_run_does_nothing_and_a_new_lock_installs_again(machine: Machine) -> None:
    apt(machine)
    machine.has("id", "echo 0")
    assert machine.setup().returncode == 0
    first = machine.calls.count("uv --quiet sync")
    again = machine.setup()
    assert (again.returncode, again.stderr) == (0, "")
    assert machine.calls.count("uv --quiet sync") == first == 1
    (machine.top / "uv.lock").write_text("another lock")
    assert machine.setup().returncode == 0
    assert machine.calls.count("uv --quiet sync") == 2


def test_uv_and_the_packages_are_fetched_by_their_hashes_and_another_uv_when_its_hashes_change(machine: Machine) -> None:
    apt(machine)
    machine.has("id", "echo 0")
    assert machine.setup().returncode == 0
    assert "install --require-hashes --only-binary :all: -r scripts/uv.txt" in machine.calls
    assert (
        "sync --frozen --python python3 --no-build-isolation-package twinwall --no-build-isolation-package twinwall-centre --no-dev"
        in machine.calls
    )
    (machine.top / "scripts" / "uv.txt").write_text("uv==0.13.9 --hash=sha256:00")
    assert "fetching uv 0.13.9" in machine.setup().stderr
    assert machine.calls.count("pip --quiet") == 2


def test_every_file_of_the_lock_has_a_hash_and_what_is_built_from_source_is_built_by_packages_of_the_lock() -> None:
    lock = tomllib.loads((TOP / "uv.lock").read_text())
    project = tomllib.loads((TOP / "pyproject.toml").read_text())
    fetched = [package for package in lock["package"] if "registry" in package["source"]]
    files = [file for package in fetched for file in (*package.get("wheels", ()), *([package["sdist"]] if "sdist" in package else ()))]
    assert [file["url"] for file in files if not file.get("hash", "").startswith("sha256:")] == []
    assert {package["name"] for package in lock["package"]} - {package["name"] for package in fetched} == {"twinwall", "twinwall-centre"}
    built_here = set(project["tool"]["uv"]["no-build-isolation-package"])
    assert {package["name"] for package in fetched if not package.get("wheels")} <= built_here
    assert "--no-build-isolation-package twinwall" in (TOP / "scripts" / "setup").read_text()
    assert "build" in project["tool"]["uv"]["default-groups"]


def test_an_unknown_purpose_is_wrong_use(machine: Machine) -> None:
    assert machine.setup("party").returncode == 2


def recipe(target: str) -> str:
    """What make would run for a target."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")} | {"MAKEFLAGS": ""}
    command = ["make", "--dry-run", target]
    return subprocess.run(command, cwd=TOP, env=environment, capture_output=True, text=True, check=True, timeout=PATIENCE_S).stdout


TARGETS = {
    "demo": "run",
    "setup": "run",
    "test": "test",
    "quick": "test",
    "nightly": "test",
    "check": "test",
    "image": "image",
    "firmware": "firmware",
    "firmware-check": "firmware",
    "flash": "flash",
}


@pytest.mark.parametrize(("target", "purpose"), TARGETS.items())
def test_every_target_makes_the_machine_ready_first(target: str, purpose: str) -> None:
    assert recipe(target).splitlines()[0].endswith(f"scripts/setup {purpose}")


def test_the_continuous_integration_runs_the_tests() -> None:
    run = TOP / ".ci" / "run"
    assert os.access(run, os.X_OK)
    assert run.read_text().rstrip().endswith("exec make test")


def test_an_environment_sees_the_systems_packages_where_picamera2_is_among_them(machine: Machine) -> None:
    apt(machine)
    machine.has("id", "echo 0")
    settings, script = machine.top / ".venv" / "pyvenv.cfg", machine.top / "scripts" / "setup"
    settings.parent.mkdir()
    settings.write_text("include-system-site-packages = false\n")
    script.write_text(script.read_text().replace("/usr/lib/python3/dist-packages", str(machine.top)))
    assert machine.setup().returncode == 0
    assert settings.read_text() == "include-system-site-packages = false\n"
    (machine.top / "picamera2").mkdir()
    assert machine.setup().returncode == 0
    assert settings.read_text() == "include-system-site-packages = true\n"
