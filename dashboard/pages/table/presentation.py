"""What a table's own page shows now: state, sentence and alarms, in one language. Functions without I/O from the hall's views to the
templates' values. The browser counts ages. A fault whose code the page does not know has the table's own text, marked as English."""

from collections.abc import Mapping
from datetime import datetime
from urllib.parse import quote

from dashboard.access.session_progress import OpenTable
from dashboard.i18n.words import Values, Words
from dashboard.projections.hall_views import TableSnapshot
from dashboard.projections.table_view import (
    ABOUT_VIOLATION,
    SHOWN_CALLS,
    FaultView,
    HandView,
    Preparation,
    TablePhase,
    TableView,
    fault_asked_about,
    shown_hand,
    stage,
)
from twinwall.art.mat import MELD_SLOTS
from twinwall.game.documents import write_time
from twinwall.game.play import Phase, PlayState
from twinwall.game.tiles import SEATS, Seat, TileRow
from twinwall.values import frozen
from twinwall.wire.events.trouble_events import MAT_OF, VAULT_OF, RefereeCalled, TableFault, TablePart


@frozen
class State:
    """A table's state in three forms: icon, word, and tone (colour)."""

    icon: str
    word: str
    tone: str


@frozen
class Alarm:
    """Something that needs attention; ``since`` is when it began, if known, ``hand`` where to reach, ``asks`` the address of the page on
    which the table asks the referee."""

    text: str
    tone: str
    icon: str
    since: str | None = None
    tiles: TileRow = ()
    hand: str = ""
    asks: str = ""
    link: str = "which.link"
    """The message key of that address's name."""


STAGE_MARKS: Mapping[str, tuple[str, str]] = {
    TablePhase.WAITING: ("pause", "grey"),
    TablePhase.OPENED: ("grid", "blue"),
    TablePhase.BUILDING: ("grid", "blue"),
    TablePhase.READY: ("ring", "blue"),
    TablePhase.SHEETS: ("grid", "blue"),
    TablePhase.TAKING: ("hand", "blue"),
    TablePhase.TAKEN: ("hand", "blue"),
    TablePhase.PLAYING: ("play", "green"),
    TablePhase.SHOWING: ("win", "amber"),
    TablePhase.SHOWN: ("win", "amber"),
    TablePhase.CONFIRMING: ("ask", "amber"),
    TablePhase.SETTLED: ("check", "green"),
    TablePhase.CLOSED: ("check", "grey"),
    TablePhase.CLEARING: ("hand", "amber"),
    "finished": ("check", "grey"),
}


def table_state(status: TableSnapshot, words: Words) -> State:
    """The most important state of the table: silence, a call, trouble, or what it does."""
    view = status.view
    now = TablePhase.PLAYING if stage(view) is TablePhase.CLAIMS else stage(view)
    called = bool(view.called or view.called_by_table)
    return state_of(status, now, words, called=called, fouled=view.fouled is not None)


def state_of(
    table: TableSnapshot | OpenTable, now: str, words: Words, *, called: bool, fouled: bool = False, fault_tone: str = "red"
) -> State:
    """The same for a table as its reader may know it; ``now`` is what it does."""
    view = table.view
    for holds, key, icon, tone in (
        (table.heard is None, "unheard", "unlink", "silent"),
        (table.silent, "nolink", "unlink", "silent"),
        (called, "referee", "call", "red"),
        (bool(view.faults or view.links_lost), "fault", "fault", fault_tone),
        (view.refused is not None, "refused", "fault", "red"),
        (fouled, "fouled", "fault", "red"),
    ):
        if holds:
            return State(icon, words(f"state.{key}"), tone)
    icon, tone = STAGE_MARKS[now]
    return State(icon, words(f"state.{now}"), tone)


def hand_number(view: TableView) -> int | None:
    """The hand in play, otherwise the hand of the wall being built."""
    hand = shown_hand(view)
    if hand is not None:
        return hand.number
    return view.deal.hand if view.deal is not None else None


def turn_number(play: PlayState) -> int:
    """The go-round, from 1: four discards make one."""
    return sum(len(seat.river) for seat in play.seats) // len(SEATS) + 1


def next_wall(view: TableView, words: Words) -> Values | None:
    """How far the next wall is during a hand: ``placed`` of ``of``, or ``ready``; None if none is made."""
    deal = view.deal
    if deal is None or shown_hand(view) is None or deal.preparation is Preparation.SHEETS:
        return None
    ready = deal.preparation not in (Preparation.OPENED, Preparation.BUILDING)
    return {"hand": words.hand(deal.hand), "placed": deal.placed, "of": deal.of, "ready": ready}


