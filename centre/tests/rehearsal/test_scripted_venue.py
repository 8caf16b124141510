"""Venues of a rehearsal: what they say is taken by the centre's intake, and what is to be killed is read."""

from datetime import UTC, datetime

import pytest

from centre.intake.venue_intake import IntakeMoment, VenueIntake
from centre.intake.venue_trust import CentreVenue
from centre.store.venue_contents import KnownVenue
from tests.support.event.stored_event import COMMITMENTS, PLAN, SEEDS, STARTED
from tools.rehearsal.rehearsal_settings import Kill, KillError, parse_kill
from tools.rehearsal.report import KilledParts, RankedDeal
from tools.rehearsal.scripted_venue import ScriptedVenue, ScriptLine, centre_programme, played_script
from tools.rehearsal.session_watch import SessionWatch, ledgers_ranking, percentile_95
from twinwall.game.deals import make_deal
from twinwall.wire.messages.venue_messages import ResendOrder
from twinwall.wire.receiver import MOST_ASKED

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
MOMENT = IntakeMoment(NOW, 0.0)
KNOWN = ("rabbitmq-1", "venue-1", "venue-2")


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> list[ScriptLine]:
    """What a table says that plays the first deal of a plan."""
    deal = make_deal(PLAN, SEEDS, 1, STARTED.start.public, COMMITMENTS.root)
    return played_script(tmp_path_factory.mktemp("script"), STARTED.start, [deal], seed=1)


@pytest.fixture
def venue(script: list[ScriptLine]) -> ScriptedVenue:
    """A venue with two tables."""
    return ScriptedVenue("Haus Süd", STARTED, {"1": script, "2": script}, "1.0")


def test_every_line_of_a_scripted_table_is_taken_under_its_own_name_and_key(venue: ScriptedVenue) -> None:
    intake = VenueIntake(CentreVenue(venue.name, "", venue.key), centre_programme(STARTED), KnownVenue(), MOMENT)
    for table in venue.tables:
        table.play_to(table.planned, NOW)
    for said in (venue.statement, venue.announcement):
        intake.take(said.topic, said.payload, MOMENT)
    for table in venue.tables:
        for said in (*(table.line(seq) for seq in range(1, table.planned + 1)), table.head(table.planned)):
            intake.take(said.topic, said.payload, MOMENT)
    batch, orders = intake.batch()
    assert [len([each for each in batch.lines if each.table == table.name]) for table in venue.tables] == [
        table.planned for table in venue.tables
    ]
    assert (batch.notices, list(orders)) == ([], [])
    assert {name for name, _, _ in batch.results} == {"1", "2"}
    started = [event.fields["seats"] for event in batch.lines if event.type == "hand-started"]
    assert len({str(seats) for seats in started}) == 2


def test_tables_with_one_script_write_the_same_line_at_different_moments_and_all_by_the_end(venue: ScriptedVenue) -> None:
    first, second = venue.tables
    written = list[tuple[int, int]]()
    for share in range(0, 1001):
        for table in venue.tables:
            table.play(share / 1000, NOW)
        written.append((len(first.lines), len(second.lines)))
    assert any(one != other for one, other in written)
    assert all(abs(one - other) <= 1 for one, other in written)
    assert written[0] == (0, 0)
    assert written[-1] == (first.planned, second.planned)


def test_lines_that_were_lost_are_asked_for_and_sent_again_however_many(venue: ScriptedVenue) -> None:
    table = venue.tables[0]
    table.play_to(table.planned, NOW)
    intake = VenueIntake(CentreVenue(venue.name, "", venue.key), centre_programme(STARTED), KnownVenue(), MOMENT)
    for said in (venue.statement, venue.announcement, table.head(table.planned)):
        intake.take(said.topic, said.payload, MOMENT)
    stored = asked = 0
    while stored < table.planned and asked < 10:
        batch, orders = intake.batch()
        stored += len(batch.lines)
        asked += len(orders)
        for order in orders:
            for said in venue.answer(order):
                intake.take(said.topic, said.payload, MOMENT)
    assert (stored, asked) == (table.planned, 2)
    assert table.planned > MOST_ASKED


def test_an_order_for_another_table_or_journal_is_not_answered(venue: ScriptedVenue) -> None:
    venue.tables[0].play_to(5, NOW)
    assert venue.answer(ResendOrder("e", "9", "rehearsal", 1, 5)) == venue.answer(ResendOrder("e", "1", "other", 1, 5)) == []


@pytest.mark.parametrize(
    ("text", "kill"),
    [
        ("venue-2", Kill(("venue-2",))),
        ("rabbitmq-1+venue-1@0.5:7.5", Kill(("rabbitmq-1", "venue-1"), 0.5, 7.5)),
        ("venue-1:2", Kill(("venue-1",), away_s=2.0)),
    ],
)
def test_what_is_to_be_killed_is_read(text: str, kill: Kill) -> None:
    assert parse_kill(text, KNOWN) == kill


@pytest.mark.parametrize("text", ["", "venue-3", "venue-1@2", "venue-1+", "VENUE", "venue-1:x"])
def test_what_cannot_be_killed_is_refused_with_what_can(text: str) -> None:
    with pytest.raises(KillError, match=r"such as|there are rabbitmq-1, venue-1"):
        parse_kill(text, KNOWN)


def test_a_deal_counts_from_its_last_result_until_the_page_has_it_and_an_outage_until_the_page_is_up_to_date(
    venue: ScriptedVenue,
) -> None:
    first, last = venue.tables
    stored: list[int] = [0]
    compared: list[int | None] = [0]
    watch = SessionWatch([venue], lambda: {venue.name: stored[-1]}, lambda: compared[-1], session_s=10.0)
    first.play_to(first.planned, NOW)
    watch.look(1.0)
    killed = Kill(("nginx-1",))
    watch.begin_outage(killed, 2.0)
    last.play_to(last.planned, NOW)
    watch.end_outage(killed, 2.5)
    for at_s, count, on_page in ((3.0, watch.planned - 1, None), (4.0, watch.planned, 0), (7.5, watch.planned, 1), (8.5, watch.planned, 1)):
        stored.append(count)
        compared.append(on_page)
        watch.look(at_s)
    assert watch.deals() == (RankedDeal(1, 3.0, 4.5),)
    assert watch.killed() == (KilledParts(("nginx-1",), 2.0, 5.0, 5.5, 1.5),)
    assert watch.is_done


def test_95_of_100_deals_are_on_the_page_within_the_time_that_is_told() -> None:
    assert percentile_95([]) is None
    assert percentile_95([2.0]) == 2.0
    assert percentile_95([float(each) for each in range(1, 102)]) == 96.0


def test_the_ranking_of_the_ledgers_is_that_of_all_tables(venue: ScriptedVenue) -> None:
    for table in venue.tables:
        table.play_to(table.planned - 1, NOW)
    venue.tables[0].play_to(venue.tables[0].planned, NOW)
    regions = {venue.name: "east"}
    assert "<td>" not in ledgers_ranking(STARTED, [venue], regions), "a deal that one table still plays is in no ranking"
    venue.tables[1].play_to(venue.tables[1].planned, NOW)
    assert ledgers_ranking(STARTED, [venue], regions).count("<tr><td>") == 8
