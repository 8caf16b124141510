"""The proxy's server: a thread with an event loop of its own, which hands whole requests to gunicorn over a private socket.

gunicorn gives a thread to each connection, also to one on which nothing comes. Here a connection costs no thread until
its request is whole, in time, small enough and within the visitor's limits. Each connection carries one request.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
import threading
import time
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass

from dashboard.reverse_proxy.proxied_requests import (
    RETRY_AFTER_S,
    RefusedRequestError,
    RequestReader,
    WholeRequest,
    refusal,
    visitor_address,
)
from dashboard.reverse_proxy.proxy_limits import DEFAULT_LIMITS, ProxyLimits, RequestLane
from dashboard.reverse_proxy.request_sorting import RequestSorter
from twinwall.visitor_limits import Visit, VisitorLimits, VisitStage, network_of

PIECE = 64 << 10
TIDY_S = 60.0
BACKLOG = 256
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ProxySettings:
    """Where browsers come in, where requests go, and who is believed."""

    listening: socket.socket
    behind: str
    """The socket's path of the server behind."""
    limits: ProxyLimits = DEFAULT_LIMITS
    trusted: tuple[str, ...] = ()
    """Addresses of proxies in front of this one."""
    tls: ssl.SSLContext | None = None
    over_tls: bool = False
    """Whether browsers reach a proxy in front of this one by TLS only."""

    @property
    def scheme(self) -> str:
        """How browsers ask."""
        return "https" if self.over_tls or self.tls is not None else "http"


class ReverseProxy:
    """Serves from ``start`` to ``close``."""

    def __init__(self, settings: ProxySettings) -> None:
        self._settings = settings
        self._visitors = VisitorLimits(settings.limits.visits)
        self._pages: dict[str, asyncio.Semaphore] = {}
        self._thread = threading.Thread(target=self._run, name="reverse proxy", daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ended = asyncio.Event()

    def start(self, sorter: RequestSorter) -> None:
        """Begin to take connections of the application that ``sorter`` knows; returns at once."""
        self._sorter = sorter
        self._thread.start()

    def close(self) -> None:
        """Take no more connections, and close those that are open."""
        if self._loop is not None:
            with suppress(RuntimeError):  # it has ended by itself
                self._loop.call_soon_threadsafe(self._ended.set)
        self._thread.join()

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._lanes = {name: asyncio.Semaphore(lane.pages) for name, lane in self._settings.limits.lanes.items()}
        server = await asyncio.start_server(self._take, sock=self._settings.listening, backlog=BACKLOG, limit=PIECE)
        async with server:
            while not self._ended.is_set():
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._ended.wait(), TIDY_S)
                for gone in self._visitors.tidy(time.monotonic()):
                    self._pages.pop(gone, None)

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        peer = str((writer.get_extra_info("peername") or ("",))[0])
        visit = Visit(network_of(peer), writer.transport.abort)
        trusted = visitor_address(peer, "", ()) in self._settings.trusted
        for given_up in self._visitors.enter(visit, time.monotonic(), trusted=trusted):
            given_up.abort()
        try:
            await self._answer(reader, writer, peer, visit)
        except (OSError, ssl.SSLError, TimeoutError, asyncio.CancelledError):  # cancelled: the server ends, and with it this task
            writer.transport.abort()
        finally:
            self._visitors.leave(visit)
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, peer: str, visit: Visit) -> None:
        """Read a request, and pass it on or say why not."""
        limits = self._settings.limits
        coming = RequestReader(limits.header_bytes, limits.body_bytes)
        try:
            async with asyncio.timeout(limits.request_s):
                if self._settings.tls is not None:
                    await writer.start_tls(self._settings.tls)
                request = await self._read(coming, reader, writer)
            if request is None:
                return
            address = visitor_address(peer, request.forwarded_for, self._settings.trusted)
            await self._pass_on(request, address, visit, writer)
        except RefusedRequestError as refused:
            writer.write(refusal(refused.status, *self._sorter.refusal(coming.head, refused.key, **refused.values)))
            await asyncio.wait_for(writer.drain(), limits.request_s)

    async def _read(self, coming: RequestReader, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> WholeRequest | None:
        """The request; None when the browser closes without one."""
        while True:
            piece = await reader.read(PIECE)
            if not piece:
                return None
            request = coming.take(piece)
            if request is not None:
                return request
            if coming.waits_for_leave:
                writer.write(_CONTINUE)

    async def _pass_on(self, request: WholeRequest, address: str, visit: Visit, writer: asyncio.StreamWriter) -> None:
        asked, now_s = self._sorter.sort(request.head), time.monotonic()
        self._visitors.identify(visit, f"{asked.visitor} at {network_of(address)}" if asked.visitor else network_of(address), now_s)
        visit.lane = asked.lane
        if not self._visitors.may_ask(visit, now_s):
            raise RefusedRequestError(429, "refused.asked", seconds=RETRY_AFTER_S)
        async with AsyncExitStack() as held:
            if asked.is_stream:
                self._begin_stream(visit, asked.lane)
            else:
                visit.stage = VisitStage.ASKING
                await self._page_slot(visit, asked.lane, held)
            try:
                answer, behind = await asyncio.open_unix_connection(self._settings.behind)
            except OSError as problem:
                raise RefusedRequestError(502, "refused.silent", seconds=RETRY_AFTER_S) from problem
            held.callback(behind.close)
            behind.write(request.passed_on(address, self._settings.scheme))
            while piece := await answer.read(PIECE):
                writer.write(piece)
                async with asyncio.timeout(self._settings.limits.answer_s):  # without a task of its own, as wait_for makes one
                    await writer.drain()

    def _begin_stream(self, visit: Visit, lane: RequestLane) -> None:
        may, gives_way = self._visitors.hold(visit, self._settings.limits.lanes[lane].streams)
        if gives_way is not None:
            gives_way.abort()
        if not may:
            raise RefusedRequestError(429, "refused.streams", seconds=RETRY_AFTER_S)

    async def _page_slot(self, visit: Visit, lane: RequestLane, held: AsyncExitStack) -> None:
        """Wait until a page of this visitor, and one of its lane, may be answered: the visitor's own wait comes first."""
        own = self._pages.setdefault(visit.visitor, asyncio.Semaphore(self._settings.limits.pages_each))
        try:
            async with asyncio.timeout(self._settings.limits.request_s):
                await held.enter_async_context(own)
                await held.enter_async_context(self._lanes[lane])
        except TimeoutError:
            raise RefusedRequestError(503, "refused.busy", seconds=RETRY_AFTER_S) from None
