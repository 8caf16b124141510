"""Leak scan of a session of four tables: searches everything that it sends and leaves behind for the walls of sealed deals.

While a demo runs, two people with browsers look at all pages and streams, and a second connection of every broker account hears what that
account may hear. While a later deal is in play, the folder of the demo, its temporary files, and the command lines and environments of its
processes are copied. At the end all slips are out, so all walls are known: a piece must hold nothing of a deal that was not yet released
when it came. Then the search must find tiles planted into such pieces, in every notation.
"""

from __future__ import annotations

import os
import random
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.demo.harness import DemoRun, Onlookers, of_type, processes_with, released
from tests.support.leak_scanner import NOTATIONS, WINDOW, Secret, find_leaks, released_walls
from tests.support.wire.brokers import Ear
from twinwall.game.deals import Share
from twinwall.wire.mqtt.access import Access, read_rights
from twinwall.wire.mqtt.broker_address import BrokerAddress, Credentials
from twinwall.wire.mqtt.link import MqttLink

TABLES = ("1", "2", "3", "4")
HANDS = 2
MAY_HOLD = ("slip-*.json", "session-*.json")
"""Files of released deals; a session's records are written when the deal is released."""
LEAST_PLACES = 7


@dataclass(frozen=True, slots=True)
class Piece:
    """Something that was sent or stored, and the deals whose slips were out by then."""

    place: str
    name: str
    content: bytes
    released: frozenset[int]


class BrokerListener(Ear):
    """A second connection of one broker account, which keeps all messages that the account may hear."""

    def __init__(self, demo: DemoRun, user: str, address: BrokerAddress, topics: tuple[str, ...]) -> None:
        super().__init__()
        self._demo, self.heard = demo, list[Piece]()
        password = (demo.folder / f"{user}.password").read_text().strip()
        self.link = MqttLink(address, Credentials(user, password, "listener"), self, subscriptions=topics)

    def message(self, topic: str, payload: bytes) -> None:
        """Keep a published message."""
        out = released(self._demo.folder)
        if topic.endswith("/shares"):  # what a vault tells the others there it has released, a moment before the slip lies in its folder
            out |= {Share.from_json(payload).n}
        self.heard.append(Piece("mqtt", topic, payload, out))


def measure(seed: int) -> dict[str, object]:
    """Return the hits of the session by place, how much was searched, and how many planted leaks were found."""
    with tempfile.TemporaryDirectory(prefix="twinwall-leaks-") as scratch:
        folder, temporary = Path(scratch) / "demo", Path(scratch) / "tmp"
        temporary.mkdir()
        os.environ["TMPDIR"] = str(temporary)
        with DemoRun(folder, "--tables", str(len(TABLES)), "--hands", str(HANDS), seed=seed) as demo:
            pieces = list(_session(demo, temporary))
            demo.report()
        walls = dict(enumerate(released_walls(folder / "plan.json", folder / "start.json", folder / "released"), 1))
        hits = [f"{piece.place} {piece.name}: {leak}" for piece in pieces for leak in find_leaks(piece.content, sealed(piece, walls))]
        plants = _planted(pieces, walls, seed)
    places = sorted({piece.place for piece in pieces})
    searched = {place: sum(piece.place == place for piece in pieces) for place in places}
    size = sum(len(piece.content) for piece in pieces)
    return {
        "pieces": searched,
        "bytes": size,
        "hits": hits,
        "planted": len(plants),
        "not_found": [name for name, found in plants if not found],
    }


def sealed(piece: Piece, walls: dict[int, Secret]) -> list[Secret]:
    """Return what must not be in the piece."""
    return [secret for n, secret in walls.items() if n not in piece.released]


def _session(demo: DemoRun, temporary: Path) -> Iterator[Piece]:
    """Yield every piece of a session."""
    for table in TABLES:
        demo.wait(bool, table=table)
    with Onlookers(demo, TABLES, HANDS) as onlookers, _listeners(demo) as listeners:
        demo.wait(lambda events: len(of_type(events, "hand-started")) > 1 and len(of_type(events, "tile-discarded")) > 0)
        yield from _lying(demo, temporary)
        demo.wait(lambda events: len(of_type(events, "hand-closed")) >= HANDS)
    seen = {(served.viewer, served.address, served.content, served.released) for served in onlookers.served}
    for viewer, address, content, out in sorted(seen, key=lambda each: each[:2]):
        yield Piece("stream" if address.startswith("/events") else "page", f"{viewer} {address}", content, out)
    once: dict[tuple[str, bytes], Piece] = {}
    for listener in listeners:
        for piece in listener.heard:
            once.setdefault((piece.name, piece.content), piece)
    yield from once.values()


