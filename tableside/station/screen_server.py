"""The station's screen and the gate camera's frames over HTTP, for this machine alone.

A tile in hand is concealed, so no other machine is answered: the server listens on loopback and refuses a request that names another
host, as a foreign web page would through DNS. Requests that change something must be JSON, which a foreign page cannot send unasked.
Phones and tablets come through their server on this computer, which asks here in their names. While one of them has the screen, this
server's page shows that and nothing else.
"""

from collections.abc import Callable, Mapping
from typing import Annotated

from flask import Flask, Response
from msgspec import Meta
from werkzeug.exceptions import Gone, ServiceUnavailable

from tableside.station.camera_worker import SharedCamera
from tableside.station.phone_screens import PhoneScreens
from tableside.station.screen_page import ScreenPage, ShownRequest, ShownSeats, check_json_object, screen_app
from tableside.station.sizes import ManualFeederSizes
from tableside.station.station import Station
from twinwall.values import Shape
from twinwall.web.http_server import HttpServer, keep_to_this_machine, query
from vision.cameras.port import CameraLostError

_Name = Annotated[str, Meta(min_length=1, max_length=64)]


class ScreenServer:
    """Serves the screen at ``/`` and the camera at ``/gate.jpg`` until it is stopped."""

    def __init__(
        self,
        station: Station,
        camera: SharedCamera,
        sizes: ManualFeederSizes,
        sets: Mapping[int, str],
        port: int,
        *,
        start: Callable[[], str] = str,
        asks: Callable[[], ShownRequest] = lambda: None,
        seats: Callable[[], ShownSeats] = lambda: None,
    ) -> None:
        """``sets`` names the sets by their backs; ``port`` 0 takes a free one; ``start`` gives the start code under which the table runs,
        an empty text where it is not known, ``asks`` what the table shows while it waits for its journal's key, and ``seats`` whom it
        asks who sits where. Raises OSError when the port is taken."""
        page = ScreenPage(station, camera, sizes, sets, start=start, asks=asks, seats=seats)
        self._server = HttpServer(_own_app(page, PhoneScreens(changed=station.look_again)), port)
        self.url = self._server.url

    def start(self) -> None:
        """Begin to answer."""
        self._server.start()

    def stop(self) -> None:
        """Answer nothing more."""
        self._server.stop()


class PhoneAsks(Shape):
    """``?screen=…&phone=…``: for which builder's screen, and which phone it is; ``after`` and ``wait_ms`` as the page asks."""

    screen: _Name
    phone: _Name
    after: Annotated[int, Meta(ge=0)] = 0
    wait_ms: Annotated[int, Meta(ge=0, le=10_000)] = 0


def _own_app(page: ScreenPage, phones: PhoneScreens) -> Flask:
    app = screen_app()
    keep_to_this_machine(app, "a tile in hand is concealed: this page is for the machine at the table alone")
    page.add_files(app)

    @app.get("/")
    def screen() -> str:
        return page.html()

    @app.get("/now")
    def now() -> dict[str, object]:
        shown, out = page.shown(), phones.out
        own = {key: shown[key] for key in ("version", "start", "asks", "seats")} if out else shown
        return {**own, "out": out}

    @app.get("/gate.jpg")
    def frame() -> Response:
        try:
            return page.frame()
        except CameraLostError as error:
            raise ServiceUnavailable(str(error)) from None

    _add_touches(app, page, phones)
    _add_phones(app, page, phones)
    return app


def _add_touches(app: Flask, page: ScreenPage, phones: PhoneScreens) -> None:
    """What is touched on the table's own screen: steps of building, and who has the screen."""

    @app.post("/take-back")
    def take_back() -> dict[str, bool]:
        check_json_object()
        phones.take_back()
        return {"good": True}

    @app.post("/<deed>")
    def touch(deed: str) -> dict[str, bool]:
        return page.touch(deed, obeyed=not phones.out)


def _add_phones(app: Flask, page: ScreenPage, phones: PhoneScreens) -> None:
    """What the server of the phones asks for a phone that it let in."""

    def asked() -> PhoneAsks:
        asks = query(PhoneAsks)
        if not phones.let_in(asks.screen, asks.phone):
            raise Gone("the table's own screen has taken the screen back: make a new code for the builder's screen")
        return asks

    @app.get("/phone/now")
    def phone_now() -> dict[str, object]:
        asks = asked()
        shown = page.shown(asks.after, asks.wait_ms / 1000)
        asked()
        return shown

    @app.post("/phone/gone")
    def phone_gone() -> dict[str, bool]:
        asks = query(PhoneAsks)
        phones.gone(asks.screen, asks.phone)
        return {"good": True}

    @app.post("/phone/<deed>")
    def phone_touch(deed: str) -> dict[str, bool]:
        asked()
        return page.touch(deed)
