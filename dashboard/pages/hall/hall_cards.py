"""What the hall's page says of tables, calls and session, in one language. Functions without I/O from a ``ViewerScope`` (class P, and for
staff which hands are over) to the templates' values; and the seat check, for any page of directors and referees."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime

from markupsafe import Markup

from dashboard.access.seats_shown import SeatsShown, Sitting
from dashboard.access.session_progress import GroupNow, OpenTable, SessionProgress
from dashboard.access.viewer_scope import ViewerScope
from dashboard.i18n.words import Values, Words
from dashboard.pages.rendering import Fragment, Renderer
from dashboard.pages.table.presentation import State, link_alarm, moment, state_of
from dashboard.projections.forecast import Forecast, TablePace, forecast
from dashboard.projections.open_view import OpenStage
from dashboard.projections.table_view import Preparation
from twinwall.event.management.managed_event import ManagedEvent
from twinwall.event.store.staff_calls import CallKind
from twinwall.game.documents import write_time
from twinwall.wire.messages.assignment import TableKind

DENSITIES = ((4, "few"), (8, "wide"), (16, "dense"), (24, "many"))
"""Size of cards by the number of tables: ``few`` have large cards, ``dense`` smaller ones, ``many`` show only number, state and age. More
are ``packed``, eight in a row, so that 64 are visible without scrolling."""


def in_event(tables: Sequence[OpenTable], event: ManagedEvent) -> Sequence[OpenTable]:
    """The tables that the hall shows; without spare ones, which the director has not chosen and which have sent nothing."""
    return [
        table for table in tables if not event.tables or table.name in event.tables or table.heard is not None or table.view.hand_number
    ]


def open_state(table: OpenTable, words: Words) -> State:
    """The most important state of the table: silence, a call, trouble, or what it does."""
    return state_of(table, table.view.stage, words, called=table.view.call is not None, fault_tone="amber")


def summary(tables: Sequence[OpenTable], words: Words) -> tuple[tuple[State, int], ...]:
    """The number of tables in each state, in the order in which states first occur."""
    return tuple(Counter(open_state(table, words) for table in tables).items())


def card(table: OpenTable, scope: ViewerScope, words: Words, *, now: datetime, usual_s: float | None = None) -> Values:
    """A table's card. ``usual_s`` is the usual duration of a hand, if known, for the percentage ``hand_done``. ``heard`` is when a silent
    table was last heard. ``kind`` is that of a table without a feeder."""
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
    """The most urgent message about the table, with who takes care of it."""
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
    """A fault's name by its stable word; only the table's page has place and tiles."""
    return words.first(f"fault.{code}", "hall.fault", code=code)


def session_forecast(progress: SessionProgress, now: datetime) -> Forecast | None:
    """When the session will end, if that can be estimated."""
    paces = [pace for table in progress.tables if (pace := _pace(table, progress)) is not None]
    return forecast(paces, progress.cycles_s(), progress.hands, now)


def _pace(table: OpenTable, progress: SessionProgress) -> TablePace | None:
    hand, wall = table.view.hand, table.view.wall
    if hand is not None:
        turn = progress.turn(table.name, hand.number)
        return (table.name, turn, hand.started) if table.view.playing else (table.name, turn + 1, None)
    return None if wall is None else (table.name, progress.turn(table.name, wall.hand), None)


COSTS_FROM = 0.05
"""The slowest table is named if it costs more than this share of a usual hand."""


def session(progress: SessionProgress, words: Words, now: datetime) -> Values:
    """The strip above the tables: the hand of the slowest tables (or its number if they differ), since when, and how far it is. ``seating``
    is the session that has begun without a started hand. For staff of one of many venues, ``awaited`` are deals that wait for slips from
    the centre."""
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
    """A time to the minute, so that a page is not made again more often."""
    return write_time(at.replace(second=0, microsecond=0))


def clock(seconds: float) -> str:
    """A duration as a clock shows it: 1:10."""
    whole = round(seconds)
    return f"{whole // 60}:{whole % 60:02d}"


def density(tables: int) -> str:
    """The size of cards with this many tables."""
    return next((room for most, room in DENSITIES if tables <= most), "packed")


def group_line(group: GroupNow, words: Words) -> str:
    if group.playing is not None and group.finished:
        return words("group.finished", hand=words.hand(group.playing.number), done=group.finished, of=len(group.tables))
    if group.playing is not None:
        return words("group.playing", hand=words.hand(group.playing.number))
    return ""


def cards_of(tables: Sequence[OpenTable], groups: Sequence[GroupNow]) -> Mapping[str, tuple[int, ...]]:
    """By group, its tables' positions in the hall; tables without a group have an empty name."""
    names = [table.name for table in tables]
    placed = {group.name: tuple(index for index, name in enumerate(names) if name in group.tables) for group in groups}
    grouped = {index for places in placed.values() for index in places}
    rest = tuple(index for index in range(len(names)) if index not in grouped)
    return {**placed, "": rest} if rest else placed


def seat_check(render: Renderer, scope: ViewerScope, table: str) -> Fragment:
    """The four seats of a table during the check, until the hand starts; otherwise an empty section."""

    def piece() -> Markup:
        found = scope.seat_check(table)
        check = found if found is not None and found.open else None
        return render("table/seat_check.html", check=check, right=0 if check is None else _right(check))

    return render.part("seat-check", piece)


def seats_awaited(scope: ViewerScope, table: str, words: Words) -> str | None:
    """The number of right players at a waiting table, in one line; None if it waits for no player."""
    check = scope.seat_check(table)
    if check is None or check.confirmed or not check.open:
        return None
    return f"{words('sit.check')}: {words('sit.waits', count=_right(check))}"


def _right(check: SeatsShown) -> int:
    return sum(seat.sitting is Sitting.RIGHT for seat in check.seats)
