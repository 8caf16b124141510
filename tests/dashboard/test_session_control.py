"""A session that begins: the tables are assigned what the directors have seated, the vaults are asked for its deals."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Literal

import pytest

from dashboard.assignments import HallTable, HallTables
from dashboard.custody.deal_making import DealMaking
from dashboard.session_control import SessionControl, assignments
from tests.support.event.managed import PREPARED
from twinwall.event.deal_state import RefusedStep
from twinwall.event.management import changes
from twinwall.event.management.change_checks import ChangeRefusal, Why
from twinwall.event.management.managed_event import ManagedEvent, apply, managed_event
from twinwall.game.deals import Plan, Start, StartedPlan
from twinwall.game.deals.encoding import Sha256
from twinwall.game.deals.plan import PlannedDeal
from twinwall.wire.messages.assignment import Assignment, HallStage, JoinedTable, TableKind
from twinwall.wire.messages.commands import Command, PauseClock
from twinwall.wire.messages.vaults.vault_orders import SessionTable

AT = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
DEALS = tuple(PlannedDeal(n, 1, n, "mcr-duplicate") for n in range(1, 17))
PLAN = Plan("Autumn", ("server",), "drawn in the room", DEALS)
STARTED = StartedPlan(PLAN, Start(PLAN.digest, Sha256(b"\x01" * 32), "1m 2p 3s"))
VAULTS = {"server": "ab" * 32}
PLAYING = apply(managed_event(PREPARED), changes.SessionStarted(1))


class Tables(HallTables):
    def __init__(self, heard: str = "1234", silent: str = "", finished: str = "", refusing: str = "") -> None:
        self.names, self.silent, self.finished, self.refusing = heard, silent, finished, refusing
        self.assigned: dict[str, list[Assignment]] = {}

    def all_tables(self) -> tuple[HallTable, ...]:
        return tuple(map(self._table, self.names))

    def _table(self, name: str) -> HallTable:
        stage = HallStage.FINISHED if name in self.finished else HallStage.WAITING
        beat, assigned = (
            JoinedTable(name, AT, "1", name * 64, stage, refused="a hand is in play" if name in self.refusing else ""),
            self.assigned.get(name),
        )
        return HallTable(name, beat, AT, None if assigned is None else assigned[-1], name in self.silent)

    def assign(self, table: str, assignment: Assignment) -> Assignment:
        self.assigned.setdefault(table, []).append(assignment)
        return assignment


class Vaults(DealMaking):
    """What the vaults were asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, Sequence[SessionTable], Sequence[Sequence[str]], str]] = []

    @property
    def asked_session(self) -> int:
        return self.asked[-1][0] if self.asked else 0

    def begin_session(
        self, session: int, tables: Sequence[SessionTable], groups: Sequence[Sequence[str]], by: str, *, spread: int = 1
    ) -> RefusedStep | None:
        self.asked.append((session, tables, groups, by))
        return None


class Sent:
    """What was told to tables; those that are ``deaf`` are not reached."""

    def __init__(self, deaf: str = "") -> None:
        self.deaf = deaf
        self.told: list[tuple[str, Command]] = []

    def send(self, table: str, command: Command) -> bool:
        self.told.append((table, command))
        return table not in self.deaf


def control_of(tables: Tables, vaults: Vaults | None = None) -> SessionControl:
    return SessionControl(tables, lambda: STARTED, VAULTS, vaults)


def started(
    event: ManagedEvent, change: changes.EventChange, tables: Tables, custody: StartedPlan | None = STARTED
) -> ChangeRefusal | None:
    return SessionControl(tables, lambda: custody, VAULTS).problem(event, change)


