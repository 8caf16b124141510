"""Documents keep their bytes: hashes and signatures are made of them, and other programs have checked them.

A digest changes only with a new format, which keeps a name of its own.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from controller.recorder.observation_file import line_of, rounded
from controller.recorder.signals import GateEdge
from tests.support.event.evenings import bundle_of, stored_evening
from tests.support.event.ledgers import TABLES
from tests.support.event.stored_event import PLAN, SEEDS, STARTED, stream
from tests.support.game.worked_example import record_of
from twinwall.event.replay.steps import replay_document
from twinwall.game.deals import make_deal
from twinwall.game.documents import pretty_json
from twinwall.game.tiles import Tile
from twinwall.wire.shapes.panel import Key, KeyEdge
from vision.mat_observation import MatObservation, ObservedTile

GOLDEN = {
    "deal": "e97aebc74e21ca59",
    "record": "00557c45699cd6bb",
    "replay": "1a8638ad5d584b78",
    "observations": "76f0d4ffc85164de",
    "bundle": "595df98fc7da5b44",
}
TILES = (ObservedTile(-1.234, 5, 181.5, shares={Tile.S3: 0.75, Tile.EAST: 0.2}, sure=True), ObservedTile(0, 0, 0, face_up=False))
SEEN = rounded(MatObservation(10, TILES, frozenset({(1, -2), (-3, 4)})))
SIGNALS = (GateEdge(7, 2), GateEdge(8, 0, True, 5), KeyEdge(9, 3, Key.WIN), SEEN, MatObservation(11))


def documents(folder: Path) -> dict[str, bytes]:
    """One document of each kind by name."""
    bundle = bundle_of(stored_evening(folder, ledgers={table: stream(table) for table in TABLES}))
    return {
        "deal": pretty_json(make_deal(PLAN, SEEDS, 1, STARTED.start.public).to_json()),
        "record": pretty_json(record_of("1").to_json()),
        "replay": msgspec.json.encode(replay_document(list(map(record_of, "1234")))),
        "observations": b"\n".join(line_of(signal) for signal in SIGNALS),
        "bundle": b"".join(bundle[name] for name in sorted(bundle)),
    }


def test_documents_keep_their_bytes(tmp_path: Path) -> None:
    assert {name: hashlib.sha256(content).hexdigest()[:16] for name, content in documents(tmp_path).items()} == GOLDEN
