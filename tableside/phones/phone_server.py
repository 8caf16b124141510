"""The server for phones: one page with its script, and a WebSocket for frames, keys, lamps and builder's screens (a station's tasks). Each
connection has a thread, limited by address until it has shown a valid code, then by role. Codes, tokens and frames are never logged; frames
are not stored."""

import json
import logging
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping

import msgspec
from flask import Flask, Response, request
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request
from websockets.protocol import State
from websockets.server import ServerProtocol
from websockets.sync.connection import Connection

from tableside.phones.phone_book import PhoneBook, PhoneRole, RoleKind
from tableside.phones.phone_keys import SentLamps, TableKeys
from tableside.phones.phone_messages import (
    FromPhone,
    KeyTouched,
    LampsShown,
    PhoneJoined,
    PhoneMessageError,
    PhoneRefused,
    ScreenShown,
    ScreenTouched,
    ToPhone,
    TouchHeard,
    from_phone,
    hello,
    taken_frame,
    to_phone,
)
from tableside.phones.table_stations import BuilderPhone, StationAwayError, TakenBackError
from tableside.phones.wanted_frames import PhoneCamera
from tableside.station_screen.screen_files import page_file, screen_files
from twinwall.values import frozen
from twinwall.web.visitor_limits import Visit, VisitLimits
from twinwall.web.web_requests import WholeRequest
from twinwall.web.web_server import BACKLOG, LaneLimits, ServerLimits, WebServer
from twinwall.wire.shapes.panel import PhoneState

MOST_FRAME_BYTES = 8 << 20
WITHOUT_CODE, WITHOUT_CODE_EACH = 128, 64
"""Most connections without a valid code: in all, and from one address, where a new one replaces the oldest."""
OF_A_ROLE = 3
"""More than one for a phone that reconnects before the server has noticed that it left."""
HELLO_S, LOOK_S, FRAME_S = 10.0, 0.5, 10.0
PING_S = 5.0
_PAGES = {
    "/": ("phone.html", "text/html"),
    "/phone.css": ("phone.css", "text/css"),
    **{f"/{name}.js": (f"{name}.js", "text/javascript") for name in ("phone", "texts", "device", "camera", "keys", "builder")},
}
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Permissions-Policy": "camera=(self), screen-wake-lock=(self)",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_LOG = logging.getLogger(__name__)


@frozen
class PhoneParts:
    """The parts that the phones of all tables are connected to."""

    cameras: Mapping[PhoneRole, PhoneCamera]
    keys: Mapping[str, TableKeys]
    """By table."""
    stations: Mapping[str, int]
    """The port of each table's station, if that is on this computer."""
    book: PhoneBook

    def dismiss(self, role: PhoneRole) -> None:
        """Take a role from its phone; a station then gives the screen back to the table."""
        words = self.book.words(role)
        self.book.dismiss(role)
        if role.kind is RoleKind.BUILDER and words is not None:
            BuilderPhone(self.stations[role.table], role.name, words).gone()


