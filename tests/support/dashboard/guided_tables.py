"""The hall's own tables as the pages meet them: fakes at the wire of the servers of readiness and phones, with a table in each state."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
from flask import Response
from werkzeug.exceptions import Conflict, NotFound

from tests.support.answering import served
from tests.support.game.worked_example import record_of
from twinwall.game.play_events import Claimed, TileDiscarded
from twinwall.game.play_json import to_json
from twinwall.game.tiles import ALL_TILES
from twinwall.web.http_server import json_answer, json_app
from twinwall.wire.shapes.panel import PhoneNow, PhoneState
from twinwall.wire.shapes.readiness import (
    CameraCheck,
    CheckOutcome,
    EnrolledSet,
    MatFaultSeen,
    MatLook,
    Readiness,
    RecordingNow,
    RecordingStage,
    StoredHand,
)
from vision.calibration.mat_check import MatFault
from vision.cameras.port import encode_picture

IDLE, RECORDING = "11", "12"
"""Tables that no session needs: one whose last recording was cut off, and one where a hand is recorded."""
PHONES = "https://192.0.2.7:8443"
"""Where phones come, over TLS."""
HAND = "2026-11-22-200000"
"""A hand of the idle table with a record."""
_RECORD = record_of("3")
_DOUBTED = [number for number, event in enumerate(_RECORD.events, 1) if isinstance(event, Claimed | TileDiscarded)][3:6]


def _phones() -> list[PhoneNow]:
    state = PhoneState(battery=0.1, charging=False, width=1280, height=720, facing="environment")
    cameras = [(table, name) for table in (IDLE, RECORDING) for name in ("gate", "table")]
    seen = [PhoneNow(table, name, given=True, connected=True, words="🐟🌵🚲🍋 🦊🎈🍄🐢", state=state) for table, name in cameras]
    return [*seen, PhoneNow(IDLE, "keys", given=False, connected=False), PhoneNow(IDLE, "builder", given=True, connected=False)]


def _tables() -> dict[str, Readiness]:
    gate, mat = CameraCheck(CheckOutcome.EMPTY), CameraCheck(CheckOutcome.MAT)
    sets = {"first": EnrolledSet("blue", "2026-11-22"), "second": EnrolledSet("green", trouble="it was made with another model")}
    full = RecordingNow("2026-11-22-220000", RecordingStage.FULL, frames=9000, discards=80)
    running = RecordingNow(
        "2026-11-22-213000", frames=321, discards=17, last_frame=CheckOutcome.DARK, detail="no markers", unseen_s=12.5, early=True
    )
    recorded = (StoredHand(full.name), StoredHand("2026-11-22-210000", ended=True, complete=True), StoredHand(HAND, ended=True, doubts=3))
    return {
        IDLE: Readiness(gate, mat, gate_reads=True, sets=sets, recording=full, recorded=recorded),
        RECORDING: Readiness(gate, mat, gate_reads=True, sets=sets, recording=running, recorded=(StoredHand(running.name),)),
    }


def _document() -> dict[str, object]:
    kinds = [kind.text for kind in ALL_TILES]
    asked: list[dict[str, object]] = [{"seq": number, "about": "kind", "kinds": kinds, "x_mm": 42.0, "y_mm": 146.0} for number in _DOUBTED]
    violation = {"kind": "drew-early", "seat": "S", "rule": "nobody draws before the discard is in the river"}
    rival = to_json(_RECORD.events[_DOUBTED[0] - 1])
    asked[2] |= {"said": "5p", "by": "Anna", "at": "2026-11-22T20:40:00.000Z", "given": 1}
    further = [
        {"seq": 30, "about": "course", "kinds": [], "paths": [None, rival]},
        {"seq": 31, "about": "drew-early S 61000", "kinds": [], "violation": violation},
    ]
    questions = [*asked[:2], *further]
    return {"record": _RECORD.to_json(), "complete": False, "questions": questions, "answered": asked[2:], "unseen_s": 12.5}


@contextmanager
def guided_tables() -> Iterator[str]:
    """The address of both servers."""
    app, tables = json_app("guided-tables", 4096), _tables()

    @app.get("/")
    def names() -> Response:
        return json_answer(list(tables))

    @app.get("/phones")
    def phones() -> Response:
        return json_answer(_phones())

    @app.post("/codes")
    def code() -> Response:
        return json_answer({"link": f"{PHONES}/#{'1f' * 16}"})

    @app.get("/<table>")
    def now(table: str) -> Response:
        return json_answer(tables[table])

    @app.get("/<table>/recording")
    def recording(table: str) -> Response:
        return json_answer(tables[table].recording if table in tables else None)

    @app.post("/<table>/mat")
    def look_at_mat(table: str) -> Response:
        faults = [MatFaultSeen(fault.value, (2, 3), f"{table}: do this") for fault in MatFault]
        return json_answer(MatLook(1, 3, 4, 120, 118, 1.42, 2.1, faults))

    @app.get("/<table>/mat/1.jpg")
    def mat_picture(table: str) -> Response:
        return Response(encode_picture(np.full((720, 1280, 3), int(table), np.uint8)), mimetype="image/jpeg")

    @app.get("/<table>/recorded/<name>.json")
    def recorded(table: str, name: str) -> Response:
        if (table, name) != (IDLE, HAND):
            raise NotFound("there is no such hand")
        return json_answer(_document())

    with served(app) as url:
        yield url


@dataclass
class TileCameras:
    """``tiles`` are the kinds on each table; ``unread`` its slots that are not read; a table in ``refused`` answers with its sentence."""

    tiles: dict[str, str]
    unread: dict[str, list[dict[str, object]]] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    """The tables that were asked, in no order."""

    @contextmanager
    def served(self) -> Iterator[str]:
        """The server's address."""
        app = json_app("tile-cameras", 4096)

        @app.get("/")
        def names() -> Response:
            return json_answer(list(self.tiles))

        @app.post("/<table>/tiles")
        def read(table: str) -> Response:
            self.asked.append(table)
            if table in self.refused:
                raise Conflict(self.refused[table])
            return json_answer({"tiles": self.tiles[table].split(), "unread": self.unread.get(table, [])})

        with served(app) as url:
            yield url
