"""A tablet in the hall's network: let in once by a code of the table's own screen, one at a time, and refused everything else."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.patience import PATIENCE_S
from tests.support.station.served import GreyCamera
from twinwall.station.camera_worker import SharedCamera
from twinwall.station.confirmed_places import ConfirmedPlacesFile
from twinwall.station.pairing import CODE_S, IDLE_S, MOST_TRIES, Pairing
from twinwall.station.screen_server import ScreenServer
from twinwall.station.sizes import ManualFeederSizes
from twinwall.station.station import Station

LAN = "127.0.0.2"
"""Another address of this machine, as a hall's network would give it: not the one of its own screen."""


@pytest.fixture
def page(tmp_path: Path) -> Iterator[ScreenServer]:
    sizes = ManualFeederSizes()
    station = Station(tmp_path / "feeder", ConfirmedPlacesFile(tmp_path / "memory"), (1, 2), sizes)
    served = ScreenServer(station, SharedCamera(GreyCamera()), sizes, {1: "blue", 2: "green"}, 0, listen=LAN)
    station.start()
    served.start()
    yield served
    station.stop()
    served.stop()


class Device:
    """Somebody's browser."""

    def __init__(self, address: str) -> None:
        self._address = urlsplit(address).netloc
        self.cookie = ""

    def ask(self, method: str, path: str, fields: object = None, **headers: str) -> tuple[int, dict[str, object]]:
        connection = http.client.HTTPConnection(self._address, timeout=PATIENCE_S)
        more = {"Cookie": self.cookie} if self.cookie else {}
        try:
            body = None if fields is None else json.dumps(fields)
            connection.request(method, path, body, {"Content-Type": "application/json", **more, **headers})
            answer = connection.getresponse()
            if (given := answer.headers.get("Set-Cookie")) is not None:
                assert {"HttpOnly", "SameSite=Strict"} <= set(given.split("; "))
                self.cookie = given.split(";")[0]
            text = answer.read().decode(errors="replace")
            return answer.status, json.loads(text) if answer.headers.get_content_type() == "application/json" else {"text": text}
        finally:
            connection.close()


def door(page: ScreenServer) -> tuple[Device, Device]:
    """The table's own screen, and a tablet."""
    return Device(page.url), Device(page.tablets.address)


def code(own: Device) -> str:
    own.ask("POST", "/offer", {})
    tablet = own.ask("GET", "/now?after=0")[1]["tablet"]
    assert isinstance(tablet, dict)
    return str(tablet["code"])


def test_a_tablet_that_was_let_in_shows_the_screen_and_touches_it(page: ScreenServer) -> None:
    own, tablet = door(page)
    assert tablet.ask("POST", "/pair", {"code": code(own)}) == (200, {"good": True})
    status, shown = tablet.ask("GET", "/now?after=0")
    assert (status, shown["task"]["do"]) == (200, "rest")  # type: ignore[index]  # JSON of the screen
    assert tablet.ask("POST", "/done", {"number": 77}) == (200, {"good": False})


def test_while_a_tablet_has_the_screen_the_tables_own_shows_the_start_code_and_what_the_table_asks(page: ScreenServer) -> None:
    own, tablet = door(page)
    tablet.ask("POST", "/pair", {"code": code(own)})
    assert set(own.ask("GET", "/now?after=0")[1]) == {"version", "tablet", "start", "asks", "seats"}
    assert own.ask("POST", "/undo", {}) == (200, {"good": False})
    own.ask("POST", "/take-back", {})
    assert "task" in own.ask("GET", "/now?after=0")[1]
    assert tablet.ask("GET", "/now?after=0")[0] == 401


def test_a_second_tablet_ends_the_first(page: ScreenServer) -> None:
    own, first = door(page)
    second = Device(page.tablets.address)
    first.ask("POST", "/pair", {"code": code(own)})
    second.ask("POST", "/pair", {"code": code(own)})
    assert first.ask("GET", "/now?after=0")[0] == 401
    assert second.ask("GET", "/now?after=0")[0] == 200


@pytest.mark.parametrize(("method", "path", "fields"), [("GET", "/now", None), ("POST", "/undo", {}), ("POST", "/done", {"number": 1})])
def test_a_tablet_that_was_not_let_in_is_told_nothing(page: ScreenServer, method: str, path: str, fields: object) -> None:
    _, tablet = door(page)
    for cookie in ("", "station=x", "station=", 'station="', "other=1"):
        tablet.cookie = cookie
        status, answer = tablet.ask(method, path, fields)
        assert (status, set(answer)) == (401, {"error"})


def test_no_tablet_is_ever_given_a_frame_or_a_code(page: ScreenServer) -> None:
    own, tablet = door(page)
    tablet.ask("POST", "/pair", {"code": code(own)})
    assert tablet.ask("GET", "/gate.jpg")[0] == 404
    assert tablet.ask("POST", "/offer", {})[0] == 400
    assert "code" not in tablet.ask("GET", "/now?after=0")[1]


def test_a_wrong_code_is_refused_and_after_a_few_the_right_one_as_well(page: ScreenServer) -> None:
    own, tablet = door(page)
    right = code(own)
    wrong = f"{(int(right) + 1) % 10**6:06d}"
    for bad in (wrong, "", 123456, None, wrong, wrong, wrong, wrong):
        assert tablet.ask("POST", "/pair", {"code": bad})[0] == 403
    assert tablet.ask("POST", "/pair", {"code": right})[0] == 403


