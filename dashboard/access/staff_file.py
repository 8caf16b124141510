"""The staff file: accounts, invitations and sessions of the staff, in the dashboard's own SQLite file. It is separate from the event's
store, which only grows and is handed on, because passwords must be replaceable and sessions must end. It has only hashes of tokens, so a
reader of the file cannot use one. ``twinwall hall staff`` writes to the same file while the dashboard runs. Times are whole seconds since
1970, given as arguments."""

from __future__ import annotations

import hashlib
import logging
import secrets
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Literal

from dashboard.access.passwords import GUESS, SALT_BYTES, hash_password, password_fits
from dashboard.access.staff_schema import Role, StaffFileError, prepare_staff_file, staff_sentences
from twinwall.event.store.databases.sqlite import open_file, transaction
from twinwall.event.store.store_contents import StaffChange
from twinwall.values import frozen
from twinwall.wire.names import cleaned, name_key, name_problem

_LOG = logging.getLogger(__name__)
Execute = Callable[..., sqlite3.Cursor]
TOKEN_BYTES = 32
LONGEST_NAME = 60
IDLE_S = 2 * 3600
"""A session ends after this time without requests; pages that only update themselves do not count."""
TOTAL_S = 12 * 3600
"""A session lasts a long day at the hall."""
SEEN_EVERY_S = 60
"""Least time between two records that a session is used."""
INVITATION_HOURS = 24
"""How long an invitation is valid, unless the command says otherwise."""


@frozen
class StaffAccount:
    """A person of the staff, with roles."""

    identity: int
    name: str
    roles: frozenset[Role]
    has_password: bool
    revoked: bool

    @property
    def directs(self) -> bool:
        """Whether this is a director who can log in."""
        return self.has_password and not self.revoked and Role.DIRECTOR in self.roles


@frozen
class StaffEntry:
    """An account in the list of accounts; unknown times are None. ``state`` grows with each change of the account; ``invited_until`` is the
    end of a valid invitation; ``admitted`` is when the account was last invited or entered by an invitation."""

    account: StaffAccount
    since: int | None
    entered: int | None
    sessions: int
    invited_until: int | None
    state: int
    admitted: int | None


ACCOUNT_COLUMNS = "accounts.id, name, roles, password IS NOT NULL, revoked IS NOT NULL"
_ACCOUNT = f"SELECT {ACCOUNT_COLUMNS} FROM accounts"  # noqa: S608 - of constants

_ENTRIES = """
SELECT id, name, roles, password IS NOT NULL, revoked IS NOT NULL, since, entered,
    (SELECT count(*) FROM sessions WHERE account = accounts.id AND began >= ?1 AND seen >= ?2),
    (SELECT max(until) FROM invitations WHERE account = accounts.id AND until >= ?3),
    (SELECT count(*) + 1 FROM changes WHERE account = accounts.id),
    (SELECT max(at) FROM changes WHERE account = accounts.id AND kind IN ('invited', 'entered'))
FROM accounts ORDER BY id
"""

ChangeKind = Literal["invited", "entered", "replaced-password", "withdrawn", "sessions-ended", "token-made", "token-withdrawn"]
"""What was done to an account."""


def read_account(row: tuple[int, str, str, int, int]) -> StaffAccount:
    identity, name, roles, has_password, revoked = row
    return StaffAccount(identity, name, frozenset(map(Role, roles.split())), bool(has_password), bool(revoked))


def token_digest(token: str) -> bytes:
    """The stored hash of a token, which a reader of the file cannot use."""
    return hashlib.sha256(token.encode()).digest()


def _end_all(execute: Execute, account: int) -> None:
    """End an account's sessions, invitations and API tokens."""
    execute("DELETE FROM sessions WHERE account = ?", (account,))
    execute("DELETE FROM invitations WHERE account = ?", (account,))
    execute("DELETE FROM api_tokens WHERE account = ?", (account,))


