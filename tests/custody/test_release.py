"""Release: in any order of messages no table holds a deal too early and no slip is out too soon."""

from itertools import zip_longest
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.narrowed import present
from tests.support.tiers import law
from twinwall.custody.custody_status import waits_for
from twinwall.custody.release import (
    AllowKey,
    CustodyRefusal,
    CustodyState,
    DealFinished,
    DealGiven,
    DealStarted,
    Event,
    KeyAccepted,
    KeyAllowed,
    MemberWithdrawn,
    SlipReleased,
    apply,
    beginning,
    due_events,
)
from twinwall.custody.table_rules import Command, CustodyPlan, ReplaceController, RevokeKey, TableStated, WithdrawTable, decide
from twinwall.wire.messages.boot_keys import BootKeys
from twinwall.wire.messages.staff_orders import ReplacementOrder

DEALS = (11, 12, 13, 14, 15)
GROUPS = (("1", "2"), ("3", "4"))
TABLES = [table for group in GROUPS for table in group]
CUSTODY = CustodyPlan(DEALS, GROUPS)


def keys(table: str, boot: int = 0) -> BootKeys:
    return BootKeys(f"{table}.{boot}".encode().ljust(32, b"."), f"{table}.{boot}".encode().ljust(32, b"-"))


def key(table: str, boot: int = 0) -> str:
    """What deals are sealed to."""
    return keys(table, boot).sealing.hex()


def replaced(finished: tuple[int, ...], n: int, *persons: str) -> ReplacementOrder:
    """The staff's order by which another controller goes on."""
    return ReplacementOrder("Autumn", "j1", 7, "ab" * 32, finished, n, "its disk is lost", *persons)


class Run:
    """A vault's decisions, one after another, with what each came from."""

    def __init__(self, custody: CustodyPlan = CUSTODY) -> None:
        self.custody = custody
        self.state = beginning(custody)
        for table in self.state.members:  # a person has compared the keys of the first boot
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
        while events := due_events(self.custody, self.state):
            new += self._happen(events)
        return new

    def _happen(self, events: tuple[Event, ...]) -> list[Event]:
        for event in events:
            self.happened.append((self.state, event))
            self.state = apply(self.state, event)
        return list(events)

    def told(self, step: str) -> list[str]:
        """What a step of a story comes to: who is given what, which slip is out, and why not."""
        already = len(self.refusals)
        told = [words for command in commands_of(step) for event in self.hear(command) if (words := worth_telling(event))]
        return told + self.refusals[already:]


def commands_of(step: str) -> list[Command]:
    """The commands of "1 2 speak", "1 plays 11", "1 holds 11 12", "1 has key 1", "allow 1 key 0", "withdraw 2 for 11 by Abe Ota"."""
    words = step.split()
    tables = [word for word in words if word in TABLES]
    number = int(words[-1]) if words[-1].isdecimal() else 0
    match words:
        case [_, "holds", *held]:
            return [TableStated(tables[0], keys(tables[0]), tuple(map(int, held)))]
        case [table, "has", "key", _]:
            return [TableStated(table, keys(table, number), ())]
        case ["allow" | "revoke" as order, table, "key", _]:
            return [(AllowKey if order == "allow" else RevokeKey)(table, keys(table, number).fingerprint)]
        case ["withdraw" | "replace" as order, table, "for", n, "by", *persons]:
            by = tuple(persons)
            return [WithdrawTable(table, by, int(n)) if order == "withdraw" else ReplaceController(table, replaced((), int(n), *by))]
        case ["withdraw", table]:
            return [WithdrawTable(table)]
    if words[-1] == "speak":
        return [TableStated(table, keys(table), ()) for table in tables]
    does: dict[str, tuple[type[DealStarted | DealFinished], ...]] = {
        "begin": (DealStarted,),
        "finish": (DealFinished,),
        "play": (DealStarted, DealFinished),
    }
    return [what(table, number) for table in tables for what in does[words[-2]]]


def worth_telling(event: Event) -> str | None:
    match event:
        case DealGiven(table, n, to):
            return f"{table} gets {n}" + ("" if to == key(table) else " to key 1" if to == key(table, 1) else " to another key")
        case SlipReleased(n):
            return f"slip {n}"
        case MemberWithdrawn(table, awaited):
            return f"{table} is out" + (" and awaited for " + " ".join(map(str, awaited)) if awaited else "")
    return None


def commands() -> st.SearchStrategy[Command]:
    tables = st.sampled_from([*TABLES, "5"])
    deals = st.sampled_from([*DEALS, 99])
    boots = st.integers(0, 1)
    return st.one_of(
        st.builds(lambda t, b, h: TableStated(t, keys(t, b), tuple(h)), tables, boots, st.lists(deals, max_size=2)),
        st.builds(DealStarted, tables, deals),
        st.builds(DealFinished, tables, deals),
        st.builds(lambda t, b: AllowKey(t, keys(t, b).fingerprint), tables, boots),
        st.builds(WithdrawTable, st.sampled_from(TABLES), st.sampled_from([(), ("Abe",), ("Abe", "Ota")]), deals),
    )


