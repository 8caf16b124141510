"""Traces of discards and results: every process finds the same numbers, a span tells nothing of the play, a collector gets it by HTTP."""

import logging
import subprocess
import sys
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.wire.collector import Collector, collecting
from tests.support.wire.streams import Line, ledger_lines, public_events
from twinwall.game.tiles import ALL_TILES, Tile
from twinwall.wire.ledger import parse
from twinwall.wire.line_traces import COLLECTOR, LineArrivals, LineSpan, LineTraces, TraceStep, open_traces

EVENT = "Autumn / Herbst"
TILES = st.lists(st.sampled_from(ALL_TILES), min_size=8, max_size=8)
SEATS = "ESWN"


def played(tiles: Sequence[Tile], scores: Sequence[int] = (75, -25, -25, -25)) -> list[Line]:
    discards: list[Line] = [("tile-discarded", {"seat": SEATS[number % 4], "tile": tile.text}) for number, tile in enumerate(tiles)]
    ended: list[Line] = [("hand-ended", {"reason": "won", "scores": dict(zip(SEATS, scores, strict=True))}), ("hand-closed", {"n": 3})]
    return discards + ended


def spans_of(script: Sequence[Line], table: str = "1", journal: str = "j1") -> list[LineSpan]:
    """What a table and a process that stores its lines send."""
    spans: list[LineSpan] = []
    traces = LineTraces(EVENT, spans.append, lambda: 2_000_000_000_000_000_000)
    lines = ledger_lines(script, table, journal)
    arrivals = LineArrivals(traces, TraceStep.CENTRE_RECEIVE, TraceStep.CENTRE_STORE)
    for line in lines:
        arrivals.came(line)
        traces.left_table(line, 1_999_999_999_000_000_000)
    arrivals.stored([parse(line) for line in lines], arrivals.now_ns(), venue="Kyoto")
    return spans


def test_each_discard_and_each_result_is_one_trace_below_the_tables_span() -> None:
    spans = spans_of(played(ALL_TILES[:8]))
    traces = {span.trace: [each for each in spans if each.trace == span.trace] for span in spans}
    assert len(traces) == 9
    for of_one in traces.values():
        first, *others = of_one
        assert (first.name, first.parent) == (TraceStep.TABLE, 0)
        assert [each.name for each in others] == [TraceStep.LEDGER, TraceStep.PUBLISH, TraceStep.CENTRE_RECEIVE, TraceStep.CENTRE_STORE]
        assert {each.parent for each in others} == {first.number}
        assert len({each.number for each in of_one}) == 5
        assert all(each.start_ns <= each.end_ns for each in of_one)


def test_another_journal_another_table_and_another_event_have_other_traces() -> None:
    script = played(ALL_TILES[:8])
    numbers = [{span.trace for span in spans} for spans in (spans_of(script), spans_of(script, "2"), spans_of(script, journal="j2"))]
    assert len(set.union(*numbers)) == 27


@given(TILES, TILES, st.permutations((75, -25, -25, -25)))
def test_what_spans_say_does_not_depend_on_tiles_and_scores(first: list[Tile], second: list[Tile], scores: list[int]) -> None:
    assert spans_of(played(first)) == spans_of(played(second, scores))


def test_a_process_keeps_the_times_of_so_many_lines_and_of_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("twinwall.wire.line_traces.MOST_ARRIVALS", 4)
    spans: list[LineSpan] = []
    now = iter(range(1, 100))
    arrivals = LineArrivals(LineTraces(EVENT, spans.append, lambda: next(now)), TraceStep.CENTRE_RECEIVE, TraceStep.CENTRE_STORE)
    lines = public_events(played(ALL_TILES[:8]))[:8]
    for line in lines:
        arrivals.came(line.line)
    arrivals.stored(lines, 20)
    assert [span.start_ns for span in spans if span.name == TraceStep.CENTRE_RECEIVE] == [20, 20, 20, 20, 5, 6, 7, 8]


@pytest.fixture
def collector() -> Iterator[Collector]:
    with collecting() as running:
        yield running


