"""``twinwall admin upgrade``: puts a newer package in this program's place, in the way in which this program was installed. It says what is
replaced, what stays and what it runs. While a program of this installation runs nothing is replaced, since an event may be on. What an
event has kept is not touched: the new program goes on with it."""

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from importlib.metadata import version
from pathlib import Path

from cli.usage import DoesNotHoldError, UsageError, argument, takes
from twinwall.values import frozen

_DESCRIPTION = """twinwall admin upgrade FILE installs the package FILE (.deb or .whl, as make package writes them) in place of this
program, in the way in which this program was installed. It refuses while a program of Twinwall runs, and a version that is older.
Settings, journals, stores and the folders of halls stay as they are."""
_WHEEL = re.compile(r"twinwall-(\d+(?:\.\d+)*)-.+\.whl")
_KEPT = "kept: settings, journals, stores and the folders of halls; the new program goes on with them"
_UNITS = ("systemctl", "list-units", "--plain", "--no-legend", "--state=active,activating", "twinwall-*.service")

MOST_NAMED = 3
"""This many programs that run are named, and the others counted."""

Ask = Callable[[Sequence[str]], tuple[int, str]]
"""Runs a program and gives its exit code and what it prints; 127 where there is no such program."""
Install = Callable[[Sequence[str]], int]
"""Runs a program that prints for itself, and gives its exit code."""


class Way(Enum):
    """How a program was installed."""

    DEBIAN = "a Debian package"
    UV = "a tool of uv"
    PIPX = "an application of pipx"


@frozen
class Installation:
    """Where this program and this machine's lists are; ``own`` are the numbers of this process and of those that began it."""

    prefix: Path
    processes: Path = Path("/proc")
    debian_list: Path = Path("/var/lib/dpkg/info/twinwall.list")
    own: frozenset[int] = frozenset()
    root: bool = False

    def way(self) -> Way:
        """How it was installed; raises UsageError where no package can replace it."""
        if (self.prefix / "uv-receipt.toml").exists():
            return Way.UV
        if (self.prefix / "pipx_metadata.json").exists():
            return Way.PIPX
        if self.debian_list.exists() and str(self.prefix) in self.debian_list.read_text(encoding="utf-8").splitlines():
            return Way.DEBIAN
        raise UsageError(
            f"the program in {self.prefix} was not installed as a package: in a clone say git pull and make setup; for a signed release "
            "see docs/how-to/release.md"
        )

    def added(self, file: Path) -> Iterator[Path]:
        """The files, beside that of the program, of each installed package that adds to it; raises DoesNotHoldError for one missing."""
        for package in sorted(self.debian_list.parent.glob("twinwall-*.list")):
            beside = file.with_name(file.name.replace("twinwall", package.stem, 1))
            if not beside.is_file():
                raise DoesNotHoldError(f"{package.stem} is installed and needs the same version: put {beside.name} beside {file.name}")
            yield beside

    def running(self) -> Iterator[str]:
        """Every other program of this installation that runs, as its words and the number of its process."""
        for folder in sorted(self.processes.glob("[0-9]*"), key=lambda each: int(each.name)):
            try:
                words = (folder / "cmdline").read_text(encoding="utf-8", errors="replace").split("\0")
            except OSError:
                continue
            if int(folder.name) not in self.own and any(word.startswith(f"{self.prefix}/bin/") for word in words[:2]):
                yield f"{_called(words)} (process {folder.name})"


@takes(
    argument("file", "the package: twinwall_….deb or twinwall-….whl", type=Path),
    argument("--look", "only say what would be done", action="store_true"),
    argument("--allow-older", "install a version that is older than this program", action="store_true"),
    about=_DESCRIPTION,
)
def upgrade_program(arguments: argparse.Namespace) -> None:
    own = frozenset(_ancestors(os.getpid()))
    installation = Installation(Path(sys.prefix), own=own, root=os.geteuid() == 0)
    upgrade(arguments.file.absolute(), installation, _ask, _install, look=arguments.look, older=arguments.allow_older)