def test_every_table_is_assigned_its_players_rules_and_the_event_s_start() -> None:
    tables, vaults = Tables(), Vaults()
    control_of(tables, vaults).carry_out(PLAYING, changes.SessionStarted(1), "Li Na")
    assert sorted(tables.assigned) == ["1", "2", "3", "4"]
    (second,) = tables.assigned["2"]
    assert (second.event, second.session, second.first, second.last) == ("Autumn", 1, 1, 16)
    assert (second.players, second.group, second.vault_keys) == (("5", "6", "7", "8"), "1", VAULTS)
    assert second.started() == STARTED
    assert second.seat_check
    assert vaults.asked == [(1, [SessionTable(name, name * 64, 1) for name in "1234"], [["1", "2", "3", "4"]], "Li Na")]


@pytest.mark.parametrize(("order", "begin"), [("barometer", [1, 1, 1, 1]), ("staggered", [1, 5, 9, 13])])
def test_tables_and_vaults_are_told_with_which_hand_each_table_begins(order: Literal["barometer", "staggered"], begin: list[int]) -> None:
    tables, vaults = Tables(), Vaults()
    described = changes.EventDescribed("individual", "mcr-duplicate", sessions=2, play_order=order)
    event = apply(apply(managed_event(PREPARED), described), changes.SessionStarted(1))
    control_of(tables, vaults).carry_out(event, changes.SessionStarted(1), "Li Na")
    assert [tables.assigned[name][-1].hands[0] for name in "1234"] == begin
    assert all(sorted(each[-1].hands) == list(range(1, 17)) for each in tables.assigned.values())
    assert [table.begins for table in vaults.asked[0][1]] == begin


def test_a_session_without_deals_does_not_begin() -> None:
    event = managed_event(PREPARED)
    refused = started(event, changes.SessionStarted(1), Tables(), None)
    assert refused is not None
    assert refused.why is Why.NO_DEALS
    sichuan = apply(event, changes.EventDescribed("individual", "sichuan", sessions=2))
    refused = started(sichuan, changes.SessionStarted(1), Tables())
    assert refused == ChangeRefusal(Why.DEALS_RULES, "mcr-duplicate"), "it says for which rules they were made"
    assert started(event, changes.EventDescribed("individual", "sichuan", sessions=2), Tables()) == refused, "before somebody relies on it"
    assert started(event, changes.EventDescribed("individual", "sichuan", sessions=2), Tables(), None) is None
    control = control_of(Tables())
    assert control.lacking_deals(event, 1) is None
    assert control.lacking_deals(event, 40) == ChangeRefusal(Why.NO_MORE_DEALS, session=40)
    assert started(event, changes.SessionStarted(1), Tables()) is None


def test_a_table_that_is_not_heard_or_is_of_another_kind_than_the_event_has_of_it_is_named() -> None:
    event, begins = managed_event(PREPARED), changes.SessionStarted(1)
    assert started(event, begins, Tables(heard="13")) == ChangeRefusal(Why.TABLE_NOT_HEARD, "2, 4")
    assert started(event, begins, Tables(silent="3")) == ChangeRefusal(Why.TABLE_NOT_HEARD, "3"), "it was heard once, and is switched off"
    paper = apply(event, changes.TablesChosen(("1", "2", "3", "4"), {"4": TableKind.PAPER}))
    assert started(paper, begins, Tables()) == ChangeRefusal(Why.TABLE_KIND, "4")


@pytest.mark.parametrize(("heard", "asked"), [("1234", 1), ("13", 0)])
def test_a_session_in_play_is_told_again_after_the_server_was_ended_too_early_though_not_all_are_heard(heard: str, asked: int) -> None:
    tables, vaults = Tables(heard), Vaults()
    control = control_of(tables, vaults)
    control.tell_again(managed_event(PREPARED), "Li Na")
    assert (tables.assigned, vaults.asked) == ({}, []), "no session is played"
    control.tell_again(PLAYING, "Li Na")
    assert sorted(tables.assigned) == ["1", "2", "3", "4"]
    assert len(vaults.asked) == asked, "before all are heard the vaults keep what they were asked before"


