"""Public pages of the centre: written once, told in streams by a real nginx, and the same for everybody."""

from collections.abc import Iterator
from contextlib import ExitStack
from importlib import resources
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import Browser, Route, expect

from centre import viewers
from centre.deploy.deploy_files import ServerTls
from centre.deploy.nginx_conf import ViewerServer, nginx_conf
from centre.tests.support.viewers import ViewerRig, heard, needs_nginx, ranking
from centre.viewers.page_publisher import MOST_PARTS_BYTES, NotPublishedError, PageChange, PublicPage, PublishedPages, change
from tests.support.patience import PATIENCE_S
from tests.support.wire.brokers import eventually


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[ViewerRig]:
    rig = ViewerRig(tmp_path, streams_each=3)
    rig.start()
    yield rig
    rig.nginx.stop()


def test_a_change_names_the_revision_before_and_only_the_parts_that_differ() -> None:
    before, after = ranking("Kyoto", "Paris"), ranking("Paris", "Kyoto")
    told = change(before.published, after)
    assert told == PageChange(before.revision, after.revision, {"table": after.parts["table"]})


@pytest.mark.parametrize(
    "before",
    ["", "<p>a page of an earlier program</p>", ranking("Kyoto").published.replace('data-part="head"', 'data-part="title"')],
    ids=["none", "another", "other parts"],
)
def test_viewers_fetch_the_page_where_its_parts_were_not_there_before(before: str) -> None:
    assert change(before, ranking("Paris")).parts is None


def test_viewers_fetch_the_page_where_its_parts_are_long() -> None:
    before, long = ranking("Kyoto"), ranking("x" * MOST_PARTS_BYTES)
    assert change(before.published, long) == PageChange(before.revision, long.revision)


