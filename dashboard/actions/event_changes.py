"""A director's changes of the event, and the answers: a refusal in a sentence, and what another director has changed. Each action takes the
version of the event that its director or program saw. If the event has changed since, nothing is done."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import field

from dashboard.access.director_desk import NO_NAMES, DirectorDesk, NamesNotKeptError
from dashboard.i18n.words import Values, Words
from twinwall.event.management.change_checks import ChangeRefusal, ChangeRefusedError, Why
from twinwall.event.management.changes import EventChange, SessionEnded, SessionSeated, TablesChosen, change_document
from twinwall.event.management.managed_event import ManagedEvent
from twinwall.event.player_names import NamesShown, PlayerNames
from twinwall.event.store.databases.port import StoreError
from twinwall.values import frozen
from twinwall.wire.messages.assignment import TableKind

_LOG = logging.getLogger(__name__)
EFFORT = 1.0
"""The solver's effort for one session while a person waits."""


@frozen
class Answer:
    """The answer to an action: a sentence's key with its values, an English sentence beside it, and whether it was ``refused`` without
    effect."""

    key: str
    values: Mapping[str, object] = field(default_factory=dict)
    sentence: str = ""
    refused: bool = True
    since: int | None = None
    """The version after which another director changed something, if that is the reason."""


def carry_out(desk: DirectorDesk, seen: int, *changes: EventChange, names: Mapping[str, str] = NO_NAMES) -> Answer | None:
    """Change the event; return why it was refused or not stored, or None. The page is then shown again with what was typed."""
    try:
        desk.change(seen, *changes, names=names)
    except ChangeRefusedError as refused:
        return refusal_answer(refused.refusal, desk.names, seen)
    except NamesNotKeptError:
        return Answer("setup.names-not-kept")
    except StoreError as error:
        _LOG.error("a change of the event is not stored: %s", error)
        return Answer("error.store")
    return None


def refusal_answer(refused: ChangeRefusal, names: PlayerNames, seen: int) -> Answer:
    """The sentence for a refusal, with players by name."""
    values = {"name": "", "session": "", **refused.values}
    values["name"] = player_shown(names, values["name"]) if values["name"] in names.by_number else isolated(values["name"])
    return Answer(f"refusal.{refused.why.value}", values, since=seen if refused.why is Why.CHANGED else None)


def is_empty(event: ManagedEvent) -> bool:
    """Whether a file can be read into the event: it has no entrants, and nothing was played."""
    return not (event.players or event.teams or event.sessions or event.closed)


def seating_changes(event: ManagedEvent, draft: SessionSeated, kinds: Mapping[str, TableKind]) -> tuple[TablesChosen | SessionSeated, ...]:
    """The changes that save seats: first the tables that the event lacks, with their reported ``kinds``."""
    new = new_tables(event, draft)
    reported = {table: kinds[table] for table in new if kinds.get(table, TableKind.FEEDER) is not TableKind.FEEDER}
    return (TablesChosen((*event.tables, *new), {**event.kinds, **reported}), draft) if new else (draft,)


def new_tables(event: ManagedEvent, draft: SessionSeated) -> tuple[str, ...]:
    """The tables of these seats that the event lacks."""
    return tuple(at.table for at in draft.tables if at.table not in event.tables)


def draws_by_standing(event: ManagedEvent) -> bool:
    """Whether the standing after the session before decides the groups of a session."""
    return event.description is not None and event.description.groups == "by-standing"


def waits_for_standing(event: ManagedEvent, session: int) -> bool:
    """Whether the groups of a session depend on a standing that is not final yet."""
    return draws_by_standing(event) and (session > event.next_session or (session > 1 and event.in_play > 0))


def standing_before(desk: DirectorDesk) -> tuple[str, ...]:
    """The entrants by the standing that decides the next groups; empty if none does."""
    by_standing = draws_by_standing(desk.event) and desk.event.sessions
    return tuple(at.entrant for at in desk.hall.standings().ranking) if by_standing else ()


def seated_as_before(event: ManagedEvent) -> tuple[EventChange, ...]:
    """The changes that end the session in play and seat the next one with the same people at the same seats; empty if the last one has no
    seats."""
    seating = event.seatings.get(event.sessions[-1].number) if event.sessions else None
    if seating is None:
        return ()
    ended = (SessionEnded(seating.session),) if event.in_play else ()
    return (*ended, SessionSeated(event.next_session, seating.groups, seating.sitting_out))


NAMED = 4
"""Names in a sentence before it says how many more there are."""


def isolated(text: str) -> str:
    """A name in a sentence, isolated so that it cannot turn the text direction beside it."""
    return f"\u2068{text}\u2069" if text else ""


def player_shown(names: PlayerNames, number: str) -> str:
    """A player's number and name; only the number if the name is unknown."""
    name = names.shown(number, NamesShown.FULL)
    return number if name == number else f"{number} {isolated(name)}"


def change_sentence(words: Words, change: EventChange, names: PlayerNames) -> str:
    return words(f"change.{change_document(change)['type']}", **_values(change, names))


def _values(change: EventChange, names: PlayerNames) -> Values:
    given = {field: getattr(change, field) for field in change.__struct_fields__}
    values: Values = {}
    match given:
        case {"teams": teams, "players": players}:
            entered = [each if isinstance(each, str) else each.name for each in teams]
            numbers = [each if isinstance(each, str) else each.number for each in players]
            return _named([*map(isolated, entered)] or [player_shown(names, number) for number in numbers])
        case {"tables": tables}:
            return _named([*map(isolated, tables)])
        case {"entrant": entrant}:
            values = {"name": player_shown(names, entrant) if entrant in names.by_number else isolated(entrant)}
        case {"player": player, "substitute": substitute}:
            values = {"name": player_shown(names, player), "other": player_shown(names, substitute)}
    if "reason" in given:
        values["reason"] = isolated(given["reason"])
    return values | ({"session": given["session"]} if "session" in given else {})


def _named(shown: Sequence[str]) -> Values:
    more = len(shown) - NAMED
    return {"count": len(shown), "names": " · ".join(shown[:NAMED]) + (f" · +{more}" if more > 0 else "")}
