"""Marks: numbers by which paths compare events and violations, the same in every process.

``hash`` of a text differs between processes, and with it the order in which paths that cost the same are kept.
"""

from collections.abc import Hashable
from functools import lru_cache
from hashlib import blake2b


@lru_cache(maxsize=1 << 14, typed=True)
def mark_of(value: Hashable) -> int:
    """A number that equal values share; what a value says of itself (``repr``) must tell it from others."""
    return int.from_bytes(blake2b(repr(value).encode(), digest_size=7).digest())
