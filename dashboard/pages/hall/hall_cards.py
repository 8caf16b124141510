"""What the hall's page says of tables, calls and session, in the words of one language.

Pure functions from a ``ViewerScope`` (class P, and for the staff which hands are over) to values that templates print.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime

from dashboard.access.session_progress import GroupNow, OpenTable, SessionProgress
from dashboard.access.viewer_scope import ViewerScope
from dashboard.i18n.words import Values, Words
from dashboard.pages.people.seat_pieces import seats_awaited
from dashboard.pages.table.presentation import State, link_alarm, moment, state_of
from dashboard.projections.forecast import Forecast, TablePace, forecast
from dashboard.projections.open_view import OpenStage
from dashboard.projections.table_view import Preparation
from twinwall.event.management.managed_event import ManagedEvent
from twinwall.event.store.staff_calls import CallKind
from twinwall.game.documents import write_time
from twinwall.wire.messages.table_kind import TableKind

DENSITIES = ((4, "few"), (8, "wide"), (16, "dense"), (24, "many"))
"""Up to how many tables a card has which room: few have large cards, ``dense`` are smaller, of ``many`` number, state and age alone are
shown. More are ``packed``: they stand close together, eight in a row, so that 64 are seen without scrolling."""


def in_event(tables: Sequence[OpenTable], event: ManagedEvent) -> Sequence[OpenTable]:
    """The tables that the hall shows: a spare one, which the director has not chosen and of which no ledger was heard, is none that is
    silent."""
    return [
        table for table in tables if not event.tables or table.name in event.tables or table.heard is not None or table.view.hand_number
    ]


def open_state(table: OpenTable, words: Words) -> State:
    """What matters most about the table, in this order: silence, a call, trouble, then what it does."""
    return state_of(table, table.view.stage, words, called=table.view.call is not None, fault_tone="amber")


def summary(tables: Sequence[OpenTable], words: Words) -> tuple[tuple[State, int], ...]:
    """How many tables are in each state, in the order in which the states are first met."""
    return tuple(Counter(open_state(table, words) for table in tables).items())


def card(table: OpenTable, scope: ViewerScope, words: Words, *, now: datetime, usual_s: float | None = None) -> Values:
    """A table's card. ``usual_s`` is how long a hand usually takes, when that is known, of which ``hand_done`` percent have gone.

    ``heard`` is when a table that is silent was last heard; ``kind`` is that of a table without a feeder.
    """
    view, kind = table.view, scope.event.kind_of(table.name)
    wall = None if view.stage is OpenStage.SHEETS else view.wall
    gone = None
    if view.playing and view.hand is not None and usual_s:
        gone = min(100, round(100 * (now - view.hand.started).total_seconds() / usual_s))
    return {
        "name": table.name,
        "state": open_state(table, words),
        "since": moment(view.since),
        "hand": words.hand(view.hand_number) if view.hand_number else None,
        "line": card_line(table, words),
        "note": _note(table, scope, words),
        "heard": write_time(table.heard) if table.silent and table.heard is not None else None,
        "hand_done": gone,
        "placed": 0 if wall is None else wall.placed,
        "of": 0 if wall is None else wall.of,
        "wall": None if wall is None else words.hand(wall.hand),
        "wall_ready": wall is not None and wall.preparation not in (Preparation.OPENED, Preparation.BUILDING),
        "kind": None if kind is TableKind.FEEDER else words(f"table.kind.{kind}"),
    }


def card_line(table: OpenTable, words: Words) -> str:
    """One line about what the table does, beside its hand's name."""
    view = table.view
    if table.heard is None:
        return words("not.heard.since.start") if view.hand_number else words("never.heard")
    if view.hand is not None and view.stage in (OpenStage.PLAYING, OpenStage.FINISHED):
        return words("board.deal", n=view.hand.n)
    return "" if view.wall is None else words("board.deal", n=view.wall.n)


def _note(table: OpenTable, scope: ViewerScope, words: Words) -> str | None:
    """The most urgent thing to say of the table, with who takes care of it."""
    view = table.view
    if view.call is not None:
        taken = next((call.acknowledged for call in scope.calls() if call.table == table.name and call.kind is CallKind.REFEREE), None)
        return words("calls.called") if taken is None else words("calls.taken", by=taken.by or words("referee"))
    for fault in view.faults:
        return fault_name(fault.code, words)
    if view.refused is not None:
        return words("hall.refused", n=view.refused.n)
    for link in view.links_lost:
        return link_alarm(link, view.troubles, words, table.name)
    if scope.staff and (asked := seats_awaited(scope, table.name, words)) is not None:
        return asked
    return words("hall.complaint") if table.complained is not None and scope.staff else None


