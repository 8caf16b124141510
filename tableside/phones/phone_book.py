"""The admitted phones, stored in a file so that they can return after a restart, and each one's reported state.

Several threads use it. The file has only digests of tokens. Codes are only in memory, and so is the phone of a builder's screen, which says
where tiles go; it also loses its role after an absence of ``BUILDER_AWAY_S``.
"""

import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from tableside.phones.joining import JoinedPhones, PhoneRole, RoleKind, new_secret
from tableside.phones.phone_messages import PhoneJoined, PhoneRefused
from twinwall.values import Shape
from twinwall.wire.durable_file import write_durably
from twinwall.wire.shapes.phones import PhoneNow, PhoneState

BUILDER_AWAY_S = 900.0


class PhoneBookError(ValueError):
    """The file of the phones cannot be used; the message names it and says what to do."""


class KnownPhone(Shape):
    """A line of the file."""

    table: str
    name: str
    digest: str


class PhoneBook:
    """Codes, tokens and states of the phones of some tables."""

    def __init__(self, path: Path, roles: Iterable[PhoneRole], clock_s: Callable[[], float] = time.monotonic) -> None:
        """``path`` is the file, which need not exist. Raises PhoneBookError for another kind of file."""
        self._path, self._clock_s, self.roles = path, clock_s, tuple(roles)
        self._lock = threading.Lock()
        self._joined = JoinedPhones({role: digest for role, digest in _read(path).items() if role in self.roles})
        self._connections = dict.fromkeys(self.roles, 0)
        self._went_s: dict[PhoneRole, float] = {}
        self._states: dict[PhoneRole, PhoneState] = {}

    def offer(self, role: PhoneRole) -> str:
        with self._lock:
            code = new_secret()
            self._joined = self._joined.offered(role, code, self._clock_s())
            return code

    def enter(self, code: str, token: str) -> PhoneJoined | PhoneRefused:
        """Admit a phone by its token, or by a code."""
        with self._lock:
            role = self._joined.role_of(token) if token else None
            if role is not None and self._was_away_too_long(role):
                self._joined, role = self._joined.without(role), None
            if role is None and not code:
                return PhoneRefused("out")
            if role is None:
                token = new_secret()
                after, verdict = self._joined.tried(code, self._clock_s(), token)
                if not isinstance(verdict, PhoneRole):
                    return PhoneRefused(verdict)
                _write(self._path, after)
                self._joined, role = after, verdict
                self._states.pop(role, None)
                self._went_s.pop(role, None)
            return PhoneJoined(role.table, role.name, token, self._joined.words(role) or "")

    def holds(self, joined: PhoneJoined) -> bool:
        """Whether this phone still has its role."""
        with self._lock:
            return self._joined.role_of(joined.token) == PhoneRole(joined.table, joined.name)

    def ended(self, role: PhoneRole) -> PhoneRefused:
        """Why a phone has lost this role: another phone was admitted, or the role was taken away."""
        with self._lock:
            return PhoneRefused("replaced" if role in self._joined.phones else "dismissed")

    def dismiss(self, role: PhoneRole) -> None:
        with self._lock:
            after = self._joined.without(role)
            _write(self._path, after)
            self._joined = after

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
        """As ``JoinedPhones.words``."""
        with self._lock:
            return self._joined.words(role)

    def _was_away_too_long(self, role: PhoneRole) -> bool:
        is_away = role.kind is RoleKind.BUILDER and self._connections[role] == 0 and role in self._went_s
        return is_away and self._clock_s() - self._went_s[role] > BUILDER_AWAY_S

    def _now(self, role: PhoneRole) -> PhoneNow:
        given, connected = role in self._joined.phones, self._connections[role] > 0
        return PhoneNow(role.table, role.name, given, connected, self._joined.words(role), self._states.get(role))


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


def _write(path: Path, joined: JoinedPhones) -> None:
    kept = sorted((role, digest) for role, digest in joined.phones.items() if role.kind is not RoleKind.BUILDER)
    known = [KnownPhone(role.table, role.name, digest) for role, digest in kept]
    path.parent.mkdir(parents=True, exist_ok=True)
    write_durably(path, msgspec.json.encode(known), 0o600)
