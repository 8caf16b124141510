"""Folds a table's events into its ``TableView``: a pure function of view and event.

The rule set that the events name follows the play. An event that it does not allow is shown as such and
ends the drawing of the hand.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from dashboard.projections.refused_hands import refused_hand
from dashboard.projections.table_view import (
    ABOUT_VIOLATION,
    ClearingView,
    DealView,
    EnteredResult,
    FaultView,
    HandView,
    Preparation,
    ProposedPayments,
    TableView,
    WornKinds,
    call_follows_violation,
    confirmed_later,
)
from twinwall.game.documents import DocumentError, DocumentFields, integer_of, text_of
from twinwall.game.play import Phase
from twinwall.game.play_events import (
    Claimed,
    HandEnded,
    HandShown,
    KongDeclared,
    Meld,
    MeldType,
    PlayEvent,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
    WinRefused,
)
from twinwall.game.play_json import PLAY_TYPES, from_json
from twinwall.game.rule_set import Fan
from twinwall.game.rules import RuleSetError, rule_set
from twinwall.game.rulings import HandRuledDead
from twinwall.game.tiles import SEATS, Seat, Tile, parse_tiles
from twinwall.wire.events.trouble_events import TablePart
from twinwall.wire.ledger import PublicEvent, UnknownEvent

LOG_LENGTH = 60
MOST_VIOLATIONS = 20
"""This many violations that await a ruling are kept, the latest."""
UNLOGGED = frozenset(
    {
        "building",
        "well-counted",
        "gate-unlocked",
        "tile-drawn",
        "claims-opened",
        "claims-closed",
        "passed",
        "shared-tile-lifted",
        "tile-taken-again",
        "hand-closed",
        "heads-noted",
    }
)
"""Events too many or too small for a table's history."""
_NEXT_HAND = frozenset({"wall-raised", "sheets-due"})
"""The events by which the next hand is at the table: calls about the one before are over."""


def fold(view: TableView, event: PublicEvent) -> TableView:
    """The view after one more event."""
    log = view.log if event.type in UNLOGGED else (*view.log, event)[-LOG_LENGTH:]
    view = replace(view, last=event.at, log=log)
    if answers_calls(view, event):
        view = replace(view, called={}, called_by_table=(), violations=(), refused_hands=(), concerned=None)
    if isinstance(event, UnknownEvent):
        return view
    try:
        if event.type in PLAY_TYPES:
            return _play(view, event)
        step = _STEPS.get(event.type)
        return step(view, event, DocumentFields(event.fields, event.type)) if step else view
    except (DocumentError, RuleSetError) as problem:
        return replace(view, unclear=f"line {event.seq}: {problem}")


def answers_calls(view: TableView, event: PublicEvent) -> bool:
    """Whether nothing is to be ruled after this event of what the table has reported before: a ruling on the hand at the table, or the next
    hand. A ruling on another hand answers nothing."""
    if isinstance(event, UnknownEvent):
        return False
    return event.type in _NEXT_HAND or (event.type == "ruling" and view.deal_at_table == event.fields.get("n"))


def _play(view: TableView, event: PublicEvent) -> TableView:
    hand = view.hand
    if hand is None or hand.play is None or hand.rules is None:
        return view
    play_event = from_json({"type": event.type, **event.fields})
    illegal = hand.rules.illegal(hand.play, play_event)
    if illegal is not None:
        return replace(view, hand=replace(hand, play=None), unclear=f"line {event.seq}: {illegal.sentence}")
    after = _follow(hand, play_event)
    after = replace(after, play=hand.rules.apply(hand.play, play_event))
    if after.play is not None and after.play.phase is not Phase.SHOW and after.declared is not None and after.ended is None:
        after = replace(after, declared=None)
    return replace(view, hand=replace(after, since=event.at))