def test_the_tables_that_refuse_a_session_that_has_begun_are_named() -> None:
    control = control_of(Tables(refusing="24"))
    assert control.refusing(PLAYING) == {"2": "a hand is in play", "4": "a hand is in play"}
    assert control.refusing(apply(PLAYING, changes.SessionEnded(1))) == {}


def test_after_a_crash_each_table_is_told_what_it_plays_when_it_is_heard_and_the_vaults_when_all_are() -> None:
    tables, vaults = Tables(heard=""), Vaults()
    control = control_of(tables, vaults)
    for name in "1234":
        assert vaults.asked == []
        tables.names += name
        control.table_heard(PLAYING, name)
        control.table_heard(PLAYING, name)
    assert {name: len(each) for name, each in tables.assigned.items()} == dict.fromkeys("1234", 1), "a table that knows it is told nothing"
    assert [asked[0] for asked in vaults.asked] == [1]
    entered = apply(PLAYING, changes.EntrantsEntered((changes.EnteredPlayer("17"),)))
    control.table_heard(apply(entered, changes.SubstituteSeated(1, "6", "17", "ill")), "2")
    assert tables.assigned["2"][-1].players == ("5", "17", "7", "8"), "the server was ended before it had told of the substitute"


def test_a_substitute_is_told_to_his_table_alone_and_a_table_that_plays_nothing_is_told_nothing() -> None:
    tables = Tables(heard="12345")
    control = control_of(tables)
    control.table_heard(PLAYING, "5")
    control.table_heard(managed_event(PREPARED), "1")
    assert tables.assigned == {}
    assert assignments(ManagedEvent(), 1, STARTED, VAULTS) == {}, "nobody has described the event"
    entered = apply(PLAYING, changes.EntrantsEntered((changes.EnteredPlayer("17"),)))
    change = changes.SubstituteSeated(1, "6", "17", "ill")
    control.carry_out(apply(entered, change), change, "Li Na")
    assert {table: each[-1].players for table, each in tables.assigned.items()} == {"2": ("5", "17", "7", "8")}


def test_a_pause_is_told_to_every_table_that_plays_and_again_to_one_that_missed_it_and_to_none_between_sessions() -> None:
    sent, paused, event = Sent(deaf="3"), {"1", "2", "4"}, apply(PLAYING, changes.ClocksPaused())
    control = SessionControl(Tables(), lambda: STARTED, VAULTS, None, sent.send, paused.__contains__)
    control.carry_out(managed_event(PREPARED), changes.ClocksResumed(), "Li Na")
    assert sent.told == []
    control.carry_out(event, changes.ClocksPaused(), "Li Na")
    assert sent.told == [(table, PauseClock(True)) for table in "1234"], "also to those after one that is not reached"
    assert control.unreached(event) == ("3",)
    for name in "1234":
        control.table_heard(event, name)
    assert sent.told[4:] == [("3", PauseClock(True))]
    paused.add("3")
    assert control.unreached(event) == ()
    assert control.unreached(apply(event, changes.ClocksResumed())) == ("1", "2", "3", "4")


def test_a_session_that_is_ended_stops_the_tables_that_have_hands_left_until_it_is_played_on() -> None:
    sent = Sent()
    control = SessionControl(Tables(finished="24"), lambda: STARTED, VAULTS, None, sent.send)
    ended = apply(PLAYING, changes.SessionEnded(1))
    control.carry_out(ended, changes.SessionEnded(1), "Li Na")
    assert sent.told == [("1", PauseClock(True)), ("3", PauseClock(True))]
    assert control.unreached(ended) == ("1", "3")
    for name in "12":
        control.table_heard(ended, name)
    assert sent.told[2:] == [("1", PauseClock(True))], "a table that missed it is sent it when it is heard"
    sent.told.clear()
    control.carry_out(apply(ended, changes.SessionReopened(1)), changes.SessionReopened(1), "Li Na")
    assert sent.told == [(table, PauseClock(False)) for table in "1234"]
