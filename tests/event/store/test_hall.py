"""The hall: what it tells, and what it withholds until a deal is released; and tables without cameras."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.controller.paper_rig import PaperRig
from tests.support.event.ledgers import SCORES, TABLES, closing, events, playing, starting
from tests.support.event.stored_event import DEALS, PROGRAMME, open_desk, script, slip_bytes, stream, until_closed
from tests.support.narrowed import present
from tests.support.tiers import examples
from tests.support.wire.streams import START, Line
from twinwall.event.comparison import TeamEntry
from twinwall.event.hand_records import record_of
from twinwall.event.results import Basis, result_after_rulings
from twinwall.event.store.hall import Hall, SlipRefusedError, open_slip
from twinwall.event.store.programme import Programme
from twinwall.event.store.staff_calls import CallKind, DealProgress
from twinwall.event.store.store_check import hand_problem
from twinwall.event.store.store_contents import Acknowledgement
from twinwall.game.play_events import EndReason, HandEnded
from twinwall.game.record import HandRecord
from twinwall.game.replay import replay
from twinwall.game.tiles import SEATS, Seat
from twinwall.wire.ledger import PublicEvent, parse


def hall_after(*streams: Iterable[PublicEvent], released: Iterable[int] = ()) -> Hall:
    hall = Hall(PROGRAMME)
    for of_table in streams:
        for event in of_table:
            hall.take(event)
    for n in released:
        hall.release(open_slip(slip_bytes(n), PROGRAMME.custody, START))
    return hall


def progress(hall: Hall, n: int, *, for_officials: bool = False) -> list[DealProgress]:
    return [at.progress for at in hall.deal(n, for_officials=for_officials).tables]


FINISHED, PLAYING, READY = DealProgress.FINISHED, DealProgress.PLAYING, DealProgress.READY


def test_before_release_nothing_of_a_deal_is_there_but_how_far_the_tables_are_and_a_referee_s_own_table() -> None:
    hall = hall_after(*map(stream, TABLES))
    state = hall.deal(1)
    assert (state.released, state.hands, hall.hands(), hall.hand("1", 1), dict(hall.comparison().deals)) == (None, (), (), None, {})
    assert hall.comparison().comparison.groups == ()
    assert present(hall.hand("2", 1, as_referee_of="2")).closed
    assert hall.hand("2", 1, as_referee_of="3") is None
    assert {hand.table for hand in hall.hands(as_referee_of="2")} == {"2"}


def test_a_table_that_began_with_a_later_deal_does_not_tell_that_it_has_finished_it() -> None:
    begun = hall_after(events(script("2", (2, 3)), "2"))
    assert progress(begun, 2)[1] is PLAYING, "tables 1, 3 and 4 have yet to play it"
    assert progress(begun, 3)[1] is READY, "the next hand's start would tell that the first is over"
    assert progress(begun, 2, for_officials=True)[1] is FINISHED


def test_a_released_deal_shows_hands_walls_and_comparison_and_the_others_stay_hidden() -> None:
    hall = hall_after(*map(stream, TABLES), released=[1])
    state = hall.deal(1)
    assert [hand.table for hand in state.hands] == list(TABLES)
    assert present(state.released).deal.n == 1
    assert state.differing == ()
    entries = [entry for entry in hall.comparison().deals[1].groups["1"].entries if isinstance(entry, TeamEntry)]
    assert [(entry.entrant, entry.imp) for entry in entries] == [("A", 16), ("B", -10), ("C", 0), ("D", -14)]
    assert {hand.n for hand in hall.hands()} == {1}
    assert 2 not in hall.comparison().deals


@given(st.tuples(*[st.permutations(DEALS)] * len(TABLES)))
@settings(max_examples=examples(10))
def test_results_are_the_same_in_whatever_order_each_table_plays_the_deals(orders: tuple[list[int], ...]) -> None:
    streams = [events(script(table, order), table) for table, order in zip(TABLES, orders, strict=True)]
    assert hall_after(*streams).comparison().comparison.groups == ()
    staggered, barometer = hall_after(*streams, released=DEALS), hall_after(*map(stream, TABLES), released=DEALS)
    assert staggered.comparison().comparison.groups == barometer.comparison().comparison.groups
    assert staggered.standings().ranking == barometer.standings().ranking
    assert [hand.n for hand in staggered.hands() if hand.table == "1"] == list(DEALS)


def totals(*released: int) -> dict[str, int]:
    (group,) = hall_after(*map(stream, TABLES), released=released).comparison().comparison.groups
    return {standing.entrant: int(standing.total) for standing in group.ranking}


def test_standings_add_up_the_released_deals_alone() -> None:
    first, second = totals(1), totals(2)
    assert totals(2, 1) == {team: first[team] + second[team] for team in first}
    hall = hall_after(*map(stream, TABLES), released=[1])
    assert len(hall.comparison().comparison.groups[0].deals) == 1
    hall.release(open_slip(slip_bytes(3), PROGRAMME.custody, START))
    assert [deal.deal for deal in hall.comparison().comparison.groups[0].deals] == [1, 3]


def test_that_a_table_has_finished_is_the_officials_knowledge_until_all_have() -> None:
    hall = hall_after(until_closed("1", 1), until_closed("2", 2), *(until_closed(table, 1)[:-1] for table in "34"))
    assert progress(hall, 1) == [PLAYING] * 4
    assert progress(hall, 1, for_officials=True) == [FINISHED, FINISHED, PLAYING, PLAYING]
    for table in "34":
        hall.take(until_closed(table, 1)[-1])
    assert progress(hall, 1) == [FINISHED] * 4


def test_a_table_that_was_withdrawn_does_not_keep_the_others_back() -> None:
    withdrawn, others = until_closed("4", 1)[:-1], [until_closed(table, 2) for table in "123"]
    hall = hall_after(withdrawn, *others, released=[1])
    assert progress(hall, 1) == [FINISHED] * 3 + [PLAYING]
    assert progress(hall, 2)[:3] == [PLAYING] * 3
    hall.release(open_slip(slip_bytes(2), PROGRAMME.custody, START))
    assert progress(hall, 2)[:3] == [FINISHED] * 3


def open_to_all(hall: Hall) -> object:
    """Everything that a hall tells whoever asks without saying who he is."""
    deals = [hall.deal(n) for n in DEALS]
    single = [hall.hand(table, n) for table in TABLES for n in DEALS]
    found = hall.comparison()
    return deals, single, hall.hands(), hall.comparison().deals, found, hall.calls()


ZERO_SUM = st.tuples(*[st.integers(-99, 99)] * 3).map(lambda three: (*three, -sum(three)))


@settings(max_examples=examples(25))
@given(scores=ZERO_SUM, turns=st.integers(1, 6), released=st.sampled_from([(), (1,)]))
def test_nothing_open_to_all_depends_on_what_was_played_in_a_deal_that_is_not_released(
    scores: tuple[int, ...], turns: int, released: tuple[int, ...]
) -> None:
    """Table 1 is ahead; of its second deal, everything that only it may know is another in the other world."""
    first = until_closed("1", 1)
    behind = [until_closed(table, 1) for table in "234"] if released else [until_closed(table, 1)[:-1] for table in "234"]
    one = [*script("1")[: len(first)], *starting(2), *playing(2), *closing(2, SCORES[0])]
    other = [*script("1")[: len(first)], *starting(2), *playing(turns), *closing(2, scores)]
    worlds = [hall_after(on_time(lines, len(first)), *behind, released=released) for lines in (one, other)]
    assert open_to_all(worlds[0]) == open_to_all(worlds[1])


def on_time(lines: list[Line], shared: int) -> list[PublicEvent]:
    """The events at the same moments in every world, the later ones all at once: a hand's length is its own secret too."""
    return [replace(event, at=START + timedelta(seconds=min(index, shared + 2))) for index, event in enumerate(events(lines))]


