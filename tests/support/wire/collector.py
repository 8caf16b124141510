"""A collector of OpenTelemetry (OTLP over HTTP) on loopback."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans


class Collector:
    """An OTLP/HTTP receiver that keeps what comes."""

    def __init__(self) -> None:
        self._bodies: list[tuple[str, bytes]] = []
        keep = self._bodies.append

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                keep((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Nothing is written."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = Thread(target=self.server.serve_forever)
        self.thread.start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    @property
    def resources(self) -> list[ResourceSpans]:
        """What has come so far: spans, and which process has sent them."""
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest  # noqa: PLC0415 - the extra

        assert {path for path, _ in self._bodies} <= {"/v1/traces"}
        return [each for _, body in list(self._bodies) for each in ExportTraceServiceRequest.FromString(body).resource_spans]