def session() -> st.SearchStrategy[list[Command]]:
    """Tables that play in order, each at its own pace, with noise between."""
    steps = [[TableStated(t, keys(t), ()), *(what(t, n) for n in DEALS for what in (DealStarted, DealFinished))] for t in TABLES]

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
def test_in_any_order_of_messages_deals_go_to_the_accepted_key_in_turn_and_slips_wait_for_every_table(messages: list[Command]) -> None:
    run = Run()
    given_to, by_two, released = set[tuple[str, int]](), set[str](), set[int]()
    for message in messages:
        if isinstance(message, WithdrawTable) and len(message.persons) > 1:
            by_two.add(message.name)
        already = len(run.happened)
        run.hear(message)
        for before, event in run.happened[already:]:
            if isinstance(event, DealGiven):
                index, mine = DEALS.index(event.n), before.members[event.name]
                near = [before.members[table] for table in CUSTODY.group_of(event.name) if not before.members[table].withdrawn]
                assert not mine.withdrawn
                assert index < 1 or DEALS[index - 1] in mine.started
                assert index < 2 or all(DEALS[index - 2] in table.finished for table in near)
                assert event.key == present(mine.keys).sealing.hex(), "sealed to the key accepted last"
                if mine.given.get(event.n) == event.key:
                    assert isinstance(message, TableStated)
                    assert event.n not in message.holds, "sealed again only when the table lacks it"
                given_to.add((event.name, event.n))
            elif isinstance(event, SlipReleased):
                n, members = event.n, before.members
                assert n not in released
                assert all(n in table.finished or (table.withdrawn and n not in table.awaited) for table in members.values())
                assert all(n in members[table].finished or table in by_two for table in TABLES if (table, n) in given_to)
                released.add(n)


@law
@given(MESSAGES)
def test_a_vault_that_hears_only_the_ledgers_again_comes_to_the_same(messages: list[Command]) -> None:
    """What a killed vault has on disk, keys and orders, and what tables tell it again, give the state that it had."""
    first, again = Run(), Run()
    for message in messages:
        first.hear(message)
    told = [event for _, event in first.happened]
    for event in told:
        if isinstance(event, KeyAccepted | MemberWithdrawn):
            again.state = apply(again.state, event)
    for message in messages:
        if isinstance(message, AllowKey):
            again.hear(message)
    for table, standing in first.state.members.items():
        for n in DEALS:
            for done, what in ((standing.started, DealStarted), (standing.finished, DealFinished)):
                if n in done:
                    again.hear(what(table, n))
    for table in TABLES:
        assert CUSTODY.permitted(again.state, table) == CUSTODY.permitted(first.state, table)
        assert again.state.members[table].finished == first.state.members[table].finished
    assert again.state.released == first.state.released


PLANS = {
    "": CUSTODY,
    "staggered": CustodyPlan((11, 12, 13, 14), GROUPS[:1], begins={"2": 13}),
    "wider": CustodyPlan(DEALS, GROUPS, spread=2),
    "at once": CustodyPlan(DEALS, GROUPS, new_keys_ask=False),
}
STORIES = Path(__file__).with_name("stories_of_release.txt").read_text().split("\n# ")[1:]


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.partition("\n")[0].replace(" ", "-"))
def test_a_session_goes_as_it_is_told(story: str) -> None:
    title, *lines = story.strip().splitlines()
    run = Run(PLANS[title.rstrip("]").partition(" [")[2]])
    for line in lines:
        step, _, told = line.partition(" -> ")
        for expected, happened in zip_longest(told.split("; ") if told else [], run.told(step), fillvalue=""):
            assert expected == happened or (expected.startswith("no: ") and expected[4:] in happened), line


def test_a_paper_table_is_given_no_deal_and_counts_when_it_has_finished() -> None:
    run = Run(CustodyPlan(DEALS[:2], (("1", "3"),), paper=frozenset({"3"})))
    told = [run.told(step) for step in ("1 3 speak", "1 play 11", "3 begin 11", "3 finish 11")]
    assert told == [["1 gets 11"], ["1 gets 12"], [], ["slip 11"]]


def test_without_the_order_that_names_it_paper_a_table_is_given_its_deal() -> None:
    assert Run(CustodyPlan(DEALS[:2], (("1", "3"),))).told("3 speak") == ["3 gets 11"]


def test_a_table_that_waits_says_for_whom() -> None:
    run = Run(PLANS["staggered"])
    for step in ("1 2 speak", "1 play 11", "1 play 12"):
        run.told(step)
    assert waits_for(run.custody, run.state, "1") == ("2",)


def test_a_table_cannot_begin_with_a_deal_of_another_session() -> None:
    with pytest.raises(ValueError, match="cannot begin with deal 99"):
        CustodyPlan((11, 12), (("1", "2"),), begins={"2": 99})


@pytest.mark.parametrize(
    ("command", "named"),
    [
        (TableStated("9", keys("9"), ()), "'9' is not in"),
        (DealStarted("1", 99), "not of this session"),
        (DealStarted("1", 13), "before it finished deal 11"),
        (DealFinished("1", 11), "has not started"),
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


def test_one_person_replaces_a_controller_between_deals_alone() -> None:
    run = Run()
    run.told("1 speak")
    run.told("1 play 11")
    assert isinstance(decide(CUSTODY, run.state, ReplaceController("1", replaced((11,), 0, "Abe"))), tuple)
    run.hear(DealStarted("1", 12))
    for finished, n in (((11,), 12), ((11, 12), 0)):
        alone, together = (
            decide(CUSTODY, run.state, ReplaceController("1", replaced(finished, n, *by))) for by in (("Abe",), ("Abe", "Ota"))
        )
        assert isinstance(alone, CustodyRefusal)
        assert "plays deal 12, so its controller is replaced by an order of two persons" in alone.sentence
        assert isinstance(together, tuple)
