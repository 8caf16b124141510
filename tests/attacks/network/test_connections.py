"""One visitor with many streams, half-open requests or oversized ones: everybody else still gets a page."""

import http.client
import signal
import socket
import ssl
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from wsgiref.types import StartResponse, WSGIEnvironment

import pytest

from dashboard.access.seat_codes import seat_code
from dashboard.request_sorting import DEFAULT_LIMITS, RequestLane
from dashboard.serving import StoredEvent
from tests.support.dashboard.hall import OPEN
from tests.support.dashboard.served import Served
from tests.support.dashboard.staff import new_staff
from tests.support.patience import PATIENCE_S
from tests.support.wire.brokers import eventually, free_port
from tests.support.wire.tls import certificate_in
from twinwall.event.field import field_of
from twinwall.event.results import EntrantKind
from twinwall.event.store.programme import Programme
from twinwall.web.visitor_limits import VisitLimits
from twinwall.web.web_server import LaneLimits, ServerLimits, WebServer

ATTACKER, OTHERS = "127.0.0.2", ("127.0.0.3", "127.0.0.4", "127.0.0.5")
STREAM = b"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
HALF = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
STREAMS, HALF_OPEN, THREADS = 270, 520, 8
"""So many took the pages from everybody."""


@contextmanager
def served(folder: Path, limits: ServerLimits = DEFAULT_LIMITS, **more: object) -> Iterator[Served]:
    settings = replace(OPEN, port=free_port(), staff=folder / "staff.sqlite", limits=limits, **more)  # type: ignore[arg-type]  # by name
    new_staff(settings.staff).close()
    programme = Programme(settings.event, field_of(EntrantKind.INDIVIDUAL, ["1"]))
    dashboard = Served(settings, StoredEvent(folder / "event.sqlite", programme))
    dashboard.start()
    try:
        yield dashboard
    finally:
        dashboard.stop(signal.SIGKILL)  # a stream may take a second to end


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("served"), tables=tuple(str(n) for n in range(1, 51))) as running:
        eventually(lambda: status(running.settings.port, OTHERS[0]) == 200, "the dashboard answers")
        yield running