@settings(max_examples=examples(25))
@given(st.data())
def test_from_the_next_wall_on_it_cannot_be_told_how_far_a_table_is_that_others_wait_for(data: st.DataObject) -> None:
    behind = [until_closed(table, 1)[:-1] for table in "234"]
    ready = 1 + next(index for index, event in enumerate(stream("1")) if event.type == "wall-ready" and event.fields["n"] == 2)
    one, other = (data.draw(st.integers(ready, len(stream("1")))) for _ in range(2))
    assert open_to_all(hall_after(stream("1")[:one], *behind)) == open_to_all(hall_after(stream("1")[:other], *behind))


def test_a_table_with_another_check_than_the_slip_is_named() -> None:
    other = events(
        [("deal-opened", {"n": 1, "session": 1, "hand": 1, "rules": "mcr-duplicate", "check": "0" * 64}), *starting(1, "3")], "3"
    )
    assert hall_after(stream("1"), other, released=[1]).deal(1).differing == ("3",)


@pytest.mark.parametrize(
    "change", [lambda text: text.replace(b'"n":1', b'"n":2'), lambda text: text.replace(b"12:00", b"13:00"), lambda _: b"{}"]
)
def test_a_slip_that_does_not_lead_to_the_root_is_refused(change: object) -> None:
    assert callable(change)
    with pytest.raises(SlipRefusedError):
        open_slip(change(slip_bytes(1)), PROGRAMME.custody, START)


