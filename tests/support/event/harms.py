"""Random harms of a bundle: bytes flipped, files and ledgers cut, lines swapped, dropped and forked; each knows where it is."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import ClassVar

from twinwall.event.bundle import bundle_files as names
from twinwall.event.bundle.bundle_proofs import Unproved

_LINES = re.compile(r"^lines \d+ to (\d+) are")


@dataclass(frozen=True, slots=True)
class Harm:
    """What was done to which file, and between which of its lines; ``first`` 0 means the whole file."""

    KINDS: ClassVar[tuple[str, ...]] = ("flip", "cut", "swap", "drop", "fork", "lose")
    kind: str
    file: str
    first: int
    last: int

    def is_named_by(self, unproved: Unproved) -> bool:
        """Whether a check names the place, as exactly as the harm allows; a sentence may name lines that one signature covers."""
        if unproved.file != self.file:
            return False
        if not self.first or unproved.line is None:
            return True
        span = _LINES.search(unproved.sentence)
        return unproved.line <= self.last and self.first <= (unproved.line if span is None else max(unproved.line, int(span[1])))


def harmed(files: dict[str, bytes], chance: Random) -> tuple[dict[str, bytes], Harm]:
    """The files with one harm."""
    kind = chance.choice(Harm.KINDS)
    name = chance.choice(sorted(files))
    if kind in ("swap", "drop", "fork"):
        name = chance.choice([each for each in sorted(files) if each.startswith("ledgers/")])
    if kind == "lose":
        del files[name]
        return files, Harm(kind, name, 0, 0)
    changed, first, last = _HARMS[kind](files[name], chance)
    assert changed != files[name]
    files[name] = changed
    of_lines = name.startswith("ledgers/") or name in (names.HEADS, names.KEYS, names.STAFF)  # of a document the whole is named
    return files, Harm(kind, name, first if of_lines else 0, last)


def _line_at(content: bytes, place: int) -> int:
    return content[:place].count(b"\n") + 1


def _flip(content: bytes, chance: Random) -> tuple[bytes, int, int]:
    place = chance.randrange(len(content))
    flipped = content[place] ^ 1 << chance.randrange(8)
    line = _line_at(content, place)
    return content[:place] + bytes([flipped]) + content[place + 1 :], line, line + 1


def _cut(content: bytes, chance: Random) -> tuple[bytes, int, int]:
    place = chance.randrange(len(content))
    line = _line_at(content, place)
    return content[:place], max(1, line - 1), line


def _swap(content: bytes, chance: Random) -> tuple[bytes, int, int]:
    lines = content.splitlines(keepends=True)
    one, other = sorted(chance.sample(range(len(lines)), 2))
    lines[one], lines[other] = lines[other], lines[one]
    return b"".join(lines), one + 1, one + 1


def _drop(content: bytes, chance: Random) -> tuple[bytes, int, int]:
    lines = content.splitlines(keepends=True)
    dropped = chance.randrange(len(lines))
    del lines[dropped]
    return b"".join(lines), max(1, dropped), dropped + 1


def _fork(content: bytes, chance: Random) -> tuple[bytes, int, int]:
    """A line told twice, the second time with another time of day."""
    lines = content.splitlines(keepends=True)
    forked = chance.randrange(len(lines))
    lines.insert(forked + 1, lines[forked].replace(b'"at":"2026', b'"at":"2027'))
    return b"".join(lines), forked + 1, forked + 2


_HARMS: Mapping[str, Callable[[bytes, Random], tuple[bytes, int, int]]] = {
    "flip": _flip,
    "cut": _cut,
    "swap": _swap,
    "drop": _drop,
    "fork": _fork,
}