class PhoneServer:
    """Answers phones from ``start`` to ``stop``."""

    def __init__(self, parts: PhoneParts, at: tuple[str, int], words: Mapping[str, object], tls: ssl.SSLContext | None = None) -> None:
        """``words`` are the page's texts by language; port 0 takes a free one. Raises OSError if the address is not available."""
        self._parts, self._app = parts, _page_app(words)
        self._most_joined = OF_A_ROLE * len(parts.book.roles)
        visits = VisitLimits(WITHOUT_CODE + self._most_joined, WITHOUT_CODE_EACH, WITHOUT_CODE_EACH, OF_A_ROLE)
        limits = ServerLimits(visits, {"": LaneLimits(WITHOUT_CODE)}, request_s=HELLO_S)
        family = socket.AF_INET6 if ":" in at[0] else socket.AF_INET
        listening = socket.create_server(at, family=family, backlog=BACKLOG)
        self._server = WebServer(listening, limits, tls=tls, upgrades={"/phone": self._connected})
        self.port, self.close = self._server.port, self._server.close

    def start(self) -> None:
        self._server.start(self._app)

    def stop(self) -> None:
        """Stop answering, and close what is open."""
        self._server.stop(0.0)
        self._server.close()

    def _connected(self, request: WholeRequest, opened: socket.socket, visit: Visit) -> None:
        connection = _web_socket(request, opened)
        if connection is None:
            return
        try:
            self._talk(connection, visit)
        except (ConnectionClosed, TimeoutError):
            pass
        except PhoneMessageError as problem:
            _LOG.info("a phone sends what is no message: %s", problem)
            connection.close(1003, "no message of a phone")
        finally:
            connection.close()

    def _talk(self, connection: Connection, visit: Visit) -> None:
        greeting = hello(connection.recv(HELLO_S))
        joined = self._parts.book.enter(greeting.code, greeting.token)
        if isinstance(joined, PhoneRefused):
            connection.send(to_phone(joined))
            return
        role = PhoneRole(joined.table, joined.name)
        self._server.visitors.identify(visit, f"{role.table}/{role.name}", time.monotonic())
        may, _none_gives_way = self._server.visitors.hold(visit, self._most_joined)
        if not may:
            connection.close(1013, "too many connections with the code of this phone")
            return
        connection.send(to_phone(joined))
        talk = _PhoneTalk(self._parts, connection, joined, role)
        talks = {RoleKind.KEYS: talk.keys, RoleKind.BUILDER: talk.builder}
        self._parts.book.came(role)
        try:
            talks.get(role.kind, talk.camera)()
        finally:
            self._parts.book.went(role)
        if connection.state is State.OPEN:
            connection.send(to_phone(self._parts.book.ended(role)))


@frozen
class _PhoneTalk:
    """The exchange with an admitted phone, until the phone leaves or another one has the role."""

    parts: PhoneParts
    connection: Connection
    joined: PhoneJoined
    role: PhoneRole

    @property
    def is_in(self) -> bool:
        """Whether the phone still has its role."""
        return self.connection.state is State.OPEN and self.parts.book.holds(self.joined)

    def _send(self, message: ToPhone) -> None:
        self.connection.send(to_phone(message))

    def camera(self) -> None:
        """Send the phone requests for frames, and receive them."""
        camera, number = self.parts.cameras[self.role], 0
        camera.phone_came()
        try:
            while self.is_in:
                wanted = camera.next_wanted(number, LOOK_S)
                if wanted is None:
                    self._take_states()
                    continue
                number = wanted.number
                self._send(wanted)
                self._take_frame(camera)
        finally:
            camera.phone_went()

    def _take_frame(self, camera: PhoneCamera) -> None:
        while True:
            message = self.connection.recv(FRAME_S)
            if isinstance(message, bytes):
                head, picture = taken_frame(message)
                camera.give(head.number, picture, head.part)
                return
            self._take_state(message)

    def _take_states(self) -> None:
        """Receive the states that the phone has sent meanwhile."""
        try:
            while True:
                message = self.connection.recv(0)
                if isinstance(message, str):
                    self._take_state(message)
        except TimeoutError:
            return

    def _take_state(self, text: str) -> None:
        said = from_phone(text)
        if isinstance(said, PhoneState):
            self.parts.book.says(self.role, said)

    def keys(self) -> None:
        """Receive presses; another thread sends lamps."""
        keys, sent = self.parts.keys[self.role.table], SentLamps()
        lamps = threading.Thread(target=self._show_lamps, args=(keys, sent), name="lamps", daemon=True)
        lamps.start()
        try:
            for said in self._touches():
                if isinstance(said, KeyTouched):
                    self._send(self._pressed(keys, said, sent))
        finally:
            lamps.join()

    def _touches(self) -> Iterator[FromPhone]:
        """Yield what a phone without a camera sends, except states, while it has its role."""
        while self.is_in:
            try:
                message = self.connection.recv(LOOK_S)
            except TimeoutError:
                continue
            said = from_phone(message if isinstance(message, str) else "")
            if isinstance(said, PhoneState):
                self.parts.book.says(self.role, said)
            else:
                yield said

    def builder(self) -> None:
        """Receive touches of the builder's screen; another thread sends the screen."""
        phone = BuilderPhone(self.parts.stations[self.role.table], self.role.name, self.joined.words)
        screens = threading.Thread(target=self._show_screens, args=(phone,), name="screens", daemon=True)
        screens.start()
        try:
            for said in self._touches():
                if isinstance(said, ScreenTouched):
                    try:
                        phone.touch(said.deed, said.number, said.missing)
                    except (StationAwayError, TakenBackError) as problem:
                        _LOG.info("a touch of the builder's screen is left out: %s", problem)
        finally:
            screens.join()
            if not self.parts.book.holds(self.joined):
                phone.gone()

    def _show_screens(self, phone: BuilderPhone) -> None:
        shown: int | None = None
        try:
            while self.is_in:
                version, screen = self._screen(phone, shown or 0)
                if version != shown and self.is_in:
                    self._send(ScreenShown(screen))
                    shown = version
        except ConnectionClosed:
            return

    def _screen(self, phone: BuilderPhone, after: int) -> tuple[int, msgspec.Raw | None]:
        """The screen and its version; version 0 and None if there is none."""
        try:
            return phone.screen(after, LOOK_S)
        except TakenBackError:
            self.parts.book.dismiss(self.role)
        except StationAwayError:
            time.sleep(LOOK_S)
        return 0, None

    def _pressed(self, keys: TableKeys, pressed: KeyTouched, sent: SentLamps) -> TouchHeard:
        place = pressed.place if self.role.place is None else self.role.place
        late = sent.is_late(pressed.told)
        return TouchHeard(pressed.name, place is not None and keys.press(pressed.name, place, pressed.key, late=late))

    def _show_lamps(self, keys: TableKeys, sent: SentLamps) -> None:
        version = 0
        try:
            while self.is_in:
                version, lamps = keys.lamps(version, LOOK_S)
                self._send(LampsShown(lamps, heard=keys.is_heard, number=sent.next()))
        except ConnectionClosed:
            return


