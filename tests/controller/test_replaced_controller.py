"""A controller that was lost with its disk in the middle of a session, and the one that takes its place."""

from pathlib import Path

import pytest

from controller.ledger.first_lines import LostJournal
from controller.ledger.journal_events import OperationIssued
from controller.state.playing import PlayStage
from tests.support.controller.rigs import EVENT, MakeRig, set_up
from tests.support.controller.sessions import Session, second_set, written_session
from twinwall.game.play_events import EndReason, HandEnded
from twinwall.game.tiles import SEATS
from twinwall.wire.events.hand_events import HandClosed
from twinwall.wire.events.wall_events import ControllerStarted, StartFixed
from twinwall.wire.ledger import verify_chain
from twinwall.wire.messages.signing import Signer, sign_document
from twinwall.wire.messages.staff_orders import ReplacementOrder

SERVER = Signer("server", b"\x0a" * 32)


def lost_journal(*, finished: tuple[int, ...], n: int) -> LostJournal:
    """An order of the staff of a hall whose server has line 40 of the table's former journal."""
    order = ReplacementOrder(EVENT, "journal-1", 40, "ab" * 32, finished, n, "the disk is broken", "Abe", "Ota" if n else "")
    return LostJournal(order, sign_document(SERVER, order, EVENT, "1"))


@pytest.mark.nightly
def test_the_next_controller_annuls_the_hand_that_was_in_play_and_plays_the_deal_after_it(make_rig: MakeRig, tmp_path: Path) -> None:
    deals, scripts = written_session(3, seed=1)
    rig = make_rig(*deals, setup=set_up(last_hand=3))
    session = Session(rig, scripts, box=second_set())
    rig.run(lambda: len(session.hands) == 2 and rig.state.playing.stage is PlayStage.PLAYING)
    first, tiles = rig.record(1), sorted(map(str, session.tiles))
    begun = rig.state.next_operation
    rig.replace_controller(tmp_path / "new", lost_journal(finished=(1,), n=2))
    assert rig.state.closed == (1, 2)
    rig.run(lambda: rig.state.closed == (1, 2, 3))
    assert rig.record(3).scores and rig.record(3).events == tuple(scripts[2])
    assert first.scores
    assert not (rig.folder / "records" / "session-01-hand-02.json").exists(), "of the hand that was in play there is no record here"
    assert sorted(map(str, session.tiles)) == tiles, "no tile is lost, wherever the lost controller had it moved"
    assert min(event.operation for event in rig.happened(OperationIssued)) >= begun, "no operation number is used twice"


def test_its_journal_begins_with_the_order_and_what_follows_from_it_and_is_read_again(make_rig: MakeRig, tmp_path: Path) -> None:
    deals, _ = written_session(3, seed=1)
    rig = make_rig(*deals, setup=set_up(last_hand=3))
    lost = lost_journal(finished=(1,), n=2)
    rig.replace_controller(tmp_path / "new", lost)
    rig.settle()
    start, ended, closed, started = rig.events()[:4]
    assert isinstance(start, StartFixed)
    assert (start.replaces, start.finished) == (lost.signed.decode(), (1,))
    assert ended == HandEnded(EndReason.ANNULLED, dict.fromkeys(SEATS, 0))
    assert closed == HandClosed(2)
    assert isinstance(started, ControllerStarted)
    rig.restart()
    assert rig.state.closed == (1, 2)
    assert rig.state.making.deal is not None
    assert rig.state.making.deal.n == 3
    assert len(rig.happened(StartFixed)) == 1
    assert verify_chain(rig.ledgers[0].lines) is None
    assert b"replaces" in rig.ledgers[0].lines[0]
    assert not any(b"replaces" in line or b"annulled" in line for line in rig.ledgers[1].lines), "nobody else learns how far the table is"


def test_between_two_hands_nothing_is_annulled(make_rig: MakeRig, tmp_path: Path) -> None:
    deals, _ = written_session(2, seed=1)
    rig = make_rig(*deals, setup=set_up(last_hand=2))
    rig.replace_controller(tmp_path / "new", lost_journal(finished=(1,), n=0))
    rig.settle()
    assert rig.happened(HandEnded) == []
    assert rig.state.closed == (1,)
    assert rig.state.making.deal is not None
    assert rig.state.making.deal.n == 2
