"""The station's screen and the gate camera's frames over HTTP, for this machine alone.

A tile in hand is concealed, so nothing here answers another machine: the server listens on loopback, and a request that was
made for another host's name (a web page that found a way round) is refused. What changes something must be JSON, which a
foreign page cannot send unasked. A tablet has a door of its own (``tablet``); while one has the screen, this one shows nothing else.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from http import HTTPStatus
from importlib.resources import files
from typing import ClassVar

from twinwall.station.camera_worker import SharedCamera
from twinwall.station.json_http import StationHandler, StationRequestError, StationServer, parts_of, whole
from twinwall.station.sizes import ManualFeederSizes
from twinwall.station.station import Station
from twinwall.station.tablet import Tablets, TabletServer
from twinwall.station.words import WORDS
from vision.cameras.port import CameraLostError, encode_picture

HOST = "127.0.0.1"
_OWN_NAMES = frozenset({"127.0.0.1", "localhost"})
_WAIT_S = 10.0
_MOST_MISSING = 136


class ScreenServer:
    """Serves the screen at ``/`` and the camera at ``/gate.jpg`` until it is stopped."""

    def __init__(
        self, station: Station, camera: SharedCamera, sizes: ManualFeederSizes, sets: Mapping[int, str], port: int, *, listen: str = ""
    ) -> None:
        """``sets`` names the sets by their backs; ``port`` 0 takes a free one; ``listen`` is the address at which a tablet may come, none
        where it is empty. Raises OSError when a port is taken or the address is not this machine's."""
        self._station, self._camera, self._sizes = station, camera, sizes
        words = json.dumps({"words": WORDS, "sets": {str(back): name for back, name in sets.items()}}, ensure_ascii=False)
        self._html = files("twinwall.station").joinpath("screen.html").read_text(encoding="utf-8").replace("{{words}}", words)

        class OwnScreen(_OwnHandler):
            page = self

        self._server = StationServer((HOST, port), OwnScreen)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.1}, name="station page", daemon=True)
        self.tablets = Tablets(changed=station.look_again)
        self._door: TabletServer | None = None
        if listen:
            try:
                self._door = TabletServer(self, self.tablets, (listen, self._server.server_address[1]))
            except OSError:
                self._server.server_close()
                raise
            self.tablets.address = self._door.url

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://{HOST}:{self._server.server_address[1]}"

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()
        if self._door is not None:
            self._door.start()

    def stop(self) -> None:
        """Answer nothing more."""
        if self._door is not None:
            self._door.stop()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def html(self, *, tablet: bool = False) -> str:
        """The screen, at the table or on a tablet; nothing of what it shows is in it."""
        return self._html.replace("{{place}}", "tablet" if tablet else "table")

    def shown(self, after: int) -> dict[str, object]:
        """What the screen shows, as soon as it differs from version ``after``."""
        version, screen = self._station.screen(after, _WAIT_S)
        return {"version": version, **screen.to_json(self._sizes)}

    def now(self, after: int) -> dict[str, object]:
        """The same for the table's own screen: nothing but that a tablet has it, while one has."""
        shown = self.shown(after)
        tablets = self.tablets.to_json()
        return {"version": shown["version"], "tablet": tablets} if tablets["out"] else {**shown, "tablet": tablets}

    def frame(self) -> tuple[bytes, int, int]:
        """One exposure from now on: a JPEG file and its times; raises CameraLost."""
        frame = self._camera.frame_after(time.monotonic_ns())
        return encode_picture(frame.image), frame.exposure_start_ns, frame.exposure_end_ns

    def act(self, path: str, fields: Mapping[str, object]) -> bool:
        """What a touch of the screen asks for; raises RequestError."""
        match path:
            case "/done":
                return self._station.confirm(whole(fields, "number"), whole(fields, "missing", 0, _MOST_MISSING))
            case "/none-left":
                return self._station.none_left()
            case "/undo":
                return self._station.undo()
            case "/right":
                return self._station.lies_right()
            case _:
                raise StationRequestError(f"there is no {path} here: /done, /none-left, /undo and /right can be asked for")


class _OwnHandler(StationHandler):
    page: ClassVar[ScreenServer]

    def do_GET(self) -> None:  # noqa: N802  # the library's name
        address = parts_of(self.path)
        if not self._is_ours():
            return
        match address.path:
            case "/":
                self.answer(HTTPStatus.OK, "text/html; charset=utf-8", self.page.html().encode())
            case "/now":
                self.json(HTTPStatus.OK, self.page.now(self.asked_after()))
            case "/gate.jpg":
                self._send_frame()
            case _:
                self.json(HTTPStatus.NOT_FOUND, {"error": f"there is no {address.path} here"})

    def do_POST(self) -> None:  # noqa: N802  # the library's name
        if not self._is_ours():
            return
        try:
            fields = self.fields()
            match self.path:
                case "/offer":
                    good = self.page.tablets.offer()
                case "/take-back":
                    good = self.page.tablets.take_back()
                case _:
                    good = not self.page.tablets.out and self.page.act(self.path, fields)
            self.json(HTTPStatus.OK, {"good": good})
        except StationRequestError as problem:
            self.json(HTTPStatus.BAD_REQUEST, {"error": str(problem)})

    def _is_ours(self) -> bool:
        """Whether the request was made for this machine by its own name."""
        if (parts_of(f"//{self.headers.get('Host', '')}").hostname or "") in _OWN_NAMES:
            return True
        self.refuse(HTTPStatus.FORBIDDEN, "a tile in hand is concealed: this page is for the machine at the table alone")
        return False

    def _send_frame(self) -> None:
        try:
            body, start_ns, end_ns = self.page.frame()
        except CameraLostError as error:
            self.json(HTTPStatus.SERVICE_UNAVAILABLE, {"error": str(error)})
            return
        times = {"X-Exposure-Start-Ns": str(start_ns), "X-Exposure-End-Ns": str(end_ns)}
        self.answer(HTTPStatus.OK, "image/jpeg", body, times)
