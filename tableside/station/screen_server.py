"""The station's screen and the gate camera's frames over HTTP, for this machine alone. A tile in hand is concealed, so no other machine is
answered: the server listens on loopback and refuses a request that names another host, as a foreign web page would through DNS. Requests
that change something must be JSON, which a foreign page cannot send unasked. Phones and tablets come through their server on this computer,
which asks here in their names. While one of them has the screen, this server's page shows that and nothing else. The screen shows the same,
and touching it does the same, at the table and on a phone. The server of the phones, on this computer, asks for the screen in a phone's
name and lets phones in and out; it ends a phone's role when the station says that the screen was taken back."""

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, TypeAlias, TypedDict

from flask import Flask, Response
from msgspec import Meta, Struct
from werkzeug.exceptions import BadRequest, Gone, ServiceUnavailable

from firmware_bridge.electrics.wired_machine import MachineSizes, capabilities_of
from tableside.station.camera_worker import TURN_S, SharedCamera
from tableside.station.station import Station
from tableside.station.tasks import wall_sizes
from tableside.station_screen.screen_files import SCRIPT, page_file, screen_files
from twinwall.values import Shape
from twinwall.web.http_server import check_json_object, json_body, known_version, page_app, query, refuse_other_hosts
from twinwall.web.loopback_server import HttpServer
from vision.cameras.port import CameraLostError, encode_picture

IDLE_S = 900.0
"""A screen that no phone has asked for in so long is the table's own again."""
_REMEMBERED = 64


class PhoneScreens:
    """The phone that has each screen of a builder, by the screen's and the phone's names; safe to call from several threads."""

    def __init__(self, changed: Callable[[], None] = lambda: None, clock: Callable[[], float] = time.monotonic) -> None:
        """``changed`` is called when a page should look again."""
        self._changed, self._clock = changed, clock
        self._lock = threading.RLock()
        self._heard: dict[str, tuple[str, float]] = {}
        """By screen: its phone, and when that one was heard last."""
        self._ended: deque[tuple[str, str]] = deque(maxlen=_REMEMBERED)

    def let_in(self, screen: str, phone: str) -> bool:
        """Whether a phone that asks now may see its screen; it has been heard then."""
        with self._lock:
            if (screen, phone) in self._ended:
                return False
            was_out = self.out
            self._heard[screen] = phone, self._clock()
        if not was_out:
            self._changed()
        return True

    def gone(self, screen: str, phone: str) -> None:
        """The phone has its role no more."""
        with self._lock:
            if self._heard.get(screen, ("", 0.0))[0] == phone:
                del self._heard[screen]
        self._changed()

    @property
    def out(self) -> bool:
        with self._lock:
            return any(self._clock() - heard_s < IDLE_S for _, heard_s in self._heard.values())

    def take_back(self) -> None:
        """No phone that has a screen now has it any more."""
        with self._lock:
            self._ended.extend((screen, phone) for screen, (phone, _) in self._heard.items())
            self._heard.clear()
        self._changed()


TOUCHES = ("done", "none-left", "undo", "right")
_MOST_BYTES = 4096
"""Of a number in a request: as many as a browser counts exactly."""
_WAIT_S = 10.0

ShownRequest: TypeAlias = Mapping[str, str] | None
"""``digits`` of a table's boot keys and a ``picture`` (a ``data:`` address) of its request for its journal's key; None without one."""


class ShownSeat(TypedDict):
    """A place that the seat check asks about: whose it is, and who says to sit there (empty: no player); players are numbers."""

    seat: int
    player: str
    says: str


ShownSeats: TypeAlias = list[ShownSeat] | None
"""The four places while the table checks its seats; None at other times."""


class DoneTouch(Struct):
    """``/done``: the task with this number has been carried out, and this many tiles were missing."""

    number: Annotated[int, Meta(ge=0)]
    missing: Annotated[int, Meta(ge=0, le=136)] = 0