def test_a_collector_gets_the_spans_by_http_and_no_tile(collector: Collector, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("opentelemetry.sdk")
    from twinwall.wire.line_spans import SpanSender  # noqa: PLC0415 - needs the extra

    monkeypatch.setenv(COLLECTOR[0], collector.address)
    sender = SpanSender("twinwall-table")
    sent = spans_of(played(ALL_TILES[:8]))
    for span in sent:
        sender.send(span)
    sender.close()
    resources = collector.resources
    came = [span for resource in resources for scope in resource.scope_spans for span in scope.spans]
    assert [
        (int.from_bytes(each.trace_id), int.from_bytes(each.span_id), int.from_bytes(each.parent_span_id), each.name) for each in came
    ] == [(each.trace, each.number, each.parent, each.name) for each in sent]
    assert [(each.start_time_unix_nano, each.end_time_unix_nano) for each in came] == [(each.start_ns, each.end_ns) for each in sent]
    keys = {attribute.key for each in came for attribute in each.attributes}
    assert keys == {f"twinwall.{each}" for each in ("event", "venue", "table", "journal", "line", "deal")}
    assert {"service.name"} <= {attribute.key for each in resources for attribute in each.resource.attributes}


def test_processes_with_one_sampler_keep_the_same_traces(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("opentelemetry.sdk")
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter  # noqa: PLC0415

    from twinwall.wire.line_spans import SpanSender  # noqa: PLC0415 - needs the extra

    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "parentbased_traceidratio")
    monkeypatch.setenv("OTEL_TRACES_SAMPLER_ARG", "0.5")
    spans = spans_of(played(ALL_TILES))
    kept = []
    for of_process in ((TraceStep.TABLE, TraceStep.LEDGER, TraceStep.PUBLISH), (TraceStep.CENTRE_RECEIVE, TraceStep.CENTRE_STORE)):
        exporter = InMemorySpanExporter()
        sender = SpanSender("one of them", exporter)
        for span in spans:
            if span.name in of_process:
                sender.send(span)
        sender.close()
        kept.append({each.context.trace_id for each in exporter.get_finished_spans() if each.context is not None})
    assert kept[0] == kept[1]
    assert 0 < len(kept[0]) < len(ALL_TILES)


def test_without_a_collector_or_without_the_extra_nothing_is_traced(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for name in COLLECTOR:
        monkeypatch.delenv(name, raising=False)
    assert open_traces("twinwall-table", EVENT) is None
    monkeypatch.setenv(COLLECTOR[0], "http://127.0.0.1:9")
    monkeypatch.setitem(sys.modules, "twinwall.wire.line_spans", None)
    with caplog.at_level(logging.WARNING):
        assert open_traces("twinwall-table", EVENT) is None
    assert "install Twinwall with the extra 'tracing'" in caplog.text


@pytest.mark.parametrize(
    ("setting", "value", "said"), [("OTEL_BSP_MAX_QUEUE_SIZE", "10", "max_queue_size"), ("OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", "x", "got x")]
)
def test_a_setting_that_the_library_refuses_is_told_and_stops_no_program(
    setting: str, value: str, said: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    pytest.importorskip("opentelemetry.sdk")
    monkeypatch.setenv(COLLECTOR[0], "http://127.0.0.1:9")
    monkeypatch.setenv(setting, value)
    with caplog.at_level(logging.WARNING):
        assert open_traces("twinwall-table", EVENT) is None
    (told,) = caplog.messages
    assert "nothing is traced" in told
    assert said in told


def test_a_message_of_any_size_is_not_held_until_it_is_stored() -> None:
    arrivals = LineArrivals(LineTraces(EVENT, lambda _: None), TraceStep.CENTRE_RECEIVE, TraceStep.CENTRE_STORE)
    payload = ledger_lines(played(ALL_TILES[:8]))[0]
    held = sys.getrefcount(payload)
    arrivals.came(payload)
    assert sys.getrefcount(payload) == held


def test_a_library_that_fails_while_it_sends_costs_spans_alone_and_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    def fails(_span: LineSpan) -> None:
        raise RuntimeError("no more memory")

    traces = LineTraces(EVENT, fails)
    arrivals = LineArrivals(traces, TraceStep.CENTRE_RECEIVE, TraceStep.CENTRE_STORE)
    for line in ledger_lines(played(ALL_TILES[:8])):
        arrivals.came(line)
        traces.left_table(line, 1)
        arrivals.stored([parse(line)], arrivals.now_ns())
    assert [record.message for record in caplog.records] == [
        "spans are lost: OpenTelemetry failed with RuntimeError('no more memory'); restart the program once that is fixed"
    ]


def test_the_programs_begin_without_the_library() -> None:
    programs = ("cli.demo.command", "cli.table.table", "dashboard.serving", "centre.commands.consume")
    script = f"import sys; sys.modules['opentelemetry'] = None; import {', '.join(programs)}"
    ended = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
