"""Live stream: numbered without gaps, complete after an interruption, and without needless repeats."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from html.parser import HTMLParser
from itertools import islice
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markupsafe import Markup

from dashboard.access.viewer_scope import ViewerScope
from dashboard.pages.rendering import MOST_NUMBERED, REST_S, Fragment, LivePage, stream
from dashboard.projections.hall_views import STAFF, Level, ViewerChannel
from tests.support.dashboard.example import building, whole_hand
from tests.support.dashboard.hall import Hall, must_say
from tests.support.narrowed import present
from tests.support.tiers import examples
from tests.support.wire.streams import Line, public_events
from tests.support.wire.tls import told_apart

TABLE_1 = ViewerChannel(Level.TABLE, "1")
FRAGMENT_IDS = {"now", "alarms", "result", "log", "broker", "calls-badge", "centre", "seats"} | {
    f"{name}-{seat}" for name in ("wall", "river", "hand", "plate") for seat in "ESWN"
}


@dataclass
class Browser:
    """What a page does with a stream: keeps each fragment by its id, and the last number."""

    fragments: dict[str, str]
    numbers: list[int]

    @property
    def last(self) -> str:
        return str(self.numbers[-1])

    def take(self, text: str) -> None:
        for block in text.split("\n\n"):
            lines = [line for line in block.splitlines() if not line.startswith(":")]
            self.numbers += [int(line[4:]) for line in lines if line.startswith("id: ")]
            if any(line.startswith("event:") for line in lines):
                continue
            self.fragments |= split_fragments("\n".join(line[6:] for line in lines if line.startswith("data: ")))


class _Elements(HTMLParser):
    """Every element that has an id, by it, as it is written."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.found: dict[str, str] = {}
        self._markup = markup
        self._lines = [0]
        for line in markup.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))
        self._open: list[tuple[str, str | None, int]] = []
        self.feed(markup)

    def _offset(self) -> int:
        line, column = self.getpos()
        return self._lines[line - 1] + column

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "link", "input"):
            self._open.append((tag, dict(attrs).get("id"), self._offset()))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Closed at once: it holds nothing."""

    def handle_endtag(self, tag: str) -> None:
        opened, name, start = self._open.pop()
        assert opened == tag, f"</{tag}> closes <{opened}>"
        if name is not None:
            self.found[name] = self._markup[start : self._offset()]


def split_fragments(markup: str) -> dict[str, str]:
    """The live fragments in a piece of markup, or in a whole page."""
    return {name: text for name, text in _Elements(markup).found.items() if name in FRAGMENT_IDS}


def page_of(hall: Hall) -> tuple[str, str, str]:
    page = hall.client.get("/table/1").text
    found = present(re.search(r'data-boot="([^"]+)" data-since="(\d+)"', page))
    return page, found[1], found[2]


def add(hall: Hall, script: list[Line], first: int, last: int) -> None:
    for event in public_events(script)[first:last]:
        hall.views.add(event, event.at)


def test_a_change_arrives_under_its_number(entered: Hall) -> None:
    entered.feed([*building()][:3])
    _, boot, since = page_of(entered)
    add(entered, [*building()], 3, 4)
    browser = Browser({}, [])
    browser.take(entered.stream(f"/events?table=1&boot={boot}&since={since}"))
    assert browser.numbers == [int(since) + 1]
    assert "34 of 136" in browser.fragments["now"]
    assert set(browser.fragments) == {"now", "centre"}, "what did not change is not sent"


def test_the_length_of_what_a_referees_page_is_sent_tells_no_tile_and_no_event(entered: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dashboard.pages.rendering.REST_S", 0.0)
    script, heard = [*whole_hand()], list[tuple[str, object]]()
    entered.feed(script[:1])
    _, boot, last = page_of(entered)
    for number, (what, fields) in enumerate(script[1:], start=1):
        add(entered, script, number, number + 1)
        text = entered.stream(f"/events?table=1&boot={boot}&since={last}", last=last)
        last = re.findall(r"^id: (\d+)$", text, re.MULTILINE)[-1]
        page = entered.client.get("/table/1", headers={"Accept-Encoding": "gzip"})
        heard.append((f"{what} {fields.get('tile')}", (len(text.encode()), len(page.data))))
    assert len({what for what, _ in heard}) > 40
    assert told_apart(heard) == 0


def test_a_quiet_stream_shows_that_it_lives(entered: Hall) -> None:
    entered.feed([*building()])
    _, boot, since = page_of(entered)
    text = entered.stream(f"/events?table=1&boot={boot}&since={since}")
    must_say(text, "event: beat\ndata: 2026-11-20T10:02:03.123Z", "\n: here\n")
    assert "id:" not in text


@settings(max_examples=examples(15))
@given(st.lists(st.integers(1, 12), min_size=1, max_size=12))
def test_a_stream_cut_anywhere_and_resumed_gives_the_page_as_it_is(steps: list[int]) -> None:
    """However the stream is cut, the fragments put together are those of a page loaded afresh."""
    hall = Hall()
    hall.log_in()
    script = whole_hand()
    hall.feed(script[:1])
    page, boot, since = page_of(hall)
    browser = Browser(split_fragments(page), [int(since)])
    at = 1
    for step in steps:
        add(hall, script, at, at + step)
        at += step
        browser.take(hall.stream(f"/events?table=1&boot={boot}&since={since}", last=browser.last))
    assert browser.numbers == list(range(int(since), hall.views.sequence(TABLE_1) + 1)), "no number missing or doubled"
    assert browser.fragments == split_fragments(hall.client.get("/table/1").text)


LONG = [*building(steps=MOST_NUMBERED + 10)]


@pytest.mark.parametrize(
    ("boot", "since"), [("earlier", "4"), *(("boot-1.table", since) for since in ("1", "99999", "-1", "x", "", "1" * 5000, "٣"))]
)
def test_after_a_long_gap_or_from_another_run_or_an_odd_number_everything_is_one_message(entered: Hall, boot: str, since: str) -> None:
    entered.feed(LONG)
    browser = Browser({}, [])
    browser.take(entered.stream(f"/events?table=1&boot={boot}&since={since}", last="900" if boot == "earlier" else None))
    assert browser.numbers == [entered.views.sequence(TABLE_1)]
    assert {"now", "log", "river-E", "plate-N"} <= set(browser.fragments)


def test_the_hall_gets_a_new_table_with_the_list_and_then_only_its_card(entered: Hall) -> None:
    entered.feed([*building()][:3])
    since = present(re.search(r'data-since="(\d+)"', entered.client.get("/").text))
    entered.feed([*building()][:3], table="2")
    text = entered.stream(f"/events?boot=boot-1.staff&since={since[1]}")
    assert 'id="cards"' in text
    since_then = entered.views.sequence(STAFF)
    for event in public_events([*building()], "2")[3:5]:
        entered.views.add(event, event.at)
    text = entered.stream(f"/events?boot=boot-1.staff&since={since_then}")
    assert 'id="card-1"' in text
    assert 'id="cards"' not in text
    assert 'id="card-0"' not in text


@dataclass
class Busy:
    """A scope whose every look finds another change; ``s`` is the time."""

    sequence: int = 0
    boot: str = "b"
    s: float = 0.0

    def wait_beyond(self, _sequence: int, _timeout_s: float) -> int:
        self.s += REST_S / 10
        self.sequence += 1
        return self.sequence

    def rest(self, seconds: float) -> None:
        self.s += seconds


def test_who_lacks_a_change_gets_the_page_as_it_was_made_a_moment_ago() -> None:
    busy = Busy(1)
    page = LivePage(cast(ViewerScope, busy), lambda: [Fragment("now", Markup(f"<p>{busy.sequence}</p>"))], lambda: busy.s)
    assert page.changed_since(0)[0] == 1
    busy.sequence = 2
    assert page.changed_since(0) == (1, (Fragment("now", Markup("<p>1</p>")),))
    assert page.changed_since(1)[0] == page.changed_since(0)[0] == 2, "made anew for who has all of it"
    busy.sequence, busy.s = 3, REST_S
    assert page.changed_since(0)[0] == 3
    busy.sequence = 4
    assert page.current()[0] == 4, "a page that is opened is as of now"


def test_a_page_that_changes_all_the_time_is_made_once_for_the_changes_of_a_moment() -> None:
    busy, made = Busy(), [0.0]

    def render() -> Iterator[Fragment]:
        made.append(busy.s)
        yield Fragment("now", Markup(f"<p id=now>{busy.sequence}</p>"))

    page = LivePage(cast(ViewerScope, busy), render, lambda: busy.s)
    streams = [stream(page, 0, lambda: datetime(2026, 11, 20, tzinfo=UTC), lambda: True, busy.rest) for _ in range(5)]
    told: list[list[int]] = [[] for _ in streams]
    for _ in range(60):
        for numbers, each in zip(told, streams, strict=True):
            numbers += [int(number) for number in re.findall(r"^id: (\d+)$", next(each), re.MULTILINE)]
    between = [later - earlier for earlier, later in zip(made[1:], islice(made, 2, None), strict=False)]
    assert len(between) > 10
    assert min(between) >= REST_S - 1e-9
    assert all(numbers == list(range(1, numbers[-1] + 1)) for numbers in told), "no number missing or doubled"
    assert min(numbers[-1] for numbers in told) > busy.sequence - 60
