"""The page of one entrant: a player's name, club and fixed seat, a team's players, removal, withdrawal, and substitutes."""

from collections.abc import Callable

from flask import Flask, abort, request
from flask.typing import ResponseReturnValue

from dashboard.access.director_desk import DirectorDesk
from dashboard.actions.event_changes import Answer, carry_out
from dashboard.pages.setup.setup_frame import SetupPages
from dashboard.web_app import see_other
from twinwall.event.management.changes import (
    EnteredPlayer,
    EnteredTeam,
    EntrantAbsent,
    EntrantPresent,
    EntrantsEntered,
    EntrantsRemoved,
    EntrantWithdrawn,
    EventChange,
    SubstituteSeated,
)
from twinwall.event.management.entrant_list import LEAST_IN_TEAM, known_entrants, named_entrant
from twinwall.event.management.managed_event import ManagedEvent
from twinwall.event.management.seating_proposal import proposed_tables
from twinwall.wire.names import LONGEST_NAME, cleaned

LONGEST_REASON = 300


def add_entrant_pages(app: Flask, setup: SetupPages) -> None:
    _add_page(app, setup, "/event/entrants/<name>", "player", page=_player_page, change=_change_player)
    _add_page(app, setup, "/event/teams/<path:name>", "team", page=_team_page, change=_change_team)


def _add_page(
    app: Flask,
    setup: SetupPages,
    path: str,
    what: str,
    *,
    page: Callable[[SetupPages, DirectorDesk, str, Answer | None], str],
    change: Callable[[DirectorDesk, str, int], Answer | None],
) -> None:
    @app.get(path, endpoint=f"event_{what}")
    def event_entrant(name: str) -> str:
        return page(setup, setup.desk(), name, None)

    @app.post(path, endpoint=f"change_{what}")
    def change_entrant(name: str) -> ResponseReturnValue:
        desk, seen = setup.form()
        problem = change(desk, name, seen)
        return see_other("event_entrants") if problem is None else (page(setup, desk, name, problem), 409)


def _player_page(setup: SetupPages, desk: DirectorDesk, number: str, answer: Answer | None) -> str:
    event = desk.event
    seated = [session for session in sorted(event.seatings) if event.seat_of(session, number) is not None]
    return setup.page(
        "setup/player.html",
        answer,
        number=number,
        entered=event.players.get(number) or abort(404),
        name=desk.names.by_number.get(number, ""),
        team=event.team_of(number),
        tables=proposed_tables(event, max(len(event.tables), len(event.players) // 4, 1)),
        seated=[session for session in seated if not any(each.over and each.number == session for each in event.sessions)],
        free=_may_substitute(event, number),
        longest=LONGEST_NAME,
    )


def _team_page(setup: SetupPages, desk: DirectorDesk, name: str, answer: Answer | None) -> str:
    return setup.page("setup/team.html", answer, team=desk.event.teams.get(name) or abort(404), longest=LONGEST_NAME)


def _change_player(desk: DirectorDesk, number: str, seen: int) -> Answer | None:
    player = desk.event.players.get(number) or abort(404)
    match request.form.get("do"):
        case "save":
            return _save_player(desk, player, seen)
        case "remove":
            return carry_out(desk, seen, EntrantsRemoved((player.number,)))
        case "substitute":
            session, other = request.form.get("session", 0, int), request.form.get("substitute", "")
            if session not in desk.event.seatings or other not in desk.event.players:
                return Answer("player.choose-substitute")
            return _with_reason(desk, seen, lambda reason: SubstituteSeated(session, player.number, other, reason))
        case _:
            return _leave(desk, player.number, seen)


def _save_player(desk: DirectorDesk, player: EnteredPlayer, seen: int) -> Answer | None:
    name, club = cleaned(request.form.get("name", "")), cleaned(request.form.get("club", ""))
    others = {number: of for number, of in desk.names.by_number.items() if number != player.number and number in desk.event.players}
    line = named_entrant(name, club, known_entrants(desk.event, {**others, player.number: ""}))
    if line.problem is not None:
        return Answer(f"line.{line.problem.value}", {"longest": str(LONGEST_NAME), **line.values})
    table, place = request.form.get("table", ""), request.form.get("place", "")
    if place not in ("", "0", "1", "2", "3") or len(table) > 40:
        abort(400)
    changed = EnteredPlayer(player.number, line.club, table or None, int(place) if place else None, player.substitute)
    return carry_out(desk, seen, EntrantsEntered((changed,)), names={player.number: line.name})


def _change_team(desk: DirectorDesk, name: str, seen: int) -> Answer | None:
    team = desk.event.teams.get(name) or abort(404)
    match request.form.get("do"):
        case "save":
            first = [player for player in team.players if player in request.form.getlist("plays")]
            if len(first) != LEAST_IN_TEAM:
                return Answer("team.choose-four")
            club = cleaned(request.form.get("club", ""))[:LONGEST_NAME]
            players = (*first, *(player for player in team.players if player not in first))
            return carry_out(desk, seen, EntrantsEntered(teams=(EnteredTeam(team.name, players, club, team.phantom),)))
        case "remove":
            return carry_out(desk, seen, EntrantsRemoved(team.players, (team.name,)))
        case _:
            return _leave(desk, team.name, seen)


def _leave(desk: DirectorDesk, entrant: str, seen: int) -> Answer | None:
    """Let an entrant leave the event, miss the next session, or play in it after all."""
    session = desk.event.next_session
    match request.form.get("do"):
        case "present":
            return carry_out(desk, seen, EntrantPresent(entrant, session))
        case "absent":
            return _with_reason(desk, seen, lambda reason: EntrantAbsent(entrant, session, reason))
        case "withdraw":
            return _with_reason(desk, seen, lambda reason: EntrantWithdrawn(entrant, session, reason))
        case _:
            return abort(400)


def _with_reason(desk: DirectorDesk, seen: int, change: Callable[[str], EventChange]) -> Answer | None:
    reason = cleaned(request.form.get("reason", ""))
    if not reason or len(reason) > LONGEST_REASON:
        return Answer("setup.reason-missing")
    if desk.names.named_in(reason):
        return Answer("setup.reason-names")
    return carry_out(desk, seen, change(reason))


def _may_substitute(event: ManagedEvent, number: str) -> list[str]:
    """Who may play for a player: a member of the team, and in an individual event everybody without a seat in the next session."""
    team = event.team_of(number)
    session = event.in_play or event.next_session
    others: tuple[str, ...] = tuple(event.players) if team is None else event.teams[team].players
    return [other for other in others if other != number and event.seat_of(session, other) is None]
