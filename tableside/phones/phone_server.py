"""The server that phones reach: one page with its script, and a WebSocket over which frames, keys, lamps and builder's screens go.

Each connection has a thread, within limits for its address until it has shown a good code, and for its role then. Codes, tokens and
frames are never written to a log; frames are kept nowhere.
"""

from __future__ import annotations

import json
import logging
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import astuple, dataclass
from functools import partial
from http import HTTPStatus
from importlib.resources import files
from urllib.parse import urlsplit

import msgspec
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.protocol import State
from websockets.sync.server import ServerConnection, serve

from tableside.phones.joining import PhoneRole, RoleKind
from tableside.phones.phone_book import PhoneBook
from tableside.phones.phone_keys import SentLamps, TableKeys
from tableside.phones.phone_messages import (
    FrameWanted,
    FromPhone,
    KeyTouched,
    LampsShown,
    PhoneJoined,
    PhoneMessageError,
    PhoneRefused,
    ScreenShown,
    ScreenTouched,
    TouchHeard,
    from_phone,
    hello,
    taken_frame,
    to_phone,
)
from tableside.phones.table_stations import BuilderPhone, StationAwayError, TableStation, TakenBackError
from tableside.phones.wanted_frames import PhoneCamera, PixelPart
from tableside.station_screen.screen_files import screen_files
from twinwall.visitor_limits import VisitLimits, VisitorLimits
from twinwall.wire.shapes.phones import PhoneState

MOST_FRAME_BYTES = 8 << 20
WITHOUT_CODE, WITHOUT_CODE_EACH = 128, 64
"""Connections that have shown no good code: of all, and of one address, where the oldest gives way to a new one."""
OF_A_ROLE = 3
"""A phone that comes again while the server has not noticed that it went."""
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


@dataclass(frozen=True, slots=True)
class PhoneParts:
    """What the phones of all tables are connected to."""

    cameras: Mapping[PhoneRole, PhoneCamera]
    keys: Mapping[str, TableKeys]
    """By table."""
    stations: Mapping[str, TableStation]
    """By table, where one has a station on this computer."""
    book: PhoneBook

    def dismiss(self, role: PhoneRole) -> None:
        """The role has no phone any more; a station learns that its screen is the table's own again."""
        words = self.book.words(role)
        self.book.dismiss(role)
        if role.kind is RoleKind.BUILDER and words is not None:
            self.stations[role.table].gone(BuilderPhone(role.name, words))