def _follow(hand: HandView, event: PlayEvent) -> HandView:
    """What the pages remember of a play event beside the state of the rules."""
    assert hand.play is not None
    match event:
        case TileDrawn():
            return replace(hand, gate=None)
        case TileDiscarded():
            return replace(hand, turns=hand.turns + 1, bound={})
        case Claimed(seat, Meld(source=Seat() as source)):
            return replace(hand, taken=_with_meld(hand, seat, hand.play.seat(source).river[-1].tile), bound={})
        case KongDeclared(seat, meld):
            taken = _with_meld(hand, seat, None) if meld.type is MeldType.CONCEALED_KONG else hand.taken
            return replace(hand, taken=taken, bound={})
        case WinDeclared(seat, source, tile):
            apart = hand.apart if source is not None or tile is None else {**hand.apart, seat: tile}
            return replace(hand, declared=event, winners=(*hand.winners, seat), apart=apart)
        case HandShown(seat, _, winning):
            return replace(hand, shown=(*hand.shown, event), apart={**hand.apart, seat: winning})
        case WinRefused(seat):
            return replace(_without_win(hand, seat), declared=None)
        case HandRuledDead(seat) if hand.play.winner is seat:
            return replace(_without_win(hand, seat), declared=None, bound={})
        case HandRuledDead(seat):
            return _without_win(hand, seat)
        case HandEnded():
            return replace(hand, ended=event, gate=None, claims_open=False, bound={})
    return hand


def _without_win(hand: HandView, seat: Seat) -> HandView:
    """A win that was refused, or whose hand is dead, is none."""
    winners = tuple(other for other in hand.winners if other is not seat)
    shown = tuple(other for other in hand.shown if other.seat is not seat)
    return replace(hand, winners=winners, shown=shown, apart={other: tile for other, tile in hand.apart.items() if other is not seat})


def _with_meld(hand: HandView, seat: Seat, taken: Tile | None) -> tuple[tuple[Tile | None, ...], ...]:
    return tuple((*old, taken) if index == seat.index else old for index, old in enumerate(hand.taken))


def _deal_opened(view: TableView, event: PublicEvent, fields: DocumentFields) -> TableView:
    rules = fields.text("rules")
    start = rule_set(rules).start()
    draws = {seat: start.seat(seat).draws_left for seat in SEATS}
    deal = DealView(fields.integer("n", 0), fields.integer("hand", 1), rules, fields.text("check"), draws, event.at)
    return replace(view, deal=deal, refused=None)


def _sheets_due(view: TableView, event: PublicEvent, fields: DocumentFields) -> TableView:
    rules = fields.text("rules")
    draws = dict.fromkeys(SEATS, rule_set(rules).walls.draws)
    deal = DealView(fields.integer("n", 0), fields.integer("hand", 1), rules, "", draws, event.at, Preparation.SHEETS)
    return replace(view, deal=deal, refused=None)


def _building(view: TableView, event: PublicEvent, fields: DocumentFields) -> TableView:
    if view.deal is None:
        return view
    since = view.deal.since if view.deal.preparation is Preparation.BUILDING else event.at
    placed, of = fields.integer("placed", 0), fields.integer("of", 0)
    return replace(view, deal=replace(view.deal, preparation=Preparation.BUILDING, placed=placed, of=of, since=since))


def _prepared(preparation: Preparation) -> Callable[[TableView, PublicEvent, DocumentFields], TableView]:
    def step(view: TableView, event: PublicEvent, _fields: DocumentFields) -> TableView:
        return view if view.deal is None else replace(view, deal=replace(view.deal, preparation=preparation, since=event.at))

    return step


def _counted(view: TableView, event: PublicEvent, fields: DocumentFields) -> TableView:
    since = event.at if view.clearing is None else view.clearing.since
    return replace(view, clearing=ClearingView(since, fields.integer("counted", 0), fields.integer("of", 0)))


def _hand_started(view: TableView, event: PublicEvent, fields: DocumentFields) -> TableView:
    rules = rule_set(fields.text("rules"), fields.mapping("options") if "options" in fields else {})
    names = {seat: text_of(value, "a name") for seat, value in fields.seats("seats").items()}
    draws = {seat: integer_of(value, "draws") for seat, value in fields.seats("draws").items()}
    hand = HandView(fields.integer("n", 0), fields.integer("hand", 1), rules, names, draws, event.at, event.at, rules.start())
    own = view.deal if view.deal is not None and view.deal.n == hand.n else None
    deal = None if own is not None else view.deal
    hand = replace(hand, paper=own is not None and own.preparation is Preparation.SHEETS)
    return replace(view, hand=hand, deal=deal, clearing=None, fouled=None, halted=None, unclear=None)


