"""Who gives way to whom, whose request it is behind proxies, and what of a request is passed on."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.access.seat_codes import seat_code
from dashboard.request_sorting import PageSorter, RequestLane
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.dashboard.staff import submit
from tests.support.narrowed import present
from twinwall.web.visitor_limits import Visit, VisitLimits, VisitorLimits
from twinwall.web.web_requests import RefusedRequestError, RequestReader, visitor_address
from twinwall.web.web_server import SortedRequest

SMALL = VisitLimits(connections=6, half_open_each=2, connections_each=4, holding_each=3)
STREAMS = 4


class Visits:
    """Visitors at the door; who was given up stands in a list."""

    def __init__(self, limits: VisitLimits = SMALL) -> None:
        self.counted = VisitorLimits(limits)
        self.given_up: list[Visit] = []

    def enter(self, name: str, *, trusted: bool = False) -> Visit:
        visit = Visit(name, lambda: None)
        self.given_up += self.counted.enter(visit, 0.0, trusted=trusted)
        return visit

    def stream(self, name: str) -> bool:
        may, gives_way = self.counted.hold(self.enter(name), STREAMS)
        self.given_up += [] if gives_way is None else [gives_way]
        return may


def test_the_oldest_half_open_request_gives_way_to_a_new_one_and_who_holds_most_connections_to_another() -> None:
    visits = Visits()
    first, _second, third = (visits.enter("a") for _ in range(3))
    assert visits.given_up == [first]
    assert third not in visits.given_up
    full = Visits(replace(SMALL, half_open_each=9, connections_each=9))
    many = [full.enter("a") for _ in range(5)]
    full.enter("b")
    full.enter("c")
    assert full.given_up == [many[0]], "there are no more"


def test_a_visitor_has_so_many_streams_and_another_still_gets_one() -> None:
    visits = Visits(replace(SMALL, connections=99, half_open_each=99, connections_each=99))
    assert [visits.stream("a") for _ in range(4)] == [True, True, True, False]
    assert visits.stream("b")
    assert visits.given_up == []
    assert visits.stream("c"), "all streams are taken: the visitor with the most gives one up"
    assert [visit.visitor for visit in visits.given_up] == ["a"]
    assert not visits.stream("a"), "and does not get it back from one who has fewer"


def test_a_trusted_proxy_is_no_visitor_and_whom_it_names_is() -> None:
    visits = Visits(replace(SMALL, connections=99))
    behind = [visits.enter("proxy", trusted=True) for _ in range(20)]
    assert visits.given_up == []
    for number, visit in enumerate(behind):
        visits.counted.identify(visit, f"named {number % 2}", 0.0)
    assert visits.given_up == []
    for visit in behind:
        visits.counted.leave(visit)
    assert set(visits.counted.tidy(99.0)) == {"proxy", "named 0", "named 1"}


def test_requests_come_in_bursts_and_then_at_a_rate() -> None:
    counted = VisitorLimits(replace(SMALL, burst_each=3, requests_per_s_each=2.0))
    visit = Visit("a", lambda: None)
    list(counted.enter(visit, 0.0))
    assert [counted.may_ask(visit, 0.0) for _ in range(4)] == [True, True, True, False]
    assert counted.may_ask(visit, 0.5)
    assert not counted.may_ask(visit, 0.5)
    counted.leave(visit)
    assert counted.tidy(1.0) == (), "what was asked for of late is remembered"
    assert [counted.tidy(9.0), counted.tidy(9.0)] == [("a",), ()]


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from(["enter", "stream", "leave"])), max_size=60))
def test_no_limit_is_ever_exceeded_and_nobody_who_is_alone_is_refused(steps: list[tuple[str, str]]) -> None:
    visits, open_now = Visits(), list[Visit]()
    for name, what in steps:
        if what == "leave" and open_now:
            visits.counted.leave(open_now.pop(0))
            continue
        visit = visits.enter(name)
        open_now.append(visit)
        if what == "stream" and visit not in visits.given_up:
            _may, gives_way = visits.counted.hold(visit, STREAMS)
            visits.given_up += [] if gives_way is None else [gives_way]
        open_now = [each for each in open_now if each not in visits.given_up]
        for each in "abcd":
            mine = [visit for visit in open_now if visit.visitor == each]
            assert len(mine) <= SMALL.connections_each
            assert sum(visit.stage.value == "half-open" for visit in mine) <= SMALL.connections_each
            assert sum(visit.stage.value == "holding" for visit in mine) <= SMALL.holding_each
        assert len(open_now) <= SMALL.connections
        assert sum(visit.stage.value == "holding" for visit in open_now) <= STREAMS


@pytest.mark.parametrize(
    ("peer", "named", "trusted", "address"),
    [
        ("192.0.2.1", "198.51.100.7", (), "192.0.2.1"),
        ("192.0.2.1", "198.51.100.7", ("192.0.2.9",), "192.0.2.1"),
        ("192.0.2.1", "198.51.100.7", ("192.0.2.1",), "198.51.100.7"),
        ("192.0.2.1", "10.9.9.9, 198.51.100.7", ("192.0.2.1",), "198.51.100.7"),
        ("192.0.2.1", "198.51.100.7, 192.0.2.2", ("192.0.2.1", "192.0.2.2"), "198.51.100.7"),
        ("::ffff:192.0.2.1", "2001:db8::7", ("192.0.2.1",), "2001:db8::7"),
        ("192.0.2.1", "[2001:db8::7]:80", ("192.0.2.1",), "2001:db8::7"),
        ("192.0.2.1", "nonsense", ("192.0.2.1",), "192.0.2.1"),
        ("192.0.2.1", "", ("192.0.2.1",), "192.0.2.1"),
    ],
)
def test_the_forwarded_address_counts_behind_a_trusted_proxy_and_only_then(
    peer: str, named: str, trusted: tuple[str, ...], address: str
) -> None:
    assert visitor_address(peer, named, trusted) == address


def test_what_a_browser_says_of_proxies_is_not_passed_on() -> None:
    sent = (
        b"POST /login?next=/ HTTP/1.1\r\nHost: hall\r\nX-Forwarded-For: 1.2.3.4\r\nX-Forwarded-Proto: https\r\nForwarded: for=1.2.3.4\r\n"
        b"SCRIPT_NAME: /evil\r\nConnection: keep-alive\r\nCookie: a=b\r\nCookie: c=d\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
    )
    reader = RequestReader(1 << 14, 1 << 14)
    whole = None
    for byte in sent:
        whole = reader.take(bytes([byte])) or whole
    environ = present(whole).environ("192.0.2.1", "http", ("127.0.0.1", 8080))
    headers = {key: value for key, value in environ.items() if key.startswith("HTTP_")}
    assert headers == {"HTTP_HOST": "hall", "HTTP_CONNECTION": "keep-alive", "HTTP_COOKIE": "a=b; c=d"}
    assert [environ[key] for key in ("REMOTE_ADDR", "SCRIPT_NAME", "PATH_INFO", "CONTENT_LENGTH")] == ["192.0.2.1", "", "/login", "3"]


@pytest.mark.parametrize("framing", [b"Content-Length: 9\r\n\r\n", b"Transfer-Encoding: chunked\r\n\r\n9\r\n"])
def test_a_body_that_is_larger_than_the_limit_is_refused(framing: bytes) -> None:
    sent = b"POST / HTTP/1.1\r\nHost: hall\r\n" + framing
    assert RequestReader(1 << 14, 9).take(sent + b"x" * 8) is None
    with pytest.raises(RefusedRequestError, match="413"):
        RequestReader(1 << 14, 8).take(sent + b"x" * 9)


@pytest.fixture(scope="module")
def hall() -> Hall:
    hall = Hall(settings=OPEN)
    hall.views.begin("1")
    return hall


def sorted_request(hall: Hall, target: str, cookie: str = "", method: str = "GET") -> SortedRequest:
    sorter = PageSorter(hall.app, lambda token: hall.staff.session(token, int(hall.now().timestamp())) is not None)
    whole = present(RequestReader(1 << 14, 1 << 14).take(f"{method} {target} HTTP/1.1\r\nHost: hall\r\nCookie: {cookie}\r\n\r\n".encode()))
    return sorter.sort(whole.environ("192.0.2.1", "http", ("hall", 80)))


STREAMED = ("/events", "/events?table=1", "/%65vents", "http://hall/events", "/seat/Nord%201/0/events", "/events#")


@pytest.mark.parametrize("target", [*STREAMED, "/", "/nothing", "/event", "/events/", "*", "//x/events", "/static/x", "/seat/1/0"])
def test_a_stream_is_known_however_its_address_is_written_and_everything_else_is_a_page_of_everybodys(hall: Hall, target: str) -> None:
    assert sorted_request(hall, target) == SortedRequest(RequestLane.PUBLIC, is_stream=target in STREAMED)


def test_the_login_the_staff_and_a_scanned_seat_are_told_from_everybody(hall: Hall) -> None:
    def cookie() -> str:
        found = client.get_cookie("twinwall")
        return "" if found is None else f"twinwall={found.value}"

    assert [sorted_request(hall, path).lane for path in ("/login", "/invitation/x")] == [RequestLane.ENTRANCE] * 2
    client = hall.new_client()
    client.get(f"/seat/1/2?code={seat_code(OPEN.secret, OPEN.event, '1', 2)}")
    assert sorted_request(hall, "/", cookie()) == SortedRequest(RequestLane.PUBLIC, visitor=f"seat {[OPEN.event, '1', 2]}")
    assert sorted_request(hall, "/", cookie()[:-1] + "~") == SortedRequest(RequestLane.PUBLIC), (
        "of a cookie that the server did not sign nothing is believed"
    )
    hall.log_in(client=client)
    staff, kept = sorted_request(hall, "/", cookie()), cookie()
    assert (staff.lane, (staff.visitor or "")[:6]) == (RequestLane.STAFF, "staff ")
    submit(client, "/logout")
    assert sorted_request(hall, "/", kept).lane is RequestLane.PUBLIC, "of a session that has ended neither"
