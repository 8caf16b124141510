"""The comparison of all venues and its pages: when a deal counts, what the pages say, and what is published again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.centre.memory_venue import MemoryVenue
from tests.support.centre.playing_venue import CENTRE, EVENT, PlayingVenue, played_hands
from tests.support.wire.streams import START
from twinwall.centre.comparison.centre_comparison import WORLD, CentreComparison, FieldKind, FieldName
from twinwall.centre.comparison.following import FollowedComparison
from twinwall.centre.intake.venue_intake import IntakeMoment, VenueIntake
from twinwall.centre.intake.venue_results import read_result
from twinwall.centre.pages.publishing import page_assets
from twinwall.centre.pages.world_pages import PageAssets, WorldEvent, world_pages
from twinwall.centre.store.centre_reading import CentreReader
from twinwall.centre.store.centre_rows import CentreRows
from twinwall.centre.store.venue_contents import VenueBatch
from twinwall.centre.viewers.page_publisher import NotPublishedError, PublishedPages
from twinwall.event.field import field_of
from twinwall.event.results import EntrantKind
from twinwall.event.store.databases.addresses import PostgresAddress
from twinwall.event.store.programme import Programme

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


def comparison(*venues: PlayingVenue) -> CentreComparison:
    compared = CentreComparison(CENTRE, REGIONS)
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


def test_names_are_text_and_a_venue_that_left_is_on_every_page() -> None:
    event = WorldEvent("<b>", {"<i>": "west"}, ["<i>"])
    compared = CentreComparison(CENTRE, event.regions)
    for field in event.files:
        for page in world_pages(event, compared, field, ASSETS):
            assert "<b>" not in page.text
            assert "<i>" not in page.text
            assert "&lt;i&gt;" in page.parts["ranking"]


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
