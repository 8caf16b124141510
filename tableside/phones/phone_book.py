"""The admitted phones (``PhoneBook.enter`` checks a code), stored in a file so that they can return after a restart, and each one's
reported state. Several threads use it. The file has only digests of tokens. Codes are only in memory, and so is the phone of a builder's
screen, which says where tiles go; it also loses its role after an absence of ``BUILDER_AWAY_S``. Which phone has which role at a table: one
phone per role, admitted by a code that is valid once and for five minutes. The phone has a long random token, and only its digest is stored
here. The next code for a role replaces its phone. Times are seconds of any clock that never goes back."""

import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

import msgspec

from tableside.phones.phone_messages import PhoneJoined, PhoneRefused
from twinwall.values import Shape, frozen
from twinwall.wire.durable_file import write_durably
from twinwall.wire.shapes.panel import PhoneNow, PhoneState

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


def new_secret() -> str:
    """A code or a token, as in an address."""
    return secrets.token_hex(_CODE_BYTES)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()


BUILDER_AWAY_S = 900.0


class PhoneBookError(ValueError):
    """The file of the phones cannot be used; the message names it and says what to do."""


class KnownPhone(Shape):
    """A line of the file."""

    table: str
    name: str
    digest: str


@frozen
class _ShownCode:
    role: PhoneRole
    ends_s: float
    used: bool = False


class PhoneBook:
    """Codes, tokens and states of the phones of some tables."""

    def __init__(self, path: Path, roles: Iterable[PhoneRole], clock_s: Callable[[], float] = time.monotonic) -> None:
        """``path`` is the file, which need not exist. Raises PhoneBookError for another kind of file."""
        self._path, self._clock_s, self.roles = path, clock_s, tuple(roles)
        self._lock = threading.Lock()
        self._phones = {role: digest for role, digest in _read(path).items() if role in self.roles}
        """Each role's phone by the digest of its token."""
        self._codes: dict[str, _ShownCode] = {}
        """By the digest of the code."""
        self._connections = dict.fromkeys(self.roles, 0)
        self._went_s: dict[PhoneRole, float] = {}
        self._states: dict[PhoneRole, PhoneState] = {}

    def offer(self, role: PhoneRole) -> str:
        """A new code for a role. Its earlier code becomes invalid; its phone stays until the new code is used."""
        with self._lock:
            code = new_secret()
            self._codes = {digest: each for digest, each in self._codes.items() if each.role != role or each.used}
            self._codes[_digest(code)] = _ShownCode(role, self._clock_s() + CODE_S)
            return code

    def enter(self, code: str, token: str) -> PhoneJoined | PhoneRefused:
        with self._lock:
            role = self._role_of(token) if token else None
            if role is not None and self._was_away_too_long(role):
                del self._phones[role]
                role = None
            if role is None:
                token = new_secret()
                entered = self._let_in(code, token)
                if isinstance(entered, PhoneRefused):
                    return entered
                role = entered
            return PhoneJoined(role.table, role.name, token, self._words(role) or "")

    def _let_in(self, code: str, token: str) -> PhoneRole | PhoneRefused:
        """Take a code that a phone has sent: if it is valid, ``token`` becomes that of the role's phone."""
        if not code:
            return PhoneRefused("out")
        found = self._codes.get(_digest(code))
        if found is None:
            return PhoneRefused("unknown")
        if found.used or self._clock_s() >= found.ends_s:
            return PhoneRefused("used" if found.used else "late")
        self._store({**self._phones, found.role: _digest(token)})
        self._codes[_digest(code)] = replace(found, used=True)
        self._states.pop(found.role, None)
        self._went_s.pop(found.role, None)
        return found.role

    def holds(self, joined: PhoneJoined) -> bool:
        """Whether this phone still has its role."""
        with self._lock:
            return self._role_of(joined.token) == PhoneRole(joined.table, joined.name)

    def ended(self, role: PhoneRole) -> PhoneRefused:
        """Why a phone has lost this role: another phone was admitted, or the role was taken away."""
        with self._lock:
            return PhoneRefused("replaced" if role in self._phones else "dismissed")

    def dismiss(self, role: PhoneRole) -> None:
        with self._lock:
            self._store({each: digest for each, digest in self._phones.items() if each != role})

    def came(self, role: PhoneRole) -> None:
        """A phone with this role is connected."""
        with self._lock:
            self._connections[role] += 1

    def went(self, role: PhoneRole) -> None:
        """Its connection has ended."""
        with self._lock:
            self._connections[role] -= 1
            self._went_s[role] = self._clock_s()

    def says(self, role: PhoneRole, state: PhoneState) -> None:
        """Store the state that a role's phone reports."""
        with self._lock:
            self._states[role] = state

    def now(self) -> list[PhoneNow]:
        with self._lock:
            return [self._now(role) for role in self.roles]

    def words(self, role: PhoneRole) -> str | None:
        """Words shown by a role's phone and to the person who admits it, to identify the phone; None without a phone."""
        with self._lock:
            return self._words(role)

    def _words(self, role: PhoneRole) -> str | None:
        if role not in self._phones:
            return None
        groups = _digest(f"shown {self._phones[role]}").upper()
        return "-".join(groups[start : start + _GROUP] for start in range(0, _SHOWN_GROUPS * _GROUP, _GROUP))

    def _role_of(self, token: str) -> PhoneRole | None:
        """The role of the phone with this token; None for a phone that was replaced or never admitted."""
        sent = _digest(token)
        return next((role for role, digest in self._phones.items() if hmac.compare_digest(digest, sent)), None)

    def _was_away_too_long(self, role: PhoneRole) -> bool:
        is_away = role.kind is RoleKind.BUILDER and self._connections[role] == 0 and role in self._went_s
        return is_away and self._clock_s() - self._went_s[role] > BUILDER_AWAY_S

    def _now(self, role: PhoneRole) -> PhoneNow:
        given, connected = role in self._phones, self._connections[role] > 0
        return PhoneNow(role.table, role.name, given, connected, self._words(role), self._states.get(role))

    def _store(self, phones: dict[PhoneRole, str]) -> None:
        """Write the phones to the file first; the builders' screens stay out of it."""
        kept = sorted((role, digest) for role, digest in phones.items() if role.kind is not RoleKind.BUILDER)
        known = [KnownPhone(role.table, role.name, digest) for role, digest in kept]
        self._path.parent.mkdir(parents=True, exist_ok=True)
        write_durably(self._path, msgspec.json.encode(known), 0o600)
        self._phones = phones


def _read(path: Path) -> dict[PhoneRole, str]:
    try:
        known = msgspec.json.decode(path.read_bytes(), type=list[KnownPhone])
    except FileNotFoundError:
        return {}
    except (OSError, msgspec.MsgspecError) as problem:
        raise PhoneBookError(
            f"{path} is no list of phones ({problem}): put it aside, and let the phones in again by new codes"
        ) from problem
    return {PhoneRole(phone.table, phone.name): phone.digest for phone in known}
