"""The entrants of an event: the list of them, and lists that are pasted or uploaded, checked, corrected and entered.

Nothing of a list is kept before it is entered: the page carries every line, good or not, with its number, so that a line keeps its place
while others are corrected.

The page of one entrant: name, club and fixed seat of a player, who plays for a team, removal, withdrawal, and substitutes.
"""

import base64
import binascii
from collections.abc import Callable, Sequence

from flask import Flask, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import FileStorage, MultiDict
from werkzeug.wrappers import Response as AnyResponse

from dashboard.access.director_desk import DirectorDesk
from dashboard.actions.event_changes import Answer, answered, carry_out
from dashboard.pages.setup.setup_frame import SetupPages, field_choices, over_sentence, plan_sentence
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
    LineProblem,
    ListColumn,
    ListTooLongError,
    entrant_batch,
    filling_batch,
    known_entrants,
    read_entrants,
)
from twinwall.event.management.event_plan import event_plan
from twinwall.event.management.list_encoding import ListEncoding, ListEncodingError, decode_list
from twinwall.event.management.managed_event import ManagedEvent
from twinwall.event.management.seating_proposal import proposed_tables
from twinwall.event.movements.options import missing_entrants
from twinwall.event.results import EntrantKind
from twinwall.values import frozen
from twinwall.wire.names import LONGEST_NAME, cleaned, plain_number

LONGEST_REASON = 300


def add_entrant_pages(app: Flask, setup: SetupPages) -> None:
    """Add ``/event/entrants/NUMBER`` and ``/event/teams/NAME``."""

    @app.get("/event/entrants/<number>")
    def event_player(number: str) -> str:
        return _player_page(setup, setup.desk(), number)

    @app.post("/event/entrants/<number>")
    def change_player(number: str) -> ResponseReturnValue:
        desk, seen = setup.form()
        player = desk.event.players.get(number)
        if player is None:
            abort(404)
        if request.form.get("do") not in ("save", "remove", "withdraw", "absent", "present", "substitute"):
            abort(400)
        problem = _change_player(desk, player, seen)
        if problem is not None:
            return _player_page(setup, desk, number, problem), 409
        return see_other("event_entrants")

    @app.get("/event/teams/<path:name>")
    def event_team(name: str) -> str:
        return _team_page(setup, setup.desk(), name)

    @app.post("/event/teams/<path:name>")
    def change_team(name: str) -> ResponseReturnValue:
        desk, seen = setup.form()
        team = desk.event.teams.get(name)
        if team is None:
            abort(404)
        if request.form.get("do") not in ("save", "remove", "withdraw", "absent", "present"):
            abort(400)
        problem = _change_team(desk, team, seen)
        if problem is not None:
            return _team_page(setup, desk, name, problem), 409
        return see_other("event_entrants")


