"""The open ledger: tells that a table builds and plays, and not when a hand ended until its deal is released."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.ledger.journal import JournalEntry
from controller.ledger.journal_events import JournalEvent
from controller.ledger.public import open_ledger
from controller.state.messages import SlipHeard
from controller.state.sides import PlayStage
from tests.support.controller.rigs import MakeRig, opened, set_up
from tests.support.controller.sessions import SHORT_HANDS, Session, hand_is, second_set, written_session
from tests.support.game.tables import random_walls
from tests.support.tiers import law
from twinwall.game.documents import write_time
from twinwall.game.play_events import EndReason, HandEnded
from twinwall.game.tiles import SEATS, Seat
from twinwall.wire.events.definitions import EVERYWHERE
from twinwall.wire.events.hand_events import DealReleased, HandClosed, HandStarted, Settled
from twinwall.wire.events.seat_events import ClockPaused, ClockResumed, SeatsAwaited
from twinwall.wire.events.trouble_events import LinkLost, LinkRestored, RefereeCalled, TableFault
from twinwall.wire.events.wall_events import Building, ControllerStarted, DealOpened, HandsTaken, WallRaised, WallReady
from twinwall.wire.ledger import parse

START = datetime(2026, 11, 20, 10, 0, tzinfo=UTC)
DEAL = opened(random_walls(1))
NOTHING = dict.fromkeys(SEATS, 0)
Timed = tuple[int, JournalEvent]
"""Seconds from the start, and what happens then."""


def deal_opened(n: int) -> DealOpened:
    return DealOpened(n, 1, n, DEAL.rules, DEAL.check, DEAL.walls, DEAL.digest)


def build(n: int) -> tuple[JournalEvent, ...]:
    return deal_opened(n), Building(68, 136), Building(136, 136), WallReady(n, DEAL.check, DEAL.digest)


def rise(n: int) -> tuple[JournalEvent, ...]:
    """The walls go up, and play begins."""
    names, places, draws = dict.fromkeys(SEATS, "Ann"), dict(zip(SEATS, range(4), strict=True)), dict.fromkeys(SEATS, 21)
    return WallRaised(n), HandsTaken(n), HandStarted(n, 1, n, DEAL.rules, {}, Seat.EAST, names, places, draws)


def close(n: int, winner: Seat | None = None) -> tuple[JournalEvent, ...]:
    scores = NOTHING if winner is None else {seat: 24 if seat is winner else -8 for seat in SEATS}
    reason = EndReason.DRAWN if winner is None else EndReason.WON
    return Settled(scores), HandEnded(reason, scores), HandClosed(n)


def journal(timed: list[Timed]) -> tuple[JournalEntry, ...]:
    """Entries in the order of their times."""
    ordered = sorted(timed, key=lambda each: each[0])
    return tuple(
        JournalEntry(seq, write_time(START + timedelta(seconds=at_s)), event) for seq, (at_s, event) in zip(count(1), ordered, strict=False)
    )


def told(entries: tuple[JournalEntry, ...]) -> list[bytes]:
    """The open ledger's lines, grown entry by entry."""
    with TemporaryDirectory() as folder:
        ledger = open_ledger(Path(folder), "1", "j")
        ledger.catch_up(())
        for entry in entries:
            ledger.append([entry])
        ledger.close()
        again = open_ledger(Path(folder), "1", "j")
        again.catch_up(entries)
        again.close()
        assert again.lines == ledger.lines, "a fresh start tells the same"
        return ledger.lines


def types(lines: list[bytes]) -> list[str]:
    return [parse(line, classes=EVERYWHERE).type for line in lines]


def spread(start_s: int, events: tuple[JournalEvent, ...]) -> Iterator[Timed]:
    return zip(count(start_s), events, strict=False)


def session(end_s: int, winner: Seat | None, apart: list[Timed], released_s: int | None, *, custody: bool = True) -> list[Timed]:
    """Hand 1 ends at ``end_s``; wall 2, built meanwhile, rises then or when it is ready, and wall 3 is built while hand 2 is played."""
    timed: list[Timed] = [(0, ControllerStarted("j", "1", False, 1, custody)), *spread(1, build(1)), *spread(10, rise(1))]
    timed += [*spread(20, build(2)), *spread(end_s, close(1, winner))]
    risen_s = max(end_s, 30) + 5
    timed += [*spread(risen_s, rise(2)), *spread(risen_s + 5, build(3)), (risen_s + 12, TableFault("jam", "drum", "A tile sticks"))]
    timed += [*spread(risen_s + 20, close(2)), *spread(risen_s + 25, rise(3))]
    timed += apart
    return timed if released_s is None else [*timed, (released_s, DealReleased(1))]


APART = st.lists(
    st.tuples(
        st.integers(12, 400),
        st.sampled_from([LinkLost("broker"), LinkRestored("broker"), RefereeCalled(Seat.WEST), ControllerStarted("j", "1", True, 9, True)]),
    ),
    max_size=6,
    unique_by=lambda each: each[0],
)


@law
@given(
    ends_s=st.tuples(st.integers(15, 200), st.integers(15, 200)),
    winners=st.tuples(st.sampled_from([None, *SEATS]), st.sampled_from([None, *SEATS])),
    apart=APART,
)
def test_two_sessions_that_differ_in_when_and_how_a_hand_ended_look_the_same_until_its_release(
    ends_s: tuple[int, int], winners: tuple[Seat | None, Seat | None], apart: list[Timed]
) -> None:
    first, second = (told(journal(session(end, winner, apart, None))) for end, winner in zip(ends_s, winners, strict=True))
    assert first == second


