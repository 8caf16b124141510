"""A table that goes on with other players in one journal, and a controller that takes the place of one that was lost with its disk."""

from dataclasses import replace
from pathlib import Path

import pytest

from controller.ledger.first_lines import LostJournal
from controller.ledger.journal_events import OperationIssued
from controller.state.sides import PlayStage
from tests.support.controller.players import written_hand
from tests.support.controller.rigs import EVENT, MakeRig, opened, set_up
from tests.support.controller.sessions import SHORT_HANDS, Session, hand_is, seat_players, seat_session, second_set, written_session
from tests.support.game.tables import random_walls
from twinwall.game.play_events import EndReason, HandEnded
from twinwall.game.tiles import SEATS
from twinwall.wire.events.hand_events import HandClosed, HandStarted
from twinwall.wire.events.wall_events import ControllerStarted, StartFixed
from twinwall.wire.ledger import verify_chain
from twinwall.wire.messages.commands import TakeSeat
from twinwall.wire.messages.signing import Signer, sign_document
from twinwall.wire.messages.staff_orders import ReplacementOrder

BEFORE, AFTER = ("11", "12", "13", "14"), ("11", "12", "13", "99")


@pytest.mark.slow
def test_a_substitute_plays_from_the_next_hand_and_stands_in_no_earlier_record(make_rig: MakeRig) -> None:
    rig = seat_session(make_rig, 2, SHORT_HANDS, raised=True).rig
    rig.setup = replace(rig.setup, names=BEFORE)
    rig.die(power_cut=False)
    rig.run(hand_is(rig, 1, PlayStage.CLOSED))
    rig.setup = replace(rig.setup, names=AFTER)
    rig.die(power_cut=False)
    assert sorted(rig.record(1).players.values()) == sorted(BEFORE)
    rig.run(hand_is(rig, 2, PlayStage.CLOSED))
    assert [sorted(started.seats.values()) for started in rig.happened(HandStarted)] == [sorted(BEFORE), sorted(AFTER)]
    assert sorted(rig.record(2).players.values()) == sorted(AFTER)


@pytest.mark.slow
def test_the_next_session_is_played_in_the_same_journal_when_its_players_have_said_who_they_are(make_rig: MakeRig) -> None:
    deals, scripts = written_session(2, SHORT_HANDS)
    walls = random_walls(401)
    third = replace(opened(walls, n=3, hand=1), session=2)
    session = seat_players(make_rig, deals, [*scripts, written_hand(set_up().rules, walls, 3, hand=1)], 3)
    rig = session.rig
    rig.run(hand_is(rig, 2, PlayStage.CLOSED), most=60_000, most_s=3600)
    rig.setup = replace(rig.setup, names=AFTER, session=2, seat_check=True)
    rig.deals.deals.append(third)
    rig.die(power_cut=False)
    for place, player in enumerate(AFTER):
        rig.post(TakeSeat(place, player))
    rig.run(lambda: 3 in rig.state.closed, most=60_000, most_s=3600)
    assert [(started.session, started.hand) for started in rig.happened(HandStarted)] == [(1, 1), (1, 2), (2, 1)]
    assert sorted(rig.happened(HandStarted)[-1].seats.values()) == sorted(AFTER)
    assert not rig.state.faults
    assert session.backs == [{1: 136}, {2: 136}, {1: 136}], "the sets go on in turn"


@pytest.mark.slow
def test_a_table_that_is_told_to_leave_plays_the_hand_to_its_end(make_rig: MakeRig) -> None:
    rig = seat_session(make_rig, 2, SHORT_HANDS, raised=True).rig
    rig.run(hand_is(rig, 1, PlayStage.PLAYING))
    rig.table.leave_between_hands()
    assert rig.table.step(rig.follower, rig.publisher, lambda _: None, 0)
    rig.run(hand_is(rig, 1, PlayStage.CLOSED))
    assert not rig.table.step(rig.follower, rig.publisher, lambda _: None, 0)


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
    assert (rig.state.making.deal.n, len(rig.happened(StartFixed))) == (3, 1)
    assert verify_chain(rig.ledgers[0].lines) is None
    assert b"replaces" in rig.ledgers[0].lines[0]
    assert not any(b"replaces" in line or b"annulled" in line for line in rig.ledgers[1].lines), "nobody else learns how far the table is"


def test_between_two_hands_nothing_is_annulled(make_rig: MakeRig, tmp_path: Path) -> None:
    deals, _ = written_session(2, seed=1)
    rig = make_rig(*deals, setup=set_up(last_hand=2))
    rig.replace_controller(tmp_path / "new", lost_journal(finished=(1,), n=0))
    rig.settle()
    assert (rig.happened(HandEnded), rig.state.closed) == ([], (1,))
    assert rig.state.making.deal is not None
    assert rig.state.making.deal.n == 2
