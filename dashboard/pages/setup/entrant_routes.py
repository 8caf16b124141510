"""The entrants of an event: their list, and pasted or uploaded lists, which are checked, corrected and entered. Nothing of a list is stored
before it is entered: the page has every line with its number, so that a line keeps its place while others are corrected. The page of one
entrant: a player's name, club and fixed seat, a team's players, removal, withdrawal, and substitutes."""

import base64
from collections.abc import Callable, Sequence

from flask import Flask, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import FileStorage, MultiDict
from werkzeug.wrappers import Response as AnyResponse

from dashboard.access.director_desk import DirectorDesk
from dashboard.access.login import reader_words
from dashboard.actions.event_changes import Answer, carry_out
from dashboard.pages.setup.setup_frame import SetupPages, field_choices, over_sentence, plan_sentence, sent_file
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
from twinwall.event.management.entrant_list import (
    LEAST_IN_TEAM,
    MOST_LINES,
    EntrantList,
    KnownEntrants,
    ListColumn,
    ListTooLongError,
    entrant_batch,
    filling_batch,
    known_entrants,
    named_entrant,
    read_entrants,
)
from twinwall.event.management.list_encoding import ListEncoding, ListEncodingError, decode_list
from twinwall.event.management.managed_event import ManagedEvent
from twinwall.event.management.seating_proposal import event_plan, proposed_tables
from twinwall.event.movements.options import missing_entrants
from twinwall.event.results import EntrantKind
from twinwall.values import frozen
from twinwall.wire.names import LONGEST_NAME, cleaned, plain_number


def add_entrants(app: Flask, setup: SetupPages) -> None:

    @app.get("/event/entrants")
    def event_entrants() -> AnyResponse:
        desk = setup.desk()
        if desk.event.description is None:
            return redirect(url_for("event_description"))
        return app.make_response(_list_page(setup, desk))

    @app.post("/event/entrants")
    def enter_entrants() -> ResponseReturnValue:
        desk, seen = setup.form()
        if request.form.get("do") in ("fill", "sit-out"):
            problem = _choose_field(desk, seen)
            return see_other("event_entrants") if problem is None else (_list_page(setup, desk, problem), 409)
        if request.form.get("do") not in ("check", "decode", "enter"):
            abort(400)
        try:
            checked = check_list(request.form, request.files.get("file"), desk.event.is_team_event, _known(desk))
        except ListTooLongError:
            return _list_page(setup, desk, Answer("entrants.too-long")), 409
        except ListEncodingError:
            return _list_page(setup, desk, Answer("entrants.no-text")), 409
        if not checked.entrants.lines:
            return _list_page(setup, desk, Answer("entrants.nothing"), request.form.get("list", "")), 409
        if request.form["do"] == "enter" and checked.entrants.good:
            return _enter(setup, desk, checked, seen)
        return _check_page(setup, checked), 200


def _list_page(setup: SetupPages, desk: DirectorDesk, answer: Answer | None = None, pasted: str = "") -> str:
    event, words = desk.event, reader_words()
    count = len(event.taking_part(event.next_session))
    plan = None if event.description is None or not count else event_plan(event.description, count)
    options = field_choices(event, words)
    over = "" if plan is None or (options and plan.tables) else over_sentence(words, plan)
    return setup.page(
        "setup/entrants.html", answer, pasted=pasted, options=options, summary=(plan_sentence(words, plan) if plan else "", over)
    )


def _choose_field(desk: DirectorDesk, seen: int) -> Answer | None:
    """Apply the form's choice for the number of entrants: substitutes or phantom teams play, or entrants sit out in turn."""
    event, words = desk.event, reader_words()
    entrants = event.entrants(event.next_session)
    if event.description is None or not entrants:
        abort(400)
    if request.form["do"] == "fill":
        missing = missing_entrants(EntrantKind(event.description.kind), len(entrants)) - len(event.unranked)
        if missing <= 0:
            return Answer("refusal.nothing")
        return carry_out(desk, seen, filling_batch(event, missing, lambda number: words("field.phantom-name", number=number)))
    gone = sorted(event.unranked)
    if not gone:
        return Answer("refusal.nothing")
    players = tuple(player for name in gone for player in event.teams[name].players) if event.is_team_event else tuple(gone)
    return carry_out(desk, seen, EntrantsRemoved(players, tuple(gone) if event.is_team_event else ()))


