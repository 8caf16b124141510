"""Sends spans to an OpenTelemetry collector (OTLP over HTTP) on the library's thread; without a collector only spans are lost. The library
reads address, headers, certificate and sampler from environment variables. ``line_traces`` decides what is traced."""

import logging
import threading
from typing import cast

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.sdk.trace.id_generator import IdGenerator
from opentelemetry.sdk.trace.sampling import Decision
from opentelemetry.trace import INVALID_SPAN, NonRecordingSpan, SpanContext, TraceFlags, set_span_in_context

from twinwall.wire.line_traces import LineSpan


class _GivenNumbers:
    """Replaces the library's random ids by those of the current span."""

    span = LineSpan(0, 0, 0, "", 0, 0, {})

    def generate_trace_id(self) -> int:
        return self.span.trace

    def generate_span_id(self) -> int:
        return self.span.number

    def is_trace_id_random(self) -> bool:
        return True  # a digest is as good for a sampler


class SpanSender:
    """Sends the spans of one process; thread-safe."""

    def __init__(self, service: str, exporter: SpanExporter | None = None) -> None:
        """``exporter`` replaces the collector in the environment."""
        self._numbers, self._making = _GivenNumbers(), threading.Lock()
        numbers = cast("IdGenerator", self._numbers)
        # A process that ends does not wait for a missing collector, so the spans of its last seconds are lost.
        self._provider = TracerProvider(resource=Resource.create({"service.name": service}), id_generator=numbers, shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(exporter or OTLPSpanExporter()))
        logging.getLogger("opentelemetry").setLevel(logging.ERROR)  # it logs a line for each batch without a collector
        self._tracer = self._provider.get_tracer("twinwall")

    def send(self, span: LineSpan) -> None:
        """Queue a span. The sampler uses only the trace's number, so all processes decide alike."""
        if self._provider.sampler.should_sample(None, span.trace, span.name).decision is not Decision.RECORD_AND_SAMPLE:
            return
        parent = NonRecordingSpan(SpanContext(span.trace, span.parent, is_remote=True, trace_flags=TraceFlags(TraceFlags.SAMPLED)))
        context = set_span_in_context(parent if span.parent else INVALID_SPAN)
        with self._making:
            self._numbers.span = span
            made = self._tracer.start_span(span.name, context, attributes=dict(span.named), start_time=span.start_ns)
        made.end(span.end_ns)

    def close(self) -> None:
        self._provider.shutdown()
