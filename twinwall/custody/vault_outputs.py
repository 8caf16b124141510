"""What a vault wants of the world: messages to be sent, lines to be kept, slips to be put out, sentences to be said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from twinwall.custody.vault_ledger import Kept

TOLD_AGAIN_S = 30.0
"""Released slips and notices are published again this often, for late listeners."""


@dataclass(frozen=True, slots=True)
class Publish:
    """Send this; what gets lost is asked for again by its receiver."""

    topic: str
    payload: bytes


@dataclass(frozen=True, slots=True)
class Keep:
    """Store this before anything that comes after it leaves."""

    event: Kept


@dataclass(frozen=True, slots=True)
class ReleaseSlip:
    """Every table has finished deal ``n``: its slip is for everybody."""

    n: int
    slip: bytes


@dataclass(frozen=True, slots=True)
class Say:
    """Tell the person who keeps the vault."""

    sentence: str


Output: TypeAlias = Publish | Keep | ReleaseSlip | Say
