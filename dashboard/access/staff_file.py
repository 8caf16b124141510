"""The staff file: accounts of the staff, their invitations and their sessions, in a SQLite file of the dashboard's own.

It is apart from the event's store, which only grows and is handed on: a password must be replaceable and a session must end.
Tokens of invitations and sessions are kept as hashes, so that nobody who reads the file can use one. The commands
``twinwall staff`` write to the same file while the dashboard runs. Times are whole seconds since 1970, and come in as arguments.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import sqlite3
import threading
import unicodedata
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from dashboard.access.access_policy import Role
from dashboard.access.passwords import SALT_BYTES, PasswordCost, hash_password, password_fits

APPLICATION = 0x54574E53
"""``application_id`` of a staff file: "TWNS"."""
VERSION = 1
BUSY_S = 5.0
TOKEN_BYTES = 32
LONGEST_NAME = 40
IDLE_S = 2 * 3600
"""A session ends when nothing was asked with it for so long; a page that only keeps itself up to date asks nothing."""
TOTAL_S = 12 * 3600
"""A session lasts a long day at the hall."""
SEEN_EVERY_S = 60
"""So often it is written down at most that a session is used."""
_SCHEMA = f"""
CREATE TABLE accounts (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, name_key TEXT NOT NULL UNIQUE, roles TEXT NOT NULL, password TEXT, revoked INTEGER
) STRICT;
CREATE TABLE invitations (digest BLOB PRIMARY KEY, account INTEGER NOT NULL REFERENCES accounts (id), until INTEGER NOT NULL) STRICT;
CREATE TABLE sessions (
    digest BLOB PRIMARY KEY, account INTEGER NOT NULL REFERENCES accounts (id), began INTEGER NOT NULL, seen INTEGER NOT NULL
) STRICT;
PRAGMA user_version = {VERSION};
PRAGMA application_id = {APPLICATION};
"""


class StaffFileError(RuntimeError):
    """A staff file that cannot be used, or an order that it cannot carry out; the message says what to do."""


@dataclass(frozen=True, slots=True)
class StaffAccount:
    """One person of the staff: who may enter, and as what."""

    identity: int
    name: str
    roles: frozenset[Role]
    has_password: bool
    revoked: bool


_ACCOUNT = "SELECT id, name, roles, password IS NOT NULL, revoked IS NOT NULL FROM accounts"


def _account(row: tuple[int, str, str, int, int]) -> StaffAccount:
    identity, name, roles, has_password, revoked = row
    return StaffAccount(identity, name, frozenset(map(Role, roles.split())), bool(has_password), bool(revoked))


def _key(name: str) -> str:
    """The same for a name however it is capitalised and composed."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