@contextmanager
def _listeners(demo: DemoRun) -> Iterator[list[BrokerListener]]:
    """Open a second connection of each account of the broker."""
    rights = read_rights(demo.folder / "rights")
    url = next(line for line in demo.settings("table").read_text().splitlines() if line.startswith('url = "mqtt://'))
    host, _, port = url.partition("mqtt://")[2].rstrip('"').partition(":")
    users = {right.user for right in rights}
    listeners = [
        BrokerListener(
            demo, user, BrokerAddress(host, int(port)), tuple(r.topic_filter for r in rights if r.user == user and r.access is Access.READ)
        )
        for user in sorted(users)
    ]
    with ExitStack() as links:
        for listener in listeners:
            listener.link.start()
            links.callback(listener.link.close)
        yield listeners


def _lying(demo: DemoRun, temporary: Path) -> Iterator[Piece]:
    """Yield what is on the disk now, and what other users could read of the processes."""
    out = released(demo.folder)
    for place, folder in (("file", demo.folder), ("temporary file", temporary)):
        for path in sorted(folder.rglob("*")):
            if path.is_file() and not any(path.match(pattern) for pattern in MAY_HOLD):
                yield Piece(_kind_of(path, place), str(path.relative_to(folder)), path.read_bytes(), out)
    for pid in processes_with(str(demo.folder)):
        for what in ("cmdline", "environ"):
            try:
                yield Piece("command line" if what == "cmdline" else "environment", f"{pid}", Path(f"/proc/{pid}/{what}").read_bytes(), out)
            except OSError:  # it has ended, or may not be read
                continue


def _kind_of(path: Path, place: str) -> str:
    if path.name.startswith("table.journal"):
        return "journal"
    kinds = {".sqlite": "database", ".log": "log", ".jsonl": "ledger"}
    return kinds.get(path.suffix, "log" if path.parent.name == "logs" else place)


def _planted(pieces: list[Piece], walls: dict[int, Secret], seed: int) -> list[tuple[str, bool]]:
    """Return each place and notation, and whether the search finds tiles of a sealed deal planted into a piece of that place."""
    chance = random.Random(seed)
    found = []
    for place in sorted({piece.place for piece in pieces}):
        candidates = [piece for piece in pieces if piece.place == place and sealed(piece, walls)]
        if not candidates:
            continue
        piece = chance.choice(candidates)
        secret = chance.choice(sealed(piece, walls))
        tiles = chance.choice(secret.tiles)
        first = chance.randrange(len(tiles) - WINDOW)
        for number, write in enumerate(NOTATIONS):
            content = _with(piece, write(tiles[first : first + WINDOW + 1]).encode(), chance)
            leaks = find_leaks(content, sealed(piece, walls))
            found.append((f"{place}, notation {number}", any(leak.secret == secret.name for leak in leaks)))
    assert len({name.partition(",")[0] for name, _ in found}) >= LEAST_PLACES
    return found


def _with(piece: Piece, planted: bytes, chance: random.Random) -> bytes:
    """Return the piece with something planted: between two lines of a text, in a row of a database."""
    if piece.place != "database":
        at = piece.content.find(b"\n", chance.randrange(max(1, len(piece.content))))
        return piece.content[: at + 1] + b" " + planted + b" " + piece.content[at + 1 :]
    with tempfile.NamedTemporaryFile(suffix=".sqlite") as file:
        file.write(piece.content)
        file.flush()
        with closing(sqlite3.connect(file.name)) as store:
            store.execute("CREATE TABLE planted (text TEXT)")
            store.execute("INSERT INTO planted VALUES (?)", (planted.decode(),))
            store.commit()
        return Path(file.name).read_bytes()
