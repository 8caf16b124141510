"""One result from its table, past consumer and publisher, to the page of all venues: one trace."""

import threading
from itertools import pairwise
from pathlib import Path

from centre.comparison.following import FollowedComparison
from centre.consumer import CentreConsumer
from centre.intake.venue_intake import IntakeMoment
from centre.pages.publishing import keep_published
from centre.pages.traced_results import TracedResults
from centre.pages.world_pages import WorldEvent
from centre.store.centre_reading import CentreReader
from centre.store.centre_rows import CentreRows
from centre.tests.support.playing_venue import CENTRE, EVENT, PlayingVenue, played_hands
from centre.viewers.page_publisher import PublishedPages
from controller.ledger.public import PublicLedger
from controller.ledger.publisher import Outbox
from tests.support.wire.brokers import eventually
from tests.support.wire.link import FakeLink
from tests.support.wire.streams import START
from twinwall.event.store.databases.port import PostgresAddress
from twinwall.wire.events.definitions import AT_THE_TABLE
from twinwall.wire.line_traces import LineSpan, LineTraces, Traced, TraceStep
from twinwall.wire.mqtt.topics import Channel, Topic

SCORES = ((75, -25, -25, -25), (-8, 48, -32, -8))
KYOTO, SENDAI = (PlayingVenue(name, (("1", played_hands("1", SCORES)),), journal=f"j of {name}") for name in ("Kyoto", "Sendai"))


class Process:
    """What one process sends."""

    def __init__(self) -> None:
        self.spans: list[LineSpan] = []
        self.traces = LineTraces(EVENT, self.spans.append)

    def of(self, venue: PlayingVenue, n: int) -> list[LineSpan]:
        """Its spans of a venue's result, by the trace that the table gives it."""
        found: list[LineSpan] = []
        LineTraces(EVENT, found.append).span(Traced("1", venue.journal, deal=n), TraceStep.TABLE, 0, 0)
        return [span for span in self.spans if span.trace == found[0].trace]


def publish(venue: PlayingVenue, folder: Path, process: Process) -> None:
    """The table's part: its ledger goes to a broker that takes everything."""
    ledger, link = PublicLedger(folder / f"{venue.name}.jsonl", "1", venue.journal, AT_THE_TABLE), FakeLink()
    ledger.lines = venue.ledgers["1"]
    outbox = Outbox(ledger, Topic(EVENT, "1", Channel.EVENTS), folder / f"{venue.name}.position", traces=process.traces)
    outbox.pump(link)
    for token in range(1, len(link.sent) + 1):
        outbox.published(token)
    outbox.pump(link)


def test_a_result_is_one_trace_from_the_table_to_the_page_of_all_venues(postgres_store: PostgresAddress, tmp_path: Path) -> None:
    table, consuming, publishing = Process(), Process(), Process()
    venues, ended = [KYOTO.venue, SENDAI.venue], threading.Event()
    for venue in (KYOTO, SENDAI):
        publish(venue, tmp_path, table)
    rows = CentreRows(postgres_store, EVENT, [venue.name for venue in venues])
    consumer = CentreConsumer(rows, venues, CENTRE, lambda *_: None, lambda: IntakeMoment(START, 0.0), traces=consuming.traces)
    consumer.keep()
    pages = tmp_path / "pages"
    thread = threading.Thread(
        target=keep_published,
        args=(
            lambda: CentreReader(postgres_store, EVENT),
            lambda reader: FollowedComparison(reader, CENTRE, venues),
            WorldEvent(EVENT, {"Kyoto": "west", "Sendai": "east"}),
            PublishedPages(pages, tmp_path / "no.sock"),
            ended,
        ),
        kwargs={"traces": publishing.traces},
    )
    thread.start()
    try:
        eventually((pages / "world.en.html").exists, "the publisher has looked once")
        for venue in (KYOTO, SENDAI):
            for topic, payload in venue.messages:
                consumer.take(f"venue/{venue.name}/{topic}", payload)
            consumer.keep()
        eventually(lambda: len(publishing.of(SENDAI, 2)) > 1, "the last result is on the page")
    finally:
        ended.set()
        thread.join()
        rows.close()
    for venue in (KYOTO, SENDAI):
        for n in (1, 2):
            spans = [*table.of(venue, n), *consuming.of(venue, n), *publishing.of(venue, n)]
            steps = [span.name for span in spans if span.name != TraceStep.CENTRE_WAIT]
            assert steps == [
                *(TraceStep.TABLE, TraceStep.LEDGER, TraceStep.PUBLISH),
                *(TraceStep.CENTRE_RECEIVE, TraceStep.CENTRE_STORE, TraceStep.CENTRE_RANKING, TraceStep.CENTRE_PAGE),
            ]
            first, *others = spans
            assert {span.parent for span in others} == {first.number}
            assert {span.named.get("twinwall.venue") for span in spans[3:]} == {venue.name}
            at_centre = spans[3:]
            assert all(before.end_ns <= after.start_ns for before, after in pairwise(at_centre))


def test_results_that_were_on_the_page_before_are_not_traced_again(postgres_store: PostgresAddress) -> None:
    venues, process = [KYOTO.venue, SENDAI.venue], Process()
    rows = CentreRows(postgres_store, EVENT, [venue.name for venue in venues])
    consumer = CentreConsumer(rows, venues, CENTRE, lambda *_: None, lambda: IntakeMoment(START, 0.0))
    for venue in (KYOTO, SENDAI):
        for topic, payload in venue.messages:
            consumer.take(f"venue/{venue.name}/{topic}", payload)
    consumer.keep()
    reader = CentreReader(postgres_store, EVENT)
    results = TracedResults(process.traces, reader, FollowedComparison(reader, CENTRE, venues))
    for _ in range(2):
        results.look()
        results.published()
    assert process.spans == []
    reader.close()
    rows.close()
