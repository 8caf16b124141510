"""A whole table whose people disturb: with the decoder and a referee play goes on where the slots alone stand still."""

from pathlib import Path

import pytest

from simulator.disturbances.kinds import Disturbance
from simulator.players.hand_in_memory import play_in_memory
from simulator.world.disturber import AT_PLAYED_TABLES
from tests.support.demo.harness import SHORT_HAND, DemoRun, of_type
from twinwall.game.play_events import KongDeclared, MeldType, PlayEvent
from twinwall.game.record import HandRecord
from twinwall.game.rules import rule_set

pytestmark = [pytest.mark.slow, pytest.mark.nightly, pytest.mark.timeout(1800)]

STANDS_STILL = 1
"""A seed of the demo whose first discard lies too far off its slot for the slot reader: without a decoder it is called unread."""
GOES_ON = 4
"""So many discards are taken at least."""


def played_in_memory(record: HandRecord) -> tuple[PlayEvent, ...]:
    """The events, but for the end of the hand, of the same four people over the same walls where nobody disturbs."""
    assert record.walls is not None
    rules = rule_set(record.rules, record.options)
    return play_in_memory(record.table, record.walls, record.hand, SHORT_HAND, rules, rest=record.rest or ()).events


def has_kong(event: PlayEvent) -> bool:
    """Whether tiles are laid as a kong."""
    meld = getattr(event, "meld", None)
    return isinstance(event, KongDeclared) or (meld is not None and meld.type is MeldType.KONG)


@pytest.mark.parametrize("people", [("--disturb", "1"), ("--disturb-once",)], ids=["as-usual", "in-each-way-once"])
def test_a_hand_among_people_who_disturb_is_played_to_its_end_and_recorded_as_it_was_played(
    tmp_path: Path, people: tuple[str, ...]
) -> None:
    """Discards, melds and the shown hand lie anywhere; what is in doubt the demo's referee answers on his page. The report compares the
    record with the tiles of the simulated world, and this test with the hand as the same people play it in memory. The hand has no kong;
    tests/controller/recorder/test_decoder.py lays one whose tiles lie apart."""
    with DemoRun(tmp_path / "demo", *people, "--recorder", "record") as demo:
        demo.wait(lambda events: bool(of_type(events, "hand-shown")))
        with demo.held():
            counts = demo.counts()
        report = demo.report()
        events = demo.events()
    (hand,) = report["tables"][0]["hands"]
    record = HandRecord.from_json(Path(hand["record"]).read_text(encoding="utf-8"))
    happened = {kind for kind in Disturbance if counts.get(kind)}
    kongs = any(has_kong(event) for event in record.events)
    assert happened
    if "--disturb-once" in people:
        assert happened == (AT_PLAYED_TABLES if kongs else AT_PLAYED_TABLES - {Disturbance.KONG_APART})
    assert record.events[:-1] == played_in_memory(record)
    assert not of_type(events, "deal-fouled")
    assert not of_type(events, "violation")
    assert all(told["by"] == "Referee" for told in of_type(events, "tile-answered"))
    assert report["reads"]["wrong"] == 0


def test_discards_far_off_their_slots_are_taken(tmp_path: Path) -> None:
    """In ``make test`` tests/controller/adapters/test_discards_off_their_slots.py lays one before the simulated camera."""
    with DemoRun(tmp_path / "demo", "--disturb", "1", "--recorder", "record", seed=STANDS_STILL) as demo:
        demo.wait(lambda events: len(of_type(events, "tile-discarded")) >= GOES_ON)
        assert not of_type(demo.events(), "deal-fouled")
