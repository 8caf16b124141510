"""Release: in any order of messages no table holds a deal too early and no slip is out too soon."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.tiers import law
from twinwall.custody.custody_status import waits_for
from twinwall.custody.release import (
    AllowKey,
    Command,
    CustodyPlan,
    CustodyRefusal,
    CustodyState,
    DealBegun,
    DealDone,
    DealStarted,
    Event,
    KeyAccepted,
    KeyAllowed,
    OpeningGiven,
    ReplaceController,
    RevokeKey,
    SlipReleased,
    TableSpoke,
    TableWithdrawn,
    WithdrawTable,
    apply,
    beginning,
    decide,
    follow,
    permitted,
)
from twinwall.wire.messages.boot_keys import BootKeys

DEALS = (11, 12, 13, 14, 15)
GROUPS = (("1", "2"), ("3", "4"))
TABLES = [table for group in GROUPS for table in group]
CUSTODY = CustodyPlan(DEALS, GROUPS)


def keys(table: str, boot: int = 0) -> BootKeys:
    return BootKeys(f"{table}.{boot}".encode().ljust(32, b"."), f"{table}.{boot}".encode().ljust(32, b"-"))


def key(table: str, boot: int = 0) -> bytes:
    """What deals are sealed to."""
    return keys(table, boot).sealing


class Run:
    """A vault's decisions, one after another, with what each came from."""

    def __init__(self, custody: CustodyPlan = CUSTODY) -> None:
        self.custody = custody
        self.state = beginning(custody)
        for table in self.state.tables:  # a person has compared the keys of the first boot
            self.state = apply(self.state, KeyAllowed(table, keys(table).fingerprint))
        self.refusals: list[str] = []
        self.happened: list[tuple[CustodyState, Event]] = []

    def hear(self, command: Command) -> list[Event]:
        """Decide on it, and let happen what then happens; returns the events."""
        decision = decide(self.custody, self.state, command)
        if isinstance(decision, CustodyRefusal):
            self.refusals.append(decision.sentence)
            return []
        new = self._happen(decision)
        while events := follow(self.custody, self.state):
            new += self._happen(events)
        return new

    def _happen(self, events: tuple[Event, ...]) -> list[Event]:
        for event in events:
            self.happened.append((self.state, event))
            self.state = apply(self.state, event)
        return list(events)

    def speak(self, *tables: str) -> list[Event]:
        return [event for table in tables for event in self.hear(TableSpoke(table, keys(table), ()))]

    def play(self, n: int, *tables: str) -> list[Event]:
        """Tables start and finish a deal."""
        return [event for table in tables for what in (DealBegun, DealDone) for event in self.hear(what(table, n))]

    def given(self, table: str) -> set[int]:
        return {event.n for _, event in self.happened if isinstance(event, OpeningGiven) and event.table == table}


def commands() -> st.SearchStrategy[Command]:
    tables = st.sampled_from([*TABLES, "5"])
    deals = st.sampled_from([*DEALS, 99])
    boots = st.integers(0, 1)
    return st.one_of(
        st.builds(lambda t, b, h: TableSpoke(t, keys(t, b), tuple(h)), tables, boots, st.lists(deals, max_size=2)),
        st.builds(DealBegun, tables, deals),
        st.builds(DealDone, tables, deals),
        st.builds(lambda t, b: AllowKey(t, keys(t, b).fingerprint), tables, boots),
        st.builds(WithdrawTable, st.sampled_from(TABLES), st.sampled_from([(), ("Abe",), ("Abe", "Ota")]), deals),
    )


def session() -> st.SearchStrategy[list[Command]]:
    """Tables that play in order, each at its own pace, with noise between."""
    steps = [[TableSpoke(t, keys(t), ()), *(what(t, n) for n in DEALS for what in (DealBegun, DealDone))] for t in TABLES]

    def weave(order: list[int], noise: list[Command]) -> list[Command]:
        left = [list(mine) for mine in steps]
        woven: list[Command] = []
        for turn in order:
            woven += [left[turn].pop(0)] if left[turn] else noise[:1]
            noise = noise[1:] if not left[turn] else noise
        return woven

    return st.builds(weave, st.lists(st.integers(0, 3), min_size=10, max_size=60), st.lists(commands(), max_size=20))


