"""Scenes for the cameras from the world's HTTP interface.

The connection to the world stays open between frames; a stale one is opened again once, then the world counts as
silent.
"""

from __future__ import annotations

import contextlib
import http.client
from urllib.parse import urlsplit

import msgspec

from simulator.scene import GateScene, TableScene

_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


# Made before there are threads: the first use of a type in two threads at once ends the process.
_GATE, _TABLE = msgspec.json.Decoder(GateScene), msgspec.json.Decoder(TableScene)


class WorldSilentError(RuntimeError):
    """The world did not answer what a camera would see; the message says where it was asked and what came."""


class HttpScenes:
    """Scenes from the world's ``/scene/gate`` and ``/scene/table``; not for several threads at once."""

    def __init__(self, world_url: str, timeout_s: float, gate: int = 0) -> None:
        """``gate`` is the one that is asked about. Raises ValueError for an address that is not plain HTTP on loopback with a port."""
        address = urlsplit(world_url)
        if address.scheme != "http" or address.hostname not in _LOOPBACK or address.port is None:
            raise ValueError(
                f"the world's address {world_url!r} must be http://127.0.0.1:PORT: scenes show every tile and stay on this machine"
            )
        self._url = world_url.rstrip("/")
        self._gate_path = f"/scene/gate-{gate}" if gate else "/scene/gate"
        self._prefix = address.path.rstrip("/")
        self._connection = http.client.HTTPConnection(address.hostname, address.port, timeout=timeout_s)
        self._last_read: tuple[bytes, TableScene] | None = None
        """The mat as it lay last time, with the text that said so: mostly nothing has been moved between two frames."""

    def gate(self) -> GateScene:
        try:
            return _GATE.decode(self._answer(self._gate_path))
        except msgspec.MsgspecError as error:
            raise WorldSilentError(f"{self._url}{self._gate_path} answers no scene of the gate: {error}") from None

    def table(self) -> TableScene:
        written = self._answer("/scene/table")
        if self._last_read is not None and self._last_read[0] == written:
            return self._last_read[1]
        try:
            scene = _TABLE.decode(written)
        except msgspec.MsgspecError as error:
            raise WorldSilentError(f"{self._url}/scene/table answers no scene of the table: {error}") from None
        if scene.between.silent:
            raise WorldSilentError(f"the camera over the table of {self._url} sends nothing for a time")
        self._last_read = written, scene
        return scene

    def close(self) -> None:
        self._connection.close()

    def _answer(self, path: str) -> bytes:
        kept_open = self._connection.sock is not None
        while True:
            try:
                return self._asked(path)
            except (OSError, http.client.HTTPException) as error:
                self._connection.close()
                if not kept_open:
                    raise WorldSilentError(f"the world does not answer at {self._url}{path}: {error!r}") from None
            kept_open = False

    def _asked(self, path: str) -> bytes:
        self._connection.request("GET", self._prefix + path)
        response = self._connection.getresponse()
        body = response.read()
        if response.status != http.client.OK:
            with contextlib.suppress(OSError):
                self._connection.close()
            raise WorldSilentError(f"the world answers {response.status} at {self._url}{path}")
        return body
