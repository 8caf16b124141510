"""Variants of the firmware's library: the C core with some of its source replaced, for tests that need a firmware with a mistake.

What is compiled is kept in ``firmware/build/variants`` by the digest of all its sources, without optimisation; of a variant
only the changed files are compiled, or all of them where a header has changed.
"""

import hashlib
import os
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.support.firmware.core_board import FIRMWARE

_KEPT = FIRMWARE / "build" / "variants"
_COMPILE = ("gcc", "-std=c99", "-w", "-O0", "-fPIC", "-DTWF_READING_GATES=4u", "-DTWF_MANUAL=1")


@dataclass(frozen=True, slots=True)
class Replacement:
    """A text of one source file, and what stands there instead. ``file`` is a name without its folder."""

    file: str
    old: str
    new: str


class ReplacementError(ValueError):
    """A text that is to be replaced does not occur exactly once; the message names it."""


def variant(*replacements: Replacement) -> Path:
    """The library with these replacements; raises ReplacementError."""
    sources = dict(_sources())
    changed = {_file(each.file) for each in replacements}
    for each in replacements:
        file = _file(each.file)
        if (found := sources[file].count(each.old)) != 1:
            raise ReplacementError(f"{each.file} holds {each.old!r} {found} times, not once")
        sources[file] = sources[file].replace(each.old, each.new)
    library = _KEPT / f"{_digest(sources)}.so"
    if not library.exists():
        _build(sources, changed, library)
    return library


@cache
def _sources() -> dict[Path, str]:
    """Every source and header of the core and of the board in memory, by its path in ``firmware``."""
    files = [file for folder in ("core", "hal_memory") for file in sorted((FIRMWARE / folder).rglob("*.[ch]")) if file.name != "fuzz.c"]
    return {file.relative_to(FIRMWARE): file.read_text(encoding="utf-8") for file in files}


def _file(name: str) -> Path:
    (file,) = (file for file in _sources() if file.name == name)
    return file


def _digest(sources: dict[Path, str]) -> str:
    written = repr((_COMPILE, sorted((str(file), text) for file, text in sources.items())))
    return hashlib.sha256(written.encode()).hexdigest()[:20]


def _build(sources: dict[Path, str], changed: set[Path], library: Path) -> None:
    objects = dict(_objects())
    again = set(sources) if any(file.suffix == ".h" for file in changed) else changed
    with TemporaryDirectory() as name:
        scratch = Path(name)
        for file in again:
            (scratch / file).parent.mkdir(parents=True, exist_ok=True)
            (scratch / file).write_text(sources[file], encoding="utf-8")
        for file in again:
            if file.suffix == ".c":
                objects[file] = (scratch / file).with_suffix(".o")
                _compile(scratch, file, objects[file])
        made = scratch / "variant.so"
        subprocess.run(["gcc", "-shared", "-Wl,-Bsymbolic", "-o", made, *objects.values()], check=True)
        _keep(made, library)


@cache
def _objects() -> dict[Path, Path]:
    """The core as it is, compiled: each source and its object."""
    kept = _KEPT / f"objects-{_digest(_sources())}"
    objects = {file: kept / f"{file.stem}.o" for file in _sources() if file.suffix == ".c"}
    with TemporaryDirectory() as scratch:
        for file, wanted in objects.items():
            if not wanted.exists():
                made = Path(scratch) / wanted.name
                _compile(FIRMWARE, file, made)
                _keep(made, wanted)
    return objects


def _compile(root: Path, file: Path, made: Path) -> None:
    """Compile a file below ``root``; headers that are not there are those of ``firmware``."""
    subprocess.run([*_COMPILE, f"-iquote{(FIRMWARE / file).parent}", "-c", "-o", made, root / file], check=True)


def _keep(made: Path, wanted: Path) -> None:
    """Copy a file to where it is kept, at once: another process may be making the same one."""
    wanted.parent.mkdir(parents=True, exist_ok=True)
    beside = wanted.with_suffix(f".{os.getpid()}")
    shutil.copyfile(made, beside)
    beside.replace(wanted)