MESSAGES = st.one_of(st.lists(commands(), max_size=60), session())


@law
@given(MESSAGES)
def test_no_order_of_messages_gives_a_deal_to_a_table_whose_group_has_not_finished_the_one_two_before(messages: list[Command]) -> None:
    run = Run()
    for message in messages:
        run.hear(message)
    for before, event in run.happened:
        if isinstance(event, OpeningGiven):
            index = DEALS.index(event.n)
            mine = before.tables[event.table]
            near = [before.tables[table] for table in CUSTODY.group_of(event.table) if not before.tables[table].withdrawn]
            assert not mine.withdrawn
            assert index < 1 or DEALS[index - 1] in mine.started
            assert index < 2 or all(DEALS[index - 2] in table.finished for table in near)


@law
@given(MESSAGES)
def test_no_slip_is_released_while_a_table_that_plays_has_not_finished_its_deal(messages: list[Command]) -> None:
    run = Run()
    for message in messages:
        run.hear(message)
    slips = [(before, event.n) for before, event in run.happened if isinstance(event, SlipReleased)]
    assert len({n for _, n in slips}) == len(slips)
    for before, n in slips:
        assert all(n in table.finished or (table.withdrawn and n not in table.awaited) for table in before.tables.values())


@law
@given(MESSAGES)
def test_no_slip_is_released_that_a_table_was_given_and_has_not_finished_unless_two_persons_withdrew_it(messages: list[Command]) -> None:
    run = Run()
    given_to: set[tuple[str, int]] = set()
    by_two: set[str] = set()
    for message in messages:
        if isinstance(message, WithdrawTable) and len(message.persons) > 1:
            by_two.add(message.table)
        for event in run.hear(message):
            if isinstance(event, OpeningGiven):
                given_to.add((event.table, event.n))
            elif isinstance(event, SlipReleased):
                holders = [table for table in TABLES if (table, event.n) in given_to and table not in by_two]
                assert all(event.n in run.state.tables[table].finished for table in holders)


@law
@given(MESSAGES)
def test_a_deal_is_sealed_only_to_the_key_accepted_last_and_again_only_when_the_table_lacks_it(messages: list[Command]) -> None:
    run = Run()
    for message in messages:
        asked = message if isinstance(message, TableSpoke) else None
        for event in run.hear(message):
            if isinstance(event, OpeningGiven):
                before = next(state for state, happened in reversed(run.happened) if happened is event)
                accepted = before.tables[event.table].keys
                assert accepted is not None
                assert event.key == accepted.sealing
                if before.tables[event.table].given.get(event.n) == event.key:
                    assert asked is not None
                    assert event.n not in asked.holds


@law
@given(MESSAGES)
def test_a_vault_that_hears_only_the_ledgers_again_comes_to_the_same(messages: list[Command]) -> None:
    """What a killed vault has on disk, keys and orders, and what tables tell it again, give the state that it had."""
    first, again = Run(), Run()
    for message in messages:
        first.hear(message)
    told = [event for _, event in first.happened]
    for event in told:
        if isinstance(event, KeyAccepted | TableWithdrawn):
            again.state = apply(again.state, event)
    for message in messages:
        if isinstance(message, AllowKey):
            again.hear(message)
    for table, standing in first.state.tables.items():
        for n in DEALS:
            for done, what in ((standing.started, DealBegun), (standing.finished, DealDone)):
                if n in done:
                    again.hear(what(table, n))
    for table in TABLES:
        assert permitted(CUSTODY, again.state, table) == permitted(CUSTODY, first.state, table)
        assert again.state.tables[table].finished == first.state.tables[table].finished
    assert again.state.released == first.state.released


def test_the_first_deal_is_given_when_a_table_shows_its_key_and_the_next_when_it_starts() -> None:
    run = Run()
    assert [event for event in run.speak("1") if isinstance(event, OpeningGiven)] == [OpeningGiven("1", 11, key("1"))]
    assert run.hear(DealBegun("1", 11))[1:] == [OpeningGiven("1", 12, key("1"))]
    assert run.hear(DealDone("1", 11))[1:] == []


