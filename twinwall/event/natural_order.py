"""Natural order of the names of tables, groups and entrants: numbers by size, so that 2 stands before 10."""

import re
from functools import lru_cache

NaturalKey = tuple[tuple[tuple[int, int, str], ...], str]

_PARTS = re.compile(r"[0-9]+|[^0-9]+")


@lru_cache(maxsize=1 << 16)
def natural(name: str) -> NaturalKey:
    """A key to sort names by: numbers before words, a longer number after a shorter one; names that differ have keys that differ."""
    return tuple(_part(part) for part in _PARTS.findall(name)), name


def _part(part: str) -> tuple[int, int, str]:
    if part[0] in "0123456789":
        digits = part.lstrip("0")
        return 0, len(digits), digits
    return 1, 0, part
