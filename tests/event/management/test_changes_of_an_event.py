"""What a director may change, what is refused, and what the changes amount to."""

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.support.event.managed import INDIVIDUAL, PLAYERS, PREPARED, PREPARED_TEAMS, TABLES, at, rows, team_rows
from twinwall.event.management.change_checks import ChangeRefusal, Why, refusal
from twinwall.event.management.changes import (
    Announced,
    ClocksPaused,
    ClocksResumed,
    EnteredPlayer,
    EnteredTeam,
    EntrantAbsent,
    EntrantPresent,
    EntrantsEntered,
    EntrantsRemoved,
    EntrantWithdrawn,
    EventChange,
    EventClosed,
    EventDescribed,
    ResultsHeld,
    ResultsReleased,
    SeatedGroup,
    SessionEnded,
    SessionReopened,
    SessionSeated,
    SessionStarted,
    SubstituteSeated,
    TablesChosen,
    read_change,
)
from twinwall.event.management.managed_event import EventStage, ManagedEvent, apply, managed_event, read_event_file, write_event_file
from twinwall.game.documents import DocumentError
from twinwall.wire.names import cleaned


def after(*changes: EventChange) -> ManagedEvent:
    """The event after changes, each of which it can take."""
    event = ManagedEvent()
    for change in changes:
        assert refusal(event, change) is None, (change, refusal(event, change))
        event = apply(event, change)
    return event


def why(event: ManagedEvent, change: EventChange) -> Why | None:
    refused = refusal(event, change)
    return None if refused is None else refused.why


@pytest.mark.parametrize("prepared", [PREPARED, PREPARED_TEAMS], ids=["individual", "team"])
def test_an_event_is_prepared_played_and_closed(prepared: Sequence[EventChange]) -> None:
    steps = (SessionStarted(1), SessionEnded(1), EventClosed())
    events = [after(*prepared, *steps[:number]) for number in range(4)]
    assert [event.stage for event in events] == [EventStage.DESCRIBED, EventStage.PLAYING, EventStage.BETWEEN, EventStage.CLOSED]
    assert events[2].next_session == 2
    assert why(events[3], Announced({"en": "x"})) is Why.CLOSED
    assert why(ManagedEvent(), PLAYERS) is Why.NOT_DESCRIBED


def test_the_last_session_is_played_on_until_another_one_has_begun() -> None:
    played = (*PREPARED, SessionStarted(1), SessionEnded(1))
    assert after(*played).stands
    reopened = after(*played, SessionReopened(1))
    assert (reopened.stage, reopened.stands) == (EventStage.PLAYING, False)
    assert why(reopened, SessionReopened(1)) is Why.NOT_REOPENED, "it is not over"
    followed = after(*played, rows(2), SessionStarted(2), SessionEnded(2))
    assert [why(followed, SessionReopened(session)) for session in (1, 2)] == [Why.NOT_REOPENED, None]
    assert why(after(*played, EventClosed()), SessionReopened(1)) is Why.CLOSED


@pytest.mark.parametrize("name", ["Blue  Bird", "1\u200b"])
def test_names_of_clubs_groups_and_tables_from_before_they_were_checked_stay(name: str) -> None:
    players = replace(PLAYERS, players=tuple(replace(player, club=name) for player in PLAYERS.players))
    seated = rows().with_tables(lambda sits: replace(sits, table=sits.table + name.replace(" ", "")))
    seated = replace(seated, groups=(replace(seated.groups[0], name=name),))
    tables = TablesChosen(tuple(sits.table for sits in seated.tables))
    event = managed_event((INDIVIDUAL, players, tables, seated))
    for change in (players, tables, seated):
        assert refusal(event, change) is None
    file = read_event_file(write_event_file(event, {}))
    again = after(*file.changes)
    assert {player.club for player in again.players.values()} == {again.seatings[1].groups[0].name} == {cleaned(name)}
    assert [*again.seats(1)] == [*again.tables]