def _check_page(setup: SetupPages, checked: "CheckedList", answer: Answer | None = None) -> str:
    return setup.page(
        "setup/list_check.html", answer, checked=checked, columns=list(ListColumn), encodings=list(ListEncoding), longest=LONGEST_NAME
    )


def _known(desk: DirectorDesk) -> KnownEntrants:
    return known_entrants(desk.event, desk.names.by_number)


def _enter(setup: SetupPages, desk: DirectorDesk, checked: "CheckedList", seen: int) -> ResponseReturnValue:
    """Enter the good lines; the others stay on the page."""
    change, names = entrant_batch(desk.event, desk.names.by_number, checked.entrants.good)
    problem = carry_out(desk, seen, change, names=names)
    if problem is not None:
        return _check_page(setup, checked, problem), 409
    left = checked.left(desk.event.is_team_event, _known(desk))
    if not left.entrants.lines:
        return see_other("event_entrants")
    return _check_page(setup, left, Answer("entrants.entered", {"count": str(len(names))}, refused=False)), 200


@frozen
class CheckedList:
    """A list as read and, if its encoding is doubtful, its file's bytes to read again."""

    entrants: EntrantList
    encoding: ListEncoding | None = None
    content: str = ""
    """The file in Base64; empty if its encoding is certain."""

    @property
    def rows(self) -> tuple[tuple[int, str], ...]:
        """Every line in the form, with its number; the heading first."""
        lines = self.entrants.lines
        heading = () if self.entrants.heading is None else (((lines[0].line - 1) if lines else 1, self.entrants.heading),)
        return (*heading, *((line.line, line.text) for line in lines))

    def left(self, teams: bool, known: KnownEntrants) -> "CheckedList":
        """The lines that could not be entered, read again with those that were."""
        kept = [(line.line, line.text) for line in self.entrants.bad]
        return CheckedList(read_entrants(_text(kept), teams=teams, known=known, columns=self.entrants.columns))


def check_list(form: MultiDict[str, str], file: FileStorage | None, teams: bool, known: KnownEntrants) -> CheckedList:
    """Read a form's list: an uploaded file, the lines of an earlier check, or a pasted text. Raises ListTooLongError for a list that no
    event has; ListEncodingError for a file that is no text."""
    columns = _columns(form)
    chosen = next((each for each in ListEncoding if each.value == form.get("encoding")), None)
    content = file.read() if file is not None and file.filename else sent_file(form.get("content", ""))
    if content and (file is not None or form.get("do") == "decode"):
        text, encoding, doubtful = decode_list(content, chosen)
        kept = base64.b64encode(content).decode() if doubtful or chosen is not None else ""
        return CheckedList(read_entrants(text, teams=teams, known=known), encoding if kept else None, kept)
    lines = _lines(form)
    text = _text(lines) if lines else form.get("list", "")
    return CheckedList(read_entrants(text, teams=teams, known=known, columns=columns if lines else None))


def _columns(form: MultiDict[str, str]) -> tuple[ListColumn, ...]:
    known = {column.value: column for column in ListColumn}
    return tuple(known.get(text, ListColumn.IGNORED) for text in form.getlist("column"))


def _lines(form: MultiDict[str, str]) -> list[tuple[int, str]]:
    numbers = [plain_number(text) or 0 for text in form.getlist("at")]
    return [(number, text) for number, text in zip(numbers, form.getlist("line"), strict=False) if 0 < number <= MOST_LINES + 1]


def _text(lines: Sequence[tuple[int, str]]) -> str:
    """The lines at their numbers, with blank ones between them."""
    at = dict(lines)
    return "\n".join(" ".join(at.get(number, "").splitlines()) for number in range(1, max(at, default=0) + 1))


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
    known = known_entrants(desk.event, {**desk.names.by_number, player.number: ""})
    line = named_entrant(cleaned(request.form.get("name", "")), cleaned(request.form.get("club", "")), known)
    if line.problem is not None:
        return Answer(f"line.{line.problem.value}", {"longest": str(LONGEST_NAME), **line.values})
    table, place = request.form.get("table", ""), request.form.get("place", "")
    if place not in ("", *"0123") or len(table) > 40:
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