def test_without_a_plan_nothing_is_ever_released() -> None:
    with pytest.raises(SlipRefusedError, match="no plan"):
        open_slip(slip_bytes(1), None, START)
    hall = Hall(Programme("Rehearsal", PROGRAMME.field))
    for event in stream("1"):
        hall.take(event)
    assert hall.deals() == DEALS
    assert hall.hands() == ()


def test_a_deal_that_a_table_lacks_is_left_out_with_the_reason() -> None:
    (out,) = hall_after(*map(stream, "123"), released=[1]).comparison().left_out
    assert (out.n, out.reason) == (1, "deal 1 in group 1 has no result of table 4")


CALLS: list[Line] = [("referee-called", {"seat": "W"}), ("fault", {"code": "jam", "where": "tray 3", "sentence": "A tile is stuck."})]


def test_calls_about_a_doubted_record_name_deal_event_and_seat_and_end_each_with_its_own_answer() -> None:
    doubt: dict[str, object] = {"n": 1, "number": 3, "held": "", "read": "", "margin": 1.0}
    violated: dict[str, object] = {"violations": {"put-back": "."}}
    others: list[dict[str, object]] = [{}, {"number": 37}, {"seat": "E", **violated}, {"seat": "S", **violated}]
    asked: list[Line] = [("record-questioned", {**doubt, **of}) for of in others]
    said: dict[str, object] = {"n": 1, "by": "A. Referee"}
    answers: list[Line] = [
        ("record-answered", {**said, "number": 37, "right": "decoder"}),
        ("record-answered", {**said, "number": 3, "right": "record", "seat": "S"}),
    ]
    calls = hall_after(events([*asked, *answers])).calls()
    assert {call.kind for call in calls} == {CallKind.RECORD}
    assert [(call.doubted, call.word, call.seat, call.is_open) for call in calls] == [
        ((1, 3), "", None, True),
        ((1, 37), "", None, False),
        ((1, 3), "violation", Seat.EAST, True),
        ((1, 3), "violation", Seat.SOUTH, False),
    ]


def test_calls_are_open_until_their_cause_is_gone_and_say_who_took_them_up() -> None:
    stream_of_calls = events([*CALLS, ("fault-cleared", {"code": "jam"}), *starting(1)])
    hall = hall_after(stream_of_calls[:2])
    referee, fault = hall.calls()
    assert [(call.kind, call.word, call.is_open) for call in (referee, fault)] == [
        (CallKind.REFEREE, "", True),
        (CallKind.FAULT, "jam", True),
    ]
    taken_up = Acknowledgement("1", referee.journal, referee.seq, "A. Referee", START)
    assert hall.acknowledge(taken_up)
    assert not hall.acknowledge(Acknowledgement("1", referee.journal, 99, "A. Referee", START))
    assert hall.acknowledge(Acknowledgement("1", referee.journal, referee.seq, "B. Referee", START))
    assert hall.calls()[0].acknowledged == taken_up
    for event in stream_of_calls[2:]:
        hall.take(event)
    assert [call.is_open for call in hall.calls()] == [False, False]


def test_a_call_by_the_table_itself_names_no_seat() -> None:
    by_seat, by_table = hall_after(events([CALLS[0], ("referee-called", {"about": "hand-overdue"})])).calls()
    assert [(call.kind, call.seat) for call in (by_seat, by_table)] == [(CallKind.REFEREE, Seat.WEST), (CallKind.REFEREE, None)]


