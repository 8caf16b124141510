"""Documents keep their bytes: hashes and signatures are made of them, and other programs have checked them.

A digest changes only with a new format, which keeps a name of its own.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from controller.recorder.observation_file import line_of, rounded
from controller.recorder.signals import GateEdge, KeyEdge
from tests.support.event.evenings import bundle_of, stored_evening
from tests.support.event.ledgers import TABLES
from tests.support.event.stored_event import PLAN, SEEDS, STARTED, stream
from tests.support.game.worked_example import record_of
from twinwall.event.replay.steps import replay_document
from twinwall.game.deals import make_deal
from twinwall.game.documents import pretty_json
from twinwall.game.tiles import Tile
from twinwall.wire.shapes.panel import Key
from vision.mat_observation import MatObservation, ObservedTile

GOLDEN = {
    "deal": "e97aebc74e21ca59",
    "record": "00557c45699cd6bb",
    "replay": "1a8638ad5d584b78",
    "observations": "76f0d4ffc85164de",
    "bundle.json": "c36574faafe79092",
    "plan.json": "5e08087b86e8b6c7",
    "start.json": "b8400d447380c7c8",
    "programme.json": "8525498aa49ff15c",
    "keys.jsonl": "a5c68304f83db8e1",
    "heads.jsonl": "f210e1b4b139fb02",
    "staff.jsonl": "f79401b9ac054326",
    "ledgers/001.jsonl": "bbfa7f1c59e7d8d2",
    "ledgers/002.jsonl": "c6e0225d355291df",
    "ledgers/003.jsonl": "ad960aad0e3fccaa",
    "ledgers/004.jsonl": "e632d8ccc5d9833a",
    "slips/0001.json": "2846d17f81808e56",
    "slips/0002.json": "18e95f91bd69f415",
    "slips/0003.json": "adfbe0d6763b7ba8",
    "records.jsonl": "2b520f373011a23d",
    "results.csv": "2b1105f40b0c8277",
    "standings.json": "bb6e5a16e5068016",
    "commitments.json": "57c7ae6eb019ddd4",
}
SIGNALS = (
    GateEdge(7, 2),
    GateEdge(8, 0, True, 5),
    KeyEdge(9, 3, Key.WIN),
    rounded(
        MatObservation(
            10,
            (ObservedTile(-1.234, 5, 181.5, shares={Tile.S3: 0.75, Tile.EAST: 0.2}, sure=True), ObservedTile(0, 0, 0, face_up=False)),
            frozenset({(1, -2), (-3, 4)}),
        )
    ),
    MatObservation(11),
)


def documents(folder: Path) -> dict[str, bytes]:
    """One document of each kind by name."""
    return {
        "deal": pretty_json(make_deal(PLAN, SEEDS, 1, STARTED.start.public).to_json()),
        "record": pretty_json(record_of("1").to_json()),
        "replay": msgspec.json.encode(replay_document([record_of(play) for play in ("1", "2", "3", "4")])),
        "observations": b"\n".join(line_of(signal) for signal in SIGNALS),
        **bundle_of(stored_evening(folder, ledgers={table: stream(table) for table in TABLES})),
    }


def test_documents_keep_their_bytes(tmp_path: Path) -> None:
    assert {name: hashlib.sha256(content).hexdigest()[:16] for name, content in documents(tmp_path).items()} == GOLDEN