def sentence(status: TableSnapshot, words: Words) -> str:
    """What the table is doing, in one sentence; empty for a table that was never heard."""
    if status.heard is None:
        return ""
    view = status.view
    now = stage(view)
    hand = view.hand
    match now:
        case TablePhase.CLEARING if view.clearing is not None:
            clearing = view.clearing
            key = "phase.clearing.counted" if clearing.of else "phase.clearing"
            return words(key, counted=clearing.counted, of=clearing.of)
        case TablePhase.OPENED | TablePhase.BUILDING if view.deal is not None:
            return words(f"phase.{now}", n=view.deal.n, placed=view.deal.placed, of=view.deal.of)
        case TablePhase.CLOSED if hand is not None and hand.ended is not None:
            winners = words("deal.and").join(words.seat(seat) for seat in hand.winners)
            return words(f"phase.closed.{hand.ended.reason}", seat=winners)
        case TablePhase.CONFIRMING if hand is not None and hand.proposal is not None:
            return words("phase.confirming", seat=words.seat(hand.proposal.seat))
        case TablePhase.PLAYING | TablePhase.CLAIMS | TablePhase.SHOWING | TablePhase.SHOWN if hand is not None:
            return _playing(hand, now, words)
    return words(f"phase.{now}")


def _playing(hand: HandView, now: TablePhase, words: Words) -> str:
    if hand.paper:
        return words("phase.paper")
    if hand.play is None:
        return words("phase.lost")
    if now is TablePhase.SHOWN and hand.rules is not None and (to_show := hand.rules.permissions(hand.play).show) is not None:
        return words("phase.laying", seat=words.seat(to_show))
    if now in (TablePhase.SHOWING, TablePhase.SHOWN):
        return words(f"phase.{now}", seat=words.seat(hand.play.winner or hand.play.turn))
    if (due := _due_at_rear_gate(hand)) is not None:
        return words("phase.rear-gate", seat=words.seat(due))
    if hand.play.robbing:
        return words("phase.robbing", seat=words.seat(hand.play.turn))
    step = {Phase.DRAW: "draw", Phase.DISCARD: "discard"}.get(hand.play.phase, "claims")
    return words(f"phase.{step}", seat=words.seat(hand.play.turn))


def _due_at_rear_gate(hand: HandView) -> Seat | None:
    """The seat with the rear gate that will release the awaited shared tile; None if no tile will be turned up."""
    if hand.rules is None or hand.play is None:
        return None
    shared = hand.rules.permissions(hand.play).turn_up
    return None if shared is None else next((seat for seat in Seat if shared in hand.rules.shared_rows[seat.index]), None)


def alarms(status: TableSnapshot, words: Words) -> tuple[Alarm, ...]:
    """Everything at the table that needs attention, most urgent first."""
    view = status.view
    violated = {violation.seat for violation in view.violated}
    pages = {seat: violations_path(status.name) if seat in violated else "" for seat in view.called}
    found = [
        Alarm(_call(seat, about, words), "red", "call", _called_since(view, seat), asks=pages[seat], link="violations.link")
        for seat, about in view.called.items()
    ]
    found += [_own_call(status, about, words) for about in view.called_by_table]
    asked = None if status.question is None else fault_asked_about(view, status.question)
    found += [_fault_alarm(fault, words, question_path(status.name) if fault.fault is asked else "") for fault in view.faults]
    if view.refused is not None:
        refusal = words.english(view.refused.sentence)
        found.append(Alarm(words.markup("alarm.refused", n=view.refused.n, sentence=refusal), "red", "fault"))
    if view.halted is not None:
        found.append(Alarm(words.first(f"alarm.halted.{view.halted}", "alarm.halted"), "red", "call"))
    if view.fouled is not None:
        found.append(Alarm(words.markup("alarm.fouled", reason=words.english(view.fouled)), "red", "fault"))
    found += [Alarm(link_alarm(link, view.troubles, words, status.name), "amber", "unlink") for link in view.links_lost]
    found += [Alarm(words("alarm.worn", set=name, looks=looks), "grey", "fault", tiles=kinds) for name, (kinds, looks) in view.worn.items()]
    if status.silent and status.heard is not None:
        found.append(Alarm(words("alarm.silent", age="{age}"), "grey", "unlink", write_time(status.heard)))
    found += [
        Alarm(words.markup(key, reason=words.english(reason)), "amber", "fault")
        for key, reason in (("alarm.complaint", status.complaint), ("alarm.unclear", view.unclear))
        if reason is not None
    ]
    return tuple(found)


def _call(seat: Seat, about: str, words: Words) -> str:
    """Who calls the referee, and about what if that was said; or that the table calls, about a violation of the seat."""
    if about == ABOUT_VIOLATION:
        return words("alarm.called.violation", seat=words.seat(seat))
    if (key := f"seat.call.{about}") in words:
        return words("alarm.called.about", seat=words.seat(seat), about=words(key))
    return words("alarm.called", seat=words.seat(seat))


def _own_call(status: TableSnapshot, about: str, words: Words) -> Alarm:
    """The table's own call, with a link to its picture if it sends one."""
    text, since = words("alarm.called.by-table", about=table_call(about, words)), _called_since(status.view, None, about)
    return Alarm(text, "red", "call", since, asks=violations_path(status.name) if about in SHOWN_CALLS else "", link="violations.link")