def _player_page(setup: SetupPages, desk: DirectorDesk, number: str, answer: Answer | None = None) -> str:
    event = desk.event
    if number not in event.players:
        abort(404)
    seated = [session for session in sorted(event.seatings) if event.seat_of(session, number) is not None]
    return setup.page(
        "setup/player.html",
        desk,
        answer,
        number=number,
        entered=event.players[number],
        name=desk.names.by_number.get(number, ""),
        team=event.team_of(number),
        tables=proposed_tables(event, max(len(event.tables), len(event.players) // 4, 1)),
        seated=[session for session in seated if not any(each.over and each.number == session for each in event.sessions)],
        free=_may_substitute(event, number),
        longest=LONGEST_NAME,
    )


def _team_page(setup: SetupPages, desk: DirectorDesk, name: str, answer: Answer | None = None) -> str:
    if name not in desk.event.teams:
        abort(404)
    return setup.page("setup/team.html", desk, answer, team=desk.event.teams[name], longest=LONGEST_NAME)


def _change_player(desk: DirectorDesk, player: EnteredPlayer, seen: int) -> Answer | None:
    match request.form.get("do"):
        case "save":
            return _save_player(desk, player, seen)
        case "remove":
            return _removed(desk, EntrantsRemoved((player.number,)), seen)
        case "substitute":
            session, other = request.form.get("session", 0, int), request.form.get("substitute", "")
            if session not in desk.event.seatings or other not in desk.event.players:
                return Answer("player.choose-substitute")
            return _with_reason(desk, seen, lambda reason: SubstituteSeated(session, player.number, other, reason))
        case _:
            return _leave(desk, player.number, seen)


def _save_player(desk: DirectorDesk, player: EnteredPlayer, seen: int) -> Answer | None:
    """Name, club and fixed seat, as the form has them."""
    name, club = cleaned(request.form.get("name", "")), cleaned(request.form.get("club", ""))
    others = {number: of for number, of in desk.names.by_number.items() if number != player.number and number in desk.event.players}
    known = known_entrants(desk.event, {**others, player.number: ""})
    holds = (ListColumn.NAME, ListColumn.CLUB)
    read = read_entrants(f'"{_quoted(name)}","{_quoted(club)}"', teams=False, known=known, columns=holds)
    line = next(iter(read.lines), None)
    problem = LineProblem.NAME_MISSING if line is None else line.problem
    if line is None or problem is not None:
        values = {} if line is None else dict(line.values)
        return Answer(f"line.{LineProblem(problem).value}", {"longest": str(LONGEST_NAME), **values})
    table, place = request.form.get("table", ""), request.form.get("place", "")
    if place not in ("", "0", "1", "2", "3") or len(table) > 40:
        abort(400)
    changed = EnteredPlayer(player.number, line.club, table or None, int(place) if place else None, player.substitute)
    return carry_out(desk, EntrantsEntered((changed,)), seen, {player.number: line.name})


def _change_team(desk: DirectorDesk, team: EnteredTeam, seen: int) -> Answer | None:
    match request.form.get("do"):
        case "save":
            first = [player for player in team.players if player in request.form.getlist("plays")]
            if len(first) != LEAST_IN_TEAM:
                return Answer("team.choose-four")
            club = cleaned(request.form.get("club", ""))[:LONGEST_NAME]
            players = (*first, *(player for player in team.players if player not in first))
            return carry_out(desk, EntrantsEntered(teams=(EnteredTeam(team.name, players, club, team.phantom),)), seen)
        case "remove":
            return _removed(desk, EntrantsRemoved(team.players, (team.name,)), seen)
        case _:
            return _leave(desk, team.name, seen)


def _leave(desk: DirectorDesk, entrant: str, seen: int) -> Answer | None:
    """Let an entrant leave the event, leave out the next session, or come to it after all."""
    session = desk.event.next_session
    if request.form.get("do") == "present":
        return carry_out(desk, EntrantPresent(entrant, session), seen)
    kind = EntrantAbsent if request.form.get("do") == "absent" else EntrantWithdrawn
    return _with_reason(desk, seen, lambda reason: kind(entrant, session, reason))


def _removed(desk: DirectorDesk, change: EntrantsRemoved, seen: int) -> Answer | None:
    """Remove entrants, and their names with them."""
    return answered(desk, seen, lambda: desk.remove(change, seen))


def _with_reason(desk: DirectorDesk, seen: int, change: Callable[[str], EventChange]) -> Answer | None:
    reason = cleaned(request.form.get("reason", ""))
    if not reason or len(reason) > LONGEST_REASON:
        return Answer("setup.reason-missing")
    if desk.names.named_in(reason):
        return Answer("setup.reason-names")
    return carry_out(desk, change(reason), seen)


def _may_substitute(event: ManagedEvent, number: str) -> list[str]:
    """Who may play for a player: a member of the team, and in an individual event everybody who does not sit in the next session."""
    team = event.team_of(number)
    session = event.sessions[-1].number if event.sessions and not event.sessions[-1].over else event.next_session
    others: tuple[str, ...] = tuple(event.players) if team is None else event.teams[team].players
    return [other for other in others if other != number and event.seat_of(session, other) is None]


def _quoted(text: str) -> str:
    return text.replace('"', '""')


def add_entrants(app: Flask, setup: SetupPages) -> None:
    """Add ``/event/entrants``."""

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
            problem = _choose_field(setup, desk, seen)
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
        return _check_page(setup, desk, checked), 200


def _list_page(setup: SetupPages, desk: DirectorDesk, answer: Answer | None = None, pasted: str = "") -> str:
    event, words = desk.event, setup.words()
    count = len(event.taking_part(event.next_session))
    plan = None if event.description is None or not count else event_plan(event.description, count)
    options = field_choices(event, words)
    over = "" if plan is None or (options and plan.tables) else over_sentence(words, plan)
    return setup.page(
        "setup/entrants.html",
        desk,
        answer,
        pasted=pasted,
        options=options,
        summary=("" if plan is None or not plan.tables else plan_sentence(words, plan), over),
    )


def _choose_field(setup: SetupPages, desk: DirectorDesk, seen: int) -> Answer | None:
    """Do with the number of entrants what the form says: let substitutes or phantom teams play, or let entrants sit out in turn."""
    event, words = desk.event, setup.words()
    entrants = event.entrants(event.next_session)
    if event.description is None or not entrants:
        abort(400)
    if request.form["do"] == "fill":
        missing = missing_entrants(EntrantKind(event.description.kind), len(entrants)) - len(event.unranked)
        if missing <= 0:
            return Answer("refusal.nothing")
        change = filling_batch(event, missing, lambda number: words("field.phantom-name", number=number))
        return carry_out(desk, change, seen, {})
    gone = sorted(event.unranked)
    if not gone:
        return Answer("refusal.nothing")
    players = tuple(player for name in gone for player in event.teams[name].players) if event.is_team_event else tuple(gone)
    return answered(desk, seen, lambda: desk.remove(EntrantsRemoved(players, tuple(gone) if event.is_team_event else ()), seen))


def _check_page(setup: SetupPages, desk: DirectorDesk, checked: "CheckedList", answer: Answer | None = None) -> str:
    return setup.page(
        "setup/list_check.html", desk, answer, checked=checked, columns=list(ListColumn), encodings=list(ListEncoding), longest=LONGEST_NAME
    )


def _known(desk: DirectorDesk) -> KnownEntrants:
    return known_entrants(desk.event, desk.names.by_number)


def _enter(setup: SetupPages, desk: DirectorDesk, checked: "CheckedList", seen: int) -> ResponseReturnValue:
    """Enter the good lines; those that are not good stay on the page."""
    change, names = entrant_batch(desk.event, desk.names.by_number, checked.entrants.good)
    problem = carry_out(desk, change, seen, names)
    if problem is not None:
        return _check_page(setup, desk, checked, problem), 409
    left = checked.left(desk.event.is_team_event, _known(desk))
    if not left.entrants.lines:
        return see_other("event_entrants")
    entered = Answer("entrants.entered", {"count": str(len(names))}, refused=False)
    return _check_page(setup, desk, left, entered), 200


@frozen
class CheckedList:
    """A list that was read, and, where its encoding is doubtful, the bytes of its file to read again."""

    entrants: EntrantList
    encoding: ListEncoding | None = None
    content: str = ""
    """The file in Base64; empty where its encoding is certain."""

    @property
    def rows(self) -> tuple[tuple[int, str], ...]:
        """Every line that the form carries, with its number; the heading first."""
        lines = self.entrants.lines
        heading = () if self.entrants.heading is None else (((lines[0].line - 1) if lines else 1, self.entrants.heading),)
        return (*heading, *((line.line, line.text) for line in lines))

    def left(self, teams: bool, known: KnownEntrants) -> "CheckedList":
        """The lines that could not be entered, read again beside those that were."""
        kept = [(line.line, line.text) for line in self.entrants.bad]
        return CheckedList(read_entrants(_text(kept), teams=teams, known=known, columns=self.entrants.columns))


def check_list(form: MultiDict[str, str], file: FileStorage | None, teams: bool, known: KnownEntrants) -> CheckedList:
    """Read what a form carries: an uploaded file, the lines of an earlier check, or a pasted text.

    Raises:
        ListTooLongError: for a list that no event has.
        ListEncodingError: for a file that is no text.
    """
    columns = _columns(form)
    chosen = next((each for each in ListEncoding if each.value == form.get("encoding")), None)
    content = file.read() if file is not None and file.filename else _bytes(form.get("content", ""))
    if content and (file is not None or form.get("do") == "decode"):
        read = decode_list(content, chosen)
        kept = base64.b64encode(content).decode() if read.doubtful or chosen is not None else ""
        return CheckedList(read_entrants(read.text, teams=teams, known=known), read.encoding if kept else None, kept)
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


def _bytes(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""