class StaffFile:
    """The accounts of one event's staff; every method may be called from any thread."""

    def __init__(self, path: Path | str, cost: PasswordCost | None = None) -> None:
        """Open the file, made where it is not there; raises StaffFileError. ``cost`` is that of new passwords."""
        self._path = path
        self._cost = cost or PasswordCost()
        self._mutex = threading.RLock()
        if isinstance(path, Path) and not path.exists():
            with suppress(OSError):  # what is wrong is said when SQLite opens it
                os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
        with self._sentences():
            self._connection = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
            try:
                self._prepare()
            except BaseException:
                self._connection.close()
                raise

    def close(self) -> None:
        """Let go of the file."""
        with self._mutex:
            self._connection.close()

    def accounts(self) -> tuple[StaffAccount, ...]:
        """All accounts in the order in which they were made."""
        with self._mutex, self._sentences():
            return tuple(map(_account, self._connection.execute(f"{_ACCOUNT} ORDER BY id")))

    def account(self, name: str) -> StaffAccount | None:
        """The account of that name, written in small or capital letters."""
        with self._mutex, self._sentences():
            row = self._connection.execute(f"{_ACCOUNT} WHERE name_key = ?", (_key(name),)).fetchone()
        return None if row is None else _account(row)

    def invite(self, name: str, roles: Collection[Role], until: int) -> str:
        """Invite somebody, for the first time or again; the token of the invitation.

        A name belongs to one person for good, because records carry it. An invitation opens a withdrawn account
        again. Raises StaffFileError for a name that cannot be one.
        """
        name = " ".join(unicodedata.normalize("NFC", name).split())
        if not name or len(name) > LONGEST_NAME or not name.isprintable():
            raise StaffFileError(f"the name {name!r}: a name has 1 to {LONGEST_NAME} printable characters")
        token = secrets.token_urlsafe(TOKEN_BYTES)
        written = " ".join(sorted(role.value for role in roles))
        with self._transaction() as execute:
            execute(
                "INSERT INTO accounts (name, name_key, roles) VALUES (?1, ?2, ?3) "
                "ON CONFLICT (name_key) DO UPDATE SET roles = ?3, password = NULL, revoked = NULL",
                (name, _key(name), written),
            )
            (account,) = execute("SELECT id FROM accounts WHERE name_key = ?", (_key(name),)).fetchone()
            self._end_all(account)
            execute("INSERT INTO invitations (digest, account, until) VALUES (?, ?, ?)", (_digest(token), account, until))
        return token

    def invited(self, token: str, now: int) -> StaffAccount | None:
        """Whom an invitation is for; None for one that was used, withdrawn, is too old or never was."""
        with self._mutex, self._sentences():
            row = self._connection.execute(
                f"{_ACCOUNT} JOIN invitations ON account = id WHERE digest = ? AND until >= ?", (_digest(token), now)
            ).fetchone()
        return None if row is None else _account(row)

    def accept(self, token: str, password: str, now: int) -> StaffAccount | None:
        """Use an invitation up for a password; None as for ``invited``. Raises PasswordError, and then it is not used up."""
        hashed = self._hash(password)
        with self._transaction() as execute:
            account = self.invited(token, now)
            if account is not None:
                self._end_all(account.identity)
                execute("UPDATE accounts SET password = ? WHERE id = ?", (hashed, account.identity))
        return account

    def set_password(self, name: str, password: str) -> None:
        """Give an account another password, which ends its sessions; raises StaffFileError and PasswordError."""
        account, hashed = self.known(name), self._hash(password)
        with self._transaction() as execute:
            self._end_all(account.identity)
            execute("UPDATE accounts SET password = ? WHERE id = ?", (hashed, account.identity))

    def revoke(self, name: str, now: int) -> None:
        """Withdraw an account at once: its sessions and invitations end with it; raises StaffFileError."""
        account = self.known(name)
        with self._transaction() as execute:
            self._end_all(account.identity)
            execute("UPDATE accounts SET revoked = ?, password = NULL WHERE id = ?", (now, account.identity))

    def password_fits(self, account: StaffAccount, password: str) -> bool:
        """Whether this is the account's password, and the account is not withdrawn."""
        with self._mutex, self._sentences():
            row = self._connection.execute(
                "SELECT password FROM accounts WHERE id = ? AND revoked IS NULL AND password IS NOT NULL", (account.identity,)
            ).fetchone()
        return row is not None and password_fits(password, row[0])

    def begin_session(self, account: StaffAccount, now: int) -> str:
        """Begin a session; its token. Sessions that are over are forgotten."""
        token = secrets.token_urlsafe(TOKEN_BYTES)
        with self._transaction() as execute:
            execute("DELETE FROM sessions WHERE began < ? OR seen < ?", (now - TOTAL_S, now - IDLE_S))
            execute("INSERT INTO sessions (digest, account, began, seen) VALUES (?, ?, ?, ?)", (_digest(token), account.identity, now, now))
        return token

    def session(self, token: str, now: int, *, used: bool = True) -> StaffAccount | None:
        """Whose session a token opens; None for one that was ended or is over. ``used`` is False for what asks by itself."""
        with self._mutex, self._sentences():
            row = self._connection.execute(
                f"{_ACCOUNT} JOIN sessions ON account = id WHERE digest = ? AND began >= ? AND seen >= ? AND revoked IS NULL",
                (_digest(token), now - TOTAL_S, now - IDLE_S),
            ).fetchone()
            if row is not None and used:
                self._connection.execute(
                    "UPDATE sessions SET seen = ?1 WHERE digest = ?2 AND seen <= ?1 - ?3", (now, _digest(token), SEEN_EVERY_S)
                )
        return None if row is None else _account(row)

    def end_session(self, token: str) -> None:
        """End a session for good."""
        with self._transaction() as execute:
            execute("DELETE FROM sessions WHERE digest = ?", (_digest(token),))

    def known(self, name: str) -> StaffAccount:
        """The account of that name; raises StaffFileError, which names those there are."""
        account = self.account(name)
        if account is None:
            known = ", ".join(each.name for each in self.accounts()) or "nobody"
            raise StaffFileError(f"{self._path}: there is no account of {name!r}; there is {known}")
        return account

    def _hash(self, password: str) -> str:
        return hash_password(password, secrets.token_bytes(SALT_BYTES), self._cost)

    def _end_all(self, account: int) -> None:
        for table in ("sessions", "invitations"):
            self._connection.execute(f"DELETE FROM {table} WHERE account = ?", (account,))  # noqa: S608  # one of two names

    def _prepare(self) -> None:
        execute = self._connection.execute
        if not execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
            self._connection.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} COMMIT;")
        application, version = execute("PRAGMA application_id").fetchone()[0], execute("PRAGMA user_version").fetchone()[0]
        if application != APPLICATION:
            raise StaffFileError(f"{self._path}: this is no staff file but another program's database: name another file")
        if version > VERSION:
            raise StaffFileError(
                f"{self._path}: the staff file is of version {version}, this program knows {VERSION}: use the newer program"
            )
        execute("PRAGMA foreign_keys = ON")
        execute("PRAGMA secure_delete = ON")

    @contextmanager
    def _transaction(self) -> Iterator[Callable[..., sqlite3.Cursor]]:
        with self._mutex, self._sentences():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection.execute
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _sentences(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StaffFileError(
                f"{self._path}: the staff file cannot be read or written ({error}): is the folder there, and this user's?"
            ) from error