@pytest.mark.parametrize(
    ("before", "deals", "is_open"), [((2,), (1,), True), ((2,), (2,), False), ((1, 2), (1,), True), ((1, 2), (1, 2), False)]
)
def test_a_ruling_ends_the_call_of_its_own_deal_and_no_other(before: tuple[int, ...], deals: tuple[int, ...], is_open: bool) -> None:
    ruled: dict[str, object] = {"by": "A. Referee", "texts": {"en": "so it is"}, "effects": []}
    lines = [line for n in before for line in starting(n)]
    rulings: list[Line] = [("ruling", {**ruled, "ruling": f"r{n}", "n": n}) for n in deals]
    assert [call.is_open for call in hall_after(events([*lines, CALLS[0], *rulings])).calls()] == [is_open]


def test_who_calls_while_the_tiles_of_a_hand_are_taken_is_not_forgotten_when_it_starts() -> None:
    raised, *taken = starting(2)
    script: list[Line] = [*starting(1), raised, CALLS[0], *taken]
    assert [call.is_open for call in hall_after(events(script)).calls()] == [True]


def test_calls_tell_nothing_that_only_their_table_may_know() -> None:
    (_, fault) = hall_after(events(CALLS)).calls()
    assert "stuck" not in repr(fault)
    assert "tray" not in repr(fault)


def test_a_replaced_controller_calls_anew() -> None:
    hall = hall_after(events(CALLS), events(CALLS[:1], journal="another", start=START + timedelta(minutes=1)))
    assert [call.is_open for call in hall.calls()] == [False, False, True]


DEAL = 1
PAPER = TABLES[2:]


def on_paper(folder: Path, table: str, scores: Sequence[int]) -> list[PublicEvent]:
    """The ledger of a table without cameras at which the deal had these scores."""
    PaperRig(folder / table, table).play(DEAL, scores)
    return [parse(line) for line in (folder / table / "events.jsonl").read_bytes().splitlines(keepends=True)]


def hall_of(folder: Path, ledgers: Iterable[Sequence[PublicEvent]]) -> Hall:
    """What a store makes of these ledgers and the released slip."""
    folder.mkdir()
    desk = open_desk(folder)
    try:
        for ledger in ledgers:
            assert not desk.take(ledger)
        desk.slip(slip_bytes(DEAL), START)
        return desk.hall
    finally:
        desk.close()


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Hall:
    """Two tables with their play on record, two without."""
    folder = tmp_path_factory.mktemp("paper")
    played = [until_closed(table, DEAL) for table in TABLES if table not in PAPER]
    return hall_of(folder / "mixed", [*played, *(on_paper(folder, table, SCORES[TABLES.index(table)]) for table in PAPER)])


def test_the_comparison_is_the_same_as_with_the_play_of_all_tables_on_record(mixed: Hall, tmp_path: Path) -> None:
    recorded = hall_of(tmp_path / "recorded", [until_closed(table, DEAL) for table in TABLES])
    assert (mixed.comparison(), mixed.standings()) == (recorded.comparison(), recorded.standings())
    assert mixed.comparison().left_out == ()
    state = mixed.deal(DEAL)
    assert {at.table: at.progress.value for at in state.tables} == dict.fromkeys(TABLES, "finished")
    assert state.differing == (), "it has no check of its own that could differ"


def test_a_hand_that_was_entered_counts_as_played_and_its_record_says_so_and_replays_to_scores_that_sum_to_zero(mixed: Hall) -> None:
    released = present(mixed.released(DEAL))
    for hand in (hand for hand in mixed.hands(DEAL) if hand.table in PAPER):
        counted, record = result_after_rulings(hand), record_of(hand, released.deal)
        assert (hand_problem(hand, released), present(counted).basis) == (None, Basis.PLAYED)
        assert HandRecord.from_json(json.dumps(record.to_json())) == record
        assert record.events == (HandEnded(EndReason.ENTERED, record.scores),)
        assert dict(replay(record).scores) == dict(record.scores)
        scores = dict.fromkeys(SEATS, 0) | {Seat.EAST: 1}
        ends = {
            event.seq: replace(event, body=replace(event.body, scores=scores)) for event in hand.events if isinstance(event.body, HandEnded)
        }
        altered = tuple(ends.get(event.seq, event) for event in hand.events)
        assert "sum to +1" in str(hand_problem(replace(hand, events=altered), released))
