"""What the station's screen shows and what touching it does, at the table and on a phone alike.

Who may see it, and by which address, is left to ``screen_server``.
"""

import time
from collections.abc import Callable, Mapping
from functools import partial
from importlib.resources import files
from typing import Annotated, TypeAlias, TypedDict

from flask import Flask, Response, request
from msgspec import Meta, Struct
from werkzeug.exceptions import BadRequest

from firmware_bridge.electrics.sizes import capabilities_of
from tableside.station.camera_worker import SharedCamera
from tableside.station.sizes import ManualFeederSizes
from tableside.station.station import Station
from tableside.station.tasks import wall_sizes
from tableside.station_screen.screen_files import SCRIPT, screen_files
from twinwall.web.http_server import json_app, json_body
from vision.cameras.pictures import encode_picture

TOUCHES = ("done", "none-left", "undo", "right")
_MOST_BYTES = 4096
_MOST_DIGITS = 16
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
        sizes: ManualFeederSizes,
        sets: Mapping[int, str],
        *,
        start: Callable[[], str],
        asks: Callable[[], ShownRequest],
        seats: Callable[[], ShownSeats],
    ) -> None:
        """``sets`` names the sets by their backs; ``start``, ``asks`` and ``seats`` as in ``screen_server``."""
        self._station, self._camera, self._sizes, self._start, self._asks, self._seats = station, camera, sizes, start, asks, seats
        self._sets, self._wall = sets, wall_sizes(capabilities_of(sizes))
        self._html = _page("screen.html")
        self._files = {**screen_files(), "/table.js": (_page("table.js"), SCRIPT)}
        touches = (self._done, station.none_left, station.undo, station.lies_right)
        self._touches: dict[str, Callable[[], bool]] = dict(zip(TOUCHES, touches, strict=True))

    def add_files(self, app: Flask) -> None:
        """Give an application the files that the page asks for; they hold nothing of what the screen shows."""
        for path, (text, media) in self._files.items():
            app.add_url_rule(path, path, partial(Response, text, mimetype=media))

    def html(self) -> str:
        """The table's own screen; nothing of what it shows is in it."""
        return self._html

    def shown(self, after: int | None = None, wait_s: float = _WAIT_S) -> dict[str, object]:
        """What the screen shows, as soon as its version is above ``after``; left out, that of the present request (``?after=``)."""
        version, screen = self._station.screen(_after() if after is None else after, wait_s)
        beside = {"start": self._start(), "asks": self._asks(), "seats": self._seats()}
        return {"version": version, **beside, **screen.to_json(self._sizes), "set": self._sets.get(screen.building, ""), "wall": self._wall}

    def frame(self) -> Response:
        """One exposure of the camera from now on, as a JPEG file; raises CameraLostError."""
        frame = self._camera.frame_in_turn(time.monotonic_ns())
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


def _after() -> int:
    after = request.args.get("after", "")
    return int(after) if after.isdecimal() and len(after) <= _MOST_DIGITS else 0


def _page(name: str) -> str:
    return files("tableside.station").joinpath("pages", name).read_text(encoding="utf-8")


def screen_app() -> Flask:
    """An application whose answers are not cached and not shown in a frame of another page."""
    app = json_app("station screen", _MOST_BYTES)

    @app.after_request
    def kept_by_nobody(response: Response) -> Response:
        response.headers["Cache-Control"], response.headers["X-Frame-Options"] = "no-store", "DENY"
        return response

    return app


def check_json_object() -> None:
    """Raise BadRequest where the present request sends anything but a JSON object, which a foreign page could send unasked."""
    if request.mimetype != "application/json":
        raise BadRequest("send a JSON object")
    json_body(dict)
