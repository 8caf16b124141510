"""Viewers of a hall for a measurement: each opens a page as a browser does, holds its stream, and notes when a text comes.

All run in one thread, from several addresses of this computer, since the server limits each visitor. First bytes are measured by a process
of its own, which reads no viewer's stream in between.
"""

import asyncio
import html
import re
import socket
import time
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context

STREAMS_EACH = 4
"""Streams of one address."""
_BODY = re.compile(r'data-events="([^"]*)" data-boot="([^"]*)" data-since="([^"]*)"')
_HEAD_S = 30.0
AGAIN_S, MISSING_AGAIN_S = 0.5, 5.0
"""How long a viewer waits before it reopens a page that broke off, and one that is not there yet, like a deal before its first wall."""


class _MissingPageError(Exception):
    """The page is not there yet."""


@dataclass(slots=True)
class PageView:
    """A viewer's page: what it waits for, and what came."""

    path: str
    address: str
    wanted: Mapping[str, str]
    """The texts whose arrival it notes, by name."""
    came: dict[str, float] = field(default_factory=dict)
    """When each came, in seconds since 1970."""
    sizes: list[int] = field(default_factory=list)
    """Uncompressed bytes of the page."""
    opened: int = 0
    heard: int = 0
    """Bytes of the stream."""


class Viewers:
    """Any number of views of one hall at a port of this computer."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.views: list[PageView] = []
        self.first_bytes_s: list[float] = []
        self._asked = 0
        self._asker = ProcessPoolExecutor(1, get_context("spawn"))

    async def watch(self, view: PageView) -> None:
        """Open a page and hold its stream, again whenever it breaks off, until cancelled."""
        self.views.append(view)
        while True:
            again_s = AGAIN_S
            try:
                await self._open(view)
            except _MissingPageError:
                again_s = MISSING_AGAIN_S
            except (OSError, asyncio.IncompleteReadError):
                pass
            await asyncio.sleep(again_s)

    async def ask(self, path: str) -> int:
        """Ask for a page once from an address of its own, note the time of its first byte, and return its size in bytes."""
        self._asked += 1
        address = f"127.0.4.{1 + self._asked % 250}"
        took_s, size = await asyncio.get_running_loop().run_in_executor(self._asker, _asked, self._port, address, path)
        self.first_bytes_s.append(took_s)
        return size

    async def _open(self, view: PageView) -> None:
        reader, writer = await self._connect(view.address)
        writer.write(_request(view.path))
        content = await reader.read()
        writer.close()
        view.sizes.append(len(content))
        found = _BODY.search(content.decode(errors="replace"))
        if found is None:
            raise _MissingPageError(f"{view.path} is no live page")
        self._note(view, content.decode(errors="replace"), time.time())
        events, boot, since = map(html.unescape, found.groups())
        await self._follow(view, f"{events}{'&' if '?' in events else '?'}boot={boot}&since={since}")

    async def _follow(self, view: PageView, path: str) -> None:
        reader, writer = await self._connect(view.address)
        view.opened += 1
        try:
            writer.write(_request(path, "text/event-stream"))
            while line := await reader.readline():
                view.heard += len(line)
                if line.startswith(b"data:"):
                    self._note(view, line.decode(errors="replace"), time.time())
        finally:
            writer.close()

    def _note(self, view: PageView, text: str, at: float) -> None:
        for name, wanted in view.wanted.items():
            if name not in view.came and wanted in text:
                view.came[name] = at

    async def _connect(self, address: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.wait_for(asyncio.open_connection("127.0.0.1", self._port, local_addr=(address, 0), limit=1 << 22), _HEAD_S)


def _asked(port: int, address: str, path: str) -> tuple[float, int]:
    """Return seconds until a page's first byte, and its size in bytes."""
    began = time.monotonic()
    with socket.create_connection(("127.0.0.1", port), _HEAD_S, (address, 0)) as server:
        server.sendall(_request(path))
        if not server.recv(1, socket.MSG_PEEK):
            raise ConnectionResetError(f"{path} is not answered")
        took_s = time.monotonic() - began
        return took_s, sum(iter(lambda: len(server.recv(1 << 16)), 0))


def _request(path: str, accept: str = "text/html") -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: {accept}\r\nAccept-Language: en\r\nConnection: close\r\n\r\n".encode()
