"""The page of all venues in a browser while programs of the centre are killed: it stays, and follows again without a reload."""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

import config
from centre.comparison.following import FollowedComparison
from centre.consumer import CentreConsumer
from centre.deploy.nginx_conf import ViewerServer
from centre.intake.venue_intake import IntakeMoment
from centre.pages.world_pages import compared_sentence
from centre.store.centre_reading import CentreReader
from centre.store.centre_rows import CentreRows
from centre.tests.support.playing_venue import CENTRE, EVENT, PlayingVenue, played_hands
from centre.tests.support.viewers import needs_nginx
from config.centre import CentreMqtt, CentreSection, CentreSettings
from config.connections import DatabaseSection
from tests.support.patience import PATIENCE_S
from tests.support.wire.brokers import eventually
from tests.support.wire.streams import START
from tools.rehearsal.programs import LOOPBACK, ExternalProgram, ViewerPrograms
from twinwall.event.store.databases.port import PostgresAddress

pytestmark = [pytest.mark.nightly, pytest.mark.slow, needs_nginx]
WON, LOST = ((75, -25, -25, -25), (-8, 48, -32, -8)), ((-25, 75, -25, -25), (48, -8, -8, -32))
VENUES = tuple(PlayingVenue(name, (("1", played_hands("1", 2 * scores)),)) for name, scores in (("Kyoto", WON), ("Sendai", LOST)))
OF_A_HAND = 4
"""Three lines and a head."""


class WatchedCentre:
    """A store that gets deal after deal, and the programs that show it."""

    def __init__(self, folder: Path, store: PostgresAddress) -> None:
        self.folder, self.store = folder, store
        venues = [venue.venue for venue in VENUES]
        self.rows = CentreRows(store, EVENT, [venue.name for venue in venues])
        self._consumer = CentreConsumer(self.rows, venues, CENTRE, lambda *_: None, lambda: IntakeMoment(START, 0.0))
        self._take(slice(0, 2))
        self.viewers = ViewerPrograms(folder / "viewers", self._publisher)

    def finish(self, n: int) -> None:
        """Every venue finishes a deal."""
        self._take(slice(2 + OF_A_HAND * (n - 1), 2 + OF_A_HAND * n))

    def ranking(self) -> list[str]:
        """The ranking that the stored lines give, computed anew: who has how many points."""
        reader = CentreReader(self.store, EVENT)
        followed = FollowedComparison(reader, CENTRE, [venue.venue for venue in VENUES])
        followed.look()
        reader.close()
        return [standing.entrant for standing in followed.compared.ranking()]

    def close(self) -> None:
        self.viewers.stop()
        self.rows.close()

    def _take(self, part: slice) -> None:
        for venue in VENUES:
            for topic, payload in venue.messages[part]:
                self._consumer.take(f"venue/{venue.name}/{topic}", payload)
        self._consumer.keep()

    def _publisher(self, server: ViewerServer) -> Sequence[str]:
        settings = CentreSettings(
            CentreSection(EVENT, tuple(f"west: {venue.name} {(venue.venue.key or b'').hex()}" for venue in VENUES)),
            CentreMqtt(f"mqtt://{LOOPBACK}:1"),
            DatabaseSection(self.store.url, schema=self.store.schema),
        )
        config.write(self.folder / "centre.toml", settings)
        words = ("centre", "publish", "--settings", str(self.folder / "centre.toml"), "--out", str(server.pages))
        return sys.executable, "-P", "-m", "cli", *words, "--nginx", str(server.socket)


@pytest.fixture
def folder() -> Iterator[Path]:
    """One that PostgreSQL's account may enter."""
    with tempfile.TemporaryDirectory() as made:
        Path(made).chmod(0o711)
        yield Path(made)


@pytest.fixture
def centre(tmp_path: Path, postgres_store: PostgresAddress) -> Iterator[WatchedCentre]:
    running = WatchedCentre(tmp_path, postgres_store)
    yield running
    running.close()