def test_staggered_tables_are_given_deals_in_their_own_order_and_none_is_released_before_all_have_played_it() -> None:
    run = Run(CustodyPlan((11, 12, 13, 14), (("1", "2"),), begins={"2": 13}))
    assert [run.given(table) for table in ("1", "2") if run.speak(table)] == [{11}, {13}]
    assert run.hear(DealBegun("2", 11)) == []
    assert "before it finished deal 13" in run.refusals[-1]
    for first, second in ((11, 13), (12, 14)):
        run.play(first, "1")
        run.play(second, "2")
        assert run.state.released == frozenset(), "each deal is still to be played at one table"
    run.play(13, "1")
    assert run.state.released == {13}
    run.play(11, "2")
    run.play(12, "2")
    run.play(14, "1")
    assert run.state.released == {11, 12, 13, 14}
    assert run.refusals[1:] == []


def test_staggered_tables_stay_within_one_turn_of_each_other() -> None:
    run = Run(CustodyPlan((11, 12, 13, 14), (("1", "2"),), begins={"2": 13}))
    run.speak("1", "2")
    run.play(11, "1")
    run.play(12, "1")
    assert run.given("1") == {11, 12}, "table 2 has not finished its first deal"
    assert waits_for(run.custody, run.state, "1") == ("2",)
    run.play(13, "2")
    assert run.given("1") == {11, 12, 13}


def test_a_table_cannot_begin_with_a_deal_of_another_session() -> None:
    with pytest.raises(ValueError, match="cannot begin with deal 99"):
        CustodyPlan((11, 12), (("1", "2"),), begins={"2": 99})


def test_tables_of_a_group_stay_within_one_deal_even_when_one_cannot_be_heard() -> None:
    run = Run()
    run.speak("1", "2")
    run.play(11, "1", "2")
    run.play(12, "1")
    run.play(13, "1")
    assert run.given("1") == {11, 12, 13}, (
        "deal 13 could be given when deal 11 was finished by both; deal 14 must wait for deal 12 at table 2"
    )
    assert run.play(12, "2")[-1] == OpeningGiven("1", 14, key("1"))


def test_groups_do_not_wait_for_each_other_but_slips_wait_for_all() -> None:
    run = Run()
    run.speak(*TABLES)
    for n in (11, 12, 13):
        run.play(n, "1", "2")
    assert run.given("1") == {11, 12, 13, 14}
    assert run.state.released == frozenset()
    assert SlipReleased(11) in run.play(11, "3", "4")


def test_a_wider_spread_lets_a_table_run_further_ahead() -> None:
    run = Run(CustodyPlan(DEALS, GROUPS, spread=2))
    run.speak("1", "2")
    for n in (11, 12, 13):
        run.play(n, "1")
    assert run.given("1") == {11, 12, 13}
    run.play(11, "2")
    assert run.given("1") == {11, 12, 13, 14}


def test_a_table_that_lost_what_it_was_given_is_given_it_again_and_one_that_holds_it_is_not() -> None:
    run = Run()
    run.speak("1")
    run.hear(DealBegun("1", 11))
    assert run.hear(TableSpoke("1", keys("1"), (11, 12))) == []
    assert run.hear(TableSpoke("1", keys("1"), (11,))) == [OpeningGiven("1", 12, key("1"))]


def test_a_second_key_of_a_table_waits_for_a_person_and_is_then_given_what_is_due() -> None:
    run = Run()
    run.speak("1")
    new = keys("1", 1)
    assert run.hear(TableSpoke("1", new, ())) == []
    assert new.fingerprint in run.refusals[-1]
    run.hear(AllowKey("1", new.fingerprint))
    assert run.hear(TableSpoke("1", new, ())) == [KeyAccepted("1", new), OpeningGiven("1", 11, new.sealing)]


