"""Problems of the API in the form of RFC 9457: why a request had no effect, in a sentence that says what to do."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from msgspec import Struct

PROBLEM_TYPE = "application/problem+json"


class ProblemKind(Enum):
    """A problem's word, its status and its title; programs go by the word, which stays the same in every language."""

    INVALID = ("invalid", 400, "The request cannot be read")
    NO_TOKEN = ("no-token", 401, "A token is needed")
    FORBIDDEN = ("forbidden", 403, "The token may not do this")
    NOT_FOUND = ("not-found", 404, "There is no such thing")
    CHANGED = ("changed", 409, "The event has changed")
    REFUSED = ("refused", 409, "The event cannot take this")
    KEY_IN_USE = ("key-in-use", 409, "A request with this key was begun")
    TOO_LONG = ("too-long", 413, "The request is too long")
    LIST = ("list", 422, "Lines of the list cannot be entered")
    KEY_REUSED = ("key-reused", 422, "The key belongs to another request")
    NO_VERSION = ("no-version", 428, "The version of the event is missing")
    UNAVAILABLE = ("unavailable", 503, "This cannot be done now")

    def __init__(self, word: str, status: int, title: str) -> None:
        self.word, self.status, self.title = word, status, title


class ChangeMade(Struct, frozen=True):
    """What somebody has changed since: who, and what in words."""

    by: str
    change: str


class RefusedLine(Struct, frozen=True):
    """A line of a list, from 1, that cannot be entered, and why."""

    line: int
    reason: str


class Problem(Struct, frozen=True, omit_defaults=True):
    """Why a request had no effect.

    Attributes:
        type: ``urn:twinwall:problem:`` and the problem's word.
        detail: what happened and what to do, in the language that ``Accept-Language`` asks for where the pages have that sentence.
        reason: the stable word of a refusal, such as ``already-played``.
        event_version: the version of the event now, where another one was seen; ``changes`` are what was changed since.
        lines: of a list, those that cannot be entered.
    """

    type: str
    title: str
    status: int
    detail: str
    reason: str = ""
    event_version: int | None = None
    changes: tuple[ChangeMade, ...] = ()
    lines: tuple[RefusedLine, ...] = ()


class ProblemError(Exception):
    """A request that has no effect, and why."""

    def __init__(
        self,
        kind: ProblemKind,
        detail: str,
        *,
        reason: str = "",
        event_version: int | None = None,
        changes: Sequence[ChangeMade] = (),
        lines: Sequence[RefusedLine] = (),
    ) -> None:
        super().__init__(detail)
        name = f"urn:twinwall:problem:{kind.word}"
        self.kind = kind
        self.problem = Problem(name, kind.title, kind.status, detail, reason, event_version, tuple(changes), tuple(lines))
