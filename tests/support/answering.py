"""HTTP servers of a test's own, each in threads of this process."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from flask import Flask

from twinwall.web.loopback_server import HttpServer


class Answering(BaseHTTPRequestHandler):
    """Writes no log."""

    def content(self) -> bytes:
        """What was sent with the request."""
        return self.rfile.read(int(self.headers["Content-Length"]))

    def answer(self, status: int = 200, body: bytes = b"", headers: Mapping[str, str | None] | None = None) -> None:
        """Send an answer, with those headers that have a value."""
        self.send_response(status)
        for name, value in {**(headers or {}), "Content-Length": str(len(body))}.items():
            if value is not None:
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing is written."""


@contextmanager
def answering(handler: type[BaseHTTPRequestHandler], port: int = 0) -> Iterator[str]:
    """A server at a port, or at any; its address."""
    server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.block_on_close = False
        server.server_close()


@contextmanager
def served(app: Flask) -> Iterator[str]:
    """An application on a port of its own, served as the program serves it; its address."""
    server = HttpServer(app, 0)
    server.start()
    try:
        yield server.url
    finally:
        server.stop()
