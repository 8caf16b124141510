"""What was stored or handed out: each file is read, and written again it is the same to the last byte.

``*-0.9.0*`` and the files without a version that 0.9.0 knows are written by the program of that version, ``bundle-first.zip`` by the first
that made bundles, which had neither records of the staff nor salted lines. ``acts.jsonl`` and ``commands.jsonl`` have every kind of today.
"""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from controller.recorder.observation_file import line_of, rounded
from controller.recorder.signals import GateEdge
from tests.support.event.evenings import CODE, SERVER, bundle, bundle_of, stored_evening
from tests.support.event.ledgers import TABLES
from tests.support.event.managed import PREPARED_TEAMS
from tests.support.event.stored_event import EVENT, PLAN, SEEDS, STARTED, stream
from tests.support.game.worked_example import record_of
from tests.support.wire import assignments
from twinwall.event.bundle.bundle_check import check_bundle
from twinwall.event.bundle.bundle_files import read_zip
from twinwall.event.management.changes import EventChange
from twinwall.event.management.managed_event import managed_event, read_event_file, write_event_file
from twinwall.event.player_names import read_names
from twinwall.event.replay.steps import replay_document
from twinwall.event.store.store_contents import ManagementStep, StaffAct, acts_of
from twinwall.event.store.store_records import RecordWriter, read_records
from twinwall.game.deals import make_deal
from twinwall.game.documents import pretty_json
from twinwall.game.tiles import Tile
from twinwall.game.typed_json import plain
from twinwall.wire.messages.assignment import open_assignment
from twinwall.wire.messages.commands import COMMAND_TYPES, open_command, sign_command
from twinwall.wire.messages.signing import sign_document
from twinwall.wire.shapes.panel import Key, KeyEdge
from vision.mat_observation import MatObservation, ObservedTile

FILES = Path(__file__).parent / "files"
TRUSTED = {"server": assignments.HALL_SERVER.public}


def lines(name: str) -> list[bytes]:
    return (FILES / name).read_bytes().splitlines(keepends=True)


def acts(records: list[bytes]) -> Iterator[StaffAct]:
    read = {kind.__struct_config__.tag: acts_of(records, kind) for kind in get_args(StaffAct)}
    return (next(read[record.kind]) for record in read_records(records))


@pytest.mark.parametrize("name", ["acts-0.9.0.jsonl", "acts.jsonl"])
def test_what_the_staff_did_is_read_and_written_the_same(name: str) -> None:
    stored = lines(name)
    again = RecordWriter(EVENT, SERVER, ())
    assert [again.write(str(plain(act)["kind"]), act.at, plain(act))[1] for act in acts(stored)] == stored


def test_every_kind_of_act_and_change_is_among_them() -> None:
    stored = lines("acts.jsonl")
    assert {type(act) for act in acts(stored)} == set(get_args(StaffAct))
    assert {type(step.change) for step in acts_of(stored, ManagementStep)} == set(get_args(EventChange))


def test_every_command_is_read_and_written_the_same() -> None:
    sent = lines("commands.jsonl")
    opened = [open_command(payload, assignments.EVENT, "1", TRUSTED) for payload in sent]
    assert {json.loads(payload)["type"] for payload in sent} == set(COMMAND_TYPES)
    assert [
        sign_command(assignments.HALL_SERVER, assignments.EVENT, "1", each.command, identity=each.identity, counter=each.counter)
        for each in opened
    ] == sent


def test_assignment_event_and_names_are_read_and_written_the_same() -> None:
    (sent,) = lines("assignment.json")
    read = open_assignment(sent, "1", assignments.HALL_SERVER.public)
    assert sign_document(assignments.HALL_SERVER, read, table="1") == sent
    kept = (FILES / "event.json").read_bytes()
    event = read_event_file(kept)
    assert event.changes == tuple(PREPARED_TEAMS)
    assert write_event_file(managed_event(event.changes), event.names) == kept
    names = (FILES / "names.json").read_bytes()
    assert read_names(names).document == names


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bundle-first.zip", "bundle-0.9.0.zip"])
def test_a_bundle_of_an_earlier_version_is_proved(name: str) -> None:
    report = check_bundle(read_zip((FILES / name).read_bytes()), CODE, None)
    assert (report.unproved, report.deals, report.counts["hands"]) == ([], (1,), 4)


@pytest.mark.slow
def test_the_bundle_of_an_evening_is_the_one_that_0_9_0_made() -> None:
    assert bundle((1,)) == read_zip((FILES / "bundle-0.9.0.zip").read_bytes())


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