def test_a_tables_first_keys_wait_for_a_person_too() -> None:
    run = Run()
    other = keys("1", 7)
    assert run.hear(TableSpoke("1", other, ())) == []
    assert "its first boot keys" in run.refusals[-1]
    run.hear(AllowKey("1", other.fingerprint))
    assert KeyAccepted("1", other) in run.hear(TableSpoke("1", other, ()))


def test_revoked_keys_are_given_nothing_and_cannot_be_allowed_again() -> None:
    run = Run()
    run.speak("1")
    run.hear(RevokeKey("1", keys("1").fingerprint))
    assert run.state.tables["1"].keys is None
    assert run.hear(DealBegun("1", 11)) == [DealStarted("1", 11)], "what was covered before still counts, but gives it no deal"
    run.hear(AllowKey("1", keys("1").fingerprint))
    assert "were revoked and are not allowed again" in run.refusals[-1]
    assert run.speak("1") == []
    assert "which were revoked" in run.refusals[-1]
    run.hear(AllowKey("1", keys("1", 1).fingerprint))
    assert KeyAccepted("1", keys("1", 1)) in run.hear(TableSpoke("1", keys("1", 1), ()))


def test_the_former_controller_that_speaks_again_does_not_turn_the_order_for_another_against_the_new_one() -> None:
    run, new = Run(), keys("1", 1)
    run.speak("1")
    run.hear(AllowKey("1", new.fingerprint))
    run.hear(TableSpoke("1", new, ()))
    run.hear(AllowKey("1", keys("1").fingerprint))  # a vault that is started again reads all orders again
    assert run.speak("1") == []
    assert "two controllers run under its name" in run.refusals[-1]
    run.hear(ReplaceController("1", (), 11, ("Abe", "Ota")))
    standing = run.state.tables["1"]
    assert (standing.keys, standing.revoked) == (new, frozenset({keys("1").fingerprint}))


def test_a_former_controller_is_taken_again_when_a_person_revokes_the_keys_in_its_place() -> None:
    run, new = Run(), keys("1", 1)
    run.speak("1")
    run.hear(AllowKey("1", new.fingerprint))
    run.hear(TableSpoke("1", new, ()))
    run.hear(RevokeKey("1", new.fingerprint))
    assert KeyAccepted("1", keys("1")) in run.speak("1")


def test_a_second_key_is_accepted_at_once_where_the_settings_say_so() -> None:
    run = Run(CustodyPlan(DEALS, GROUPS, new_keys_ask=False))
    run.speak("1")
    assert KeyAccepted("1", keys("1", 1)) in run.hear(TableSpoke("1", keys("1", 1), ()))


def test_a_withdrawn_table_is_given_nothing_and_holds_nobody_up_and_two_persons_end_the_wait_for_its_deal() -> None:
    run = Run()
    run.speak(*TABLES)
    run.play(11, "1", "3", "4")
    run.play(12, "1")
    assert run.given("1") == {11, 12}
    events = run.hear(WithdrawTable("2"))
    assert OpeningGiven("1", 13, key("1")) in events
    assert SlipReleased(11) not in events
    assert run.speak("2") == []
    assert "withdrawn" in run.refusals[-1]
    assert run.hear(WithdrawTable("2", ("Abe", "Ota"), 12)) == []
    assert "not for deal 12" in run.refusals[-1]
    assert SlipReleased(11) in run.hear(WithdrawTable("2", ("Abe", "Ota"), 11))


def test_a_deal_that_was_given_before_one_person_withdraws_the_table_is_still_waited_for() -> None:
    run = Run()
    run.speak(*TABLES)
    run.play(11, *TABLES)
    assert 12 in run.given("2")
    assert TableWithdrawn("2", (12,)) in run.hear(WithdrawTable("2"))
    run.play(12, "1", "3", "4")
    run.hear(DealBegun("2", 12))
    assert 12 not in run.state.released
    assert SlipReleased(12) in run.hear(DealDone("2", 12))
    run.play(13, "1", "3", "4")
    assert 13 in run.state.released