class PhoneServer:
    """Answers phones from ``start`` to ``stop``."""

    def __init__(self, parts: PhoneParts, at: tuple[str, int], words: Mapping[str, object], tls: ssl.SSLContext | None = None) -> None:
        """``words`` are the page's texts by language; port 0 takes a free one. Raises OSError when the address cannot be had."""
        self._parts = parts
        self._most_joined = OF_A_ROLE * len(parts.book.roles)
        limits = VisitLimits(WITHOUT_CODE + self._most_joined, WITHOUT_CODE_EACH, WITHOUT_CODE_EACH, OF_A_ROLE)
        self._visitors, self._here = VisitorLimits(limits), threading.local()
        self._open: set[ServerConnection] = set()
        self._changing = threading.Lock()
        self._has_ended = False
        texts = json.dumps(words, ensure_ascii=False).replace("<", "\\u003c")
        own = {path: (_page(name).replace("{{words}}", texts), kind) for path, (name, kind) in _PAGES.items()}
        self._pages = {path: (text.encode(), kind) for path, (text, kind) in {**screen_files(), **own}.items()}
        listening = socket.create_server(at, family=socket.AF_INET6 if ":" in at[0] else socket.AF_INET)
        self.port = int(listening.getsockname()[1])
        self._server = serve(
            self._connected,
            sock=listening,
            ssl=tls,
            process_request=self._answered,
            compression=None,
            max_size=MOST_FRAME_BYTES,
            open_timeout=HELLO_S,
            ping_interval=PING_S,
            ping_timeout=2 * PING_S,
            server_header=None,
            logger=_quiet(),
        )
        self._server.handler = partial(self._limited, self._server.handler)
        self._thread = threading.Thread(target=self._server.serve_forever, name="phones", daemon=True)

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def close(self) -> None:
        """Let go of the port; nothing was answered yet."""
        self._server.socket.close()

    def stop(self) -> None:
        """Answer nothing more, and close what is open."""
        self._server.shutdown()
        self._thread.join()
        with self._changing:
            self._has_ended = True
            for connection in self._open:
                with suppress(OSError):  # the phone was quicker
                    connection.socket.shutdown(socket.SHUT_RDWR)

    def _answered(self, _connection: ServerConnection, request: Request) -> Response | None:
        """A page; None for a WebSocket."""
        path = urlsplit(request.path).path
        if path == "/phone":
            ended = _response(HTTPStatus.SERVICE_UNAVAILABLE, b"the server of phones ends\n", "text/plain")
            return ended if self._has_ended else None
        if path not in self._pages:
            return _response(HTTPStatus.NOT_FOUND, b"open the address of the code\n", "text/plain")
        return _response(HTTPStatus.OK, *self._pages[path])

    def _limited(self, handler: Callable[[socket.socket, tuple[str, int]], None], connection: socket.socket, peer: tuple[str, int]) -> None:
        """What a connection's thread does, within the limits of its address."""
        self._here.visit = visit = self._visitors.take(connection, peer[0])
        try:
            handler(connection, peer)
        finally:
            self._visitors.leave(visit)

    def _connected(self, connection: ServerConnection) -> None:
        with self._changing:
            if self._has_ended:
                return
            self._open.add(connection)
        try:
            self._talk(connection)
        except (ConnectionClosed, TimeoutError):
            pass
        except PhoneMessageError as problem:
            _LOG.info("a phone sends what is no message: %s", problem)
            connection.close(1003, "no message of a phone")
        finally:
            with self._changing:
                self._open.discard(connection)

    def _talk(self, connection: ServerConnection) -> None:
        greeting = hello(connection.recv(HELLO_S))
        joined = self._parts.book.enter(greeting.code, greeting.token)
        if isinstance(joined, PhoneRefused):
            connection.send(to_phone(joined))
            return
        role = PhoneRole(joined.table, joined.name)
        self._visitors.identify(self._here.visit, f"{role.table}/{role.name}", time.monotonic())
        may, _none_gives_way = self._visitors.hold(self._here.visit, self._most_joined)
        if not may:
            connection.close(1013, "too many connections with the code of this phone")
            return
        connection.send(to_phone(joined))
        talks: dict[RoleKind, Callable[[ServerConnection, PhoneJoined, PhoneRole], None]]
        talks = {RoleKind.KEYS: self._keys, RoleKind.BUILDER: self._builder}
        self._parts.book.came(role)
        try:
            talks.get(role.kind, self._camera)(connection, joined, role)
        finally:
            self._parts.book.went(role)
        if connection.state is State.OPEN:
            connection.send(to_phone(self._parts.book.ended(role)))

    def _is_in(self, connection: ServerConnection, joined: PhoneJoined) -> bool:
        return connection.state is State.OPEN and self._parts.book.holds(joined)

    def _camera(self, connection: ServerConnection, joined: PhoneJoined, role: PhoneRole) -> None:
        """Tell the phone what is wanted, take what it sends, until another phone has the role."""
        camera, number = self._parts.cameras[role], 0
        camera.phone_came()
        try:
            while self._is_in(connection, joined):
                wanted = camera.next_wanted(number, LOOK_S)
                if wanted is None:
                    self._take_states(connection, role)
                    continue
                number = wanted.number
                connection.send(to_phone(FrameWanted(wanted.number, None if wanted.part is None else astuple(wanted.part))))
                self._take_frame(connection, camera, role)
        finally:
            camera.phone_went()

    def _take_frame(self, connection: ServerConnection, camera: PhoneCamera, role: PhoneRole) -> None:
        while True:
            message = connection.recv(FRAME_S)
            if isinstance(message, bytes):
                head, picture = taken_frame(message)
                camera.give(head.number, picture, head.part and PixelPart(*head.part))
                return
            self._take_state(message, role)

    def _take_states(self, connection: ServerConnection, role: PhoneRole) -> None:
        """What the phone has sent of itself meanwhile."""
        try:
            while True:
                message = connection.recv(0)
                if isinstance(message, str):
                    self._take_state(message, role)
        except TimeoutError:
            return

    def _take_state(self, text: str, role: PhoneRole) -> None:
        said = from_phone(text)
        if isinstance(said, PhoneState):
            self._parts.book.says(role, said)

    def _keys(self, connection: ServerConnection, joined: PhoneJoined, role: PhoneRole) -> None:
        """Take presses; lamps are sent by a thread of their own."""
        keys, sent = self._parts.keys[role.table], SentLamps()
        lamps = threading.Thread(target=self._show_lamps, args=(connection, joined, keys, sent), name="lamps", daemon=True)
        lamps.start()
        try:
            for said in self._touches(connection, joined, role):
                if isinstance(said, KeyTouched):
                    connection.send(to_phone(self._pressed(keys, role, said, sent)))
        finally:
            lamps.join()

    def _touches(self, connection: ServerConnection, joined: PhoneJoined, role: PhoneRole) -> Iterator[FromPhone]:
        """What a phone without a camera sends but for its states, while it is in."""
        while self._is_in(connection, joined):
            try:
                message = connection.recv(LOOK_S)
            except TimeoutError:
                continue
            said = from_phone(message if isinstance(message, str) else "")
            if isinstance(said, PhoneState):
                self._parts.book.says(role, said)
            else:
                yield said

    def _builder(self, connection: ServerConnection, joined: PhoneJoined, role: PhoneRole) -> None:
        """Take touches of the builder's screen; what it shows is sent by a thread of its own."""
        station, phone = self._parts.stations[role.table], BuilderPhone(role.name, joined.words)
        screens = threading.Thread(target=self._show_screens, args=(connection, joined, station, phone), name="screens", daemon=True)
        screens.start()
        try:
            for said in self._touches(connection, joined, role):
                if isinstance(said, ScreenTouched):
                    self._touch(station, phone, said)
        finally:
            screens.join()
            if not self._parts.book.holds(joined):
                station.gone(phone)

    def _touch(self, station: TableStation, phone: BuilderPhone, touched: ScreenTouched) -> None:
        try:
            station.touch(phone, touched.deed, touched.number, touched.missing)
        except (StationAwayError, TakenBackError) as problem:
            _LOG.info("a touch of the builder's screen is left out: %s", problem)

    def _show_screens(self, connection: ServerConnection, joined: PhoneJoined, station: TableStation, phone: BuilderPhone) -> None:
        shown: int | None = None
        try:
            while self._is_in(connection, joined):
                version, screen = self._screen(station, phone, joined, shown or 0)
                if version != shown and self._is_in(connection, joined):
                    connection.send(to_phone(ScreenShown(screen)))
                    shown = version
        except ConnectionClosed:
            return

    def _screen(self, station: TableStation, phone: BuilderPhone, joined: PhoneJoined, after: int) -> tuple[int, msgspec.Raw | None]:
        """The screen and its version; version 0 and None while there is none."""
        try:
            return station.screen(phone, after, LOOK_S)
        except TakenBackError:
            self._parts.book.dismiss(PhoneRole(joined.table, joined.name))
        except StationAwayError:
            time.sleep(LOOK_S)
        return 0, None

    def _pressed(self, keys: TableKeys, role: PhoneRole, pressed: KeyTouched, sent: SentLamps) -> TouchHeard:
        place = pressed.place if role.place is None else role.place
        late = sent.is_late(pressed.told)
        return TouchHeard(pressed.name, place is not None and keys.press(pressed.name, place, pressed.key, late=late))

    def _show_lamps(self, connection: ServerConnection, joined: PhoneJoined, keys: TableKeys, sent: SentLamps) -> None:
        version = 0
        try:
            while self._is_in(connection, joined):
                version, lamps = keys.lamps(version, LOOK_S)
                connection.send(to_phone(LampsShown(lamps, heard=keys.is_heard, number=sent.next())))
        except ConnectionClosed:
            return


def _page(name: str) -> str:
    return files("tableside.phones").joinpath("pages", name).read_text(encoding="utf-8")


def _response(status: HTTPStatus, body: bytes, kind: str) -> Response:
    headers = Headers({**_HEADERS, "Content-Type": f"{kind}; charset=utf-8", "Content-Length": str(len(body)), "Connection": "close"})
    return Response(status.value, status.phrase, headers, body)


def _quiet() -> logging.Logger:
    """websockets logs every visitor who goes away; what matters is logged here."""
    logger = logging.getLogger(f"{__name__}.connections")
    logger.setLevel(logging.CRITICAL)
    return logger
