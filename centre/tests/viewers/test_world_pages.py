"""The comparison of all venues and its pages: when a deal counts, what the pages say, and what is published again."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from centre.comparison.centre_comparison import WORLD, CentreComparison, FieldKind, FieldName
from centre.comparison.following import FollowedComparison
from centre.custody.field_orders import (
    AnnulDealOrder,
    AnyFieldOrder,
    FieldOrders,
    PersonsOrder,
    WithdrawVenueOrder,
    write_field_order,
)
from centre.intake.venue_intake import IntakeMoment, VenueIntake
from centre.intake.venue_results import read_result
from centre.pages.publishing import keep_published, page_assets
from centre.pages.world_pages import PageAssets, WorldEvent, world_pages
from centre.store.centre_reading import CentreReader
from centre.store.centre_rows import CentreRows
from centre.store.order_rows import OrderRows
from centre.store.venue_contents import VenueBatch
from centre.tests.support.memory_venue import MemoryVenue
from centre.tests.support.playing_venue import CENTRE, EVENT, PlayingVenue, played_hands
from centre.viewers.page_publisher import NotPublishedError, PublicPage, PublishedPages
from tests.support.wire.streams import START
from twinwall.event.field import field_of
from twinwall.event.results import EntrantKind
from twinwall.event.store.databases.port import PostgresAddress
from twinwall.event.store.programme import Programme
from twinwall.game.deals import FieldTerms, ReleaseRule, SessionTimes, Start, StartedPlan, plan_sessions
from twinwall.wire.messages.signing import Signer

WON, LOST, DRAWN = (75, -25, -25, -25), (-25, 75, -25, -25), (0, 0, 0, 0)
KYOTO = PlayingVenue("Kyoto", (("1", played_hands("1", (WON, DRAWN))), ("2", played_hands("2", (DRAWN, DRAWN)))))
SENDAI = PlayingVenue("Sendai", (("1", played_hands("1", (LOST, DRAWN))),))
REGIONS = {"Kyoto": "west", "Sendai": "east"}
EVENT_OF_PAGES = WorldEvent(EVENT, REGIONS)
ASSETS = PageAssets("/kept/world.css", "/kept/viewer.js")


def batch_of(venue: PlayingVenue) -> VenueBatch:
    """What all messages of a venue bring."""
    intake = VenueIntake(venue.venue, CENTRE, MemoryVenue().known(), IntakeMoment(START, 0.0))
    for topic, payload in venue.messages:
        intake.take(topic, payload, IntakeMoment(START, 0.0))
    return intake.batch()[0]


def comparison(*venues: PlayingVenue, programme: Programme = CENTRE) -> CentreComparison:
    compared = CentreComparison(programme, REGIONS)
    for venue in venues:
        compared.play(venue.name, Programme(EVENT, field_of(EntrantKind.INDIVIDUAL, venue.tables)))
        for table, n, result in batch_of(venue).results:
            compared.take(venue.name, table, n, read_result(result))
    return compared


def totals(compared: CentreComparison, field: FieldName = WORLD) -> dict[str, int]:
    return {standing.entrant: int(standing.total) for standing in compared.ranking(field)}


def test_nothing_is_compared_before_every_venue_has_finished_or_left() -> None:
    compared = comparison(KYOTO)
    assert (compared.compared, compared.ranking()) == ((), ())
    compared.withdraw("Sendai")
    assert compared.compared == (1, 2)
    assert {name.split("/")[0] for name in totals(compared)} == {"Kyoto"}


def test_each_field_has_its_own_means() -> None:
    compared = comparison(KYOTO, SENDAI)
    assert compared.compared == (1, 2)
    assert set(totals(compared)) == set(totals(compared, FieldName(FieldKind.VENUE, "Kyoto"))) | {f"Sendai/1-{p}" for p in range(4)}
    assert totals(compared)["Kyoto/1-0"] > totals(compared, FieldName(FieldKind.REGION, "west"))["Kyoto/1-0"] > 0
    assert set(totals(compared, FieldName(FieldKind.VENUE, "Sendai")).values()) == {0}


def test_a_deal_that_is_annulled_counts_nowhere() -> None:
    compared = comparison(KYOTO, SENDAI)
    compared.annul(1, "Kyoto")
    assert set(totals(compared).values()) == {0}
    compared.annul(1)
    compared.annul(2)
    assert compared.ranking() == ()


def test_the_comparison_follows_the_store_and_is_the_same_when_it_begins_anew(postgres_store: PostgresAddress) -> None:
    rows = CentreRows(postgres_store, EVENT, ["Kyoto", "Sendai"])
    reader = CentreReader(postgres_store, EVENT)
    venues = [KYOTO.venue, SENDAI.venue]
    followed = FollowedComparison(reader, CENTRE, venues)
    rows.store({"Kyoto": batch_of(KYOTO)}, START)
    assert followed.look()
    rows.store({"Sendai": batch_of(SENDAI)}, START)
    assert followed.look()
    assert not followed.look()
    anew = FollowedComparison(reader, CENTRE, venues)
    anew.look()
    assert followed.compared.ranking() == anew.compared.ranking()
    assert len(totals(anew.compared)) == 12
    rows.close()
    reader.close()


def test_pages_say_rank_entrant_venue_and_points_in_each_language() -> None:
    compared = comparison(KYOTO, SENDAI)
    pages = {page.channel: page.text for page in world_pages(EVENT_OF_PAGES, compared, WORLD, ASSETS)}
    assert set(pages) == {"world.en", "world.ja", "world.zh-hans"}
    assert "Deals compared: 1–2" in pages["world.en"]
    assert "比較したディール：1–2" in pages["world.ja"]
    assert '<th scope="row"><bdi>1-0</bdi></th><td><bdi>Kyoto</bdi></td>' in pages["world.en"]
    assert '<a href="/venue-2.en.html"><bdi>Sendai</bdi></a>' in pages["world.en"]


def ordered(*orders: AnyFieldOrder) -> FieldOrders:
    """What two persons have signed."""
    return FieldOrders(tuple(PersonsOrder(person, order, START) for order in orders for person in ("Ann", "Ben")))


def test_names_are_text_and_a_venue_that_left_is_on_every_page_with_the_reason() -> None:
    event = WorldEvent("<b>", {"<i>": "west"})
    compared, orders = CentreComparison(CENTRE, event.regions), ordered(WithdrawVenueOrder("<i>", "fire <u>alarm</u>"))
    for field in event.files:
        for page in world_pages(event, compared, field, ASSETS, orders):
            assert not any(tag in page.text for tag in ("<b>", "<i>", "<u>"))
            assert "&lt;i&gt;" in page.parts["ranking"]
            assert "fire &lt;u&gt;alarm" in page.parts["ranking"]


def test_an_annulled_deal_is_on_every_page_with_the_reason_and_counts_no_more() -> None:
    orders = ordered(AnnulDealOrder(1, "leak", "Kyoto"), AnnulDealOrder(2, "shown on a stream"))
    compared = comparison(KYOTO, SENDAI)
    for (n, venue), _ in orders.annulled.items():
        compared.annul(n, venue)
    for field in EVENT_OF_PAGES.files:
        text = next(world_pages(EVENT_OF_PAGES, compared, field, ASSETS, orders)).text
        assert "Deal 1 is annulled at Kyoto: leak" in text
        assert "Deal 2 is annulled everywhere: shown on a stream" in text
        assert "Deals compared: 1<" in text


def test_pages_say_when_sessions_open_with_the_zone() -> None:
    terms = FieldTerms(ReleaseRule.DEADLINE, (SessionTimes(1, "2026-11-22T18:00Z", "2026-11-22T22:00Z"),))
    pages = list(world_pages(replace(EVENT_OF_PAGES, terms=terms), comparison(KYOTO), WORLD, ASSETS))
    assert "Session 1 opens on 2026-11-22 18:00 UTC; its deals are published on 2026-11-22 22:00 UTC." in pages[0].text
    assert all("2026-11-22 22:00 UTC" in page.text for page in pages)


def test_where_the_plan_releases_by_deadline_a_deal_is_compared_once_its_slip_is_out() -> None:
    terms = FieldTerms(ReleaseRule.DEADLINE, (SessionTimes(1, "2026-11-22T18:00Z", "2026-11-22T22:00Z"),))
    plan = plan_sessions(EVENT, "mcr-duplicate", sessions=1, hands=2, holders=["server"], public="", field=terms)
    custody = StartedPlan(plan, Start(plan.digest, plan.digest, "drawn"))
    compared = comparison(KYOTO, SENDAI, programme=replace(CENTRE, custody=custody))
    assert not compared.compared
    compared.release(2)
    assert compared.compared == (2,)
    compared.annul(1)
    compared.release(1)
    assert compared.compared == (2,)


def test_orders_of_two_persons_in_the_store_are_followed(postgres_store: PostgresAddress) -> None:
    signers = [Signer(name, name.encode().ljust(32, b"-")) for name in ("Ann", "Ben")]
    venues, persons = [KYOTO.venue, SENDAI.venue], {signer.by: signer.public for signer in signers}
    rows, orders = CentreRows(postgres_store, EVENT, ["Kyoto", "Sendai"]), OrderRows(postgres_store, EVENT)
    reader = CentreReader(postgres_store, EVENT)
    followed = FollowedComparison(reader, CENTRE, venues, persons)
    rows.store({"Kyoto": batch_of(KYOTO)}, START)
    order = WithdrawVenueOrder("Sendai", "never came")
    for signer in (signers[0], signers[0], Signer("Eve", bytes(32))):
        orders.add(write_field_order(signer, EVENT, order, CENTRE.custody, START), START)
    followed.look()
    assert (followed.compared.compared, followed.orders.withdrawn) == ((), {})
    orders.add(write_field_order(signers[1], EVENT, order, CENTRE.custody, START), START)
    orders.release({1: b"a slip"}, START)
    orders.release({1: b"another"}, START)
    assert followed.look()
    assert (followed.compared.compared, followed.orders.withdrawn) == ((1, 2), {"Sendai": "never came"})
    assert (len(orders.signed()), reader.released()) == (4, [1])
    for each in (rows, orders, reader):
        each.close()


def test_a_page_that_did_not_change_is_the_same_for_its_readers_and_what_it_loads_lies_beside_it(tmp_path: Path) -> None:
    pages = PublishedPages(tmp_path, tmp_path / "no.sock")
    assets = page_assets(pages)
    first, second = (list(world_pages(EVENT_OF_PAGES, comparison(KYOTO, SENDAI), WORLD, assets)) for _ in range(2))
    assert [page.revision for page in first] == [page.revision for page in second]
    assert all((tmp_path / address.lstrip("/")).is_file() for address in (assets.style, assets.script))
    for page in first:
        with pytest.raises(NotPublishedError, match="nginx does not answer"):
            pages.publish(page)
    assert not any(pages.publish(page) for page in second)


def test_the_page_of_all_venues_is_published_before_those_of_regions_and_venues(postgres_store: PostgresAddress, tmp_path: Path) -> None:
    regions, ended = {f"venue {n}": f"region {n % 7}" for n in range(40)}, threading.Event()
    published: list[str] = []

    class OnceAround(PublishedPages):
        def publish(self, page: PublicPage) -> bool:
            published.append(page.name)
            ended.set()
            return True

    CentreRows(postgres_store, EVENT, list(regions)).close()
    pages = OnceAround(tmp_path, tmp_path / "no.sock")
    keep_published(
        lambda: CentreReader(postgres_store, EVENT),
        lambda reader: FollowedComparison(reader, CENTRE, []),
        WorldEvent(EVENT, regions),
        pages,
        ended,
    )
    found = list(dict.fromkeys(published))
    assert found == ["world", *(f"region-{n}" for n in range(1, 8)), *(f"venue-{n}" for n in range(1, 41))]