def _page_app(words: Mapping[str, object]) -> Flask:
    texts = json.dumps(words, ensure_ascii=False).replace("<", "\\u003c")
    own = {path: (page_file("tableside.phones", name).replace("{{words}}", texts), kind) for path, (name, kind) in _PAGES.items()}
    pages = {**screen_files(), **own}
    app = Flask("phones", static_folder=None)

    @app.get("/", defaults={"_path": ""})
    @app.get("/<path:_path>")
    def page(_path: str) -> Response:
        text, kind = pages.get(request.path, ("open the address of the code\n", "text/plain"))
        return Response(text, 200 if request.path in pages else 404, _HEADERS, content_type=f"{kind}; charset=utf-8")

    return app


def _web_socket(request: WholeRequest, opened: socket.socket) -> Connection | None:
    """The WebSocket of a request; None for a wrong request, which is answered."""
    protocol = ServerProtocol(max_size=MOST_FRAME_BYTES, logger=_quiet())
    asked = Request(request.path, Headers([(name.decode(), value.decode("latin-1")) for name, value in request.head.headers]))
    protocol.receive_data(asked.serialize())
    protocol.events_received()
    protocol.send_response(protocol.accept(asked))
    opened.sendall(b"".join(protocol.data_to_send()))
    if protocol.state is not State.OPEN:
        return None
    opened.settimeout(None)
    connection = Connection(opened, protocol, ping_interval=PING_S, ping_timeout=2 * PING_S)
    connection.start_keepalive()
    return connection


def _quiet() -> logging.Logger:
    """A silent logger: websockets logs every visitor who leaves; what matters is logged here."""
    logger = logging.getLogger(f"{__name__}.connections")
    logger.setLevel(logging.CRITICAL)
    return logger