def test_requests_that_no_browser_makes_are_answered_in_words(page: ScreenServer, capfd: pytest.CaptureFixture[str]) -> None:
    own, tablet = door(page)
    right = code(own)
    assert tablet.ask("POST", "/pair", {"code": "\ud800"})[0] == 400
    assert tablet.ask("POST", "/pair", {"code": right}, **{"Content-Length": "9" * 4000})[0] == 413
    assert tablet.ask("POST", "/pair", {"code": right})[0] == 200
    for screen in (own, tablet):
        assert screen.ask("GET", f"/now?after={'9' * 5000}")[0] == 200
        assert screen.ask("GET", "/now", Host="[")[0] == 403
    assert "Traceback" not in capfd.readouterr().err


def test_a_page_elsewhere_that_points_a_name_at_the_station_is_refused(page: ScreenServer) -> None:
    own, tablet = door(page)
    tablet.ask("POST", "/pair", {"code": code(own)})
    assert tablet.ask("GET", "/now?after=0", Host="club.example")[0] == 403
    assert tablet.ask("GET", "/", Host="localhost")[0] == 403
    assert tablet.ask("POST", "/undo", {}, **{"Content-Type": "text/plain"})[0] == 400


def test_without_an_address_of_its_own_a_station_lets_no_tablet_in(tmp_path: Path) -> None:
    sizes = ManualFeederSizes()
    station = Station(tmp_path / "feeder", ConfirmedPlacesFile(tmp_path / "memory"), (1, 2), sizes)
    served = ScreenServer(station, SharedCamera(GreyCamera()), sizes, {1: "blue", 2: "green"}, 0)
    station.start()
    served.start()
    try:
        assert Device(served.url).ask("POST", "/offer", {}) == (200, {"good": False})
        assert Device(served.url).ask("GET", "/now?after=0")[1]["tablet"] == {"address": "", "code": None, "out": False}
    finally:
        station.stop()
        served.stop()


def test_a_code_lets_one_tablet_in_for_two_minutes_and_a_silent_tablet_out() -> None:
    offered = Pairing().offered(0.0, lambda: "012345")
    assert offered.code_at(CODE_S - 1) == "012345"
    assert offered.tried("012345", CODE_S, lambda: "t") == offered
    paired = offered.tried("012345", 1.0, lambda: "t")
    assert paired.let_in("t", IDLE_S)
    assert not paired.let_in("t", IDLE_S + 1.0)
    assert paired.heard(IDLE_S).let_in("t", IDLE_S + 1.0)
    assert paired.tried("012345", 2.0, lambda: "u") == paired, "a code works once"


def test_a_new_code_keeps_the_tablet_that_is_in_until_it_is_used() -> None:
    paired = replace(Pairing(), token="t", heard_s=0.0).offered(1.0, lambda: "000001")
    assert paired.let_in("t", 2.0)
    assert not paired.tried("000001", 3.0, lambda: "u").let_in("t", 4.0)


@given(st.lists(st.text(alphabet="0123456789é", max_size=7).filter(lambda text: text != "271828"), min_size=MOST_TRIES, max_size=9))
def test_nothing_but_the_code_lets_a_tablet_in(tries: list[str]) -> None:
    pairing = Pairing().offered(0.0, lambda: "271828")
    for code_tried in tries:
        pairing = pairing.tried(code_tried, 1.0)
    assert pairing.token is None
    assert pairing.tried("271828", 2.0).token is None


HOSTILE = {
    "a host that is no address": b"GET /now HTTP/1.1\r\nHost: [::1\r\n\r\n",
    "a whole address that is none": b"GET http://[/now HTTP/1.1\r\nHost: {host}\r\n\r\n",
    "a way out of the folder": b"GET /../../etc/passwd HTTP/1.1\r\nHost: {host}\r\n\r\n",
    "a version without end": b"GET /now?after=" + b"9" * 5000 + b" HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n",
    "brackets without end": b"POST /pair HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: 4000\r\n\r\n"
    + b"[" * 4000,
    "a length without end": b"POST /pair HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: "
    + b"9" * 5000
    + b"\r\n\r\n",
    "half a letter for a code": b"POST /pair HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: 18\r\n\r\n"
    b'{"code": "\\ud800"}',
}


@pytest.mark.parametrize("own", [True, False], ids=["own screen", "tablet"])
@pytest.mark.parametrize("request_made", HOSTILE.values(), ids=HOSTILE)
def test_whatever_is_sent_is_answered_or_hung_up_on_and_nothing_breaks(
    page: ScreenServer, request_made: bytes, own: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    screen, tablet = door(page)
    tablet.ask("POST", "/pair", {"code": code(screen)})
    screen.ask("POST", "/offer", {})
    address = urlsplit(page.url if own else page.tablets.address)
    sent = request_made.replace(b"{host}", address.netloc.encode()).replace(b"{cookie}", tablet.cookie.encode())
    with socket.create_connection((address.hostname, address.port), timeout=PATIENCE_S) as line:
        line.sendall(sent)
        no_http = b"GET http://[" in sent or b"9" * 5000 + b"\r\n\r\n" in sent
        assert line.recv(12) in ({b""} if no_http else {b"HTTP/1.1 200", b"HTTP/1.1 400", b"HTTP/1.1 403", b"HTTP/1.1 404"})
    assert screen.ask("GET", "/now?after=0")[0] == 200
    assert capfd.readouterr().err == ""
