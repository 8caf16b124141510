"""Journals of every earlier version are gone on with.

``versions/VERSION`` is what a version left behind (``tests.support.controller.kept_journals``). It is never written again.
"""

import json
import shutil
from pathlib import Path

import pytest

from controller.ledger.journal_events import event_from_json, event_to_json
from tests.support.controller.kept_journals import rig_of
from tests.support.controller.rigs import Rig
from twinwall.game.play_events import HandEnded
from twinwall.wire.ledger import verify_chain
from twinwall.wire.messages.ruling import Ruling

VERSIONS = sorted((Path(__file__).parent / "versions").iterdir())
LEDGERS = ("events.jsonl", "public.jsonl")


@pytest.fixture(params=VERSIONS, ids=lambda version: version.name)
def kept(request: pytest.FixtureRequest) -> Path:
    version: Path = request.param
    return version


def goes_on(kept: Path, tmp_path: Path) -> Rig:
    """A controller of today on a copy of the table's folder."""
    return rig_of(Path(shutil.copytree(kept / "table", tmp_path / "table")))


def test_a_table_goes_on_in_the_hand_in_which_the_earlier_version_left_it(kept: Path, tmp_path: Path) -> None:
    rig = goes_on(kept, tmp_path)
    assert [type(event) for event in rig.events()].count(HandEnded) == 1
    hand = rig.state.playing.hand
    assert rig.deal.hand == 2
    assert hand is not None
    assert hand.play is not None
    assert [seat.dead for seat in hand.play.seats] == [False, False, True, False], "West was ruled dead before"
    rig.stop()


def test_the_ledgers_of_the_earlier_version_are_continued_line_for_line(kept: Path, tmp_path: Path) -> None:
    rig = goes_on(kept, tmp_path)
    rig.settle()
    rig.rule(n=1, identity="later")
    rulings = [event for event in rig.events() if isinstance(event, Ruling)]
    assert [ruling.n for ruling in rulings] == [1, 2, 1]
    for name, ledger in zip(LEDGERS, rig.ledgers, strict=True):
        before, after = (kept / "table" / name).read_bytes(), (rig.folder / name).read_bytes()
        assert after.startswith(before)
        assert verify_chain(ledger.lines) is None
    assert len(rig.ledgers[0].lines) > len((kept / "table" / LEDGERS[0]).read_bytes().splitlines())
    rig.stop()


def test_an_event_of_every_kind_is_read_and_keeps_its_fields(kept: Path) -> None:
    for line in (kept / "events.jsonl").read_text(encoding="utf-8").splitlines():
        written = json.loads(line)
        assert written.items() <= event_to_json(event_from_json(written)).items()


def test_a_journal_line_is_written_as_it_was(kept: Path) -> None:
    envelope = {"seq", "at", "left", "chain"}
    for line in (kept / "table" / "table.journal").read_bytes().splitlines():
        written = {key: value for key, value in json.loads(line).items() if key not in envelope}
        assert list(event_to_json(event_from_json(written)).items()) == list(written.items())
