"""The station's own screen over HTTP: for this machine alone, whatever it is sent."""

from __future__ import annotations

import http.client
import json
import socket
from urllib.parse import urlsplit

import pytest

from tableside.station.screen_server import ScreenServer
from tests.support.patience import PATIENCE_S


def ask(page: ScreenServer, method: str, path: str, fields: object = None, **headers: str) -> int:
    """The status of the answer."""
    connection = http.client.HTTPConnection(urlsplit(page.url).netloc, timeout=PATIENCE_S)
    try:
        body = None if fields is None else json.dumps(fields)
        connection.request(method, path, body, {"Content-Type": "application/json", **headers})
        return connection.getresponse().status
    finally:
        connection.close()


def test_it_listens_on_loopback_alone(page: ScreenServer) -> None:
    address = urlsplit(page.url)
    assert address.hostname == "127.0.0.1"
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", address.port or 0), timeout=PATIENCE_S)


def test_a_page_elsewhere_that_points_a_name_at_the_station_is_refused(page: ScreenServer) -> None:
    assert ask(page, "GET", "/now?after=0") == 200
    for path in ("/now?after=0", "/", "/gate.jpg"):
        assert ask(page, "GET", path, Host="club.example") == 403
    assert ask(page, "POST", "/undo", {}, Host="club.example") == 403
    assert ask(page, "POST", "/undo", {}, **{"Content-Type": "text/plain"}) == 400
    assert ask(page, "POST", "/take-back", {}, **{"Content-Type": "text/plain"}) == 400


def test_a_touch_that_is_none_is_refused(page: ScreenServer) -> None:
    assert ask(page, "POST", "/offer", {}) == 400
    assert ask(page, "POST", "/pair", {"code": "123456"}) == 400


def test_requests_that_no_browser_makes_are_answered_in_words(page: ScreenServer, capfd: pytest.CaptureFixture[str]) -> None:
    assert ask(page, "POST", "/done", {"number": 1}, **{"Content-Length": "9" * 4000}) == 400
    assert ask(page, "GET", f"/now?after={'9' * 5000}") == 200
    assert ask(page, "GET", "/now", Host="[") == 403
    assert "Traceback" not in capfd.readouterr().err


HOSTILE = {
    "a host that is no address": b"GET /now HTTP/1.1\r\nHost: [::1\r\n\r\n",
    "a whole address that is none": b"GET http://[/now HTTP/1.1\r\nHost: {host}\r\n\r\n",
    "a way out of the folder": b"GET /../../etc/passwd HTTP/1.1\r\nHost: {host}\r\n\r\n",
    "a version without end": b"GET /now?after=" + b"9" * 5000 + b" HTTP/1.1\r\nHost: {host}\r\n\r\n",
    "brackets without end": b"POST /done HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: 4000\r\n\r\n"
    + b"[" * 4000,
    "a length without end": b"POST /done HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: "
    + b"9" * 5000
    + b"\r\n\r\n",
    "half a letter for a number": b"POST /done HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n"
    b'{"number": "\\ud800"}',
}


@pytest.mark.parametrize("request_made", HOSTILE.values(), ids=HOSTILE)
def test_whatever_is_sent_is_answered_and_nothing_breaks(
    page: ScreenServer, request_made: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    address = urlsplit(page.url)
    with socket.create_connection((address.hostname, address.port), timeout=PATIENCE_S) as line:
        line.sendall(request_made.replace(b"{host}", address.netloc.encode()))
        assert line.recv(12) in {b"HTTP/1.1 200", b"HTTP/1.1 400", b"HTTP/1.1 403", b"HTTP/1.1 404"}
    assert ask(page, "GET", "/now?after=0") == 200
    assert capfd.readouterr().err == ""