@pytest.mark.parametrize(
    ("name", "text", "parts", "says"),
    [
        ("../world", '<meta name="revision" content="">', {}, "no name of a page"),
        ("World", '<meta name="revision" content="">', {}, "no name of a page"),
        ("world", "<p>", {}, "has to stand in it once"),
        ("world", '<meta name="revision" content="">', {"table": "<ol>"}, "'table' does not stand in it"),
    ],
)
def test_a_page_that_viewers_could_not_follow_is_refused(name: str, text: str, parts: dict[str, str], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        PublicPage(name, "en", text, parts)


def test_a_page_is_written_also_where_nobody_can_be_told(tmp_path: Path) -> None:
    pages = PublishedPages(tmp_path / "pages", tmp_path / "no.sock")
    with pytest.raises(NotPublishedError, match=r"no\.sock"):
        pages.publish(ranking("Kyoto"))
    assert (tmp_path / "pages/world.en.html").read_text() == ranking("Kyoto").published
    assert not pages.publish(ranking("Kyoto")), "the same page is not written again"


@needs_nginx
def test_a_page_that_a_killed_publisher_has_written_and_not_told_is_told_by_the_next_one(rig: ViewerRig) -> None:
    rig.pages.publish(ranking("Kyoto"))
    with pytest.raises(NotPublishedError):
        PublishedPages(rig.server.pages, rig.server.run / "no.sock").publish(ranking("Paris"))
    with rig.stream("world.en") as viewer:
        assert msgspec.json.decode(heard(viewer), type=PageChange).page == ranking("Kyoto").revision
        again = PublishedPages(rig.server.pages, rig.server.socket)
        assert [again.publish(ranking("Paris")), again.publish(ranking("Paris"))] == [True, False]
        assert msgspec.json.decode(heard(viewer), type=PageChange).page == ranking("Paris").revision


def test_what_pages_load_changes_its_address_with_its_content(tmp_path: Path) -> None:
    pages = PublishedPages(tmp_path, tmp_path / "no.sock")
    first, second = pages.keep("viewer.js", b"1"), pages.keep("viewer.js", b"2")
    assert first != second
    assert pages.keep("viewer.js", b"1") == first
    assert (tmp_path / first.removeprefix("/")).read_bytes() == b"1"


def test_a_viewers_address_with_tls_takes_no_old_protocol(tmp_path: Path) -> None:
    server = ViewerServer(tmp_path, tmp_path, "0.0.0.0", 443, ServerTls(Path("/etc/c.pem"), Path("/etc/k.pem")))
    conf = nginx_conf(server)
    assert "listen 0.0.0.0:443 ssl http2;" in conf
    assert "ssl_protocols TLSv1.2 TLSv1.3;" in conf


@needs_nginx
def test_every_viewer_is_told_what_changed_and_a_late_one_hears_the_last_change(rig: ViewerRig) -> None:
    first, second, third = ranking("Kyoto"), ranking("Kyoto", "Paris"), ranking("Paris", "Kyoto")
    assert rig.pages.publish(first)
    with rig.stream("world.en") as one, rig.stream("world.en") as two:
        assert {msgspec.json.decode(heard(each), type=PageChange).page for each in (one, two)} == {first.revision}
        assert rig.pages.publish(second)
        told = [msgspec.json.decode(heard(each), type=PageChange) for each in (one, two)]
        assert told == [PageChange(first.revision, second.revision, dict(second.parts))] * 2
    rig.pages.publish(third)
    with rig.stream("world.en") as late:
        assert msgspec.json.decode(heard(late), type=PageChange).before == second.revision


@needs_nginx
def test_a_killed_nginx_goes_on_with_the_pages_that_lie_there(rig: ViewerRig) -> None:
    rig.pages.publish(ranking("Kyoto"))
    rig.nginx.kill()
    with pytest.raises(NotPublishedError):
        rig.pages.publish(ranking("Paris"))
    rig.start()
    assert rig.get("/world.en.html")[2].decode() == ranking("Paris").published
    assert rig.pages.publish(ranking("Seoul"))


@needs_nginx
def test_one_address_opens_only_so_many_streams_and_still_gets_pages(rig: ViewerRig) -> None:
    rig.pages.publish(ranking("Kyoto"))
    with ExitStack() as open_streams:
        streams = [open_streams.enter_context(rig.stream("world.en")) for _ in range(5)]
        assert sorted(stream.status for stream in streams) == [200, 200, 200, 429, 429]
        assert rig.get("/world.en.html")[0] == 200


@needs_nginx
def test_viewers_read_and_nothing_else(rig: ViewerRig) -> None:
    rig.pages.publish(ranking("Kyoto"))
    address = rig.pages.keep("viewer.js", b"1")
    page, kept = rig.get("/world.en.html"), rig.get(address)
    assert "default-src 'none'" in page[1]["content-security-policy"]
    assert page[1]["cache-control"] == "public, max-age=2"
    assert "immutable" in rig.get(f"/world.en.html?r={ranking('Kyoto').revision}")[1]["cache-control"]
    assert kept[1]["content-type"].startswith("text/javascript")
    for path in ("/publish/world.en", "/status", "/../nginx/nginx.conf", "/stream/World%20/etc"):
        assert rig.get(path)[0] in (400, 403, 404)
    assert rig.get("/", language="zh-CN,zh;q=0.9")[1]["location"].endswith("/world.zh-hans.html")
    assert rig.get("/")[1]["location"].endswith("/world.en.html")
    assert rig.get("/stream/world.en", "POST")[0] in (403, 405)
    assert rig.get("/world.en.html", "POST")[0] in (403, 405)


@needs_nginx
def test_an_open_page_follows_without_a_reload_and_catches_up_after_nginx_was_killed(rig: ViewerRig, browser: Browser) -> None:
    script = f'<script src="{rig.pages.keep("viewer.js", (resources.files(viewers) / "viewer.js").read_bytes())}" defer></script>'
    rig.pages.publish(ranking("Kyoto", script=script))
    page = browser.new_page()
    page.goto(f"http://127.0.0.1:{rig.server.port}/world.en.html")
    page.evaluate("window.opened = 'once'")
    expect(page.locator("html[data-live=yes]")).to_have_count(1)
    rig.pages.publish(ranking("Paris", "Kyoto", script=script))
    expect(page.locator("li")).to_have_text(["Paris", "Kyoto"])
    expect(page.locator("h1")).to_have_text("2 teams")
    rig.nginx.kill()
    expect(page.locator("html[data-live=no]")).to_have_count(1)
    with pytest.raises(NotPublishedError):
        rig.pages.publish(ranking("Seoul", "Paris", script=script))
    rig.start()
    expect(page.locator("li")).to_have_text(["Seoul", "Paris"], timeout=1000 * PATIENCE_S)
    assert page.evaluate("window.opened") == "once"
    page.close()


@needs_nginx
def test_a_cache_that_answers_late_brings_no_former_page_back(rig: ViewerRig, browser: Browser) -> None:
    script = f'<script src="{rig.pages.keep("viewer.js", (resources.files(viewers) / "viewer.js").read_bytes())}" defer></script>'
    rig.pages.publish(ranking("Kyoto", script=script))
    page = browser.new_page()
    asked: list[Route] = []
    page.route("**/world.en.html?r=*", lambda route: asked.append(route))  # noqa: PLW0108 - it is asked for its name
    page.goto(f"http://127.0.0.1:{rig.server.port}/world.en.html")
    expect(page.locator("html[data-live=yes]")).to_have_count(1)
    former, last = (ranking(letter * MOST_PARTS_BYTES, script=script) for letter in "ab")
    for count, each in enumerate((former, last), 1):
        rig.pages.publish(each)
        eventually(lambda: page.evaluate("1") == 1 and len(asked) == count, "the page is fetched")  # noqa: B023 - asked at once
    asked[1].fulfill(body=last.published, content_type="text/html")
    expect(page.locator("li")).to_have_text(last.parts["table"].removeprefix('<ol data-part="table"><li>').removesuffix("</li></ol>"))
    with page.expect_event("requestfinished"):
        asked[0].fulfill(body=former.published, content_type="text/html")
    page.evaluate("fetch('/world.en.html').then((answer) => answer.text())")
    assert page.locator("li").inner_text()[:1] == "b"
    page.close()
