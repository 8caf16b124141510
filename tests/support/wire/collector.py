"""A collector of OpenTelemetry (OTLP over HTTP) on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.support.answering import Answering, answering

if TYPE_CHECKING:
    from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans


@dataclass
class Collector:
    """An OTLP/HTTP receiver that keeps what comes."""

    address: str
    _bodies: list[tuple[str, bytes]]

    @property
    def resources(self) -> list[ResourceSpans]:
        """What has come so far: spans, and which process has sent them."""
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest  # noqa: PLC0415 - the extra

        assert {path for path, _ in self._bodies} <= {"/v1/traces"}
        return [each for _, body in list(self._bodies) for each in ExportTraceServiceRequest.FromString(body).resource_spans]


@contextmanager
def collecting() -> Iterator[Collector]:
    bodies: list[tuple[str, bytes]] = []

    class Handler(Answering):
        def do_POST(self) -> None:
            bodies.append((self.path, self.content()))
            self.answer()

    with answering(Handler) as address:
        yield Collector(address, bodies)
