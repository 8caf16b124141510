"""A club's own site: pages that work from disk, with released deals alone, the same bytes for the same store."""

import io
import json
import re
import zipfile
from collections.abc import Mapping
from pathlib import Path
from posixpath import join, normpath
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import Browser, expect

from cli import main
from cli.event.publish import public_scope
from cli.event.stores import hall_of
from dashboard.i18n.words import Words
from dashboard.publishing.club_site import NothingToPublishError, SitePages, club_site, site_environment, site_links
from tests.support.browser import keep_picture
from tests.support.dashboard.desks import MemoryDesk
from tests.support.dashboard.example import closed_hand
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.event.evenings import stored_evening
from tests.support.event.managed import PREPARED
from tests.support.event.stored_event import STARTED, slip
from tests.support.leak_scanner import concealed, find_leaks
from tests.support.narrowed import present
from twinwall.art.names import LANGUAGES
from twinwall.event.field import field_of
from twinwall.event.player_names import NamesShown
from twinwall.event.results import EntrantKind
from twinwall.event.store.hall import Hall as StoredHall
from twinwall.game.deals import verify_slip

NAMES = {"1": "李娜", "17": "鈴木"}
_LINK = re.compile(r'(?:href|src)="([^"]*)"')


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of an evening of three deals, of which two are released."""
    return stored_evening(tmp_path_factory.mktemp("evening"), released=(1, 2))


def site_of(hall: StoredHall, names: Path | None = None, shown: NamesShown = NamesShown.FULL) -> dict[str, bytes]:
    return club_site(public_scope(hall, names, shown), "en", None)


@pytest.fixture(scope="module")
def site(evening: Path) -> Mapping[str, bytes]:
    return site_of(hall_of(evening))


@pytest.fixture(scope="module")
def site_of_played(played: Hall) -> Mapping[str, bytes]:
    return site_of(played.desk.hall)


def links_of(site: Mapping[str, bytes]) -> list[tuple[str, str]]:
    pages = [name for name in site if name.endswith(".html") and name != "verify.html"]
    return [(page, link) for page in pages for link in _LINK.findall(site[page].decode())]


def test_every_language_has_standings_deals_and_the_verification_page(site: Mapping[str, bytes]) -> None:
    for language in LANGUAGES:
        assert {"index.html", "session-1.html", "deals.html", "deal-0001.html", "deal-0002.html", "verification.html"} <= {
            name.removeprefix(f"{language}/") for name in site if name.startswith(f"{language}/")
        }
    assert {"index.html", "style.css", "verify.html", "files/results.csv", "files/results.json", "files/slip-0002.json"} <= set(site)


def test_every_link_is_relative_and_leads_to_a_file_of_the_site(site: Mapping[str, bytes], site_of_played: Mapping[str, bytes]) -> None:
    for files in (site, site_of_played):
        links = links_of(files)
        assert len(links) > 100
        for page, link in links:
            address = urlsplit(link)
            assert not address.scheme or link.startswith("data:image/"), (page, link)
            if address.path and not address.scheme:
                assert not address.path.startswith("/"), (page, link)
                assert normpath(join(page, "..", unquote(address.path))) in files, (page, link)


def test_nothing_of_an_unreleased_deal_is_in_any_file_and_a_released_one_is_found_by_the_same_scan(site: Mapping[str, bytes]) -> None:
    secret, known = (concealed(n, verify_slip(STARTED, slip(n)).walls, slip(n)) for n in (3, 2))
    assert [leak for name, content in site.items() for leak in find_leaks(content, [secret])] == []
    assert not any("0003" in name for name in site)
    assert find_leaks(site["en/deal-0002.html"], [known])


def test_names_stand_as_the_event_shows_them(played: Hall, tmp_path: Path) -> None:
    names = tmp_path / "names.json"
    names.write_text(json.dumps({"format": "twinwall-names-1", "players": {"11": "李娜"}}), encoding="utf-8")
    full = site_of(played.desk.hall, names)["en/deal-0001.html"].decode()
    numbers = b"".join(site_of(played.desk.hall, names, NamesShown.NUMBER).values()).decode()
    assert "李娜" in full
    assert "李娜" not in numbers


def test_a_managed_event_has_a_page_for_each_player_and_nothing_to_publish_without_a_released_deal() -> None:
    hall = Hall(settings=OPEN)
    hall.manage(*PREPARED)
    with pytest.raises(NothingToPublishError):
        site_of(hall.desk.hall)
    hall.release()
    site = site_of(hall.desk.hall)
    assert [name for name in site if name.startswith("en/player-")] == sorted(f"en/player-{number}.html" for number in range(1, 17))
    assert 'href="player-16.html"' in site["en/players.html"].decode()


@pytest.mark.nightly
def test_the_pages_work_from_disk_without_script_or_network(site: Mapping[str, bytes], browser: Browser, tmp_path: Path) -> None:
    for name, content in site.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    context = browser.new_context(java_script_enabled=False)
    asked: list[str] = []
    page = context.new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.goto((tmp_path / "index.html").as_uri())
    page.get_by_text("日本語").click()
    page.get_by_role("link", name="牌譜").click()
    page.get_by_role("link", name="東2").click()
    tiles = page.locator(".wall-row svg.tile")
    expect(tiles).to_have_count(136)
    expect(page.locator(".small-board")).to_have_count(4)
    assert present(tiles.first.bounding_box())["width"] > 10
    keep_picture(page, "club-site-deal")
    assert [url for url in asked if not url.startswith("file:")] == []
    context.close()


@pytest.mark.nightly
def test_the_command_writes_the_same_bytes_for_the_same_store(
    site: Mapping[str, bytes], evening: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "site"
    assert main(["results", "publish", str(evening.parent), "--out", str(out), "--no-pdf"]) == 0
    assert "open" in capsys.readouterr().err
    assert {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()} == site
    assert main(["results", "publish", str(evening), "--out", str(out), "--no-pdf"]) == 2
    assert "is there and not empty" in capsys.readouterr().err


@pytest.mark.nightly
def test_a_director_downloads_the_site_as_a_zip_with_papers(played: Hall) -> None:
    with zipfile.ZipFile(io.BytesIO(played.client.get("/event/site.zip").data)) as archive:
        assert archive.read("files/results.pdf").startswith(b"%PDF")
        assert "en/team-1.html" in archive.namelist()
    assert played.app.test_client().get("/event/site.zip").status_code == 302


def test_a_deal_of_many_tables_has_a_page_for_each_group() -> None:
    hall = Hall(desk=MemoryDesk(field_of(EntrantKind.INDIVIDUAL, [str(number) for number in range(1, 21)])))
    for number in range(20):
        hall.feed(closed_hand(str(1 + number % 4)), str(1 + number))
    hall.release()
    scope = public_scope(hall.desk.hall, None, NamesShown.FULL)
    site = {name: page.decode() for name, page in SitePages(scope, Words("en"), (), site_environment(site_links(scope))).pages()}
    for number in range(1, 6):
        assert f'href="deal-0001-{number}.html"' in site["deal-0001.html"]
        assert f'<span class="badge small">{4 * number}</span>' in site[f"deal-0001-{number}.html"]
        assert f'href="replay-0001-{number}.html"' in site[f"deal-0001-{number}.html"]
    assert all(link in site for link in re.findall(r'href="(deal-[^"]*|replay-[^"?]*)"', "".join(site.values())))