def note_change(execute: Execute, account: int, kind: ChangeKind, order: StaffOrder, token: str = "") -> None:
    """Store a change with the account's roles after it, until a signed record has it; ``token`` is a token's label."""
    execute(
        "INSERT INTO changes (account, at, kind, roles, by, token) SELECT id, ?2, ?3, roles, ?4, ?5 FROM accounts WHERE id = ?1",
        (account, order.at, kind, order.by, token),
    )


class StaffFile:
    """The accounts of one event's staff; any thread may call every method."""

    def __init__(self, path: Path | str, cost: Mapping[str, int] = GUESS) -> None:
        """Open or create the file; raises StaffFileError. ``cost`` is that of new passwords."""
        self._path = path
        self._cost = cost
        self._mutex = threading.RLock()
        self._unwritten_uses: dict[bytes, int] = {}
        """By a token's hash, the last use of session or token while the disk refuses to store it."""
        if isinstance(path, Path) and path.is_file() and not path.stat().st_size:
            raise StaffFileError(f"{path}: the staff file is empty: put a good copy back, or take it away to invite everybody again")
        with staff_sentences(self._path):
            self._connection = open_file(path, partial(prepare_staff_file, path))

    def close(self) -> None:
        with self._mutex:
            self._connection.close()

    def accounts(self) -> tuple[StaffAccount, ...]:
        """All accounts in the order in which they were made."""
        with self.reading() as execute:
            return tuple(map(read_account, execute(f"{_ACCOUNT} ORDER BY id")))

    def account(self, name: str) -> StaffAccount | None:
        """The account of that name, regardless of case."""
        with self.reading() as execute:
            row = execute(f"{_ACCOUNT} WHERE name_key = ?", (name_key(name),)).fetchone()
        return None if row is None else read_account(row)

    def entries(self, now: int) -> tuple[StaffEntry, ...]:
        """All accounts in the order in which they were made, as list entries."""
        with self.reading() as execute:
            found = execute(_ENTRIES, (now - TOTAL_S, now - IDLE_S, now)).fetchall()
        return tuple(StaffEntry(read_account(row[:5]), *row[5:]) for row in found)

    def invite(self, name: str, roles: Collection[Role], until: int, order: StaffOrder) -> str:
        """Invite a person, for the first time or again; return the invitation's token. A name belongs to one person for good, because
        records have it. An invitation opens a withdrawn account again. Raises StaffFileError for an invalid name, and for what
        ``StaffOrder`` refuses."""
        name = cleaned(name)
        if name_problem(name) is not None or len(name) > LONGEST_NAME:
            raise OrderRefusedError("name", f"the name {name!r}: a name has 1 to {LONGEST_NAME} printable characters")
        if order.seen is not None and not roles:
            raise OrderRefusedError("roles", f"{name} is invited without a role: give at least one")
        token = secrets.token_urlsafe(TOKEN_BYTES)
        written = " ".join(sorted(role.value for role in roles))
        with self.transaction() as execute:
            self._check(name, order, takes_entry=True)
            execute(
                "INSERT INTO accounts (name, name_key, roles, since) VALUES (?1, ?2, ?3, ?4) "
                "ON CONFLICT (name_key) DO UPDATE SET roles = ?3, password = NULL, revoked = NULL",
                (name, name_key(name), written, order.at),
            )
            (account,) = execute("SELECT id FROM accounts WHERE name_key = ?", (name_key(name),)).fetchone()
            _end_all(execute, account)
            execute("INSERT INTO invitations (digest, account, until) VALUES (?, ?, ?)", (token_digest(token), account, until))
            note_change(execute, account, "invited", order)
        return token

    def invited(self, token: str, now: int) -> StaffAccount | None:
        """The account that an invitation is for; None if it was used or withdrawn, is too old or never was."""
        with self.reading() as execute:
            row = execute(
                f"{_ACCOUNT} JOIN invitations ON account = id WHERE digest = ? AND until >= ?", (token_digest(token), now)
            ).fetchone()
        return None if row is None else read_account(row)

    def accept(self, token: str, password: str, now: int) -> StaffAccount | None:
        """Set the password by an invitation, which is then used up; None as for ``invited``. Raises PasswordError and leaves it valid."""
        hashed = hash_password(password, secrets.token_bytes(SALT_BYTES), self._cost)
        with self.transaction() as execute:
            account = self.invited(token, now)
            if account is not None:
                _end_all(execute, account.identity)
                execute("UPDATE accounts SET password = ? WHERE id = ?", (hashed, account.identity))
                note_change(execute, account.identity, "entered", StaffOrder(now, account.name))
        return account

    def set_password(self, name: str, password: str, order: StaffOrder) -> None:
        """Replace an account's password, which ends its sessions; raises StaffFileError and PasswordError."""
        account, hashed = self.known(name), hash_password(password, secrets.token_bytes(SALT_BYTES), self._cost)
        with self.transaction() as execute:
            _end_all(execute, account.identity)
            execute("UPDATE accounts SET password = ? WHERE id = ?", (hashed, account.identity))
            note_change(execute, account.identity, "replaced-password", order)

    def revoke(self, name: str, order: StaffOrder) -> None:
        """Withdraw an account at once, with its sessions and invitations; raises StaffFileError."""
        account = self.known(name)
        with self.transaction() as execute:
            self._check(name, order, takes_entry=True)
            _end_all(execute, account.identity)
            execute("UPDATE accounts SET revoked = ?, password = NULL WHERE id = ?", (order.at, account.identity))
            note_change(execute, account.identity, "withdrawn", order)

    def end_sessions(self, name: str, order: StaffOrder) -> None:
        """End all sessions of an account, which keeps its password; raises StaffFileError."""
        account = self.known(name)
        with self.transaction() as execute:
            self._check(name, order)
            execute("DELETE FROM sessions WHERE account = ?", (account.identity,))
            note_change(execute, account.identity, "sessions-ended", order)

    def unrecorded(self) -> tuple[StaffChange, ...]:
        """The changes without a signed record, the oldest first."""
        with self.reading() as execute:
            found = execute(
                "SELECT changes.id, name, kind, changes.roles, by, at, token FROM changes JOIN accounts ON account = accounts.id"
                " WHERE NOT recorded ORDER BY changes.id"
            )
            return tuple(
                StaffChange(name, kind, tuple(roles.split()), datetime.fromtimestamp(at, UTC), number, by, token)
                for number, name, kind, roles, by, at, token in found
            )

    def recorded(self, change: StaffChange) -> None:
        """Note that a signed record has the change."""
        with self.transaction() as execute:
            execute("UPDATE changes SET recorded = 1 WHERE id = ?", (change.number,))

    def password_fits(self, account: StaffAccount | None, password: str) -> str | None:
        """The stored hash that this password fits; None if it is not the account's, or the account is withdrawn. Without the account
        another password is compared, so that the duration does not reveal who has an account."""
        own = None if account is None else account.identity
        with self.reading() as execute:
            row = execute(
                "SELECT id, password FROM accounts WHERE revoked IS NULL AND password IS NOT NULL ORDER BY id IS ?1 DESC LIMIT 1", (own,)
            ).fetchone()
        return row[1] if row is not None and password_fits(password, row[1]) and row[0] == own else None

    def begin_session(self, account: StaffAccount, now: int, fitted: str | None = None) -> str:
        """Begin a session and return its token; sessions that are over are deleted. Raises OrderRefusedError if the password is no longer
        the ``fitted`` one: a comparison takes long enough for somebody to replace it meanwhile."""
        token = secrets.token_urlsafe(TOKEN_BYTES)
        with self.transaction() as execute:
            if fitted and execute("SELECT password FROM accounts WHERE id = ?", (account.identity,)).fetchone() != (fitted,):
                raise OrderRefusedError("changed", f"the password of {account.name} was changed in the meantime")
            execute("DELETE FROM sessions WHERE began < ? OR seen < ?", (now - TOTAL_S, now - IDLE_S))
            execute(
                "INSERT INTO sessions (digest, account, began, seen) VALUES (?, ?, ?, ?)", (token_digest(token), account.identity, now, now)
            )
            execute("UPDATE accounts SET entered = ? WHERE id = ?", (now, account.identity))
        return token

    def session(self, token: str, now: int, *, used: bool = True) -> StaffAccount | None:
        """The account of a session's token; None if the session was ended or is over. ``used`` is False for automatic requests."""
        digest = token_digest(token)
        with self.reading() as execute:
            row = execute(
                f"{_ACCOUNT} JOIN sessions ON account = id WHERE digest = ? AND began >= ? AND max(seen, ?) >= ? AND revoked IS NULL",
                (digest, now - TOTAL_S, self._unwritten_uses.get(digest, 0), now - IDLE_S),
            ).fetchone()
        if row is not None and used:
            self.note_use("UPDATE sessions SET seen = ?1 WHERE digest = ?2 AND seen <= ?1 - ?3", digest, now)
        return None if row is None else read_account(row)

    def note_use(self, statement: str, digest: bytes, now: int) -> None:
        """Store occasionally that a session or token is used; a full disk locks no one out."""
        if self._unwritten_uses.get(digest, 0) > now - SEEN_EVERY_S:
            return
        try:
            with self._mutex, staff_sentences(self._path):
                self._connection.execute(statement, (now, digest, SEEN_EVERY_S))
            self._unwritten_uses.pop(digest, None)
        except StaffFileError as error:
            _LOG.warning("a use is not written down: %s", error)
            self._unwritten_uses[digest] = now

    def end_session(self, token: str) -> None:
        with self.transaction() as execute:
            execute("DELETE FROM sessions WHERE digest = ?", (token_digest(token),))

    def known(self, name: str) -> StaffAccount:
        """The account of that name; raises OrderRefusedError, which names the existing ones."""
        account = self.account(name)
        if account is None:
            known = ", ".join(each.name for each in self.accounts()) or "none"
            raise OrderRefusedError("changed", f"{self._path}: there is no account of {name!r}; there is {known}")
        return account

    def _check(self, name: str, order: StaffOrder, *, takes_entry: bool = False) -> None:
        """Refuse an order as ``StaffOrder`` says, within a transaction; one that ``takes_entry`` ends the account's password."""
        if order.seen is None:
            return
        found = next((entry for entry in self.entries(order.at) if name_key(entry.account.name) == name_key(name)), None)
        if found is not None and not order.seen:
            raise OrderRefusedError("taken", f"there is an account of {found.account.name} already")
        if (0 if found is None else found.state) != order.seen:
            raise OrderRefusedError("changed", f"the account of {name} was changed in the meantime")
        if takes_entry and found is not None and found.account.directs and sum(each.directs for each in self.accounts()) == 1:
            raise OrderRefusedError("last-director", f"{name} is the last director who can enter: invite another one first")

    @contextmanager
    def reading(self) -> Iterator[Execute]:
        """Statements within change nothing; raises StaffFileError."""
        with self._mutex, staff_sentences(self._path):
            yield self._connection.execute

    @contextmanager
    def transaction(self) -> Iterator[Execute]:
        """Either all statements within are on disk at the end, or none; raises StaffFileError."""
        with self._mutex, staff_sentences(self._path), transaction(self._connection):
            yield self._connection.execute


class OrderRefusedError(StaffFileError):
    """A refused order; nothing was changed. ``why`` ends the message key of the page's sentence."""

    def __init__(self, why: str, sentence: str) -> None:
        super().__init__(sentence)
        self.why = why


@frozen
class StaffOrder:
    """When an order is given, and by whom: an account's name, empty for the command ``twinwall hall staff``. ``seen`` is the account's
    state (``StaffEntry.state``) that the person at the page has seen, 0 for no account. An order for another state is refused, and so is
    one that leaves no director who can log in. The command, which cannot be locked out, has None and works in any state."""

    at: int
    by: str = ""
    seen: int | None = None
