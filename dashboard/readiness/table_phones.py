"""The phones of the hall's tables, asked of the phones' server on this computer: who is in, a code for a role, a role taken away."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from dashboard.readiness.local_server import LocalServer
from twinwall.wire.shapes.phones import PhoneNow


class OfferedCode(Struct, frozen=True):
    """The address that lets one phone in."""

    link: str


# Made before there are threads: the first use of a type in two threads at once ends the process.
_PHONES, _CODE = msgspec.json.Decoder(list[PhoneNow]), msgspec.json.Decoder(OfferedCode)


class TablePhones:
    """The phones' server, by its address on loopback."""

    def __init__(self, address: str) -> None:
        """``address`` is ``http://127.0.0.1:PORT``."""
        self._server = LocalServer(address, "the phones' server", "twinwall table phones serve")

    def phones(self) -> list[PhoneNow]:
        """Every role; raises LocalServerError."""
        return _PHONES.decode(self._server.ask("GET", "/phones"))

    def offer(self, table: str, name: str) -> str:
        """The address of a code for a role, good once; raises LocalServerError."""
        return _CODE.decode(self._server.ask("POST", "/codes", {"table": table, "name": name})).link

    def dismiss(self, table: str, name: str) -> None:
        """Take a role from its phone; raises LocalServerError."""
        self._server.ask("POST", "/dismissed", {"table": table, "name": name})
