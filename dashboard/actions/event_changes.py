"""What a director changes of the event, and how the answer reads: a refusal in a sentence, and what another director changed since.

Each action takes the version of the event that its director or program saw. When the event has changed since, nothing is done.

A change of the event in words, for a director whose form came after another's.

What a director orders of the event's deals: the vaults make and commit them, and the public value is fixed.

The passphrase goes straight to the vaults, sealed to each; it is in no page, log or file.
"""

import logging
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from dashboard.access.access_policy import DirectorDesk, NamesNotKeptError
from dashboard.custody.deal_making import DealMaking
from dashboard.i18n.words import Words
from twinwall.event.deal_state import MadeDeals, RefusedStep
from twinwall.event.management.change_checks import ChangeRefusal, ChangeRefusedError, Why, refusal
from twinwall.event.management.changes import EventChange, EventDescribed, SessionEnded, SessionSeated, TablesChosen, change_document
from twinwall.event.management.event_file import EventFile, file_problems
from twinwall.event.management.managed_event import EventStage, ManagedEvent, apply
from twinwall.event.player_names import NamesShown, PlayerNames
from twinwall.event.store.databases.port import StoreError
from twinwall.game.deals import DealError, Plan, TilesError, check_drawn, check_random, one_by_one, tiles_drawn
from twinwall.game.deals.plan import plan_sessions
from twinwall.values import frozen
from twinwall.wire.messages.table_kind import TableKind

NAMED = 4
"""A sentence has this many names before it says how many more there are."""


def isolated(text: str) -> str:
    """A name in a sentence, kept from turning the direction of the words beside it."""
    return f"\u2068{text}\u2069" if text else ""


def player_shown(names: PlayerNames, number: str) -> str:
    """A player with number and name; the number alone where no name is known."""
    name = names.shown(number, NamesShown.FULL)
    return number if name == number else f"{number} {isolated(name)}"


def change_sentence(words: Words, change: EventChange, names: PlayerNames) -> str:
    """What somebody did."""
    return words(f"change.{change_document(change)['type']}", **_values(change, names))


def _values(change: EventChange, names: PlayerNames) -> dict[str, object]:
    """What the sentence names, by the fields that the change has."""
    given = {field: getattr(change, field) for field in change.__struct_fields__}
    values: dict[str, object] = {}
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


def _named(shown: Sequence[str]) -> dict[str, object]:
    more = len(shown) - NAMED
    return {"count": len(shown), "names": " · ".join(shown[:NAMED]) + (f" · +{more}" if more > 0 else "")}


_LOG = logging.getLogger(__name__)
EFFORT = 1.0
"""Of the solver for one session: a person waits for it."""


@frozen
class Answer:
    """What is said of an action: a sentence's key with its values, a sentence in English that stands beside it, and whether something was
    refused, and then nothing has changed."""

    key: str
    values: Mapping[str, object] = field(default_factory=dict)
    sentence: str = ""
    refused: bool = True
    since: int | None = None
    """The version after which another director changed something, when that is why."""


def carry_out(desk: DirectorDesk, change: EventChange, seen: int, names: Mapping[str, str] | None = None) -> Answer | None:
    """Change the event; why not, where that is refused, and then nothing has changed."""
    return answered(desk, seen, lambda: desk.enter(change, names or {}, seen))


def answered(desk: DirectorDesk, seen: int, do: Callable[[], object]) -> Answer | None:
    """Do something to the event; why not, where that is refused or cannot be stored: the page is then shown again, with what was typed."""
    try:
        do()
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
    """Whether a file can be read into the event: no entrant is there, and nothing was played."""
    return not (event.players or event.teams or event.sessions or event.closed)


def import_file(desk: DirectorDesk, file: EventFile, seen: int) -> None:
    """Make the changes of a file, all or none of them; raises what ``DirectorDesk.enter`` does."""
    refused = next(file_problems(desk.event, file), None)
    if refused is not None:
        raise ChangeRefusedError(refused)
    for number, change in enumerate(file.changes):
        desk.enter(change, file.names if number == 1 else {}, seen + number)


def seating_changes(event: ManagedEvent, draft: SessionSeated, kinds: Mapping[str, TableKind]) -> tuple[TablesChosen | SessionSeated, ...]:
    """The changes that save seats: first the tables that the event does not have yet, with the ``kinds`` that they say that they are."""
    new = new_tables(event, draft)
    reported = {table: kinds[table] for table in new if kinds.get(table, TableKind.FEEDER) is not TableKind.FEEDER}
    return (TablesChosen((*event.tables, *new), {**event.kinds, **reported}), draft) if new else (draft,)


