"""Which phone has which role at a table: one phone per role, admitted by a code that is valid once and for five minutes.

The phone has a long random token, and only its digest is stored here. The next code for a role replaces its phone. Times are seconds of any
clock that never goes back.
"""

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from twinwall.values import frozen

CODE_S = 300.0
_CODE_BYTES = 16
_SHOWN_GROUPS, _GROUP = 2, 4


class RoleKind(Enum):
    """A phone's function at a table."""

    GATE_CAMERA = "gate"
    TABLE_CAMERA = "table"
    KEYS = "keys"
    BUILDER = "builder"
    """The screen of the person who builds the walls at a table without a feeder."""


@dataclass(frozen=True, slots=True, order=True)
class PhoneRole:
    """A table, and the phone's function there; the names are those in the addresses of cameras and keys."""

    table: str
    name: str
    """``gate``, ``gate-1`` and so on, ``table``, ``keys`` for a tablet with all four places, ``keys-0`` to ``keys-3``,
    ``builder`` and ``builder-1``."""

    @property
    def kind(self) -> RoleKind:
        """The function in the name."""
        return RoleKind(self.name.partition("-")[0])

    @property
    def place(self) -> int | None:
        """The place of its keys; None for all four."""
        number = self.name.partition("-")[2]
        return int(number) if number and self.kind is RoleKind.KEYS else None


def roles_of(table: str, gates: int, *, station: bool = False) -> tuple[PhoneRole, ...]:
    """Every role at a table with this many reading gates, with or without a station."""
    names = ["gate", *(f"gate-{gate}" for gate in range(1, gates)), "table", "keys", *(f"keys-{place}" for place in range(4))]
    if station:
        names += ["builder", "builder-1"]
    return tuple(PhoneRole(table, name) for name in names)


@frozen
class JoinCode:
    """A shown code: its role, and when it expires."""

    role: PhoneRole
    ends_s: float
    used: bool = False


@frozen
class JoinedPhones:
    """The codes shown since the start, and each role's phone by the digest of its token."""

    phones: Mapping[PhoneRole, str] = field(default_factory=dict)
    codes: Mapping[str, JoinCode] = field(default_factory=dict)
    """By the digest of the code."""

    def offered(self, role: PhoneRole, code: str, now_s: float) -> "JoinedPhones":
        """With a new code for a role. Its earlier code becomes invalid; its phone stays until the new code is used."""
        others = {digest: each for digest, each in self.codes.items() if each.role != role or each.used}
        return replace(self, codes={**others, _digest(code): JoinCode(role, now_s + CODE_S)})

    def tried(self, code: str, now_s: float, token: str) -> "tuple[JoinedPhones, PhoneRole | str]":
        """After a phone has sent a code: if it is valid, ``token`` becomes that of the role's phone; else a word of ``PhoneRefused``."""
        found = self.codes.get(_digest(code))
        if found is None:
            return self, "unknown"
        if found.used or now_s >= found.ends_s:
            return self, "used" if found.used else "late"
        codes = {**self.codes, _digest(code): replace(found, used=True)}
        return JoinedPhones({**self.phones, found.role: _digest(token)}, codes), found.role

    def role_of(self, token: str) -> PhoneRole | None:
        """The role of the phone with this token; None for a phone that was replaced or never admitted."""
        sent = _digest(token)
        return next((role for role, digest in self.phones.items() if hmac.compare_digest(digest, sent)), None)

    def words(self, role: PhoneRole) -> str | None:
        """Words shown by a role's phone and to the person who admits it, to identify the phone; None without a phone."""
        if role not in self.phones:
            return None
        groups = _digest(f"shown {self.phones[role]}").upper()
        return "-".join(groups[start : start + _GROUP] for start in range(0, _SHOWN_GROUPS * _GROUP, _GROUP))

    def without(self, role: PhoneRole) -> "JoinedPhones":
        return replace(self, phones={each: digest for each, digest in self.phones.items() if each != role})


def new_secret() -> str:
    """A code or a token, as in an address."""
    return secrets.token_hex(_CODE_BYTES)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()