def _in_hand(change: Callable[[HandView, DocumentFields], HandView]) -> Callable[[TableView, PublicEvent, DocumentFields], TableView]:
    def step(view: TableView, event: PublicEvent, fields: DocumentFields) -> TableView:
        return view if view.hand is None else replace(view, hand=replace(change(view.hand, fields), since=event.at))

    return step


def _bound(hand: HandView, fields: DocumentFields) -> HandView:
    return replace(hand, bound={**hand.bound, fields.seat("seat"): fields.text("call")})


def _unbound(hand: HandView, fields: DocumentFields) -> HandView:
    refused = fields.seat("seat")
    return replace(hand, bound={seat: call for seat, call in hand.bound.items() if seat is not refused})


def _proposed(hand: HandView, fields: DocumentFields) -> HandView:
    fans = tuple(_fan(DocumentFields(fan, "a fan")) for fan in fields.items("fans") if isinstance(fan, dict))
    return replace(hand, proposal=ProposedPayments(fields.seat("seat"), fans, fields.integer("total", 0), _amounts(fields, "payments")))


def _entered(hand: HandView, fields: DocumentFields) -> HandView:
    winner, source = (None if (seat := fields.take(key)) is None else Seat(seat) for key in ("winner", "source"))
    said = EnteredResult(fields.seat("seat"), winner, source, fields.integer("total", 0), _amounts(fields, "payments"))
    return replace(hand, entered=(*hand.entered, said))


def _fan(fields: DocumentFields) -> Fan:
    return Fan(fields.text("id"), fields.text("name"), fields.integer("value", 0), fields.integer("count", 0))


def _amounts(fields: DocumentFields, key: str) -> dict[Seat, int]:
    return {seat: integer_of(value, "an amount") for seat, value in fields.seats(key).items()}


def _confirmed(hand: HandView, fields: DocumentFields) -> HandView:
    return hand if hand.proposal is None else replace(hand, proposal=replace(hand.proposal, confirmed_by=fields.seat("seat")))


def fault_view(event: PublicEvent) -> FaultView:
    """What a ``fault`` event tells; raises DocumentError for fields that it does not have."""
    fields = DocumentFields(event.fields, event.type)
    tiles = parse_tiles(fields.text("tiles")) if "tiles" in fields else ()
    part = TablePart(fields.text("part")) if "part" in fields else None
    place, number = (fields.integer(key, 0) if key in fields else None for key in ("place", "number"))
    return FaultView(fields.text("code"), fields.text("where"), fields.text("sentence"), event.at, tiles, part, place, number)


def _fault(view: TableView, event: PublicEvent, _fields: DocumentFields) -> TableView:
    fault = fault_view(event)
    return replace(view, faults=(*(old for old in view.faults if old.code != fault.code), fault))


def _fault_cleared(view: TableView, _event: PublicEvent, fields: DocumentFields) -> TableView:
    code = fields.text("code")
    return replace(view, faults=tuple(fault for fault in view.faults if fault.code != code))


def _ruled(view: TableView, event: PublicEvent, fields: DocumentFields) -> TableView:
    """A ruling on the hand at the table says what becomes of a fouled deal; the score of a hand that goes on is entered again."""
    view = replace(view, rulings=(*view.rulings, event))
    if view.deal_at_table != fields.integer("n", 1):
        return view
    hand = view.hand
    if hand is not None and hand.ended is None:
        hand = replace(hand, proposal=None, entered=())
    return replace(view, hand=hand, fouled=None, halted=None)


def _called(view: TableView, event: PublicEvent, fields: DocumentFields) -> TableView:
    about = fields.text("about") if "about" in fields else ""
    if event.fields.get("seat") is None:
        return replace(view, called_by_table=tuple(dict.fromkeys((*view.called_by_table, about))))
    seat = fields.seat("seat")
    if call_follows_violation(event, view.log[-2] if len(view.log) > 1 else None):
        about = ABOUT_VIOLATION
    return replace(view, called={**view.called, seat: about}, concerned=seat)


