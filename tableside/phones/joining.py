"""Which phone has which role at a table: one phone a role, let in by a code that is good once and for five minutes.

The phone keeps a long random token, of which only the digest is kept here. The next code for a role replaces its phone. Times are
seconds of any clock that does not go back.
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
    """What a phone is at a table."""

    GATE_CAMERA = "gate"
    TABLE_CAMERA = "table"
    KEYS = "keys"
    BUILDER = "builder"
    """The screen of the person who builds the walls at a table without a feeder."""


@dataclass(frozen=True, slots=True, order=True)
class PhoneRole:
    """A table, and what the phone is there; the names are those of the cameras' and keys' addresses."""

    table: str
    name: str
    """``gate``, ``gate-1`` and so on, ``table``, ``keys`` for a tablet with all four places, ``keys-0`` to ``keys-3``,
    ``builder`` and ``builder-1``."""

    @property
    def kind(self) -> RoleKind:
        """What the name says."""
        return RoleKind(self.name.partition("-")[0])

    @property
    def place(self) -> int | None:
        """Whose keys they are; None for all four."""
        number = self.name.partition("-")[2]
        return int(number) if number and self.kind is RoleKind.KEYS else None


def roles_of(table: str, gates: int, *, station: bool = False) -> tuple[PhoneRole, ...]:
    """Every role at a table with this many reading gates, and with or without a station."""
    names = ["gate", *(f"gate-{gate}" for gate in range(1, gates)), "table", "keys", *(f"keys-{place}" for place in range(4))]
    if station:
        names += ["builder", "builder-1"]
    return tuple(PhoneRole(table, name) for name in names)


class CodeRefusal(Enum):
    """Why a code is refused."""

    UNKNOWN = "unknown"
    USED = "used"
    LATE = "late"


@frozen
class JoinCode:
    """A code that was shown: for which role, until when."""

    role: PhoneRole
    ends_s: float
    used: bool = False


@frozen
class JoinedPhones:
    """The codes that were shown since the start, and the phone of each role by the digest of its token."""

    phones: Mapping[PhoneRole, str] = field(default_factory=dict)
    codes: Mapping[str, JoinCode] = field(default_factory=dict)
    """By the digest of the code."""

    def offered(self, role: PhoneRole, code: str, now_s: float) -> "JoinedPhones":
        """With a code for a role; one that was shown for it before counts no more, its phone stays until the new code is used."""
        others = {digest: each for digest, each in self.codes.items() if each.role != role or each.used}
        return replace(self, codes={**others, _digest(code): JoinCode(role, now_s + CODE_S)})

    def tried(self, code: str, now_s: float, token: str) -> "tuple[JoinedPhones, PhoneRole | CodeRefusal]":
        """After a phone has sent a code: where it is good, ``token`` is that of the role's phone."""
        found = self.codes.get(_digest(code))
        if found is None:
            return self, CodeRefusal.UNKNOWN
        if found.used or now_s >= found.ends_s:
            return self, CodeRefusal.USED if found.used else CodeRefusal.LATE
        codes = {**self.codes, _digest(code): replace(found, used=True)}
        return JoinedPhones({**self.phones, found.role: _digest(token)}, codes), found.role

    def role_of(self, token: str) -> PhoneRole | None:
        """The role of the phone that sends this; None for a phone that was replaced, or never let in."""
        sent = _digest(token)
        return next((role for role, digest in self.phones.items() if hmac.compare_digest(digest, sent)), None)

    def words(self, role: PhoneRole) -> str | None:
        """What a role's phone and the person who let it in show, so that a person sees that both mean the same phone; None without a
        phone."""
        if role not in self.phones:
            return None
        groups = _digest(f"shown {self.phones[role]}").upper()
        return "-".join(groups[start : start + _GROUP] for start in range(0, _SHOWN_GROUPS * _GROUP, _GROUP))

    def without(self, role: PhoneRole) -> "JoinedPhones":
        """Without the phone of a role."""
        return replace(self, phones={each: digest for each, digest in self.phones.items() if each != role})


def new_secret() -> str:
    """A code or a token, as it stands in an address."""
    return secrets.token_hex(_CODE_BYTES)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()
