"""Makes the Debian packages of HEAD for this computer's kind: ``python -m tools.package --out FOLDER``.

The package ``twinwall`` holds the program with all its Python packages, compiled, so that installing it needs neither network nor
compiler; the systemd units, their users, and the command ``twinwall``. ``ADDED`` are packages that add to its environment. They are for
the Debian release on which they are made, because the Python packages are compiled for that release's Python. The folder gets the wheels
as well, for other ways to install them, and a wheel of each package that comes as source, so that those ways need no compiler either.
"""

import argparse
import compileall
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from twinwall.values import frozen

TOP = Path(__file__).parents[1]
UV = TOP / ".build" / "uv" / "bin" / "uv"
PROGRAM = Path("opt/twinwall/.venv")
XZ = ("-Zxz", "-z6")
FILES = TOP / "scripts" / "debian"
SHARED = ("sysusers.conf", "tmpfiles.conf")
"""What of config/systemd is for systemd's other programs."""
NEEDED = "libpangoft2-1.0-0, fonts-noto-cjk, ca-certificates, systemd | systemd-standalone-sysusers"

EXTRAS = ("postgresql", "tracing")
"""Extras of the program that the package holds: all but the one for data sets and those of ``ADDED``."""


@frozen
class AddedPackage:
    """A package that adds files to the environment of ``twinwall``, of the same version.

    Attributes:
        name: of the package; of the Python project too where there is no ``extra``.
        extra: the extra of the program whose packages it holds.
    """

    name: str
    description: str
    extra: str = ""


CENTRE = AddedPackage("twinwall-centre", "duplicate mahjong: the centre of many venues")
ADDED = (AddedPackage("twinwall-schedule", "duplicate mahjong: OR-Tools, which seats players under constraints", "schedule"), CENTRE)
UNUSED = (
    *("babel/locale-data/*.dat", "cv2/data/*.xml", "onnxruntime/quantization", "onnxruntime/tools", "onnxruntime/transformers"),
    *("onnxruntime/capi/libonnxruntime.so.*", "**/tests", "**/*.[ach]", "**/*.pyi", "**/*.pyx"),
)
"""What the program uses nothing of, in its packages: languages beyond ``USED``, trained detectors, tools that make models, ONNX Runtime
for programs in C, tests, and sources for compilers and type checkers."""
USED = re.compile(r"(root|en|ja|zh)(_\w+)?\.dat")
BUILT = ("pymahjonggb", "lgpio")
"""Packages that come as source: the first always, the second for Python 3.13 and newer, and else as a wheel, which is taken as it is."""


class PackageError(Exception):
    """No package can be made; the message says why, and what to do."""


def run(words: Sequence[str | Path], **environment: str) -> str:
    """What a program prints; raises PackageError with its last words."""
    try:
        # Files shared with the cache of uv by links would change under dpkg-deb whenever another environment is made from it.
        everything = {**os.environ, "UV_LINK_MODE": "copy", **environment}
        done = subprocess.run([*map(str, words)], cwd=TOP, env=everything, check=False, capture_output=True, text=True)
    except FileNotFoundError:
        raise PackageError(f"{words[0]} is not here: run make setup, and apt-get install dpkg") from None
    if done.returncode != 0:
        raise PackageError(f"{Path(str(words[0])).name} failed: {(done.stderr or done.stdout).strip()[-500:]}")
    return done.stdout


class LockedFile(Struct):
    """A file of a package, with its hash ``sha256:…``."""

    hash: str


class LockedPackage(Struct):
    """A package of uv.lock."""

    name: str
    version: str
    sdist: LockedFile | None = None
    wheels: list[LockedFile] = []


class UvLock(Struct):
    """uv.lock, as far as it is read here."""

    package: list[LockedPackage]


def requirement(lock: UvLock, name: str) -> str:
    """A package of the lock with the hashes of its files, as pip takes it."""
    package = next(package for package in lock.package if package.name == name)
    files = [*([] if package.sdist is None else [package.sdist]), *package.wheels]
    return " ".join([f"{name}=={package.version}", *(f"--hash={file.hash}" for file in files)])