def new_tables(event: ManagedEvent, draft: SessionSeated) -> tuple[str, ...]:
    """The tables of seats that the event does not have yet."""
    return tuple(at.table for at in draft.tables if at.table not in event.tables)


def waits_for_standing(event: ManagedEvent, session: int) -> bool:
    """Whether the groups of a session are drawn by the standing after a session that is not over yet."""
    by_standing = event.description is not None and event.description.groups == "by-standing"
    return by_standing and (session > event.next_session or (session > 1 and event.stage is EventStage.PLAYING))


def standing_before(desk: DirectorDesk) -> tuple[str, ...]:
    """The entrants by the standing by which the groups of the next session are drawn; empty where they are not."""
    by_standing = desk.event.description is not None and desk.event.description.groups == "by-standing"
    return tuple(at.entrant for at in desk.hall.standings().ranking) if by_standing and desk.event.sessions else ()


def seated_as_before(event: ManagedEvent) -> tuple[EventChange, ...]:
    """The changes that end the last session where it is played, and seat the next one as it: the same people at the same seats. None where
    the last one has no seats."""
    seating = event.seatings.get(event.sessions[-1].number) if event.sessions else None
    if seating is None:
        return ()
    ended = (SessionEnded(seating.session),) if event.stage is EventStage.PLAYING else ()
    return (*ended, SessionSeated(event.next_session, seating.groups, seating.sitting_out))


def change_all(
    desk: DirectorDesk, changes: tuple[EventChange, ...], seen: int, not_yet: Callable[[ManagedEvent], ChangeRefusal | None]
) -> Answer | None:
    """Make these changes, all or none of them; why not, where one is refused, or the hall is ``not_yet`` ready for the event after them."""
    after = desk.event
    for change in changes:
        refused = refusal(after, change, seen if after is desk.event else None)
        if refused is not None:
            return refusal_answer(refused, desk.names, seen)
        after = apply(after, change)
    lacking = not_yet(after)
    if lacking is not None:
        return refusal_answer(lacking, desk.names, seen)

    def change_each() -> None:
        for number, change in enumerate(changes):
            desk.manage(change, seen + number)

    return answered(desk, seen, change_each)


LONGEST_SOURCE = 200
LONGEST_VALUE = 1000
"""Characters of the public value: it stands on every print and on the tables' screens, and cannot be changed."""


def deal_plan(event: str, description: EventDescribed, holders: Sequence[str], source: str) -> Plan:
    """The plan of an event as it is described; raises DealError."""
    return plan_sessions(event, description.rules, sessions=description.sessions, hands=description.hands, holders=holders, public=source)


def make_event_deals(deals: DealMaking, name: str, event: ManagedEvent, *, source: str, passphrase: str, by: str) -> Answer | None:
    """Let the vaults make the deals of an event as it is described; ``source`` says where the public value will come from."""
    if event.description is None:
        return Answer("refusal.not-described")
    source = " ".join(source.split())[:LONGEST_SOURCE]
    if not source:
        return Answer("deals.problem.source")
    try:
        plan = deal_plan(name, event.description, deals.holders, source)
    except DealError as error:
        return Answer("deals.problem.plan", sentence=str(error))
    return refused_order(deals.make_deals(plan, passphrase, by))


def refused_order(refused: RefusedStep | None) -> Answer | None:
    """Why the deals could not take a step; None where they took it."""
    if refused is None:
        return None
    _LOG.info("an order for deals is refused: %s", refused.sentence)
    return Answer(f"deals.problem.{refused.problem.value}", sentence=refused.sentence)


def fix_public(deals: DealMaking, public: str, by: str, readings: int | None) -> Answer | None:
    """Fix the public value; why it is refused, and then nothing was done. Tiles may be typed with any blanks, and in full width."""
    source = deals.state.plan.public if isinstance(deals.state, MadeDeals) else ""
    if tiles_drawn(source):
        public = one_by_one(unicodedata.normalize("NFKC", public))
        try:
            check_drawn(source, public)
            check_random(source, public)
        except TilesError as wrong:
            return Answer(f"deals.problem.tiles.{wrong.why}", wrong.values)
    if len(public) > LONGEST_VALUE:
        return Answer("deals.problem.long", {"count": len(public), "most": LONGEST_VALUE})
    return refused_order(deals.fix_start(public.strip(), by, readings))
