"""Tokens of the API: a director makes one for a program, for one event and scope; the staff file has their hashes. A token belongs to the
account that made it. It is withdrawn when the account is withdrawn, invited again, or gets another password. Records of what a token did
name the account and the token's label."""

import secrets
from enum import Enum

from flask import request

from dashboard.access.access_policy import Viewer
from dashboard.access.staff_file import (
    ACCOUNT_COLUMNS,
    TOKEN_BYTES,
    OrderRefusedError,
    StaffAccount,
    StaffFile,
    StaffOrder,
    note_change,
    read_account,
    token_digest,
)
from dashboard.access.staff_schema import Role
from twinwall.values import frozen
from twinwall.wire.names import cleaned, name_key, name_problem

LONGEST_LABEL = 40
MOST_TOKENS = 50
"""Of one event."""
TOKEN_PREFIX = "twinwall_"  # noqa: S105 - it is the same for every token, so that one that leaked into a text is found
_TOKEN = (
    f"SELECT api_tokens.id, label, scope, api_tokens.since, used, {ACCOUNT_COLUMNS}"  # noqa: S608 - of constants
    " FROM api_tokens JOIN accounts ON account = accounts.id"
)


class TokenScope(Enum):
    """What a token may do: the same as an account of that role, or as everybody."""

    DIRECTOR = "director"
    REFEREE = "referee"
    SCORER = "scorer"
    VIEWER = "viewer"

    @property
    def roles(self) -> frozenset[Role]:
        return frozenset() if self is TokenScope.VIEWER else frozenset({Role(self.value)})


@frozen
class ApiToken:
    """A token in the list, without the token itself; ``used`` is its last use, to the minute, or None."""

    number: int
    label: str
    scope: TokenScope
    since: int
    used: int | None
    account: StaffAccount

    @property
    def viewer(self) -> Viewer:
        """The viewer that it stands for; signed records have the name."""
        return Viewer(self.scope.roles, f"{self.account.name} ({self.label})")


def make_token(staff: StaffFile, event: str, label: str, scope: TokenScope, order: StaffOrder) -> str:
    """Make a token for an event; return it, since it is not shown again. Raises OrderRefusedError for an unknown account, for a label
    that is malformed or in use, and beyond ``MOST_TOKENS``; StaffFileError when the file fails."""
    account, label = staff.known(order.by), cleaned(label)
    if name_problem(label) is not None or len(label) > LONGEST_LABEL:
        raise OrderRefusedError("label", f"the label {label!r}: a label has 1 to {LONGEST_LABEL} printable characters")
    token = f"{TOKEN_PREFIX}{secrets.token_urlsafe(TOKEN_BYTES)}"
    with staff.transaction() as execute:
        labels = [name_key(known) for (known,) in execute("SELECT label FROM api_tokens WHERE event = ?", (event,))]
        if name_key(label) in labels:
            raise OrderRefusedError("label-taken", f"there is a token {label!r} already: withdraw it first, or choose another label")
        if len(labels) >= MOST_TOKENS:
            raise OrderRefusedError("tokens", f"there are {MOST_TOKENS} tokens: withdraw one first")
        execute(
            "INSERT INTO api_tokens (digest, account, event, label, scope, since) VALUES (?, ?, ?, ?, ?, ?)",
            (token_digest(token), account.identity, event, label, scope.value, order.at),
        )
        note_change(execute, account.identity, "token-made", order, f"{label} ({scope.value})")
    return token


def withdraw_token(staff: StaffFile, event: str, number: int, order: StaffOrder) -> str | None:
    """Withdraw a token at once; return its label, or None if there is none of that number. Raises StaffFileError."""
    with staff.transaction() as execute:
        found = execute("SELECT account, label, scope FROM api_tokens WHERE id = ? AND event = ?", (number, event)).fetchone()
        if found is None:
            return None
        account, label, scope = found
        execute("DELETE FROM api_tokens WHERE id = ?", (number,))
        note_change(execute, account, "token-withdrawn", order, f"{label} ({scope})")
    return str(label)


def tokens_of(staff: StaffFile, event: str) -> tuple[ApiToken, ...]:
    """The tokens of an event in the order in which they were made."""
    with staff.reading() as execute:
        return tuple(map(_read, execute(f"{_TOKEN} WHERE event = ? ORDER BY api_tokens.id", (event,))))


def token_used(staff: StaffFile, event: str, token: str, now: int) -> ApiToken | None:
    """The token of an event; None for one that was withdrawn, is another event's or never was."""
    digest = token_digest(token)
    with staff.reading() as execute:
        row = execute(f"{_TOKEN} WHERE digest = ? AND event = ? AND revoked IS NULL", (digest, event)).fetchone()
    if row is None:
        return None
    staff.note_use("UPDATE api_tokens SET used = ?1 WHERE digest = ?2 AND coalesce(used, 0) <= ?1 - ?3", digest, now)
    return _read(row)


def token_sent(staff: StaffFile, event: str, now: int) -> ApiToken | None:
    """The token that this request carries, if any."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token_used(staff, event, token.strip(), now) if scheme.lower() == "bearer" else None


def _read(row: tuple[int, str, str, int, int | None, int, str, str, int, int]) -> ApiToken:
    return ApiToken(row[0], row[1], TokenScope(row[2]), row[3], row[4], read_account(row[5:]))