def add_built_wheels(out: Path) -> None:
    """Put a wheel of each package that comes as source into a folder, compiled from the sources that the lock names by their hashes."""
    lock = msgspec.toml.decode((TOP / "uv.lock").read_bytes(), type=UvLock)
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as wanted:
        wanted.write("".join(f"{requirement(lock, name)}\n" for name in BUILT))
        wanted.flush()
        pip = (TOP / ".build" / "uv" / "bin" / "pip", "--python", TOP / ".venv" / "bin" / "python", "--disable-pip-version-check")
        build = ("wheel", "--quiet", "--no-deps", "--no-build-isolation", "--require-hashes", "--wheel-dir", out, "-r", wanted.name)
        run([*pip, *build], PYPI="1")


def install_program(root: Path, wheel: Path) -> None:
    """Put the wheel and the packages of the lock into ``root`` as an environment that works wherever it is moved to.

    It sees the system's packages, of which the program uses Picamera2 alone; its own go first.
    """
    environment = root / PROGRAM
    run(
        [UV, "venv", "--quiet", "--relocatable", "--system-site-packages", "--python", "/usr/bin/python3", environment],
        UV_PYTHON_DOWNLOADS="never",
    )
    # What comes as source is built with the build group, without which the environment is then left.
    sync(environment, "--group=build")
    sync(environment, *(f"--extra={extra}" for extra in EXTRAS))
    install_wheel(environment, wheel)
    for compiled in [*environment.rglob("__pycache__")]:
        shutil.rmtree(compiled)
    finish(root)


def sync(environment: Path, *options: str) -> None:
    """Bring an environment to what the lock has for these options of uv."""
    settings = {"UV_PROJECT_ENVIRONMENT": str(environment), "UV_PYTHON_DOWNLOADS": "never", "PYPI": "1"}
    run([UV, "sync", "--quiet", "--frozen", "--no-install-project", "--no-default-groups", *options], **settings)


def install_wheel(environment: Path, wheel: Path) -> None:
    """Add a wheel, whose dependencies are there."""
    run([UV, "pip", "install", "--quiet", "--no-deps", "--python", environment / "bin" / "python", wheel])


def finish(root: Path) -> None:
    """Leave out what nobody uses of the packages in ``root``, and compile them."""
    (packages,) = (root / PROGRAM).glob("lib/python3*/site-packages")
    for unused in [path for pattern in UNUSED for path in packages.glob(pattern)]:
        if unused.is_dir():
            shutil.rmtree(unused)
        elif not USED.fullmatch(unused.name):
            unused.unlink(missing_ok=True)
    for library in packages.rglob("*.so"):
        # A library whose paths were written anew (patchelf, in wheels with libraries of their own) does not load once it is stripped.
        if not library.parent.name.endswith(".libs") and "PATH)" not in run(["readelf", "--dynamic", library]):
            run(["strip", "--strip-unneeded", library])
    compile_program(root)


def install_added(root: Path, added: AddedPackage, wheels: Path, own: Path) -> None:
    """Add a package to the program in ``root``, and move what came with it into ``own``."""
    environment = root / PROGRAM
    before = {*environment.rglob("*")}
    if added.extra:
        sync(environment, "--inexact", *(f"--extra={extra}" for extra in (*EXTRAS, added.extra)))
    else:
        install_wheel(environment, build_wheel(wheels, added.name))
    finish(root)
    move({*environment.rglob("*")} - before, root, own)


def move(paths: set[Path], root: Path, own: Path) -> None:
    """Move files from ``root`` into ``own``, and remove their folders: Python would take an empty one for an installed package."""
    for path in sorted(paths, reverse=True):
        if path.is_dir():
            path.rmdir()
        else:
            target = own / path.relative_to(root)
            target.parent.mkdir(parents=True, exist_ok=True)
            path.rename(target)


def compile_program(root: Path) -> None:
    """Compile the installed program for where it will lie: no service may write into its folder, so each start would compile it. A
    package's file for another Python is passed over."""
    compileall.compile_dir(root / PROGRAM / "lib", quiet=2, workers=0, stripdir=str(root), prependdir="/")


def add_system_files(root: Path) -> None:
    """The command, units, users, folders, rules of devices and licence."""
    command = root / "usr/bin/twinwall"
    command.parent.mkdir(parents=True)
    command.symlink_to(f"/{PROGRAM}/bin/twinwall")
    systemd = TOP / "config" / "systemd"
    units = root / "usr/lib/systemd/system"
    shutil.copytree(systemd, units, ignore=shutil.ignore_patterns(*SHARED))
    for name in SHARED:
        installed = root / "usr/lib" / f"{name.removesuffix('.conf')}.d" / "twinwall.conf"
        installed.parent.mkdir(parents=True)
        shutil.copy(systemd / name, installed)
    shutil.copytree(TOP / "config" / "udev", root / "usr/lib/udev/rules.d")
    documents = root / "usr/share/doc/twinwall"
    documents.mkdir(parents=True)
    shutil.copy(TOP / "LICENSE", documents / "copyright")
    shutil.copy(TOP / "CHANGELOG.md", documents)
    shutil.copytree(TOP / "config" / "default", documents / "examples")


