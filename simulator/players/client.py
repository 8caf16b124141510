"""Client of the world over HTTP for one person, with one connection.

A world that is absent for a moment is waited for; an impossible action raises ``RefusedError`` with the world's sentence.
"""

import http.client
import threading
from http import HTTPStatus
from typing import Literal, TypeVar
from urllib.parse import urlsplit

import msgspec

from simulator.world.key_presses import Press
from simulator.world.visible_table import VisibleTable
from twinwall.art.mat import Area
from twinwall.wire.shapes.panel import Key

RETRY_S = 0.2
_ANSWER_LIMIT_S = 90.0

Answer = TypeVar("Answer")


_Drawn, _Found, _Problem = dict[Literal["tile"], str], dict[Literal["found"], int], dict[Literal["error"], str]
for _kind in (VisibleTable, Press, _Drawn, _Found, _Problem):
    msgspec.json.Decoder(_kind)  # four people are four threads: the first use of a type in two threads at once ends the process


class RefusedError(Exception):
    """The world says that hands cannot do this now."""


class StoppedError(Exception):
    """The player was stopped while it waited."""


class WorldClient:
    """What one person at ``place`` can do and see; not for use by several threads at once."""

    def __init__(self, url: str, place: int, stop: threading.Event) -> None:
        """``url`` is ``http://host:port``; requests raise StoppedError once ``stop`` is set."""
        address = urlsplit(url)
        self._connection = http.client.HTTPConnection(address.hostname or "", address.port or 80, timeout=_ANSWER_LIMIT_S)
        self._place = place
        self._stop = stop
        self._answered = -1

    def close(self) -> None:
        self._connection.close()

    def look(self) -> VisibleTable:
        return self._ask("GET", f"/view?place={self._place}", None, VisibleTable)

    def look_up(self, after: int, timeout_s: float) -> VisibleTable:
        """What can be seen, once it is newer than version ``after`` and something is asked of the person, or the time is up."""
        answered, self._answered = self._answered, -1
        query = f"place={self._place}&after={after}&timeout={timeout_s}&asked=1&answered={answered}"
        return self._ask("GET", f"/view?{query}", None, VisibleTable)

    def take_hand(self, count: int) -> None:
        self._post("/take_hand", dict, count=count)

    def draw(self) -> str:
        """Lift the next tile of the wall; RefusedError while the gate is locked."""
        return self._post("/draw", _Drawn)["tile"]

    def turn_up(self, slot: int) -> None:
        """Take the shared tile out of the rear gate before oneself and lay it open in the middle."""
        self._post("/turn_up", dict, slot=slot)

    def discard(self, tile: str, slot: int | None = None, *, stick: bool = False) -> None:
        """Lay a tile into the river, into its next slot or a later one; with ``stick`` a riichi stick by it."""
        self._post("/discard", dict, tile=tile, slot=-1 if slot is None else slot, stick=int(stick))

    def expose(self, tiles: tuple[str, ...], river: tuple[int, int]) -> None:
        self._post("/expose", dict, tiles=list(tiles), river=river[0], slot=river[1])

    def add_to_pung(self, tile: str) -> None:
        self._post("/add_to_pung", dict, tile=tile)

    def lay_face_down(self, tile: str, *, last_face_up: bool) -> None:
        self._post("/lay_face_down", dict, tile=tile, last_face_up=int(last_face_up))

    def lay_apart(self, tile: str) -> None:
        """Lay the tile that one has won with apart from one's hand, face up."""
        self._post("/lay", dict, tile=tile, at=self._place, area=Area.WIN.value, slot=0)

    def show_hand(self, winning: str | None) -> None:
        self._post("/show_hand", dict, winning=winning)

    def push_in(self) -> None:
        self._post("/push_in", dict)

    def pour_box(self) -> None:
        self._post("/pour_box", dict)

    def search(self) -> int:
        """Look under the table; how many tiles were found and stand in the rack now."""
        return self._post("/search", _Found)["found"]

    def press(self, key: Key, hand: int, window: int) -> bool:
        """Press a key, meant for this hand and claim window; whether one's call lamp is lit afterwards.

        RefusedError when the hand or window is over, when the key was not looked at, or the claim window went dark under it: no window
        closes before everybody has answered, so the controller has gone and will open it again.
        """
        press = self._post("/press", Press, key=key.value, hand=hand, window=window)
        if not press.seen or (press.window_went_out and not press.call):
            raise RefusedError(f"the panel does not answer {key.value}")
        return press.call

    def answer(self, window: int) -> None:
        """Be done with a claim window; the world hears of it with the next ``look_up``."""
        self._answered = window

    def _post(self, path: str, kind: type[Answer], **fields: object) -> Answer:
        return self._ask("POST", path, {"place": self._place, **fields}, kind)

    def _ask(self, method: str, path: str, fields: dict[str, object] | None, kind: type[Answer]) -> Answer:
        body = None if fields is None else msgspec.json.encode(fields)
        while not self._stop.is_set():
            try:
                self._connection.request(method, path, body)
                response = self._connection.getresponse()
                text = response.read()
                if response.status == HTTPStatus.OK:
                    return msgspec.json.decode(text, type=kind)
                problem = msgspec.json.decode(text, type=_Problem)["error"]
            except (OSError, http.client.HTTPException, msgspec.MsgspecError):
                self._connection.close()
                self._stop.wait(RETRY_S)
                if method == "POST":
                    raise RefusedError(f"the connection broke while {path} was asked: look again whether it was done") from None
                continue
            if response.status == HTTPStatus.CONFLICT:
                raise RefusedError(problem)
            if response.status != HTTPStatus.SERVICE_UNAVAILABLE:
                raise ValueError(f"{method} {path}: {problem}")
            self._stop.wait(RETRY_S)
        raise StoppedError