def status(port: int, source: str, path: str = "/", timeout_s: float = 20.0) -> int | None:
    """What a page is answered with; None when nobody answers."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout_s, source_address=(source, 0))
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def open_many(held: ExitStack, port: int, source: str, count: int, sent: bytes) -> list[socket.socket]:
    """So many connections on which this was sent, open until the end."""
    opened = []
    for _ in range(count):
        connection = held.enter_context(socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S, source_address=(source, 0)))
        connection.sendall(sent)
        opened.append(connection)
    return opened


def first_bytes(connection: socket.socket) -> bytes:
    """What is answered first; nothing where the connection was closed."""
    try:
        return connection.recv(12)
    except ConnectionResetError:
        return b""


def answer(port: int, source: str, path: str, **headers: str) -> tuple[int, http.client.HTTPMessage, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S, source_address=(source, 0))
    try:
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        return response.status, response.headers, response.read().decode()
    finally:
        connection.close()


def phone_of(held: ExitStack, running: Served, source: str, number: int) -> bytes:
    """What a phone that scans the code of a seat, and keeps its page open, is answered with on its stream."""
    settings, (table, place) = running.settings, divmod(number, 4)
    page = f"/seat/{table + 1}/{place}"
    scanned, headers, _ = answer(settings.port, source, f"{page}?code={seat_code(settings.secret, settings.event, str(table + 1), place)}")
    cookie = (headers["Set-Cookie"] or "").partition(";")[0]
    assert (scanned, answer(settings.port, source, page, Cookie=cookie)[0]) == (302, 200)
    sent = f"GET {page}/events HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookie}\r\n\r\n".encode()
    return first_bytes(*open_many(held, settings.port, source, 1, sent))


def test_200_phones_of_a_hall_60_of_them_behind_one_address_keep_nobody_from_a_page(dashboard: Served) -> None:
    port = dashboard.settings.port
    with ExitStack() as held:
        sources = ["127.0.0.1"] * 60 + [f"127.0.1.{n}" for n in range(1, 141)]
        with ThreadPoolExecutor(20) as at_once:
            streams = list(at_once.map(partial(phone_of, held, dashboard), sources, range(200)))
        streams += map(first_bytes, open_many(held, port, ATTACKER, 60, STREAM))
        assert set(streams) == {b"HTTP/1.1 200"}, "so are 60 spectators without a seat"
        assert [status(port, source) for source in ("127.0.0.1", "127.0.1.1", "127.0.2.1")] == [200] * 3
        dashboard.log_in()
        assert [dashboard.ask("GET", page)[0] for page in ("/", "/calls")] == [200] * 2


def test_who_has_photographed_the_code_of_a_seat_takes_no_stream_from_the_phone_of_that_seat(tmp_path: Path) -> None:
    few = replace(DEFAULT_LIMITS, visits=replace(DEFAULT_LIMITS.visits, holding_each=2))
    with served(tmp_path, few, tables=("1",)) as running, ExitStack() as held:
        eventually(lambda: status(running.settings.port, OTHERS[0]) == 200, "the dashboard answers")
        taken = [phone_of(held, running, ATTACKER, 0) for _ in range(3)]
        assert taken == [b"HTTP/1.1 200", b"HTTP/1.1 200", b"HTTP/1.1 429"]
        assert phone_of(held, running, OTHERS[0], 0) == b"HTTP/1.1 200"


def test_the_staff_are_answered_while_others_have_all_they_may_and_a_refusal_says_what_to_do(tmp_path: Path) -> None:
    lanes = {**DEFAULT_LIMITS.lanes, RequestLane.PUBLIC: LaneLimits(pages=0, streams=0)}
    with served(tmp_path, replace(DEFAULT_LIMITS, lanes=lanes, request_s=0.5)) as running, ExitStack() as held:
        port = running.settings.port
        eventually(lambda: status(port, OTHERS[0], "/login") == 200, "the dashboard answers")
        for language, said in (("en", "Wait 5 seconds"), ("ja", "5秒待って"), ("zh-Hans", "等待5秒")):
            asks = {"Accept": "text/html", "Accept-Language": language}
            given, headers, text = answer(port, OTHERS[0], "/", **asks)
            assert (given, headers["Retry-After"], headers.get_content_type()) == (503, "5", "text/html")
            assert said in text
            assert f'<html lang="{language}"' in text
            assert answer(port, OTHERS[0], "/events", **asks)[0] == 429
        running.log_in()
        assert [running.ask("GET", page)[0] for page in ("/", "/calls")] == [200] * 2
        staff = STREAM.replace(b"\r\n\r\n", f"\r\nCookie: {running.cookie}\r\n\r\n".encode())
        assert first_bytes(*open_many(held, port, ATTACKER, 1, staff)) == b"HTTP/1.1 200"


def test_270_streams_of_one_visitor_leave_pages_and_streams_to_everybody_else(dashboard: Served) -> None:
    port = dashboard.settings.port
    with ExitStack() as held:
        answers = [first_bytes(each) for each in open_many(held, port, ATTACKER, STREAMS, STREAM)]
        assert answers.count(b"HTTP/1.1 200") <= DEFAULT_LIMITS.visits.holding_each
        assert answers.count(b"HTTP/1.1 429") + answers.count(b"") >= STREAMS - DEFAULT_LIMITS.visits.holding_each
        for other in OTHERS:
            assert status(port, other) == 200
            (stream,) = open_many(held, port, other, 1, STREAM)
            assert first_bytes(stream) == b"HTTP/1.1 200"


def test_520_half_open_requests_of_one_visitor_leave_pages_to_everybody(dashboard: Served) -> None:
    port = dashboard.settings.port
    with ExitStack() as held:
        half = open_many(held, port, ATTACKER, HALF_OPEN, HALF)
        for visitor in (*OTHERS, ATTACKER):
            assert status(port, visitor) == 200
        closed = [first_bytes(each) for each in half[: HALF_OPEN - DEFAULT_LIMITS.visits.half_open_each - 1]]
        assert set(closed) == {b""}, "the oldest gave way"


def pages(environ: WSGIEnvironment, start_response: StartResponse) -> Iterator[bytes]:
    """A page, or under ``/events`` a stream without end."""
    start_response("200 OK", [("Content-Type", "text/plain")])
    yield b"a page\n"
    while environ["PATH_INFO"] == "/events":
        yield b": here\n\n"
        time.sleep(0.05)


def test_control_where_streams_are_not_told_from_pages_one_visitor_takes_all_answers() -> None:
    most = VisitLimits(2048, connections_each=2048, half_open_each=2048, holding_each=2048)
    limits = ServerLimits(most, {"": LaneLimits(THREADS)}, pages_each=2 * THREADS, request_s=1.0)
    server = WebServer(socket.create_server(("127.0.0.1", 0)), limits)
    server.start(pages)
    with ExitStack() as held:
        held.callback(server.close)
        held.callback(server.stop)
        assert status(server.port, OTHERS[0]) == 200
        taken = open_many(held, server.port, ATTACKER, THREADS, STREAM)
        assert [first_bytes(each) for each in taken] == [b"HTTP/1.1 200"] * THREADS
        assert status(server.port, OTHERS[0]) == 503, "nobody else gets a page"


@pytest.mark.parametrize(
    ("sent", "answer"),
    [
        (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: " + b"x" * (20 << 10), b"HTTP/1.1 431"),
        (b"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999\r\n\r\n" + b"x" * 99999, b"HTTP/1.1 413"),
        (b"POST /login HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n40000\r\n" + b"x" * 0x31000, b"HTTP/1.1 413"),
        (b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", b"HTTP/1.1 400"),
        (b"\x16\x03\x01 no HTTP at all\r\n\r\n", b"HTTP/1.1 400"),
        (b"GET http://[x/ HTTP/1.1\r\nHost: a\r\n\r\n", b"HTTP/1.1 400"),
    ],
    ids=["header", "body", "chunks", "two lengths", "no HTTP", "no address"],
)
def test_a_request_that_is_too_large_or_none_is_refused_before_it_is_answered(dashboard: Served, sent: bytes, answer: bytes) -> None:
    with socket.create_connection(("127.0.0.1", dashboard.settings.port), timeout=PATIENCE_S, source_address=(ATTACKER, 0)) as connection:
        try:
            connection.sendall(sent)
        except (BrokenPipeError, ConnectionResetError):
            return  # it was closed while we still sent
        assert first_bytes(connection) in (answer, b"")


def test_with_tls_cookies_are_secure_and_what_does_not_come_whole_in_time_is_closed(tmp_path: Path) -> None:
    """TLS and the limit of time in one run, because each start costs seconds."""
    *certificate, authority = certificate_in(tmp_path)
    quick = replace(DEFAULT_LIMITS, request_s=1.5)
    with served(tmp_path, quick, certificate=(certificate[0], certificate[1]), address="https://127.0.0.1") as running:
        context = ssl.create_default_context(cafile=str(authority))

        def cookie() -> str:
            connection = http.client.HTTPSConnection("127.0.0.1", running.settings.port, timeout=PATIENCE_S, context=context)
            try:
                connection.request("GET", "/login")
                return connection.getresponse().headers["Set-Cookie"] or ""
            except (OSError, http.client.HTTPException):
                return ""
            finally:
                connection.close()

        eventually(lambda: "Secure" in cookie(), "the login is served over TLS")
        silent, plain = (socket.create_connection(("127.0.0.1", running.settings.port), timeout=PATIENCE_S) for _ in range(2))
        with silent, context.wrap_socket(plain, server_hostname="127.0.0.1") as slow:
            slow.sendall(HALF)
            assert first_bytes(silent) == b"", "a handshake that does not come is not waited for"
            assert slow.recv(12) == b"", "nor the rest of a request"
