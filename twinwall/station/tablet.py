"""The station's screen on a tablet in the hall's network: for the one device that was let in at the table, and for nothing else.

A tile in hand is concealed. What is told here is the place where it goes, never a kind, and never a frame of the camera; and only to
an address of the same network, by the very address that was asked (a name that leads here is refused), with what it was given when it
was let in.
"""

from __future__ import annotations

import ipaddress
import threading
import time
from collections.abc import Callable
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, ClassVar

from twinwall.station.json_http import StationHandler, StationRequestError, StationServer, parts_of
from twinwall.station.pairing import Pairing

if TYPE_CHECKING:
    from twinwall.station.screen_server import ScreenServer

_COOKIE = "station"


class Tablets:
    """Who has the screen; safe to touch from several threads."""

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


class TabletServer:
    """Answers at one address of the hall's network until it is stopped."""

    def __init__(self, page: ScreenServer, tablets: Tablets, address: tuple[str, int]) -> None:
        """Raises OSError when the address is not this machine's, or the port is taken."""

        class ForTablets(_TabletHandler):
            pass

        ForTablets.page, ForTablets.tablets = page, tablets
        self._server = StationServer(address, ForTablets)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.1}, name="tablet page", daemon=True)

    @property
    def url(self) -> str:
        """Where it listens."""
        host, port = self._server.server_address[:2]
        return f"http://{host!s}:{port}"

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def stop(self) -> None:
        """Answer nothing more."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _TabletHandler(StationHandler):
    page: ClassVar[ScreenServer]
    tablets: ClassVar[Tablets]

    def do_GET(self) -> None:  # noqa: N802  # the library's name
        address = parts_of(self.path)
        if not self._is_near():
            return
        if address.path == "/":
            self.answer(HTTPStatus.OK, "text/html; charset=utf-8", self.page.html(tablet=True).encode())
        elif address.path == "/now" and self._is_in():
            shown = self.page.shown(self.asked_after())
            if self._is_in():
                self.json(HTTPStatus.OK, shown)
        elif address.path != "/now":
            self.json(HTTPStatus.NOT_FOUND, {"error": f"there is no {address.path} here"})

    def do_POST(self) -> None:  # noqa: N802  # the library's name
        if not self._is_near():
            return
        try:
            fields = self.fields()
            if self.path == "/pair":
                self._pair(fields.get("code"))
            elif self._is_in():
                self.json(HTTPStatus.OK, {"good": self.page.act(self.path, fields)})
        except StationRequestError as problem:
            self.json(HTTPStatus.BAD_REQUEST, {"error": str(problem)})

    def _pair(self, code: object) -> None:
        token = self.tablets.pair(code) if isinstance(code, str) else None
        if token is None:
            self.refuse(HTTPStatus.FORBIDDEN, "that is not the code of the table's own screen, or it has run out: ask for a new one there")
            return
        cookie = f"{_COOKIE}={token}; HttpOnly; SameSite=Strict; Path=/"
        self.json(HTTPStatus.OK, {"good": True}, {"Set-Cookie": cookie})

    def _is_near(self) -> bool:
        """Whether the request comes from the same network, for this machine by its address."""
        asked = parts_of(f"//{self.headers.get('Host', '')}").hostname or ""
        if asked == self.connection.getsockname()[0] and ipaddress.ip_address(self.client_address[0]).is_private:
            return True
        self.refuse(
            HTTPStatus.FORBIDDEN, "a tile in hand is concealed: this page is for tablets in the table's own network, by its address"
        )
        return False

    def _is_in(self) -> bool:
        """Whether this is the tablet that has the screen."""
        try:
            cookie = SimpleCookie(self.headers.get("Cookie", "")).get(_COOKIE)
        except CookieError:
            cookie = None
        if cookie is not None and self.tablets.let_in(cookie.value):
            return True
        self.refuse(HTTPStatus.UNAUTHORIZED, "this tablet has not been let in: enter the code that the table's own screen shows")
        return False