def _violated(view: TableView, event: PublicEvent, fields: DocumentFields) -> TableView:
    if confirmed_later(event):
        return view
    refused = refused_hand(view.log, view.hand)
    hands = view.refused_hands if refused is None else (*view.refused_hands, refused)[-MOST_VIOLATIONS:]
    return replace(view, violations=(*view.violations, event)[-MOST_VIOLATIONS:], refused_hands=hands, concerned=fields.seat("seat"))


def _link_lost(view: TableView, _event: PublicEvent, fields: DocumentFields) -> TableView:
    return replace(view, links_lost=tuple(dict.fromkeys((*view.links_lost, fields.text("what")))))


def _link_restored(view: TableView, _event: PublicEvent, fields: DocumentFields) -> TableView:
    what = fields.text("what")
    troubles = {link: why for link, why in view.troubles.items() if link != what}
    return replace(view, links_lost=tuple(link for link in view.links_lost if link != what), troubles=troubles)


def _tiles_worn(view: TableView, _event: PublicEvent, fields: DocumentFields) -> TableView:
    of_set, tiles = fields.text("set"), fields.take("tiles")
    others = {name: kinds for name, kinds in view.worn.items() if name != of_set}
    if tiles is None:
        return replace(view, worn=others)
    return replace(view, worn=others | {of_set: WornKinds(parse_tiles(text_of(tiles, "tiles")), fields.integer("looks", 0))})


def _camera_trouble(view: TableView, _event: PublicEvent, fields: DocumentFields) -> TableView:
    return replace(view, troubles={**view.troubles, fields.text("what"): fields.text("why")})


_STEPS: dict[str, Callable[[TableView, PublicEvent, DocumentFields], TableView]] = {
    "deal-opened": _deal_opened,
    "sheets-due": _sheets_due,
    "deal-refused": lambda view, event, _: replace(view, refused=event),
    "building": _building,
    "clearing-began": lambda view, event, _: replace(view, clearing=ClearingView(event.at)),
    "well-counted": _counted,
    "cleared": lambda view, _event, _fields: replace(view, clearing=None),
    "wall-ready": _prepared(Preparation.READY),
    "wall-raised": _prepared(Preparation.TAKING),
    "hands-taken": _prepared(Preparation.TAKEN),
    "hand-started": _hand_started,
    "gate-unlocked": _in_hand(lambda hand, fields: replace(hand, gate=fields.seat("seat"), claims_open=False, bound={})),
    "claims-opened": _in_hand(lambda hand, _: replace(hand, claims_open=True, bound={})),
    "claims-closed": _in_hand(lambda hand, _: replace(hand, claims_open=False)),
    "claim-bound": _in_hand(_bound),
    "claim-refused": _in_hand(_unbound),
    "kong-called": _in_hand(lambda hand, fields: replace(hand, bound={fields.seat("seat"): "kong"})),
    "kong-refused": _in_hand(_unbound),
    "win-called": _in_hand(lambda hand, fields: replace(hand, bound={fields.seat("seat"): "win"})),
    "win-call-refused": _in_hand(_unbound),
    "result-entered": _in_hand(_entered),
    "payments-proposed": _in_hand(_proposed),
    "payments-confirmed": _in_hand(_confirmed),
    "settled": _in_hand(lambda hand, fields: replace(hand, payments=_amounts(fields, "payments"))),
    "fault": _fault,
    "fault-cleared": _fault_cleared,
    "link-lost": _link_lost,
    "camera-trouble": _camera_trouble,
    "link-restored": _link_restored,
    "tiles-worn": _tiles_worn,
    "referee-called": _called,
    "violation": _violated,
    "play-halted": lambda view, _, fields: replace(view, halted=fields.text("reason")),
    "ruling": _ruled,
    "ruling-refused": lambda view, event, _: replace(view, rulings=(*view.rulings, event)),
    "deal-fouled": lambda view, _, fields: replace(view, fouled=fields.text("reason")),
}