class ScreenPage:
    """The screen of one station."""

    def __init__(
        self,
        station: Station,
        camera: SharedCamera,
        sizes: MachineSizes,
        sets: Mapping[int, str],
        *,
        start: Callable[[], str] = str,
        asks: Callable[[], ShownRequest] = lambda: None,
        seats: Callable[[], ShownSeats] = lambda: None,
    ) -> None:
        """``sets`` names the sets by their backs; ``start`` gives the start code under which the table runs, an empty text where it is
        not known, ``asks`` what the table shows while it waits for its journal's key, and ``seats`` whom it asks who sits where."""
        self.look_again = station.look_again
        self._station, self._camera, self._sizes, self._start, self._asks, self._seats = station, camera, sizes, start, asks, seats
        self._sets, self._wall = sets, wall_sizes(capabilities_of(sizes))
        touches = (self._done, station.none_left, station.undo, station.lies_right)
        self._touches: dict[str, Callable[[], bool]] = dict(zip(TOUCHES, touches, strict=True))

    def shown(self, after: int, wait_s: float) -> dict[str, object]:
        """What the screen shows, as soon as its version is above ``after``."""
        version, screen = self._station.screen(after, wait_s)
        beside = {"start": self._start(), "asks": self._asks(), "seats": self._seats()}
        return {"version": version, **beside, **screen.to_json(self._sizes), "set": self._sets.get(screen.building, ""), "wall": self._wall}

    def frame(self) -> Response:
        """One exposure of the camera from now on, as a JPEG file; raises CameraLostError."""
        frame = self._camera.frame_after(time.monotonic_ns(), turn_s=TURN_S)
        times = {"X-Exposure-Start-Ns": str(frame.exposure_start_ns), "X-Exposure-End-Ns": str(frame.exposure_end_ns)}
        return Response(encode_picture(frame.image), mimetype="image/jpeg", headers=times)

    def touch(self, deed: str, *, obeyed: bool = True) -> dict[str, bool]:
        """Do what the present request asks for, and say whether it was done; raises BadRequest."""
        if deed not in self._touches:
            raise BadRequest(f"there is no touch {deed!r}: {', '.join(self._touches)} can be asked for")
        check_json_object()
        return {"good": obeyed and self._touches[deed]()}

    def _done(self) -> bool:
        done = json_body(DoneTouch)
        return self._station.confirm(done.number, done.missing)


_Name = Annotated[str, Meta(min_length=1, max_length=64)]


class ScreenServer(HttpServer):
    """Serves the screen at ``/`` and the camera at ``/gate.jpg`` until it is stopped."""

    def __init__(self, page: ScreenPage, port: int) -> None:
        """``port`` 0 takes a free one. Raises OSError when the port is taken."""
        super().__init__(_own_app(page, PhoneScreens(changed=page.look_again)), port)


class PhoneAsks(Shape):
    """``?screen=…&phone=…``: for which builder's screen, and which phone it is; ``after`` and ``wait_ms`` as the page asks."""

    screen: _Name
    phone: _Name
    after: Annotated[int, Meta(ge=0)] = 0
    wait_ms: Annotated[int, Meta(ge=0, le=10_000)] = 0


def _own_app(page: ScreenPage, phones: PhoneScreens) -> Flask:
    app = page_app("station screen", _MOST_BYTES)
    refuse_other_hosts(app, "a tile in hand is concealed: this page is for the machine at the table alone")
    html = page_file("tableside.station", "screen.html")
    for path, (text, media) in {**screen_files(), "/table.js": (page_file("tableside.station", "table.js"), SCRIPT)}.items():
        app.add_url_rule(path, path, partial(Response, text, mimetype=media))

    @app.get("/")
    def screen() -> str:
        return html

    @app.get("/now")
    def now() -> dict[str, object]:
        shown, out = page.shown(known_version(), _WAIT_S), phones.out
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
