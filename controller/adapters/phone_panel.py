"""Keys and lamps of a table on phones: a long poll of the phones' server on this machine.

A lost server is asked every second; meanwhile no key of a phone counts, and the panel is reported as lost.
"""

import logging
import threading
from collections.abc import Callable, Sequence
from http.client import HTTPConnection, HTTPException
from urllib.parse import urlsplit

import msgspec
from msgspec import structs

from controller.state.messages import KeyPressed, PanelMessage, PartFound, PartLost
from controller.state.table_state import PANEL
from twinwall.wire.shapes.panel import KEYS, Key, KeyLamps, Lamps, PressList

AGAIN_S = 1.0
TRIES = 3
"""Failures in a row after which the server is reported as lost."""
POLL_TIMEOUT_S = 15.0
"""Longer than the server holds a poll."""
_LOG = logging.getLogger(__name__)

_PRESSES = msgspec.json.Decoder(PressList)


class PhonePanel:
    """Posts each press on a phone of the table, and sends the lamps; in addition to the panel with pins, or instead of it."""

    def __init__(self, address: str, post: Callable[[PanelMessage], None], keys: Sequence[Key] = KEYS) -> None:
        """``address`` is ``http://127.0.0.1:PORT/TABLE``; ``post`` is called from a thread with each press, and when the server is lost or
        found; phones show only ``keys``."""
        parts = urlsplit(address)
        self._host, self._path = parts.netloc, parts.path.rstrip("/")
        self._post, self._keys = post, tuple(keys)
        self._stopped = threading.Event()
        self._changed = threading.Condition()
        self._lamps = Lamps()
        self._sent: Lamps | None = None
        self._run, self._after = "", 0
        self._failures = 0
        self._threads = [
            threading.Thread(target=self._keep_on, args=(part,), name=f"phone {name}", daemon=True)
            for name, part in (("keys", self._ask_presses), ("lamps", self._send_lamps))
        ]

    def start(self) -> None:
        """Begin to ask; a missing server is asked again."""
        for thread in self._threads:
            thread.start()

    def show(self, lamps: Lamps) -> None:
        with self._changed:
            self._lamps = lamps
            self._changed.notify_all()

    def stop(self) -> None:
        """Stop asking; the last lamps stay until the phones' server gets others."""
        self._stopped.set()
        with self._changed:
            self._changed.notify_all()

    def _keep_on(self, part: Callable[[HTTPConnection], None]) -> None:
        while not self._stopped.is_set():
            connection = HTTPConnection(self._host, timeout=POLL_TIMEOUT_S)
            try:
                part(connection)
            except (OSError, HTTPException, msgspec.MsgspecError) as problem:
                if part == self._send_lamps:  # which asks more often: a poll for keys is answered late
                    self._failures += 1
                    if self._failures == TRIES:
                        at = f"http://{self._host}{self._path}"
                        _LOG.warning("the phones' server at %s does not answer (%s): no key of a phone counts", at, problem)
                        self._post(PartLost(PANEL))
                self._stopped.wait(AGAIN_S)
            finally:
                connection.close()

    def _ask_presses(self, connection: HTTPConnection) -> None:
        while not self._stopped.is_set():
            connection.request("GET", f"{self._path}/keys?run={self._run}&after={self._after}")
            answer = _PRESSES.decode(_answer(connection))
            self._run, self._after = answer.run, 0 if answer.run != self._run else self._after
            for press in answer.presses:
                self._after = press.number
                if not self._stopped.is_set():
                    self._post(KeyPressed(press.place, press.key))

    def _send_lamps(self, connection: HTTPConnection) -> None:
        self._sent = None
        while not self._stopped.is_set():
            with self._changed:
                self._changed.wait_for(lambda: self._stopped.is_set() or self._lamps != self._sent, AGAIN_S)
                lamps = self._lamps
            body = msgspec.json.encode(KeyLamps(**structs.asdict(lamps), keys=self._keys))
            connection.request("POST", f"{self._path}/lamps", body, {"Content-Type": "application/json"})
            _answer(connection)
            self._sent = lamps
            if self._failures >= TRIES:
                self._post(PartFound(PANEL))
            self._failures = 0


def _answer(connection: HTTPConnection) -> bytes:
    response = connection.getresponse()
    body = response.read()
    if response.status != 200:
        raise HTTPException(f"it answers {response.status}: {body[:200].decode(errors='replace')}")
    return body
