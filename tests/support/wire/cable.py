"""Proxy between one client and the broker: a cable that can be pulled, after which both ends find the connection dead."""

import contextlib
import socket
import threading
from types import TracebackType
from typing import Self

CHUNK = 65536


class Cable:
    """Carries TCP connections to ``port`` until ``pull``, which ends them all and refuses new ones until ``plug``."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._server = socket.create_server(("127.0.0.1", 0))
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._pulled = self._ended = False
        self._threads: list[threading.Thread] = []

    @property
    def port(self) -> int:
        """Where the table's end is."""
        port: int = self._server.getsockname()[1]
        return port

    def __enter__(self) -> Self:
        self._spawn(self._accept)
        return self

    def __exit__(self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None) -> None:
        self._ended = True
        with contextlib.suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        self.pull()
        for thread in self._threads:
            thread.join()

    def pull(self) -> None:
        with self._lock:
            self._pulled = True
            for connection in self._open:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def plug(self) -> None:
        with self._lock:
            self._pulled = False

    def passes(self, content: bytes) -> None:
        """Something goes through; nobody looks."""

    def _accept(self) -> None:
        while not self._ended:
            try:
                near, _ = self._server.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(("127.0.0.1", self._to), timeout=5)
            except OSError:
                near.close()
                continue
            with self._lock:
                if self._pulled:
                    near.close()
                    far.close()
                    continue
                self._open |= {near, far}
            far.settimeout(None)
            ends = threading.Semaphore(0)
            self._spawn(self._carry, near, far, ends)
            self._spawn(self._carry, far, near, ends)
            self._spawn(self._close, near, far, ends)

    def _carry(self, one: socket.socket, other: socket.socket, ends: threading.Semaphore) -> None:
        with contextlib.suppress(OSError):
            while content := one.recv(CHUNK):
                self.passes(content)
                other.sendall(content)
        for end in (one, other):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        ends.release()

    def _close(self, near: socket.socket, far: socket.socket, ends: threading.Semaphore) -> None:
        """Let go of both sockets when neither direction is carried any more."""
        ends.acquire()
        ends.acquire()
        with self._lock:
            self._open -= {near, far}
        near.close()
        far.close()

    def _spawn(self, act: object, *arguments: object) -> None:
        assert callable(act)
        thread = threading.Thread(target=act, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()
