"""What travels besides events: commands from the server to a table, and a table's heartbeat.

Both are small canonical JSON objects without unknown keys. A heartbeat tells that the table is
alive and how long its ledger is, so that a lost last line is noticed; it tells nothing of the play
and goes to the server alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from twinwall.wire.form import FormError, canonical, read_object, read_time, write_time


class MessageError(ValueError):
    """A command or heartbeat that is not as written here; the message names the part."""


@dataclass(frozen=True, slots=True)
class Resend:
    """Send the lines ``first`` to ``last`` (both included) of the ledger ``journal`` again; lines not yet written are left out."""

    journal: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Health:
    """A table's heartbeat: its ledger's id and last line, the moment, and the parts whose link is down."""

    table: str
    journal: str
    seq: int
    at: datetime
    links_lost: tuple[str, ...] = ()


def write_resend(command: Resend) -> bytes:
    """The command as it travels."""
    return canonical({"type": "resend", "journal": command.journal, "from": command.first, "to": command.last})


def read_command(payload: bytes) -> Resend:
    """Read a command; raises MessageError for an unknown type, key or value."""
    read = _read(payload)
    if read.get("type") != "resend":
        raise MessageError(f"command type {read.get('type')!r} is not known, only 'resend'")
    _only_keys(read, {"type", "journal", "from", "to"})
    first, last = _count(read, "from"), _count(read, "to")
    if not 1 <= first <= last:
        raise MessageError(f"lines {first} to {last} are no range from 1")
    return Resend(_text(read, "journal"), first, last)


def write_health(health: Health) -> bytes:
    """The heartbeat as it travels."""
    return canonical(
        {
            "v": 1,
            "table": health.table,
            "journal": health.journal,
            "seq": health.seq,
            "at": write_time(health.at),
            "links_lost": list(health.links_lost),
        }
    )


def read_health(payload: bytes) -> Health:
    """Read a heartbeat; raises MessageError for an unknown key or value."""
    read = _read(payload)
    _only_keys(read, {"v", "table", "journal", "seq", "at", "links_lost"})
    if read.get("v") != 1:
        raise MessageError(f"version {read.get('v')!r} of a heartbeat is not known, only 1")
    links = read.get("links_lost")
    if not isinstance(links, list) or not all(isinstance(link, str) for link in links):
        raise MessageError("links_lost is not a list of names")
    try:
        at = read_time(_text(read, "at"))
    except FormError as problem:
        raise MessageError(str(problem)) from None
    return Health(_text(read, "table"), _text(read, "journal"), _count(read, "seq"), at, tuple(links))


def _read(payload: bytes) -> dict[str, object]:
    try:
        return read_object(payload)
    except FormError as problem:
        raise MessageError(str(problem)) from None


def _only_keys(read: Mapping[str, object], keys: set[str]) -> None:
    unknown = sorted(set(read) - keys)
    if unknown:
        raise MessageError(f"key {unknown[0]!r} is not known")


def _text(read: Mapping[str, object], key: str) -> str:
    value = read.get(key)
    if not isinstance(value, str) or not value:
        raise MessageError(f"{key} {value!r} is not a text")
    return value


def _count(read: Mapping[str, object], key: str) -> int:
    value = read.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise MessageError(f"{key} {value!r} is not a whole number from 0")
    return value
