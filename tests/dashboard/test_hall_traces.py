"""A discard's spans in the hall: received, stored, shown."""

from collections.abc import Callable

from dashboard.hall_intake import HallIntake, ListenerClock
from dashboard.projections.store import Store
from tests.support.dashboard.example import building
from tests.support.event.read_only import make_read_only
from tests.support.wire.streams import START, ledger_lines
from twinwall.event.field import field_of
from twinwall.event.results import EntrantKind
from twinwall.event.store.databases.port import StoreAddress
from twinwall.event.store.programme import Programme
from twinwall.event.store.store_reading import read_store
from twinwall.event.store.store_writer import StoreWriter
from twinwall.wire.line_traces import LineSpan, LineTraces, TraceStep
from twinwall.wire.mqtt.topics import Channel, Topic

LINES = ledger_lines([*building(), ("tile-discarded", {"seat": "E", "tile": "1m"})])


def stored_hall(address: StoreAddress, send: Callable[[LineSpan], object], *, refuses: bool = False) -> int:
    """What a hall sends that stores these lines, or whose store ``refuses`` them; how many lines are stored at last."""
    desk = StoreWriter(address, Programme("e", field_of(EntrantKind.INDIVIDUAL, ["1"])), START)
    clock = ListenerClock(lambda: START, lambda: 0.0)
    intake = HallIntake(Store("boot"), desk, clock, lambda _table, _command: True, traces=LineTraces("e", send))
    make_read_only(desk, on=refuses)
    for line in LINES:
        intake.take(str(Topic("e", "1", Channel.EVENTS)), line)
    intake.keep_accepted()
    make_read_only(desk, on=False)
    intake.tick()
    desk.close()
    return len(read_store(address).journals[0].lines)


def test_a_discard_has_a_span_for_each_step_in_the_hall_and_no_other_line_has_one(store_address: StoreAddress) -> None:
    spans: list[LineSpan] = []
    stored_hall(store_address, spans.append)
    assert [span.name for span in spans] == [TraceStep.HALL_RECEIVE, TraceStep.HALL_STORE, TraceStep.HALL_SHOW]
    assert len({span.trace for span in spans}) == 1
    assert spans[0].end_ns == spans[1].start_ns <= spans[1].end_ns == spans[2].start_ns <= spans[2].end_ns
    assert spans[0].named["twinwall.line"] == len(LINES)


def test_lines_that_the_store_refused_have_no_span_of_their_storing(store_address: StoreAddress) -> None:
    spans: list[LineSpan] = []
    assert stored_hall(store_address, spans.append, refuses=True) == len(LINES)
    assert spans == []


def test_a_library_that_fails_at_a_span_ends_nothing(store_address: StoreAddress) -> None:
    def fail(span: LineSpan) -> None:
        raise ValueError(span.name)

    assert stored_hall(store_address, fail) == len(LINES)