def control(version: str, architecture: str, installed_kib: int, added: AddedPackage | None = None) -> str:
    """The description of the program's package, or of one that adds to it."""
    minor = sys.version_info.minor
    if added is None:
        name, suggests = "twinwall", "Suggests: python3-picamera2\n"
        depends = f"python3 (>= 3.{minor}~), python3 (<< 3.{minor + 1}~), {NEEDED}"
        described = (
            "duplicate mahjong with ordinary tiles\n"
            " Table controller, manual station, phones as cameras and keys, broker, vault\n and the dashboard on which an event is run."
        )
    else:
        name, suggests, depends, described = added.name, "", f"twinwall (= {version})", added.description
    return (
        f"Package: {name}\nVersion: {version}\nArchitecture: {architecture}\nSection: games\nPriority: optional\n"
        "Maintainer: Twinwall maintainers <maintainers@twinwall.invalid>\n"
        f"Installed-Size: {installed_kib}\nDepends: {depends}\n{suggests}Description: {described}\n"
    )


def build_wheel(out: Path, project: str) -> Path:
    """Build the wheel of a project of this repository into a folder."""
    words = ("--quiet", "--wheel", "--no-build-isolation", "--python", TOP / ".venv" / "bin" / "python", "--out-dir", out)
    run([UV, "build", *words, "--package", project])
    return max(out.glob(f"{project.replace('-', '_')}-*.whl"), key=lambda file: file.stat().st_mtime)


def pack(root: Path, out: Path, version: str, added: AddedPackage | None, compression: Sequence[str]) -> Path:
    """Write the package of what stands in ``root`` into a folder."""
    architecture = run(["dpkg", "--print-architecture"]).strip()
    size = int(run(["du", "--summarize", "--block-size=1024", root]).split()[0])
    (root / "DEBIAN").mkdir(exist_ok=True)
    (root / "DEBIAN" / "control").write_text(control(version, architecture, size, added), encoding="utf-8")
    made = out / f"{'twinwall' if added is None else added.name}_{version}_{architecture}.deb"
    run(["dpkg-deb", "--root-owner-group", *compression, "--build", root, made])
    return made


def version_of_head() -> str:
    """The version of the packages of HEAD."""
    project = str(tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"])
    return f"{project}-{run(['git', 'rev-list', '--count', 'HEAD']).strip()}"


def make_packages(out: Path, *, quick: bool) -> list[Path]:
    """Write wheels and packages of the working tree into a folder; raises PackageError. The ``quick`` package is larger, and alone."""
    version, all_added = version_of_head(), () if quick else ADDED
    wheel = build_wheel(out, "twinwall")
    add_built_wheels(out)
    with tempfile.TemporaryDirectory(prefix="twinwall-package-") as folder:
        roots = [Path(folder) / name for name in ("twinwall", *(added.name for added in all_added))]
        for root in roots:
            root.mkdir(mode=0o755)
        install_program(roots[0], wheel)
        for added, root in zip(all_added, roots[1:], strict=True):
            install_added(roots[0], added, out, root)
        add_system_files(roots[0])
        shutil.copytree(FILES, roots[0] / "DEBIAN")
        return [
            pack(root, out, version, added, ("-Zzstd", "-z3") if quick else XZ)
            for root, added in zip(roots, (None, *all_added), strict=True)
        ]


def main(arguments: list[str]) -> int:
    """Make them, and print where they are."""
    parser = argparse.ArgumentParser(prog="python -m tools.package", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="the folder for the packages and wheels")
    parser.add_argument("--quick", action="store_true", help="make the program's package alone, and compress it less")
    asked = parser.parse_args(arguments)
    try:
        asked.out.mkdir(parents=True, exist_ok=True)
        made = make_packages(asked.out.resolve(), quick=asked.quick)
    except (PackageError, OSError) as error:
        print(f"package: {error}", file=sys.stderr)
        return 2
    print(*made, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
