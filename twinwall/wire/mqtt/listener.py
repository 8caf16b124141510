"""Callbacks of an MQTT link, and a guard that keeps the link alive when a callback fails.

``GuardedListener`` hands every call on; an exception is logged with its traceback and reported as a problem.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Protocol

_LOG = logging.getLogger(__name__)


class LinkListener(Protocol):
    """Calls to the owner of a link, on the link's thread: take it, put it into a queue, return."""

    def connected(self) -> None:
        """The broker knows us and all subscriptions stand: send from the acknowledged position."""

    def disconnected(self, reason: str) -> None:
        """The connection is lost or was refused; every token not acknowledged yet is void. The link tries again by itself."""

    def published(self, token: int) -> None:
        """The broker has taken over what ``publish`` gave this token."""

    def message(self, topic: str, payload: bytes) -> None:
        """Something arrived on a subscribed topic. What it says is not checked."""

    def problem(self, sentence: str) -> None:
        """Something invalid arrived, a subscription was refused or a call of this listener failed; the link goes on."""


class GuardedListener:
    """A ``LinkListener`` that never raises, around one that may."""

    def __init__(self, inner: LinkListener) -> None:
        self._inner = inner

    def connected(self) -> None:
        """Hand on."""
        self._guard("the connection", self._inner.connected)

    def disconnected(self, reason: str) -> None:
        """Hand on."""
        self._guard("the loss of the connection", lambda: self._inner.disconnected(reason))

    def published(self, token: int) -> None:
        """Hand on."""
        self._guard("an acknowledgement", lambda: self._inner.published(token))

    def message(self, topic: str, payload: bytes) -> None:
        """Hand on."""
        self._guard(f"a message on {topic!r}", lambda: self._inner.message(topic, payload))

    def problem(self, sentence: str) -> None:
        """Hand on; a failure here is only logged, since there is no other receiver."""
        try:
            self._inner.problem(sentence)
        except Exception:
            _LOG.exception("the listener could not take a problem: %s", sentence)

    def _guard(self, what: str, tell: Callable[[], None]) -> None:
        try:
            tell()
        except Exception as problem:
            _LOG.exception("the listener failed at %s", what)
            self.problem(f"{what} was not understood: {problem!r}")