def expect_deals(page: Page, centre: WatchedCentre, deals: int) -> None:
    """The page that is open compares so many deals, and ranks as the store does."""
    expect(page.locator("[data-part=ranking] p").first).to_have_text(compared_sentence("en", range(1, deals + 1)))
    rows = page.locator("[data-part=ranking] tbody tr")
    assert [f"{row.locator('td').nth(1).inner_text()}/{row.locator('th').inner_text()}" for row in rows.all()] == centre.ranking()


def start(programs: Sequence[ExternalProgram]) -> None:
    for program in programs:
        program.start()
        program.wait(PATIENCE_S)


def test_an_open_world_page_misses_nothing_whichever_of_its_programs_is_killed(centre: WatchedCentre, browser: Browser) -> None:
    centre.finish(1)
    centre.viewers.start(PATIENCE_S)
    nginx, publisher = centre.viewers.programs
    page = browser.new_page()
    page.goto(f"http://{LOOPBACK}:{centre.viewers.server.port}/world.en.html")
    page.evaluate("window.opened = 'once'")
    expect_deals(page, centre, 1)
    for deal, killed in enumerate([(publisher,), (nginx,), (nginx, publisher)], 2):
        for program in killed:
            program.kill()
        centre.finish(deal)
        expect(page.locator(f"html[data-live={'no' if nginx in killed else 'yes'}]")).to_have_count(1)
        expect(page.locator("[data-part=ranking] p").first).to_have_text(compared_sentence("en", range(1, deal)))
        start(killed)
        expect_deals(page, centre, deal)
        expect(page.locator("html[data-live=yes]")).to_have_count(1)
    assert page.evaluate("window.opened") == "once"
    page.close()


KILLS = ("rabbitmq-1@0.2:5", "postgresql-1@0.4:5", "consumer-1+nginx-1@0.7:3", "gateway-1+publisher-1@0.85:3")
DEALS = 4


def rehearsing(folder: Path) -> subprocess.Popen[str]:
    """A rehearsal with all programs of a centre, of which some are killed."""
    wanted = ["--venues", "2", "--tables", "4", "--hands", f"{DEALS}", "--seconds", "90", "--lines", "results"]
    nodes = ["--nodes", "3", "--databases", "2", *(word for kill in KILLS for word in ("--kill", kill))]
    command = [sys.executable, "-P", "-m", "tools.rehearsal", *wanted, *nodes, "--keep", str(folder), "--json"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def served(folder: Path, running: subprocess.Popen[str]) -> str:
    """The address of the page of a rehearsal, once it is there."""
    first, conf = folder / "viewers" / "pages" / "world.en.html", folder / "viewers" / "nginx" / "nginx.conf"
    eventually(lambda: first.exists() or running.poll() is not None, "the first page is there")
    port = re.search(rf"listen {LOOPBACK}:(\d+);", conf.read_text())
    assert port is not None
    return f"http://{LOOPBACK}:{port[1]}/world.en.html"


@pytest.mark.timeout(900)
def test_an_open_world_page_shows_the_true_ranking_after_a_session_in_which_nodes_were_killed(folder: Path, browser: Browser) -> None:
    kept = folder / "kept"
    with rehearsing(kept) as running:
        try:
            page = browser.new_page()
            page.goto(served(kept, running))
            page.evaluate("window.opened = 'once'")
            expect(page.locator("[data-part=ranking] p").first).to_have_text(compared_sentence("en", range(1, DEALS + 1)))
            report = json.loads(running.communicate()[0])
        finally:
            running.terminate()
    assert (report["lost"], report["doubled"], report["stored"], report["same_ranking"]) == (0, 0, report["lines"], True)
    assert [set(each["parts"]) for each in report["killed"]] == [set(kill.split("@")[0].split("+")) for kill in KILLS]
    assert page.evaluate("window.opened") == "once"
    last = browser.new_page()
    last.set_content((kept / "viewers" / "pages" / "world.en.html").read_text())
    ranking = "[data-part=ranking]"
    assert page.locator(ranking).inner_text() == last.locator(ranking).inner_text()
    page.close()
    last.close()