def table_call(about: object, words: Words) -> str:
    """The subject of the table's own call."""
    return words.first(f"table-call.{about}", "table-call.unknown")


def _called_since(view: TableView, seat: Seat | None, about: str = "") -> str | None:
    """When the seat, or the table itself ``about`` something, called the referee; None if the history no longer has it."""
    calls = ((event.at, event.body) for event in reversed(view.log) if isinstance(event.body, RefereeCalled))
    return moment(next((at for at, call in calls if call.seat is seat and (seat is not None or (call.about or "") == about)), None))


def _fault_alarm(fault: FaultView, words: Words, asks: str) -> Alarm:
    sentence, tiles, hand = trouble(fault.fault, words)
    text = words.markup("alarm.fault", where=place_name(fault.fault, words), sentence=sentence)
    return Alarm(text, "red", "fault", write_time(fault.since), tiles, hand, asks)


def question_path(table: str) -> str:
    """The address of the page on which a referee names a tile that the camera cannot read."""
    return f"/table/{quote(table)}/which-tile"


def violations_path(table: str) -> str:
    """The address of the page with the violations that await a ruling."""
    return f"/table/{quote(table)}/violations"


def record_path(table: str, n: int) -> str:
    """The address of the page on which a referee says what happened in the doubted record of deal ``n``."""
    return f"/table/{quote(table)}/record/{n}"


def link_alarm(link: str, troubles: Mapping[str, str], words: Words, table: str) -> str:
    """What staff should check when a part of this table is silent; a camera may have reported its problem."""
    if (why := camera_fault(troubles.get(link, ""), words, table)) is not None:
        return words("alarm.camera", what=link_name(link, words), why=why)
    if link.startswith(VAULT_OF):
        return words("alarm.vault", holder=link.removeprefix(VAULT_OF))
    return words.first(f"alarm.link.{link}", "alarm.link", what=link_name(link, words))


def camera_fault(why: str, words: Words, table: str) -> str | None:
    """What is wrong with a table's camera, and what to do; None for a word that the catalogue lacks."""
    if why.startswith(MAT_OF):
        return words("camera.other-mat", table=table, named=why.removeprefix(MAT_OF))
    return words(key) if (key := f"camera.{why}") in words else None


def link_name(link: str, words: Words) -> str:
    """The name of a table's part in the language, numbered if there are several; its own name if the catalogue lacks it."""
    if link.startswith(VAULT_OF):
        return words("link.vault", holder=link.removeprefix(VAULT_OF))
    name, _, number = link.rpartition("-")
    if number.isdecimal() and f"link.{name}" in words:
        return f"{words(f'link.{name}')} {number}"
    try:
        return words(f"link.{link}")
    except KeyError:
        return link


def moment(at: datetime | None) -> str | None:
    """A time for a ``time`` element, or None."""
    return None if at is None else write_time(at)


_NAMES_TILES = frozenset({"extra-tile", "missing-tiles"})
"""Codes with a text that needs the tiles beside it. Without tiles the table's sentence, which names them, is shown."""
_REACHED_INTO = frozenset(
    f"feeder-{fault}"
    for fault in ("jam", "double-feed", "shuttle", "sensors-disagree", "well", "lock", "no-tile", "home-open", "home-shut", "driver")
)
"""Codes of faults for which a person must reach into the named part."""
_ON_THE_MAT = frozenset({TablePart.RIVER, TablePart.MELD, TablePart.HAND, TablePart.WIN, TablePart.SHARED, TablePart.WALL})
"""Parts with slots that the event counts from 0 and the page from 1."""


def trouble(fault: TableFault, words: Words) -> tuple[str, TileRow, str]:
    """What to do at a fault's place in the language, its tiles, and where to reach; unknown faults as the table wrote them."""
    key = f"fault.{fault.code}"
    if key not in words:
        return words.english(fault.sentence), (), ""
    named = fault.code not in _NAMES_TILES or fault.tiles
    return words(key) if named else words.english(fault.sentence), fault.tiles or (), _where_to_reach(fault, words)


def place_name(fault: TableFault, words: Words) -> str:
    """The part of the table in the language; the table's own text if the event names no known part."""
    key = f"part.{fault.part}"
    if fault.part is None or key not in words:
        return words.english(fault.where)
    number = fault.number or 0
    counted = number + 1 if fault.part in _ON_THE_MAT else number
    return words(key, place=fault.place, number=counted, group=number // MELD_SLOTS + 1)


def _where_to_reach(fault: TableFault, words: Words) -> str:
    """Where to reach: by fault and part, or by the part if staff must look at it, else empty."""
    number = fault.number or 0
    for key in (f"hand.{fault.code}.{fault.part}", f"hand.{fault.part}"):
        if key in words and (fault.code in _REACHED_INTO or fault.part is TablePart.REJECT_CELL or fault.code in key):
            return words(key, number=number, place=number % len(SEATS))
    return ""
