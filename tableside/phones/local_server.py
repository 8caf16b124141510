"""The phones for the table's own programs, on loopback: cameras, keys, lamps, codes, states; and how both phones' servers are built.
Cameras keep the HTTP camera's contract. ``GET /TABLE/gate.jpg`` (``?region=left,top,width,height``), ``/TABLE/gate-1.jpg`` and so on,
``/TABLE/table.jpg``; HEAD takes no frame and says whether a phone is connected · ``GET /TABLE/keys?run=R&after=N`` waits for presses ·
``POST /TABLE/lamps`` · ``POST /codes`` · ``GET /phones`` · ``GET /server`` identifies this server."""

import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from flask import Flask, Response, request
from msgspec import Meta
from werkzeug.exceptions import BadRequest, ServiceUnavailable

from tableside.phones.phone_book import PhoneBook, PhoneRole, RoleKind, roles_of
from tableside.phones.phone_keys import TableKeys
from tableside.phones.phone_messages import PartNumbers
from tableside.phones.phone_server import PhoneParts, PhoneServer
from tableside.phones.wanted_frames import NoFrameError, PhoneCamera
from twinwall.catalogues import page_texts
from twinwall.values import FrozenStruct, Shape
from twinwall.web.http_server import json_answer, json_app, json_body, query, refuse_other_hosts
from twinwall.web.loopback_server import HttpServer
from twinwall.wire.shapes.panel import KeyLamps

_MOST_BYTES = 4096
_WAIT_S = 10.0
FRAME_WAIT_S = 1.8
"""Less than the HTTP camera's own patience, so that its error names the phone's problem."""


class KnownPresses(Shape):
    """``?run=…&after=…``: the number of the last known press, and the server's run that counted it."""

    run: str = ""
    after: Annotated[int, Meta(ge=0)] = 0


class ServedPhones(FrozenStruct):
    """The server's identification: the tables with phones here, and the mode of its settings."""

    phones_of: tuple[str, ...]
    mode: str


def local_app(parts: PhoneParts, address: str, mode: str) -> Flask:
    """The application; ``address`` is the phones' address, ``mode`` that of the server's settings."""
    app = json_app("phones", _MOST_BYTES)
    refuse_other_hosts(app, "the cameras see concealed tiles: this address is for programs of this machine alone")
    _add_cameras_and_keys(app, parts)

    @app.post("/codes")
    def code() -> Response:
        return json_answer({"link": f"{address}/#{parts.book.offer(_wanted(parts))}"})  # behind the #: no server's log has it

    @app.post("/dismissed")
    def dismissed() -> Response:
        parts.dismiss(_wanted(parts))
        return json_answer({})

    @app.get("/phones")
    def phones() -> Response:
        return json_answer(parts.book.now())

    @app.get("/server")
    def server() -> Response:
        return json_answer(ServedPhones(tuple(parts.keys), mode))

    return app


def _add_cameras_and_keys(app: Flask, parts: PhoneParts) -> None:
    """Add what the table's controller and station ask for: frames, presses and lamps."""

    @app.get("/<table>/<name>.jpg")
    def frame(table: str, name: str) -> Response:
        camera = parts.cameras.get(PhoneRole(table, name))
        if camera is None:
            raise BadRequest(f"there is no camera {name!r} of table {table!r} here")
        if request.method == "HEAD" and camera.is_joined:
            return Response(mimetype="image/jpeg")
        try:
            taken = camera.frame(_part(request.args.get("region")), FRAME_WAIT_S)
        except NoFrameError as error:
            raise ServiceUnavailable(str(error)) from None
        headers = {"X-Exposure-Start-Ns": str(taken.told_ns), "X-Exposure-End-Ns": str(taken.came_ns)}
        if taken.part is not None:
            headers["X-Region"] = ",".join(map(str, taken.part))
        return Response(taken.picture, mimetype="image/jpeg", headers=headers)

    @app.get("/<table>/keys")
    def presses(table: str) -> Response:
        known = query(KnownPresses)
        return json_answer(_keys(parts, table).presses(known.run, known.after, _WAIT_S))

    @app.post("/<table>/lamps")
    def lamps(table: str) -> Response:
        _keys(parts, table).show(json_body(KeyLamps))
        return json_answer({})


def _wanted(parts: PhoneParts) -> PhoneRole:
    role = json_body(PhoneRole)
    if role not in parts.book.roles:
        roles = ", ".join(f"{each.table}/{each.name}" for each in parts.book.roles)
        raise BadRequest(f"there is no {role.table}/{role.name} here; there are {roles}")
    return role


def _keys(parts: PhoneParts, table: str) -> TableKeys:
    if table not in parts.keys:
        raise BadRequest(f"there is no table {table!r} here; there are {', '.join(parts.keys)}")
    return parts.keys[table]


def _part(text: str | None) -> PartNumbers | None:
    if text is None:
        return None
    numbers = text.split(",")
    if len(numbers) != 4 or not all(number.isdecimal() for number in numbers) or "0" in numbers[2:]:
        raise BadRequest("write the region as left,top,width,height in pixels")
    left, top, width, height = map(int, numbers)
    return left, top, width, height


def phone_parts(tables: Mapping[str, int], book: Path, stations: Mapping[str, int] | None = None) -> PhoneParts:
    """The cameras and keys of tables, given with their numbers of reading gates. ``book`` is the file of the admitted phones, ``stations``
    has the ports of the tables' stations on this computer. Raises PhoneBookError."""
    ports = stations or {}
    roles = [role for table, gates in tables.items() for role in roles_of(table, gates, station=table in ports)]
    cameras = {role: PhoneCamera(_called(role)) for role in roles if role.kind in (RoleKind.GATE_CAMERA, RoleKind.TABLE_CAMERA)}
    keys = {table: TableKeys() for table in tables}
    return PhoneParts(cameras, keys, ports, PhoneBook(book, roles))


class PhoneServers:
    """Both servers, from ``start`` to ``stop``."""

    def __init__(
        self,
        parts: PhoneParts,
        at: tuple[str, int],
        local_port: int,
        tls: ssl.SSLContext | None = None,
        *,
        address: str = "",
        mode: str = "rehearsal",
    ) -> None:
        """Port 0 takes a free one; ``address`` is the page's address for phones, by default from host and port; ``mode`` is that of the
        settings. Raises OSError if an address is not available."""
        self.phones = PhoneServer(parts, at, page_texts(Path(__file__).parent / "translations"), tls)
        try:
            self.local = HttpServer(local_app(parts, address or f"http://{at[0]}:{self.phones.port}", mode), local_port)
        except OSError:
            self.phones.close()
            raise

    def start(self) -> None:
        self.phones.start()
        self.local.start()

    def stop(self) -> None:
        self.local.stop(0.0)
        self.phones.stop()


def _called(role: PhoneRole) -> str:
    if role.kind is RoleKind.TABLE_CAMERA:
        return f"the camera above table {role.table}"
    number = role.name.partition("-")[2]
    return f"the camera of {'gate ' + number if number else 'the gate'} of table {role.table}"