def upgrade(file: Path, installation: Installation, ask: Ask, install: Install, *, look: bool = False, older: bool = False) -> None:
    """Install a package, and print each step; raises DoesNotHoldError, and UsageError for what is no package for this program."""
    way = installation.way()
    if not file.is_file():
        raise UsageError(f"{file}: there is no such file; make package writes packages into dist")
    now, new = _versions(file, way, ask)
    print(f"installed: {now}, as {way.value}\nto install: {new}, from {file}\n{_KEPT}", flush=True)
    if not older and _is_older(new, now, way, ask):
        raise DoesNotHoldError(f"{new} is older than {now}; to go back all the same, say --allow-older")
    if running := [*_services(ask), *installation.running()]:
        more = f" and {len(running) - MOST_NAMED} more" if len(running) > MOST_NAMED else ""
        raise DoesNotHoldError(f"an event may be on: stop {', '.join(running[:MOST_NAMED])}{more}, then upgrade")
    words = _installing(file, way, older=older)
    if way is Way.DEBIAN:
        words = (*words, *map(str, installation.added(file)))
    print(f"{'would run' if look else 'running'}: {' '.join(words)}", flush=True)
    if look:
        return
    if way is Way.DEBIAN and not installation.root:
        raise DoesNotHoldError("a Debian package is installed by root: say the same command with sudo")
    if code := install(words):
        raise DoesNotHoldError(f"{words[0]} ended with {code}, and says above why; twinwall --version tells which program is there now")
    print(f"installed: {new}. Start what was stopped; an event's store gets its new form, if there is one, when it is first opened")


def _versions(file: Path, way: Way, ask: Ask) -> tuple[str, str]:
    """The version that is installed and that of the file; a Debian package tells the number of the commit too."""
    if way is not Way.DEBIAN:
        wheel = _WHEEL.fullmatch(file.name)
        if wheel is None:
            raise UsageError(f"{file.name} is not a wheel of Twinwall, which {way.value} needs: twinwall-….whl")
        return version("twinwall"), wheel[1]
    code, said = ask(("dpkg-deb", "--field", str(file), "Package", "Version"))
    fields = dict(line.split(": ", 1) for line in said.splitlines() if ": " in line)
    if code != 0 or fields.get("Package") != "twinwall" or "Version" not in fields:
        raise UsageError(f"{file.name} is not a Debian package of Twinwall: twinwall_….deb")
    return ask(("dpkg-query", "--show", "--showformat=${Version}", "twinwall"))[1].strip(), fields["Version"]


def _is_older(new: str, now: str, way: Way, ask: Ask) -> bool:
    if way is Way.DEBIAN:
        return ask(("dpkg", "--compare-versions", new, "lt", now))[0] == 0
    return _order(new) < _order(now)


def _order(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text))


def _installing(file: Path, way: Way, *, older: bool) -> tuple[str, ...]:
    match way:
        case Way.DEBIAN:
            return ("apt-get", "install", "--yes", *(("--allow-downgrades",) if older else ()), str(file))
        case Way.UV:
            compiled = ("--no-build", "--find-links", str(file.parent)) if _has_compiled(file.parent) else ()
            return ("uv", "tool", "install", "--force", *compiled, str(file))
        case Way.PIPX:
            words = f"--only-binary=:all: --find-links={shlex.quote(str(file.parent))}"
            beside = ("--pip-args", words) if _has_compiled(file.parent) else ()
            return ("pipx", "install", "--force", *beside, str(file))


def _has_compiled(folder: Path) -> bool:
    """Whether the package that else comes as source lies there compiled, as make package writes it: then no compiler is needed."""
    return any(folder.glob("pymahjonggb-*.whl"))


def _called(words: Sequence[str]) -> str:
    """A process's words as a person types them: without the interpreter, and without the folder of the command."""
    if "cli" in words:
        return " ".join(["twinwall", *words[words.index("cli") + 1 :]]).strip()
    typed = words[1:] if Path(words[0]).name.startswith("python") else words
    return " ".join([Path(typed[0]).name, *typed[1:]]).strip()


def _services(ask: Ask) -> list[str]:
    """The services of Twinwall that run; none where there is no systemd."""
    code, said = ask(_UNITS)
    return [line.split()[0] for line in said.splitlines() if line.strip()] if code == 0 else []


def _ancestors(process: int) -> Iterator[int]:
    """A process and those that began it, such as sudo."""
    while process > 1:
        yield process
        try:
            process = int(re.findall(r"^PPid:\s*(\d+)", Path(f"/proc/{process}/status").read_text(encoding="utf-8"), re.MULTILINE)[0])
        except (OSError, IndexError):
            return


def _ask(words: Sequence[str]) -> tuple[int, str]:
    program = shutil.which(words[0])
    if program is None:
        return 127, ""
    done = subprocess.run([program, *words[1:]], check=False, capture_output=True, text=True, errors="replace")
    return done.returncode, done.stdout


def _install(words: Sequence[str]) -> int:
    program = shutil.which(words[0])
    if program is None:
        raise UsageError(f"there is no {words[0]} on this machine, by which this program was installed")
    return subprocess.run([program, *words[1:]], check=False).returncode
