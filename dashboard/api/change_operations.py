"""Operations that change the event: all changes by a director, lists of entrants, and the event as one file. Each takes the version of the
event that the program saw. Like the pages' forms, they use ``DirectorDesk``."""

from collections.abc import Mapping
from typing import Annotated

import msgspec

from dashboard.access.director_desk import DirectorDesk
from dashboard.actions.event_changes import change_sentence, is_empty, refusal_answer, seating_changes
from dashboard.api.operations import DIRECTORS, ApiRequest, ChangeMade, OperationList, ProblemError, ProblemKind, RefusedLine, not_found
from dashboard.i18n.words import Words
from twinwall.event.management.change_checks import ChangeRefusal, ChangeRefusedError, Why
from twinwall.event.management.changes import (
    EntrantAbsent,
    EntrantsEntered,
    EntrantWithdrawn,
    EventChange,
    SessionSeated,
    SubstituteSeated,
)
from twinwall.event.management.entrant_list import ListedEntrant, ListTooLongError, entrant_batch, known_entrants, read_entrants
from twinwall.event.management.managed_event import EventDocument, event_document, event_file
from twinwall.event.player_names import PlayerNumber
from twinwall.game.documents import DocumentError
from twinwall.game.typed_json import Text
from twinwall.values import FrozenStruct, Shape
from twinwall.wire.names import LONGEST_NAME, cleaned, looks_like, name_problem

OPERATIONS = OperationList()


class ChangeOrder(Shape):
    """A change, and the names by number of players whom it enters: the change itself has only numbers."""

    change: EventChange
    names: dict[PlayerNumber, Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_NAME)]] = {}  # noqa: RUF012 - msgspec copies it


class ChangedAnswer(FrozenStruct):
    """The version of the event after the change."""

    version: int


class ListOrder(Shape):
    """A list of entrants as it would be pasted: columns number, name, team and club, in any order under a heading."""

    list: Text


class EnteredAnswer(FrozenStruct):
    """The numbers of the entered players, with their names, and the version of the event."""

    version: int
    entered: dict[str, str]


@OPERATIONS.offer("POST", "/changes", DIRECTORS, takes_version=True)
def change_event(asked: ApiRequest, body: ChangeOrder) -> ChangedAnswer:
    """Change the event: one of the kinds that the schema EventChange lists.

    What the pages do with a change is done too: new tables of a seating are chosen, removed players are forgotten.
    """
    desk, change = asked.desk(), body.change
    names = _checked_names(desk, body)
    if isinstance(change, EntrantWithdrawn | EntrantAbsent | SubstituteSeated) and desk.names.named_in(change.reason):
        raise asked.problem("setup.reason-names")
    if not isinstance(change, SessionSeated):
        return ChangedAnswer(_take(asked, change, names=names))
    kinds = {table.name: table.heartbeat.kind for table in asked.hall.joined()}
    return ChangedAnswer(_take(asked, *seating_changes(desk.event, change, kinds), names=names))


@OPERATIONS.offer("POST", "/entrants", DIRECTORS, ProblemKind.LIST, takes_version=True)
def enter_list(asked: ApiRequest, body: ListOrder) -> EnteredAnswer:
    """Enter a list of players.

    All lines of it are entered, or none.
    """
    desk = asked.desk()
    event = desk.event
    try:
        read = read_entrants(body.list, teams=event.is_team_event, known=known_entrants(event, desk.names.by_number))
    except ListTooLongError:
        raise ProblemError(ProblemKind.TOO_LONG, asked.words("entrants.too-long")) from None
    if read.bad:
        lines = [_refused_line(asked.words, line) for line in read.bad]
        raise ProblemError(ProblemKind.LIST, "No line was entered. Correct those named in lines, and send the list again.", lines=lines)
    if not read.lines:
        raise ProblemError(ProblemKind.LIST, asked.words("entrants.nothing"))
    change, names = entrant_batch(event, desk.names.by_number, read.good)
    return EnteredAnswer(_take(asked, change, names=names), names)


