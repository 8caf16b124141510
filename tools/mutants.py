"""``python -m tools.mutants``: makes each wrong change of ``tests/mutants.toml`` in a copy of the checkout and runs the tests near it.

A mutant dies when one of its tests fails. Exit 1 names the mutants that live, 2 a list that no longer fits the code.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue

import msgspec

TOP = Path(__file__).parents[1]
LIST = TOP / "tests" / "mutants.toml"


class Mutant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A wrong change: ``old``, which occurs once in ``file``, becomes ``new``, and one of ``tests`` (paths or node names) has to fail."""

    what: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]


class _Mutants(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    mutant: tuple[Mutant, ...]


def mutants() -> tuple[Mutant, ...]:
    """All that the list has."""
    return msgspec.toml.decode(LIST.read_bytes(), type=_Mutants).mutant


def misfit(mutant: Mutant) -> str | None:
    """Why the mutant does not fit the code any more; ``None`` where it does."""
    count = (TOP / mutant.file).read_text(encoding="utf-8").count(mutant.old) if (TOP / mutant.file).is_file() else 0
    absent = [test for test in mutant.tests if not (TOP / test.split("::")[0]).is_file()]
    if count != 1:
        return f"{mutant.what}: what it changes occurs {count} times in {mutant.file}"
    return f"{mutant.what}: there is no {absent[0]}" if absent else None


@contextmanager
def _copies(count: int) -> Iterator[SimpleQueue[Path]]:
    """Copies of the tracked files, with the checkout's own environment and build."""
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=TOP, capture_output=True, text=True, check=True).stdout.split("\0")
    folders = sorted({name.partition("/")[0] for name in tracked if name.endswith(".py") and "/" in name})
    free: SimpleQueue[Path] = SimpleQueue()
    with tempfile.TemporaryDirectory(prefix="twinwall-mutants-") as folder:
        first, *others = (Path(folder) / str(number) for number in range(count))
        for name in filter(None, tracked):
            (first / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(TOP / name, first / name, follow_symlinks=False)
        for built in (".venv", ".build", "firmware/build"):
            if (TOP / built).exists():
                (first / built).symlink_to(TOP / built)
        subprocess.run([sys.executable, "-m", "compileall", "-q", *folders], cwd=first, check=True)  # once, and not for each mutant
        for copy in others:
            shutil.copytree(first, copy, symlinks=True)
        for copy in (first, *others):
            free.put(copy)
        yield free


def _passes(copy: Path, tests: Sequence[str]) -> bool:
    """Whether these tests pass in a copy. Hypothesis takes the same examples each time."""
    words = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--basetemp", str(copy.with_suffix(".tests"))]
    environment = os.environ | {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1", "TWINWALL_TIER": "test"}
    done = subprocess.run([*words, *tests], cwd=copy, env=environment, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"pytest ended with {done.returncode} on {' '.join(tests)}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.returncode == 0


def _lives(mutant: Mutant, free: SimpleQueue[Path]) -> bool:
    copy = free.get()
    file = copy / mutant.file
    whole = file.read_text(encoding="utf-8")
    try:
        file.write_text(whole.replace(mutant.old, mutant.new), encoding="utf-8")
        return _passes(copy, mutant.tests)
    finally:
        file.write_text(whole, encoding="utf-8")
        free.put(copy)


def main(words: Sequence[str] | None = None) -> int:
    """0 when all die."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__)
    parser.add_argument("--only", default="", metavar="TEXT", help="mutants whose description or file has this text")
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")
    asked = parser.parse_args(words)
    chosen = [mutant for mutant in mutants() if asked.only in mutant.what or asked.only in mutant.file]
    wrong = [reason for mutant in chosen if (reason := misfit(mutant))]
    if wrong or not chosen:
        print("\n".join(wrong) or f"no mutant has {asked.only!r}", file=sys.stderr)
        return 2
    workers = os.cpu_count() or 1
    with _copies(workers) as free, ThreadPoolExecutor(workers) as pool:
        copy = free.get()
        if not _passes(copy, sorted({test for mutant in chosen for test in mutant.tests})):
            print("the tests fail without a mutant", file=sys.stderr)
            return 2
        free.put(copy)
        living = [mutant.what for mutant, lives in zip(chosen, pool.map(lambda each: _lives(each, free), chosen), strict=True) if lives]
    print(json.dumps({"mutants": len(chosen), "living": living}) if asked.json else "\n".join(living) or f"all {len(chosen)} die")
    return 1 if living else 0


if __name__ == "__main__":
    sys.exit(main())
