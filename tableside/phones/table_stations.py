"""Clients of the tables' stations on this computer, for phones as builder's screens: the screen, and touches of it. A screen passes through
unchanged and is not stored. The station knows the phone by the words that it shows."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Literal, TypeAlias
from urllib.parse import urlencode

import msgspec

from twinwall.values import FrozenStruct, frozen
from twinwall.web.http_request import ask

PATIENCE_S = 3.0
Deed: TypeAlias = Literal["done", "none-left", "undo", "right"]
"""The station's words for touches of its screen; a test compares both."""


class StationAwayError(Exception):
    """The station does not answer."""


class TakenBackError(Exception):
    """The table's own screen has taken the screen back from this phone."""


class ScreenVersion(FrozenStruct):
    """A screen's version, which rises while the station runs."""

    version: int


@frozen
class BuilderPhone:
    """The phone of a builder's screen at a table's station, which is on this port of loopback: the screen by its role's ``name``, the phone
    by the words that it shows. Each request has its own connection."""

    port: int
    name: str
    words: str

    def screen(self, after: int, timeout_s: float) -> tuple[int, msgspec.Raw]:
        """The screen's version and the screen, once it is newer than ``after``, or after the timeout. Raises StationAwayError and
        TakenBackError."""
        body = self._ask("GET", "now", after=after, wait_ms=round(1000 * timeout_s))
        try:
            return msgspec.json.decode(body, type=ScreenVersion).version, msgspec.Raw(body)
        except msgspec.MsgspecError as problem:
            raise StationAwayError(f"port {self.port} answers what no station does: {problem}") from problem

    def touch(self, deed: Deed, number: int, missing: int) -> None:
        """Touch the screen; the station ignores late touches. Raises StationAwayError and TakenBackError."""
        self._ask("POST", deed, {"number": number, "missing": missing})

    def gone(self) -> None:
        """Report that the phone is no longer the builder's screen."""
        with suppress(StationAwayError, TakenBackError):
            self._ask("POST", "gone")

    def _ask(self, method: str, what: str, document: Mapping[str, int] | None = None, **asked: int) -> bytes:
        fields = urlencode({"screen": self.name, "phone": self.words, **asked})
        try:
            status, body = ask(f"127.0.0.1:{self.port}", method, f"/phone/{what}?{fields}", document or {}, patience_s=PATIENCE_S)
        except OSError as problem:
            raise StationAwayError(f"no station answers on port {self.port}: {problem}") from problem
        if status == 410:
            raise TakenBackError
        if status != 200:
            raise StationAwayError(f"the station on port {self.port} answers {status}")
        return body
