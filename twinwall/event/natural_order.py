"""Natural order of the names of tables, groups and entrants: 2 comes before 10."""

import re
from functools import lru_cache

NaturalKey = tuple[tuple[tuple[int, int, str], ...], str]

_PARTS = re.compile(r"[0-9]+|[^0-9]+")


@lru_cache(maxsize=1 << 16)
def natural(name: str) -> NaturalKey:
    """A sort key: numbers before words, and numbers by size; different names have different keys."""
    return tuple(_part(part) for part in _PARTS.findall(name)), name


def _part(part: str) -> tuple[int, int, str]:
    if part[0] in "0123456789":
        digits = part.lstrip("0")
        return 0, len(digits), digits
    return 1, 0, part
