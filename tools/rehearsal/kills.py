"""What a rehearsal kills, and when: ``rabbitmq-1``, ``venue-3``, ``gateway-3@0.4``, or several at one moment joined by ``+``."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass

KILLED_AT = 0.3
"""Share of the session at which something is killed where no other is named."""
AWAY_S = 5.0
"""How long it stays away."""
_KILL = re.compile(r"(?P<names>[a-z0-9-]+(\+[a-z0-9-]+)*)(@(?P<at>0(\.[0-9]+)?))?(:(?P<away>[0-9]+(\.[0-9]+)?))?")


class KillError(ValueError):
    """What cannot be killed; the message says what can."""


@dataclass(frozen=True, slots=True)
class Kill:
    """These parts are killed together at a share of the session, and started again after ``away_s`` seconds."""

    names: tuple[str, ...]
    at: float = KILLED_AT
    away_s: float = AWAY_S


@dataclass(frozen=True, slots=True)
class KillablePart:
    """What is killed under one name, and how it is started again; neither waits for anything."""

    kill: Callable[[], None]
    start: Callable[[], None]


def parse_kill(text: str, known: Collection[str]) -> Kill:
    """Read ``NAME[+NAME…][@SHARE][:SECONDS]``; raises KillError for another form, and for a part that there is not."""
    found = _KILL.fullmatch(text)
    if found is None:
        raise KillError(f"{text!r} is not NAME[+NAME…][@SHARE][:SECONDS], such as rabbitmq-1@0.3:5")
    names = tuple(found["names"].split("+"))
    if unknown := [name for name in names if name not in known]:
        raise KillError(f"there is no {unknown[0]!r} to kill; there are {', '.join(sorted(known))}")
    return Kill(names, float(found["at"] or KILLED_AT), float(found["away"] or AWAY_S))
