"""Writes what a version keeps of its journals: ``python -m tests.support.controller.kept_journals FOLDER``.

A later version must go on with them (``tests/controller/ledger/test_journal.py``). ``table`` is the folder of a table that has played
one hand and stands in the second; ``events.jsonl`` has one line for each kind of event, whose fields are neither left out nor empty. A
released version's folder is never written again.
"""

import json
import sys
import typing
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random

from hypothesis import find, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from controller.ledger.journal_events import JournalEvent, OperationIssued, event_to_json
from controller.state.sides import PlayStage
from firmware_bridge.messages import Command
from tests.support.controller.journal_values import KINDS, events, values
from tests.support.controller.rigs import Rig
from tests.support.controller.sessions import hand_is, seat_players, written_session
from twinwall.game.play_events import HandRuledDead, TileDiscarded
from twinwall.game.tiles import Seat

SHORT_HAND = 18
"""The seed of a session whose first hand has two claims and is soon won."""


def rig_of(folder: Path) -> Rig:
    """The controller of the folder's table, as it begins or as it goes on; no hand of the fixture is played by it."""
    deals, _ = written_session(2, SHORT_HAND)
    return Rig(folder, *deals, seed=SHORT_HAND)


def write_table(folder: Path) -> None:
    """Play one hand and some of the second, with a ruling in each."""
    deals, scripts = written_session(2, SHORT_HAND)
    rig = seat_players(partial(Rig, folder), deals, scripts, SHORT_HAND, raised=True).rig
    rig.run(lambda: len(rig.happened(TileDiscarded)) == 3)
    rig.rule()
    rig.run(hand_is(rig, 2, PlayStage.PLAYING), most=60_000, most_s=3600)
    rig.rule(HandRuledDead(Seat.WEST))
    rig.stop()


def one_of_each_kind() -> Iterator[JournalEvent]:
    """A simple event of each kind in which no field is left out or empty, where there is one; of operations, one for each command."""
    for kind in KINDS:
        if kind is not OperationIssued:
            yield (
                _first(events(kind), lambda event: _is_full(event_to_json(event))) or _first(events(kind), lambda _: True) or _missing(kind)
            )
    for command in typing.get_args(Command):
        yield OperationIssued(7, typing.cast(Command, find(values(command), lambda _: True, random=Random(1))), None)


def _is_full(written: object) -> bool:
    match written:
        case dict():
            return bool(written) and all(map(_is_full, written.values()))
        case list():
            return bool(written) and all(map(_is_full, written))
        case _:
            return written is not None and written != ""


def _first(of: st.SearchStrategy[JournalEvent], fits: Callable[[JournalEvent], bool]) -> JournalEvent | None:
    try:
        return find(of, fits, settings=settings(max_examples=2000, database=None), random=Random(1))
    except NoSuchExample:
        return None


def _missing(kind: type) -> typing.NoReturn:
    raise LookupError(f"no event of the kind {kind.__name__} was found")


def main(folder: Path) -> None:
    (folder / "table").mkdir(parents=True)
    write_table(folder / "table")
    lines = [json.dumps(event_to_json(event), ensure_ascii=False) + "\n" for event in one_of_each_kind()]
    (folder / "events.jsonl").write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