@law
@given(end_s=st.integers(15, 200), apart=APART)
def test_with_the_release_comes_what_waited_in_its_order_and_with_the_time_of_that_moment(end_s: int, apart: list[Timed]) -> None:
    entries = journal(session(end_s, Seat.SOUTH, apart, 500))
    before, after = told(entries[:-1]), told(entries)
    assert after[: len(before)] == before
    events = [parse(line, classes=EVERYWHERE) for line in after[len(before) :]]
    assert [event.type for event in events] == [
        *("deal-released", "wall-raised", "hands-taken", "hand-started"),
        *("deal-opened", "building", "building", "wall-ready"),
    ], "wall 3 waits for the release of deal 2"
    assert {event.at for event in events} == {START + timedelta(seconds=500)}


def test_a_release_out_of_order_tells_nothing_before_its_turn() -> None:
    entries = journal([*session(40, None, [], None), (500, DealReleased(2)), (510, DealReleased(1))])
    early, all_told = types(told(entries[:-1])), types(told(entries))
    assert early[-1] == "deal-released"
    assert (all_told.count("wall-raised"), all_told[len(early) :].count("deal-released")) == (3, 1)


def test_other_players_are_not_told_of_before_the_deal_of_the_hand_before_them_is_released() -> None:
    """They are asked who they are when that hand is over, and when it was is a secret."""
    begun = [(0, ControllerStarted("j", "1", False, 1, True)), *spread(1, (*build(1), *rise(1))), *spread(40, close(1))]
    asked: list[Timed] = [*begun, (60, SeatsAwaited(1, ("11", "12", "13", "99")))]
    assert "seats-awaited" not in types(told(journal(asked)))
    assert types(told(journal([*asked, (500, DealReleased(1))])))[-2:] == ["deal-released", "seats-awaited"]


def test_nothing_waits_for_the_release_of_a_wall_that_is_left_for_another_session() -> None:
    """No hand was played with it, so nothing tells when one ended; and no release of it will come."""
    begun = [(0, ControllerStarted("j", "1", False, 1, True)), *spread(1, (*build(1), *rise(1))), *spread(20, build(2))]
    left: list[Timed] = [*begun, *spread(40, (*close(1), WallRaised(2))), (50, SeatsAwaited(2, ("11", "12", "13", "99")))]
    following = [*left, (60, replace(deal_opened(3), session=2)), *spread(70, rise(3)), (80, DealReleased(1))]
    said = types(told(journal(following)))
    assert said[-6:] == ["wall-raised", "seats-awaited", "deal-opened", "wall-raised", "hands-taken", "hand-started"]


def test_deals_in_no_custody_are_told_at_once() -> None:
    """Nobody releases them, so nothing could end the wait."""
    lines = told(journal(session(40, Seat.EAST, [], None, custody=False)))
    assert types(lines).count("hand-started") == 3
    assert parse(lines[-1], classes=EVERYWHERE).at == START + timedelta(seconds=70)


@pytest.mark.parametrize("custody_s", [12, 300])
def test_what_was_in_custody_stays_kept_back_when_the_table_goes_on_without_a_vault(custody_s: int) -> None:
    timed = [*session(40, None, [], None), (custody_s, ControllerStarted("j", "1", True, 9, False))]
    assert types(told(journal(timed))).count("wall-raised") == 1, "deal 1 came from the vault"


@pytest.mark.slow
def test_a_whole_session_at_a_table_tells_only_what_a_table_that_still_plays_its_first_hand_would(make_rig: MakeRig) -> None:
    deals, scripts = written_session(3, SHORT_HANDS)
    rig = make_rig(*deals, seed=5, setup=set_up(last_hand=3, custody=True))
    Session(rig, scripts, box=second_set())
    rig.run(hand_is(rig, 3, PlayStage.CLOSED), most=60_000, most_s=3600)
    kept = types(rig.ledgers[1].lines)
    assert [(kind, kept.count(kind)) for kind in ("deal-opened", "wall-ready", "wall-raised", "hands-taken", "hand-started")] == [
        ("deal-opened", 2),
        ("wall-ready", 2),
        ("wall-raised", 1),
        ("hands-taken", 1),
        ("hand-started", 1),
    ]
    for n in (1, 2, 3):
        rig.tell(SlipHeard(n))
    told = types(rig.ledgers[1].lines)
    assert told[: len(kept)] == kept
    assert [told.count(kind) for kind in ("deal-opened", "wall-raised", "hand-started", "deal-released")] == [3, 3, 3, 3]
    assert all(rig.record(hand).walls is not None for hand in (1, 2, 3))


def test_a_pause_is_told_at_once_but_where_an_earlier_program_wrote_it() -> None:
    pauses: list[JournalEvent] = [ClockPaused(), ClockResumed(), ClockPaused(published=True), ClockResumed(published=True)]
    entries = journal([*spread(0, (ControllerStarted("j1", "0.1.0", False, 1, custody=True),)), *spread(30, tuple(pauses))])
    assert types(told(entries)) == ["controller-started", "clock-paused", "clock-resumed"]
