"""The Wi-Fi between a phone and its table's server: what goes through can be held, or cut off."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress

_PIECE = 65536


class Network:
    """Passes connections at ``port`` on to another port of this computer, from ``start`` to ``stop``."""

    def __init__(self, to: int) -> None:
        self._to, self._server = to, socket.create_server(("127.0.0.1", 0))
        self.port: int = self._server.getsockname()[1]
        self._to_server, self._to_phone = threading.Event(), threading.Event()
        self.goes_on()
        self._lines: list[socket.socket] = []

    def start(self) -> None:
        """Begin."""
        threading.Thread(target=self._accept, name="network", daemon=True).start()

    def stop(self) -> None:
        """End, and cut off what is connected."""
        self.goes_on()
        for line in (self._server, *self._lines):
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)
            line.close()

    def holds(self, *, answers_alone: bool = False) -> None:
        """Nothing goes through any more, or nothing to the phone, and nobody is told."""
        self._to_phone.clear()
        if not answers_alone:
            self._to_server.clear()

    def goes_on(self) -> None:
        """What was held goes through."""
        self._to_server.set()
        self._to_phone.set()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                phone, _ = self._server.accept()
                if not self._to_server.is_set():
                    phone.close()
                    continue
                server = socket.create_connection(("127.0.0.1", self._to))
                self._lines += [phone, server]
                for ends in ((phone, server, self._to_server), (server, phone, self._to_phone)):
                    threading.Thread(target=self._pass, args=ends, name="line", daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket, goes_through: threading.Event) -> None:
        with suppress(OSError):
            while piece := source.recv(_PIECE):
                goes_through.wait()
                target.sendall(piece)
        goes_through.wait()
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)