@pytest.mark.parametrize("name", ["\u200d", "\ufe0f", "\u0301"])
def test_no_club_or_table_is_called_by_what_cannot_be_seen(name: str) -> None:
    event = after(INDIVIDUAL, PLAYERS)
    assert [why(event, change) for change in (TablesChosen((name,)), EntrantsEntered((EnteredPlayer("1", name),)))] == [Why.VALUE] * 2


@pytest.mark.parametrize("name", ["-", "—", "?", "*"])
def test_a_club_table_or_group_may_be_called_by_a_sign(name: str) -> None:
    event = after(INDIVIDUAL, PLAYERS, TablesChosen((name,)), EntrantsEntered((EnteredPlayer("1", name),)))
    seats = SessionSeated(1, (SeatedGroup(name, (at(name, "1", "2", "3", "4"),)),), tuple(map(str, range(5, 17))))
    assert refusal(event, seats) is None


def test_a_form_of_an_earlier_version_is_refused_so_that_nothing_is_overwritten_in_silence() -> None:
    event = after(*PREPARED)
    assert refusal(event, Announced({"en": "Tea"}), seen=event.version) is None
    assert refusal(event, Announced({"en": "Tea"}), seen=event.version - 1) == ChangeRefusal(Why.CHANGED)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (EventDescribed("individual", "poker"), Why.RULES),
        (EntrantsEntered((EnteredPlayer("7"), EnteredPlayer("7"))), Why.TWICE),
        (EntrantsEntered(teams=(EnteredTeam("A", ("1", "2", "3", "4")),)), Why.KIND),
        (EntrantsEntered((EnteredPlayer("1", table="1", place=0), EnteredPlayer("2", table="1", place=0))), Why.FIXED_SEAT_TWICE),
        (EntrantsRemoved(("99",)), Why.UNKNOWN_PLAYER),
        (EntrantWithdrawn("99", 1, "ill"), Why.UNKNOWN_PLAYER),
        (EntrantAbsent("99", 1, "ill"), Why.UNKNOWN_PLAYER),
        (EntrantPresent("1", 1), Why.NOTHING),
        (TablesChosen(("1", "1")), Why.TWICE),
        (SessionSeated(1, (SeatedGroup("1", (at("9", "1", "2", "3", "4"),)),)), Why.UNKNOWN_TABLE),
        (SessionSeated(1, (SeatedGroup("1", (at("1", "1", "2", "3", "99"),)),)), Why.UNKNOWN_PLAYER),
        (SessionSeated(1, (SeatedGroup("1", (at("1", "1", "2", "3", "3"),)),)), Why.TWICE),
        (SessionSeated(1, (SeatedGroup("1", ()),)), Why.GROUP),
        (SubstituteSeated(1, "99", "1", "ill"), Why.NOT_SEATED),
        (SubstituteSeated(1, "1", "2", "ill"), Why.TWICE),
        (SessionStarted(2), Why.WRONG_SESSION),
        (SessionEnded(1), Why.WRONG_SESSION),
        (ClocksResumed(), Why.NOTHING),
        (ResultsReleased(1), Why.NOTHING),
        (TablesChosen(("a b",)), Why.VALUE),
        (TablesChosen(("x" * 41,)), Why.VALUE),
        (ResultsHeld(1999999), Why.VALUE),
        (EntrantsEntered((EnteredPlayer("1", table="x/y"),)), Why.VALUE),
    ],
)
def test_a_change_that_the_event_cannot_take_is_refused_by_name(change: EventChange, expected: Why) -> None:
    assert why(after(*PREPARED), change) is expected