def fault_name(code: str, words: Words) -> str:
    """What a fault is about, by its stable word; its place and tiles are the table's own."""
    return words.first(f"fault.{code}", "hall.fault", code=code)


def session_forecast(progress: SessionProgress, now: datetime) -> Forecast | None:
    """When the session ends, as far as can be said."""
    paces = [pace for table in progress.tables if (pace := _pace(table, progress)) is not None]
    return forecast(paces, progress.cycles_s(), progress.hands, now)


def _pace(table: OpenTable, progress: SessionProgress) -> TablePace | None:
    hand, wall = table.view.hand, table.view.wall
    if hand is not None:
        turn = progress.turn(table.name, hand.number)
        return TablePace(table.name, turn, hand.started) if table.view.playing else TablePace(table.name, turn + 1, None)
    return None if wall is None else TablePace(table.name, progress.turn(table.name, wall.hand), None)


COSTS_FROM = 0.05
"""The slowest table is named when it costs more than this share of a usual hand."""


def session(progress: SessionProgress, words: Words, now: datetime) -> Values:
    """The strip above the tables: the hand that the slowest play, or where they play several its number, since when, and how far it is.

    ``seating`` is the session that has begun, and of which no hand has started. For the staff of a venue of many, which deals wait
    (``awaited``) for slips from the centre.
    """
    turns = {table.name: progress.turn(table.name, at) for table in progress.tables if (at := table.view.hand_number)}
    number = min(turns.values(), default=0)
    tables = [table for table in progress.tables if turns.get(table.name) == number]
    hands = {at for table in tables if (at := table.view.hand_number)}
    starts = [table.view.hand.started for table in tables if table.view.playing and table.view.hand is not None]
    shown: Values = {
        "hand": (words.hand(min(hands)) if len(hands) == 1 else str(number)) if number else None,
        "number": number,
        "of": progress.hands,
        "since": write_time(min(starts)) if starts else None,
        "released": progress.released,
        "seating": progress.session if progress.is_seating else 0,
        "awaited": "",
        "end": "",
        "slowest": "",
    }
    if (awaited := progress.awaited_slips()) is not None:
        deals, since, deadline = awaited
        named = ", ".join(words("deal.title", n=n) for n in deals)
        shown |= {"awaited": named, "awaited_since": _minute(since), "deadline": None if deadline is None else _minute(deadline)}
    if (found := session_forecast(progress, now)) is not None:
        shown |= {"end": _minute(found.end), "earliest": _minute(found.earliest), "latest": _minute(found.latest)}
        if found.costs_s > COSTS_FROM * found.usual_s:
            shown |= {"slowest": found.slowest, "costs": clock(found.costs_s)}
    return shown


def _minute(at: datetime) -> str:
    """A moment to the minute, so that a page is not made again for less."""
    return write_time(at.replace(second=0, microsecond=0))


def clock(seconds: float) -> str:
    """A time span as a clock shows it: 1:10."""
    whole = round(seconds)
    return f"{whole // 60}:{whole % 60:02d}"


def density(tables: int) -> str:
    """How much room a card has among this many tables."""
    return next((room for most, room in DENSITIES if tables <= most), "packed")


def group_line(group: GroupNow, words: Words) -> str:
    """How far a group is, in one line."""
    if group.playing is not None and group.finished:
        return words("group.finished", hand=words.hand(group.playing.number), done=group.finished, of=len(group.tables))
    if group.playing is not None:
        return words("group.playing", hand=words.hand(group.playing.number))
    return ""


def cards_of(tables: Sequence[OpenTable], groups: Sequence[GroupNow]) -> Mapping[str, tuple[int, ...]]:
    """The places in the hall of each group's tables; tables of no group stand under an empty name."""
    names = [table.name for table in tables]
    placed = {group.name: tuple(index for index, name in enumerate(names) if name in group.tables) for group in groups}
    grouped = {index for places in placed.values() for index in places}
    rest = tuple(index for index in range(len(names)) if index not in grouped)
    return {**placed, "": rest} if rest else placed
