"""The station's screen on a tablet in the hall's network: it answers the one tablet that was let in at the table.

A tile in hand is concealed. The tablet is told the place where the tile goes, never a kind, and gets no frame of the camera. It must
have an address of a private network, ask by the station's own address (any host name is refused), and send the token that it was
given when it was let in.
"""

from __future__ import annotations

import ipaddress
import threading
import time
from collections.abc import Callable

from flask import Flask, Response, request
from msgspec import Struct
from werkzeug.exceptions import Forbidden, Unauthorized

from twinwall.http_server import host_of_request, json_answer, json_body
from twinwall.station.pairing import Pairing
from twinwall.station.screen_page import ScreenPage, check_json_object, screen_app

_COOKIE = "station"


class Tablets:
    """Which tablet has the screen; safe to call from several threads."""

    def __init__(self, address: str = "", changed: Callable[[], None] = lambda: None, clock: Callable[[], float] = time.monotonic) -> None:
        """``address`` is where a tablet is to go, empty where none may; ``changed`` is called when a page should look again."""
        self.address = address
        self._changed, self._clock = changed, clock
        self._lock = threading.Lock()
        self._pairing = Pairing()

    @property
    def out(self) -> bool:
        """Whether a tablet has the screen."""
        with self._lock:
            return self._pairing.is_out(self._clock())

    def to_json(self) -> dict[str, object]:
        """For the table's own screen."""
        with self._lock:
            now_s = self._clock()
            return {"address": self.address, "code": self._pairing.code_at(now_s), "out": self._pairing.is_out(now_s)}

    def offer(self) -> bool:
        """Show a code; False where no tablet may come."""
        if not self.address:
            return False
        self._change(lambda pairing: pairing.offered(self._clock()))
        return True

    def take_back(self) -> bool:
        """No tablet has the screen any more."""
        self._change(lambda _: Pairing())
        return True

    def pair(self, code: str) -> str | None:
        """What a tablet is to send from now on; None for a wrong code."""
        with self._lock:
            before, self._pairing = self._pairing, self._pairing.tried(code, self._clock())
            token = self._pairing.token if self._pairing.token != before.token else None
        self._changed()
        return token

    def let_in(self, token: str) -> bool:
        """Whether whoever sends this has the screen; it has been heard then."""
        with self._lock:
            now_s = self._clock()
            good = self._pairing.let_in(token, now_s)
            if good:
                self._pairing = self._pairing.heard(now_s)
            return good

    def _change(self, changed: Callable[[Pairing], Pairing]) -> None:
        with self._lock:
            self._pairing = changed(self._pairing)
        self._changed()


class _PairRequest(Struct):
    code: object = None


def tablet_app(page: ScreenPage, tablets: Tablets, own_address: str) -> Flask:
    """The screen for a tablet that asks for it by the station's ``own_address`` in the hall's network."""
    app = screen_app("station tablet")

    @app.before_request
    def is_near() -> None:
        if host_of_request() != own_address or not ipaddress.ip_address(request.remote_addr or "").is_private:
            raise Forbidden("a tile in hand is concealed: this page is for tablets in the table's own network, by its address")

    page.add_files(app)

    @app.get("/")
    def screen() -> str:
        return page.html(tablet=True)

    @app.get("/now")
    def now() -> dict[str, object]:
        _check_is_in(tablets)
        shown = page.shown()
        _check_is_in(tablets)
        return shown

    @app.post("/pair")
    def pair() -> Response:
        return _pair(tablets)

    @app.post("/<deed>")
    def touch(deed: str) -> dict[str, bool]:
        check_json_object()
        _check_is_in(tablets)
        return page.touch(deed)

    return app


def _check_is_in(tablets: Tablets) -> None:
    """Raise Unauthorized where the present request comes from no tablet that was let in."""
    if not tablets.let_in(request.cookies.get(_COOKIE, "")):
        raise Unauthorized("this tablet has not been let in: enter the code that the table's own screen shows")


def _pair(tablets: Tablets) -> Response:
    """Let the tablet of the present request in; raises Forbidden for a wrong code."""
    check_json_object()
    code = json_body(_PairRequest).code
    token = tablets.pair(code) if isinstance(code, str) else None
    if token is None:
        raise Forbidden("that is not the code of the table's own screen, or it has run out: ask for a new one there")
    answer = json_answer({"good": True})
    answer.set_cookie(_COOKIE, token, httponly=True, samesite="Strict")
    return answer