LATIN, TURNED = team_rows().groups[0], at("1", "5", "9", "13", "1")
"""A Latin square, and its first table turned by a seat."""


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (SessionSeated(1, (SeatedGroup("1", (TURNED, *LATIN.tables[1:]), LATIN.teams),)), Why.GROUP),
        (EntrantsEntered(teams=(EnteredTeam("E", ("1", "17", "18", "19")),)), Why.UNKNOWN_PLAYER),
        (EntrantsEntered(teams=(EnteredTeam("E", ("1", "2", "3", "4")),)), Why.TWO_TEAMS),
        (EntrantsRemoved(("1",)), Why.TEAM_NEEDS_FOUR),
        (SubstituteSeated(1, "1", "17", "ill"), Why.UNKNOWN_PLAYER),
        (rows(), Why.GROUP),
    ],
)
def test_a_team_event_keeps_its_teams_whole(change: EventChange, expected: Why) -> None:
    assert why(after(*PREPARED_TEAMS), change) is expected


@pytest.mark.parametrize(
    ("prepared", "removed"),
    [((*PREPARED, rows(2)), EntrantsRemoved(("1",))), (PREPARED_TEAMS, EntrantsRemoved(("1", "2", "3", "4"), ("A",)))],
    ids=["individual", "team"],
)
def test_an_entrant_who_was_entered_by_mistake_leaves_with_the_seats_that_were_saved(
    prepared: Sequence[EventChange], removed: EntrantsRemoved
) -> None:
    event = after(*prepared, removed)
    assert "1" not in event.players
    assert not event.seatings
    assert why(after(*prepared, SessionStarted(1)), removed) is Why.ALREADY_PLAYED


def test_seats_of_begun_sessions_and_of_sessions_without_whom_is_removed_stay() -> None:
    spare = EntrantsEntered((EnteredPlayer("17"),))
    with_substitute = after(*PREPARED, spare, rows(2), SubstituteSeated(2, "1", "17", "ill"))
    assert set(after(*PREPARED, spare, rows(2), EntrantsRemoved(("17",))).seatings) == {1, 2}
    assert set(apply(with_substitute, EntrantsRemoved(("17",))).seatings) == {1}
    assert set(apply(apply(with_substitute, SessionStarted(1)), EntrantsRemoved(("17",))).seatings) == {1}


def test_players_become_an_event_of_teams_without_the_seats_that_were_saved_until_a_session_begins() -> None:
    teams = EventDescribed("team", "mcr-duplicate")
    assert not after(*PREPARED, teams).seatings
    assert why(after(*PREPARED, SessionStarted(1)), teams) is Why.ALREADY_PLAYED
    assert set(after(*PREPARED, EventDescribed("individual", "sichuan", sessions=3)).seatings) == {1}


@pytest.mark.parametrize(
    "change",
    [
        EventDescribed("individual", "sichuan"),
        rows(),
        EntrantWithdrawn("1", 1, "ill"),
        EntrantAbsent("1", 1, "ill"),
        TablesChosen(("1", "2")),
        EventClosed(),
    ],
)
def test_what_is_being_played_stays_as_it_is(change: EventChange) -> None:
    assert refusal(after(*PREPARED, SessionStarted(1)), change) is not None


def test_hands_of_a_substitute_stay_the_player_s_after_he_has_come_back_or_another_has_followed() -> None:
    entered = EntrantsEntered((EnteredPlayer("17"), EnteredPlayer("18")))
    event = after(*PREPARED, entered, SessionStarted(1), SubstituteSeated(1, "6", "17", "ill"))
    assert (event.seat_of(1, "17"), event.seat_of(1, "6"), event.substitutes[1]) == (("2", 1), None, {"6": "17"})
    followed = apply(event, SubstituteSeated(1, "17", "18", "late train"))
    back = apply(followed, SubstituteSeated(1, "18", "6", "well again"))
    assert (back.seat_of(1, "6"), back.substitutes[1]) == (("2", 1), {})
    assert followed.stood_in[1] == back.stood_in[1] == {"17": "6", "18": "6"}


