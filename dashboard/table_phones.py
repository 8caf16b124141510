"""The phones of the hall's tables, asked of the phones' server on this computer: who is in, a code for a role, a role taken away."""

from __future__ import annotations

from http.client import HTTPConnection, HTTPException
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

PATIENCE_S = 3.0


class PhonesAwayError(Exception):
    """The phones' server does not answer, or refuses; the message is its sentence."""


class PhoneCondition(Struct, frozen=True):
    """What a phone says of itself; None where its browser does not tell."""

    battery: float | None = None
    charging: bool | None = None
    width: int | None = None
    height: int | None = None
    facing: str | None = None
    in_front: bool = True


class ShownPhone(Struct, frozen=True):
    """A role at a table, and the phone that has it."""

    table: str
    name: str
    given: bool
    connected: bool
    words: str | None = None
    state: PhoneCondition | None = None

    @property
    def kind(self) -> str:
        """``gate``, ``table``, ``keys`` or ``builder``."""
        return self.name.partition("-")[0]

    @property
    def number(self) -> str:
        """Of a gate or place, empty without one."""
        return self.name.partition("-")[2]

    @property
    def is_low(self) -> bool:
        """Whether the battery will soon be empty."""
        return self.state is not None and self.state.battery is not None and self.state.battery < 0.2 and not self.state.charging


class OfferedCode(Struct, frozen=True):
    """The address that lets one phone in."""

    link: str


class _Refusal(Struct):
    error: str


class TablePhones:
    """The phones' server, by its address on loopback."""

    def __init__(self, address: str) -> None:
        """``address`` is ``http://127.0.0.1:PORT``."""
        self._host = urlsplit(address).netloc

    def phones(self) -> list[ShownPhone]:
        """Every role; raises PhonesAwayError."""
        return msgspec.json.decode(self._ask("GET", "/phones"), type=list[ShownPhone])

    def offer(self, table: str, name: str) -> str:
        """The address of a code for a role, good once; raises PhonesAwayError."""
        return msgspec.json.decode(self._ask("POST", "/codes", {"table": table, "name": name}), type=OfferedCode).link

    def dismiss(self, table: str, name: str) -> None:
        """Take a role from its phone; raises PhonesAwayError."""
        self._ask("POST", "/dismissed", {"table": table, "name": name})

    def _ask(self, method: str, path: str, document: object = None) -> bytes:
        connection = HTTPConnection(self._host, timeout=PATIENCE_S)
        try:
            connection.request(method, path, msgspec.json.encode(document), {"Content-Type": "application/json"})
            answer = connection.getresponse()
            body = answer.read()
        except (OSError, HTTPException) as problem:
            raise PhonesAwayError(f"the phones' server at {self._host} does not answer: start twinwall phones serve") from problem
        finally:
            connection.close()
        if answer.status != 200:
            raise PhonesAwayError(msgspec.json.decode(body, type=_Refusal).error)
        return body