@OPERATIONS.offer("GET", "/event/file", DIRECTORS)
def read_event_file(asked: ApiRequest, names: bool = False) -> EventDocument:
    """Read the event as one file.

    ``names`` says whether it has the names of players.
    """
    desk = asked.desk()
    if desk.event.description is None:
        raise not_found(asked.words("refusal.not-described"))
    return event_document(desk.event, desk.names.by_number if names else {})


@OPERATIONS.offer("POST", "/event/file", DIRECTORS, takes_version=True)
def take_event_file(asked: ApiRequest, body: EventDocument) -> ChangedAnswer:
    """Read a file into an empty event."""
    desk = asked.desk()
    try:
        file = event_file(body)
    except DocumentError as error:
        raise ProblemError(ProblemKind.INVALID, asked.words("file.unread", problem=error)) from None
    if not is_empty(desk.event):
        raise asked.problem("file.not-empty")
    return ChangedAnswer(_take(asked, *file.changes, names=file.names))


@OPERATIONS.offer("POST", "/sessions/told", DIRECTORS)
def tell_again(asked: ApiRequest) -> None:
    """Tell tables and vaults of the session in play once more."""
    control = asked.hall.control
    if control is not None:
        control.tell_again(asked.desk().event, asked.viewer.name)


def _take(asked: ApiRequest, *changes: EventChange, names: Mapping[str, str]) -> int:
    """Change the event as the program saw it; return the version afterwards. Raises ProblemError for a refusal."""
    desk, seen = asked.desk(), asked.version
    try:
        desk.change(seen, *changes, names=names)
    except ChangeRefusedError as refused:
        raise _refused(asked, desk, refused.refusal, seen) from None
    return desk.event.version


def _refused(asked: ApiRequest, desk: DirectorDesk, refused: ChangeRefusal, seen: int) -> ProblemError:
    """The problem for a refusal; if another director changed the event first, it says what was changed."""
    if refused.why is Why.CHANGED:
        since = [ChangeMade(step.by, change_sentence(asked.words, step.change, desk.names)) for step in desk.since(seen)]
        detail = f"The event is at version {desk.event.version}, you saw {seen}. Nothing was done: read the event, then ask again."
        return ProblemError(ProblemKind.CHANGED, detail, reason=refused.why.value, event_version=desk.event.version, changes=since)
    return asked.refused(refusal_answer(refused, desk.names, seen))


def _checked_names(desk: DirectorDesk, order: ChangeOrder) -> dict[str, str]:
    """Names as in the names file; raises ProblemError for an invalid name, an unknown player, or a name like another player's."""
    fresh = {number: cleaned(name) for number, name in order.names.items()}
    entering = {player.number for player in order.change.players} if isinstance(order.change, EntrantsEntered) else set()
    if strangers := fresh.keys() - desk.event.players.keys() - entering:
        raise ProblemError(ProblemKind.INVALID, f"names has {', '.join(sorted(strangers))}, whom neither the event nor the change has.")
    known = {number: name for number, name in desk.names.by_number.items() if number in desk.event.players}
    alike: dict[str, str] = {}
    for number, name in {**known, **fresh}.items():
        if number in fresh and name_problem(name) is not None:
            raise ProblemError(ProblemKind.INVALID, f"The name of player {number} cannot be shown: send 1 to {LONGEST_NAME} letters.")
        other = alike.setdefault(looks_like(name), number)
        if other != number and {other, number} & fresh.keys():
            detail = f"Players {other} and {number} would have names that look alike: add something that tells them apart."
            raise ProblemError(ProblemKind.REFUSED, detail, reason="name-alike")
    return fresh


def _refused_line(words: Words, line: ListedEntrant) -> RefusedLine:
    problem = line.problem
    return RefusedLine(line.line, "" if problem is None else words(f"line.{problem.value}", **{"longest": LONGEST_NAME, **line.values}))