def test_a_table_that_never_had_boot_keys_is_waited_for_on_nothing() -> None:
    run = Run()
    run.speak("1", "3", "4")
    run.play(11, "1", "3", "4")
    assert SlipReleased(11) in run.hear(WithdrawTable("2"))


def test_a_table_whose_boot_keys_were_revoked_may_hold_its_deal_still() -> None:
    run = Run()
    run.speak(*TABLES)
    run.play(11, "1", "3", "4")
    run.hear(RevokeKey("2", keys("2").fingerprint))
    assert SlipReleased(11) not in run.hear(WithdrawTable("2"))


@pytest.mark.parametrize("order", [WithdrawTable("2"), WithdrawTable("2", ("Abe",), 11), WithdrawTable("2", ("Abe", "Ota"), 12)])
def test_while_a_table_plays_a_deal_two_persons_withdraw_it_for_that_deal(order: WithdrawTable) -> None:
    run = Run()
    run.speak(*TABLES)
    run.hear(DealBegun("2", 11))
    assert run.hear(order) == []
    assert "takes two persons" in run.refusals[-1]
    assert TableWithdrawn("2") in run.hear(WithdrawTable("2", ("Abe", "Ota"), 11))


@pytest.mark.parametrize(
    ("command", "named"),
    [
        (TableSpoke("9", keys("9"), ()), "'9' is not in"),
        (DealBegun("1", 99), "not of this session"),
        (DealBegun("1", 13), "before it finished deal 11"),
        (DealDone("1", 11), "has not started"),
    ],
)
def test_what_cannot_be_is_refused_by_name_and_changes_nothing(command: Command, named: str) -> None:
    run = Run()
    assert run.hear(command) == []
    assert named in run.refusals[0]
    assert run.state == Run().state


@pytest.mark.parametrize(
    ("deals", "groups", "spread"), [((), GROUPS, 1), ((1, 1), GROUPS, 1), (DEALS, (), 1), (DEALS, (("1", "1"),), 1), (DEALS, GROUPS, 0)]
)
def test_custody_that_cannot_be_kept_is_refused(deals: tuple[int, ...], groups: tuple[tuple[str, ...], ...], spread: int) -> None:
    with pytest.raises(ValueError, match=r"custody|spread"):
        CustodyPlan(deals, groups, spread)


def test_a_paper_table_is_given_no_deal_and_counts_when_it_has_finished() -> None:
    run = Run(CustodyPlan(DEALS[:2], (("1", "3"),), paper=frozenset({"3"})))
    given = [event for table in ("1", "3") for event in run.hear(TableSpoke(table, keys(table), ())) if isinstance(event, OpeningGiven)]
    assert {event.table for event in given} == {"1"}
    for table in ("1", "3"):
        assert not any(isinstance(event, SlipReleased) for event in run.hear(DealBegun(table, DEALS[0])))
    assert not any(isinstance(event, SlipReleased) for event in run.hear(DealDone("1", DEALS[0])))
    assert SlipReleased(DEALS[0]) in run.hear(DealDone("3", DEALS[0]))
    assert not any(isinstance(event, OpeningGiven) and event.table == "3" for _, event in run.happened)


def test_without_the_order_that_names_it_paper_a_table_is_given_its_deal() -> None:
    run = Run(CustodyPlan(DEALS[:2], (("1", "3"),)))
    assert any(isinstance(event, OpeningGiven) for event in run.hear(TableSpoke("3", keys("3"), ())))


def test_one_person_replaces_a_controller_between_deals_alone() -> None:
    run = Run()
    run.speak("1")
    run.play(11, "1")
    assert isinstance(decide(CUSTODY, run.state, ReplaceController("1", (11,), 0, ("Abe",))), tuple)
    run.hear(DealBegun("1", 12))
    for finished, n in (((11,), 12), ((11, 12), 0)):
        alone, together = (decide(CUSTODY, run.state, ReplaceController("1", finished, n, by)) for by in (("Abe",), ("Abe", "Ota")))
        assert isinstance(alone, CustodyRefusal)
        assert "plays deal 12, so its controller is replaced by an order of two persons" in alone.sentence
        assert isinstance(together, tuple)