def test_a_session_with_somebody_who_has_withdrawn_in_a_seat_does_not_begin() -> None:
    event = after(*PREPARED, EntrantWithdrawn("6", 1, "ill"))
    assert refusal(event, SessionStarted(1)) == ChangeRefusal(Why.WITHDRAWN, "6")
    assert refusal(event, EntrantWithdrawn("6", 2, "again")) == ChangeRefusal(Why.WITHDRAWN, "6")
    entered = apply(event, EntrantsEntered((EnteredPlayer("17"),)))
    assert refusal(apply(entered, SubstituteSeated(1, "6", "17", "ill")), SessionStarted(1)) is None
    assert why(after(*PREPARED_TEAMS, EntrantWithdrawn("A", 1, "ill")), SessionStarted(1)) is Why.WITHDRAWN


def test_a_pause_ends_with_its_session() -> None:
    assert not after(*PREPARED, SessionStarted(1), ClocksPaused(), SessionEnded(1)).paused


def test_a_withdrawn_entrant_keeps_what_was_played_and_plays_no_more() -> None:
    event = after(*PREPARED, SessionStarted(1), SessionEnded(1), EntrantWithdrawn("6", 2, "ill"))
    assert "6" in event.entrants(1)
    assert "6" not in event.entrants(2)
    assert why(event, rows(2)) is Why.WITHDRAWN


@pytest.mark.parametrize(
    ("prepared", "entrant", "seats"), [(PREPARED, "6", rows), (PREPARED_TEAMS, "B", team_rows)], ids=["individual", "team"]
)
def test_who_is_absent_has_no_seat_in_that_session_alone(
    prepared: Sequence[EventChange], entrant: str, seats: Callable[[int], SessionSeated]
) -> None:
    event = after(*prepared, EntrantAbsent(entrant, 1, "a wedding"))
    absent = ChangeRefusal(Why.ABSENT, entrant, 1)
    assert entrant not in event.entrants(1)
    assert entrant in event.entrants(2)
    assert refusal(event, SessionStarted(1)) == absent
    assert refusal(event, seats(1)) == absent
    assert why(event, EntrantAbsent(entrant, 1, "again")) is Why.NOTHING
    assert why(event, seats(2)) is None
    assert why(apply(event, EntrantPresent(entrant, 1)), SessionStarted(1)) is None


CHANGES = st.sampled_from(
    [
        INDIVIDUAL,
        PLAYERS,
        EntrantsEntered((EnteredPlayer("17", club="Rot-Weiß"), EnteredPlayer("3", table="2", place=3))),
        EntrantsRemoved(("17",)),
        EntrantWithdrawn("5", 2, "ill"),
        EntrantAbsent("6", 2, "a wedding"),
        EntrantPresent("6", 2),
        TablesChosen(TABLES),
        rows(1),
        rows(2),
        SubstituteSeated(1, "1", "17", "late"),
        SubstituteSeated(1, "17", "1", "there now"),
        SessionStarted(1),
        SessionEnded(1),
        SessionStarted(2),
        ClocksPaused(),
        ClocksResumed(),
        ResultsHeld(1),
        ResultsReleased(1),
        Announced({"en": "Tea", "ja": "お茶"}),
        EventClosed(),
    ]
)


@given(st.lists(CHANGES, max_size=25))
def test_whatever_is_asked_everybody_sits_once_at_a_table_of_the_event(asked: list[EventChange]) -> None:
    event, taken = ManagedEvent(), []
    for change in asked:
        if refusal(event, change) is None:
            event = apply(event, change)
            taken.append(change)
    assert managed_event(taken) == event
    assert event.version == len(taken)
    for session in event.seatings:
        sitting = [player for players in event.seats(session).values() for player in players]
        assert len(sitting) == len(set(sitting))
        assert set(sitting) <= set(event.players)
    for played in event.sessions:
        assert played.number in event.seatings
    assert [played.over for played in event.sessions[:-1]] == [True] * (len(event.sessions) - 1 if event.sessions else 0)


def test_a_change_with_an_unknown_key_is_refused_by_its_name() -> None:
    with pytest.raises(DocumentError, match="colour"):
        read_change({"type": "clocks-paused", "colour": "red"})
    with pytest.raises(DocumentError):
        read_change({"type": "tea-served"})
