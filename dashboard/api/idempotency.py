"""Answers kept for a while by the key that their request carried, so that a request which is sent again has one effect.

They lie in the staff file and so outlive a restart. Requests without effect are not kept: they may be sent again with the same key.
"""

import hashlib
import hmac
import logging
from collections.abc import Callable

from dashboard.access.staff_file import StaffFile
from dashboard.access.staff_schema import StaffFileError
from dashboard.api.operations import ProblemError, ProblemKind
from twinwall.values import frozen

_LOG = logging.getLogger(__name__)
KEPT_S = 2 * 86_400
LONGEST_KEY = 200


@frozen
class KeyedRequest:
    """A request that carries a key: by which token, and a digest of what it asks for."""

    token: int
    key: str
    digest: bytes


@frozen
class StoredAnswer:
    """The answer of a request that had its effect, with the version of the event then."""

    content: bytes
    version: int
    again: bool = False
    """Whether it is given once more."""


def request_digest(secret: bytes, *parts: bytes) -> bytes:
    """A digest of a request that tells nothing of it to a reader of the file; ``secret`` is the key of the dashboard's cookies."""
    return hmac.digest(secret, b"".join(hashlib.sha256(part).digest() for part in parts), "sha256")


class AnswersByKey:
    """The kept answers of one run of the dashboard, which ``boot`` names."""

    def __init__(self, staff: StaffFile, boot: str, now_s: Callable[[], int]) -> None:
        self._staff, self._boot, self._now_s = staff, boot, now_s

    def once(self, asked: KeyedRequest, carry_out: Callable[[], StoredAnswer], without_effect: tuple[type[Exception], ...]) -> StoredAnswer:
        """Carry a request out, or give the answer that it got before.

        ``without_effect`` are the errors by which ``carry_out`` says that nothing was done. Raises ProblemError for a key that belongs
        to another request, and for one whose request was begun and has no answer.
        """
        found = self._begin(asked)
        if found is not None:
            return found
        try:
            answer = carry_out()
        except without_effect:
            self._forget(asked)
            raise
        try:
            self._keep(asked, answer)
        except StaffFileError as error:
            _LOG.error("the answer of a request with a key is not kept: %s", error)
        return answer

    def _begin(self, asked: KeyedRequest) -> StoredAnswer | None:
        with self._staff.transaction() as execute:
            execute("DELETE FROM api_answers WHERE at < ?", (self._now_s() - KEPT_S,))
            row = execute(
                "SELECT request, boot, version, answer FROM api_answers WHERE token = ? AND key = ?", (asked.token, asked.key)
            ).fetchone()
            if row is None:
                execute(
                    "INSERT INTO api_answers (token, key, request, at, boot) VALUES (?, ?, ?, ?, ?)",
                    (asked.token, asked.key, asked.digest, self._now_s(), self._boot),
                )
                return None
        digest, boot, version, content = row
        if not hmac.compare_digest(digest, asked.digest):
            raise ProblemError(
                ProblemKind.KEY_REUSED, "This Idempotency-Key came with another request before: take a new key for this one."
            )
        if content is not None:
            return StoredAnswer(content, version, again=True)
        if boot == self._boot:
            raise ProblemError(
                ProblemKind.KEY_IN_USE, "The request with this Idempotency-Key is being worked on: send it again in a second."
            )
        said = "The server was ended while it worked on the request with this Idempotency-Key. Read what came of it; then take a new key."
        raise ProblemError(ProblemKind.KEY_IN_USE, said, reason="interrupted")

    def _keep(self, asked: KeyedRequest, answer: StoredAnswer) -> None:
        with self._staff.transaction() as execute:
            execute(
                "UPDATE api_answers SET version = ?, answer = ? WHERE token = ? AND key = ?",
                (answer.version, answer.content, asked.token, asked.key),
            )

    def _forget(self, asked: KeyedRequest) -> None:
        with self._staff.transaction() as execute:
            execute("DELETE FROM api_answers WHERE token = ? AND key = ?", (asked.token, asked.key))
