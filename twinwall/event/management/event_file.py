"""An event as one file: description, entrants and seats, read strictly; with names of players only on request.

A file gives changes for an event without entrants; all are checked, in order, before any is made.
"""

from collections.abc import Mapping
from dataclasses import field

import msgspec

from twinwall.event.management.changes import (
    EnteredPlayer,
    EnteredTeam,
    EntrantsEntered,
    EventChange,
    EventDescribed,
    SessionSeated,
    TableName,
    TablesChosen,
)
from twinwall.event.management.managed_event import ManagedEvent
from twinwall.event.player_names import PlayerName, PlayerNumber
from twinwall.game.documents import DocumentError, parse_object, pretty_json
from twinwall.game.typed_json import plain, read_as
from twinwall.values import Shape, frozen
from twinwall.wire.messages.assignment import TableKind
from twinwall.wire.names import cleaned, composed, looks_like, name_problem


class EventDocument(Shape, tag_field="format", tag="twinwall-event-1"):
    """The file's JSON object, named by its ``format``."""

    event: EventDescribed
    players: tuple[EnteredPlayer, ...] = ()
    teams: tuple[EnteredTeam, ...] = ()
    tables: tuple[TableName, ...] = ()
    seatings: tuple[SessionSeated, ...] = ()
    names: dict[PlayerNumber, PlayerName] = {}  # noqa: RUF012 - msgspec copies it
    kinds: dict[TableName, TableKind] = {}  # noqa: RUF012 - msgspec copies it


@frozen
class EventFile:
    """The changes that a file makes, and names by player number."""

    changes: tuple[EventChange, ...]
    names: Mapping[str, str] = field(default_factory=dict)


def write_event_file(event: ManagedEvent, names: Mapping[str, str]) -> bytes:
    """The file of a described event; ``names`` are those to include."""
    return pretty_json(msgspec.to_builtins(event_document(event, names)))


def event_document(event: ManagedEvent, names: Mapping[str, str]) -> EventDocument:
    """The content of an event's file; ``names`` as in ``write_event_file``."""
    if event.description is None:
        raise ValueError("an event that is not described has no file")
    return EventDocument(
        event.description,
        tuple(event.players.values()),
        tuple(event.teams.values()),
        event.tables,
        tuple(event.seatings[number] for number in sorted(event.seatings)),
        {number: name for number, name in names.items() if number in event.players},
        dict(event.kinds),
    )


def read_event_file(content: bytes) -> EventFile:
    """Read a file; raises DocumentError, which says what is wrong."""
    return event_file(read_as(composed(parse_object(content)), EventDocument))


def event_file(document: EventDocument) -> EventFile:
    """The changes and names of a document, with all names ``cleaned``; raises DocumentError as ``read_event_file``."""
    document = read_as(composed(plain(document), cleaned), EventDocument)
    numbers = {player.number for player in document.players}
    alike: dict[str, str] = {}
    for number, name in document.names.items():
        if number not in numbers:
            raise DocumentError(f"'names' has player {number}, whom 'players' does not have")
        if name_problem(name) is not None:
            raise DocumentError(f"'names' has a name of player {number} that cannot be shown")
        other = alike.setdefault(looks_like(name), number)
        if other != number:
            raise DocumentError(f"players {other} and {number} have names that look alike: add something that tells them apart")
    changes: list[EventChange] = [document.event]
    if document.players or document.teams:
        changes.append(EntrantsEntered(document.players, document.teams))
    if document.tables:
        changes.append(TablesChosen(document.tables, document.kinds))
    return EventFile((*changes, *document.seatings), document.names)
