"""gunicorn without the reverse proxy before it, with few threads: what attacks on connections meet where nothing defends it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from gunicorn.app.base import BaseApplication

from tests.support.wire.brokers import free_port

THREADS = 8


def _pages(environ: WSGIEnvironment, start_response: StartResponse) -> Iterator[bytes]:
    """A page, or under ``/events`` a stream without end."""
    start_response("200 OK", [("Content-Type", "text/plain")])
    yield b"a page\n"
    while environ["PATH_INFO"] == "/events":
        yield b": here\n\n"
        time.sleep(0.05)


class _Bare(BaseApplication):
    def __init__(self, port: int) -> None:
        self._port = port
        super().__init__()

    def load_config(self) -> None:
        for name, value in {
            "bind": f"127.0.0.1:{self._port}",
            "worker_class": "gthread",
            "threads": THREADS,
            "worker_connections": 2 * THREADS,
            "graceful_timeout": 0,
            "loglevel": "critical",
            "control_socket_disable": True,
        }.items():
            self.cfg.set(name, value)

    def load(self) -> WSGIApplication:
        return _pages


def _serve(port: int) -> None:
    _Bare(port).run()


@contextmanager
def bare_gunicorn() -> Iterator[int]:
    """Serve until the block ends; the port."""
    port = free_port()
    process = multiprocessing.get_context("spawn").Process(target=_serve, args=(port,))
    process.start()
    assert process.pid is not None
    try:
        yield port
    finally:
        os.kill(process.pid, signal.SIGTERM)
        process.join(60)
        process.close()
