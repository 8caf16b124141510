"""Renders the fragments of a table's page for the referee who opened it.

Renders the parts of the referee's form that follow the table live: the choices now, and the rulings given.

The form's element stays while its choices change, so that the page changes under a referee's finger only
when there is something else to rule on. The route that takes the form is in ``ruling_routes``.

Renders the violations that await a ruling: what happened, which rule it breaks, and the place where a camera saw it; and what
the table itself calls about, with the place.

A false win has the tiles of the hand that was shown. Not all violations have a picture: what a gate, a key, a sensor or a clock reported
has none, nor has what lies where hands stand.

Renders the page on which a referee says which tile a table cannot read: pictures from before and after, and the kinds to choose from.

The choice stays on the page while newer pictures arrive, so that nothing changes under a finger.
"""

import unicodedata
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import partial
from itertools import groupby

from markupsafe import Markup
from msgspec import structs

from dashboard.access.viewer_scope import TableScope
from dashboard.actions.rulings import (
    RulingChoice,
    RulingForm,
    RulingOffer,
    RulingSituation,
    entry_words,
    past_situation,
    price,
    situation,
    texts_in_all,
)
from dashboard.i18n.words import WIND_CHARACTERS, Words, signed
from dashboard.pages.people import seat_pieces
from dashboard.pages.rendering import Fragment, Renderer
from dashboard.pages.table import presentation
from dashboard.pages.table.board_picture import ROTATION, hands_by_rules, hands_with_fans, meld_tiles, seat_pictures, tiles_of
from dashboard.pages.table.presentation import log_row, table_call
from dashboard.pages.table.troubles import place_name
from dashboard.projections.store import TableSnapshot
from dashboard.projections.table_view import SHOWN_CALLS, HandView, Preparation, TableView, fault_asked_about, shown_hand, stage
from twinwall.event.hands import HandSummary
from twinwall.event.result_rulings import revoked_among, rulings_of, verdict
from twinwall.game.documents import write_time
from twinwall.game.tiles import SEATS, Seat
from twinwall.values import frozen
from twinwall.wire.events.hand_events import RulingRefused
from twinwall.wire.messages.ruling import Ruling


@frozen
class PlateShape:
    """Where a seat's plate stands, upright on its side of the picture."""

    x: int
    y: int
    width: int
    height: int

    @property
    def tall(self) -> bool:
        """Whether it stands at the left or right side."""
        return self.height > self.width


LEAST_NAME, LARGEST_NAME = 12.0, 22.0
"""Sizes of a name on a plate, in units of the board."""
PLATES = {
    Seat.EAST: PlateShape(345, 924, 310, 62),
    Seat.SOUTH: PlateShape(926, 395, 116, 210),
    Seat.WEST: PlateShape(345, 14, 310, 62),
    Seat.NORTH: PlateShape(-42, 395, 116, 210),
}


def table(render: Renderer, scope: TableScope, words: Words) -> Iterator[Fragment]:
    """One table with its play: what it does, its alarms, its picture, its result, what can be ruled and its history."""
    status = scope.play()
    view = status.view
    yield render.part("now", lambda: _now(render, status, words))
    yield render.part("alarms", lambda: render("table/alarms.html", alarms=presentation.alarms(status, words)))
    yield render.part("feeder-line", lambda: render("table/feeder_line.html", line=status.feeder_line))
    yield seat_pieces.seat_check(render, scope, scope.channel.table)
    yield render.part("result", lambda: _result(render, view.hand, words))
    yield from pieces(render, scope, words)
    released = view.hand.n if view.hand is not None and view.hand.n in scope.released() else None
    yield render.part("trust", lambda: render("table/trust.html", released=released))
    yield render.part("log", lambda: render("table/log.html", rows=presentation.log_rows(view, words)))
    yield from _board(render, status, words)


def _result(render: Renderer, hand: HandView | None, words: Words) -> Markup:
    shown, for_all = ([], None) if hand is None else hands_with_fans(hand, hands_by_rules(hand), words)
    entered = () if hand is None or len(hand.entries) < 2 else tuple(entry_words(said, words) for said in hand.entries)
    values = {"hand": hand, "shown": shown, "for_all": for_all, "entered": entered, "signed": signed, "winds": WIND_CHARACTERS}
    return render("table/result.html", **values)


def _now(render: Renderer, status: TableSnapshot, words: Words) -> Markup:
    view = status.view
    number = presentation.hand_number(view)
    return render(
        "table/now.html",
        status=status,
        state=presentation.table_state(status, words),
        hand=words.hand(number) if number else None,
        sentence=presentation.sentence(status, words),
        since=presentation.moment(view.since),
        deal=view.deal,
        building=view.deal is not None and view.deal.preparation is Preparation.BUILDING and not view.playing,
        next_wall=presentation.next_wall(view, words),
        paper=view.hand is not None and view.hand.paper,
    )


def _board(render: Renderer, status: TableSnapshot, words: Words) -> Iterator[Fragment]:
    view, hand = status.view, _seen_hand(status.view)
    sheets = view.deal is not None and view.deal.preparation is Preparation.SHEETS
    yield render.part("centre", lambda: render("table/centre.html", **_centre(status, words)), inside_svg=True)
    for picture in seat_pictures(hand, None if sheets else view.deal):
        seat = picture.seat
        values = {"picture": picture, "seat": seat, "winds": WIND_CHARACTERS}
        for name in ("wall", "river", "hand"):
            make = partial(render, f"table/{name}.html", **values)
            yield render.part(f"{name}-{seat.value}", make, inside_svg=True)
        yield render.part(f"plate-{seat.value}", partial(_plate_piece, render, hand, seat), inside_svg=True)
    yield render.part("seats", lambda: render("table/seats.html", plates=[_plate(hand, seat) for seat in SEATS] if hand else []))


def _seen_hand(view: TableView) -> HandView | None:
    """The hand that lies there; one that is played on paper shows no tile, whose turn it is or what is left of the walls."""
    hand = shown_hand(view)
    return structs.replace(hand, play=None) if hand is not None and hand.paper else hand


def _centre(status: TableSnapshot, words: Words) -> dict[str, object]:
    view = status.view
    hand, deal = _seen_hand(view), view.deal
    number = presentation.hand_number(view)
    play = None if hand is None else hand.play
    left = None if play is None else sum(seat.draws_left for seat in play.seats)
    turn = play.turn if play is not None and view.playing else None
    return {
        "name": words.hand(number) if number else None,
        "n": hand.n if hand is not None else deal.n if deal is not None else None,
        "turn": presentation.turn_number(hand) if hand is not None and not hand.paper else None,
        "state": "state.unheard" if status.heard is None else f"state.{stage(view)}",
        "left": left,
        "arrow": None if turn is None else ROTATION[turn],
        "deal": deal if hand is None else None,
    }


def _plate_piece(render: Renderer, hand: HandView | None, seat: Seat) -> Markup:
    return render("table/plate.html", plate=_plate(hand, seat))


def _plate(hand: HandView | None, seat: Seat) -> dict[str, object]:
    """What is said of a seat. ``lamp`` is lit as at the table: ``turn``, ``call`` (then ``call`` names it) or ``win``."""
    shape = PLATES[seat]
    if hand is None:
        return {"seat": seat, "shape": shape, "lines": (), "left": None, "lamp": None, "call": None}
    seen = hand.play.seat(seat) if hand.play is not None else None
    return {
        "seat": seat,
        "shape": shape,
        "wind": WIND_CHARACTERS[seat],
        "name": hand.names[seat],
        "lines": name_lines(hand.names[seat], 98 if shape.tall else 216, two=shape.tall),
        "left": seen.draws_left if seen is not None else None,
        "lamp": _lamp(hand, seat),
        "call": hand.bound.get(seat),
        "melds": meld_tiles(hand, seat),
    }


def _lamp(hand: HandView, seat: Seat) -> str | None:
    if seat in hand.winners:
        return "win"
    if seat in hand.bound:
        return "call"
    waiting = hand.ended is None and not hand.claims_open
    return "turn" if hand.play is not None and hand.play.turn is seat and waiting else None


def name_lines(name: str, width: int, *, two: bool) -> tuple[tuple[str, float], ...]:
    """The name in one line, or in two at its first space or else its first hyphen, each with the font size that lets it fit; what would
    be too small to read is cut short. The list of seats has the whole name."""
    first, _, rest = name.partition(" ")
    if not rest:
        first, hyphen, rest = name.partition("-")
        first += hyphen
    return tuple(_fitted(part, width) for part in ((first, rest) if two and rest else (name,)))


def _fitted(part: str, width: int) -> tuple[str, float]:
    if _ems(part) * LEAST_NAME <= width:
        return part, min(LARGEST_NAME, width / max(_ems(part), 1.0))
    while _ems(part) * LEAST_NAME > width - LEAST_NAME:
        part = part[:-1]
    return f"{part}…", LEAST_NAME


def _ems(text: str) -> float:
    """About how wide a text is, in widths of a Chinese character."""
    return sum(1.0 if unicodedata.east_asian_width(character) in "WF" else 0.6 for character in text)


def pieces(render: Renderer, scope: TableScope, words: Words) -> Iterator[Fragment]:
    """The choices that there are now, the rulings that were given, and the way to hands that are over."""
    view = scope.play().view
    now = situation(view)
    here = view.deal_at_table
    names = view.hand.names if view.hand is not None and view.hand.n == here else {} if now is None else scope.seated(now.number)
    yield render.part("ruling", lambda: choices(render, now, names, words), version=("ruling", now, tuple(names.items())))

    def rulings() -> Markup:
        given = [*_given(view, words)]
        closed = [hand for hand in scope.closed_hands() if hand.n != here]
        earlier = [(session, list(hands)) for session, hands in groupby(closed, lambda hand: scope.session_of(hand.n))]
        return render("rulings/rulings.html", given=given, earlier=earlier, table=view.table)

    yield render.part("rulings", rulings)


def earlier_hand(render: Renderer, scope: TableScope, words: Words, *, n: int) -> Iterator[Fragment]:
    """A hand that is over: what it counts for, the choices that are left, and the rulings on it."""
    hand = scope.earlier_hand(n)
    if hand is None:
        return
    values = {"hand": hand, "name": words.hand(hand.hand), **_shared()}
    yield render.part("counted", lambda: render("rulings/counted.html", counted=verdict(hand), **values))
    now = past_situation(hand)
    yield render.part("ruling", lambda: choices(render, now, hand.names, words), version=("ruling", now))
    rulings = {"earlier": (), "table": hand.table}
    yield render.part("rulings", lambda: render("rulings/rulings.html", given=given_on(hand, words)[::-1], **rulings))


def _shared() -> dict[str, object]:
    return {"winds": WIND_CHARACTERS, "signed": signed}


def choices(render: Renderer, now: RulingSituation | None, names: Mapping[Seat, str], words: Words) -> Markup:
    """The choices of the form; ``names`` are the players by seat."""
    lines = () if now is None else tuple(_line(offer, words) for offer in now.offers)
    hand = None if now is None else words.hand(now.number)
    return render("rulings/ruling.html", now=now, hand=hand, lines=lines, names=names, winds=WIND_CHARACTERS, seats=SEATS)


def given_on(hand: HandSummary, words: Words) -> list[dict[str, object]]:
    """The rulings on a hand, in order; ``revoked``: whether a later one revokes it."""
    given = rulings_of(hand)
    revoked = revoked_among(given)
    return [_ruling_row(each.at, each.ruling, each.ruling.identity in revoked, words) for each in given]


def _ruling_row(at: datetime, ruling: Ruling, revoked: bool, words: Words) -> dict[str, object]:
    return {"at": write_time(at), "by": ruling.by, "text": words.announced(ruling.texts), "revoked": revoked, "refused": False}


def _line(offer: RulingOffer, words: Words) -> dict[str, object]:
    """One choice of the form: which numbers it asks for besides, and what the table will read when this is ruled about a seat (None:
    about any), by language."""
    entry = offer.entry
    scores = None if entry is None else entry.payments
    asked = [RulingForm(offer, seat, "", imp=offer.imp, points=offer.points, scores=scores) for seat in SEATS]
    seat = "" if entry is None else words.seat(entry.seat)
    label = words(f"rule.label.{offer.choice}", price=price(asked[0], words), seat=seat)
    line = {"value": offer.value, "label": label, "amounts": "", "readings": ()}
    amounts = {RulingChoice.PENALTY: "penalty", RulingChoice.ADJUSTED: "scores", RulingChoice.EXCHANGED: "other"}.get(offer.choice)
    if amounts is not None:
        return {**line, "amounts": amounts}
    if offer.choice in (RulingChoice.WARNING, RulingChoice.DEAD_HAND, RulingChoice.FALSE_WIN):
        return {**line, "readings": [(each.seat, texts_in_all(each)) for each in asked]}
    return {**line, "readings": [(None, texts_in_all(RulingForm(offer, Seat.EAST, "") if offer.revoked is not None else asked[0]))]}


def _given(view: TableView, words: Words) -> Iterator[dict[str, object]]:
    """The rulings at this table, and its refusals of some, the latest first."""
    revoked = {event.body.revokes for event in view.rulings if isinstance(event.body, Ruling)}
    for event in reversed(view.rulings):
        match event.body:
            case Ruling() as ruling:
                yield _ruling_row(event.at, ruling, ruling.identity in revoked, words)
            case RulingRefused(sentence=sentence):
                text = words("log.ruling-refused", sentence=sentence)
                yield {"at": write_time(event.at), "by": "", "text": text, "revoked": False, "refused": True}


def violations(render: Renderer, scope: TableScope, words: Words) -> Iterator[Fragment]:
    """The violations and the table's own calls with their pictures; a sentence where there are none."""

    def violations() -> Markup:
        reported, calls = tuple(_reported_violations(scope, words)), tuple(_own_calls(scope, words))
        return render("rulings/violations.html", violations=reported, calls=calls)

    yield render.part("violations", violations)


def _own_calls(scope: TableScope, words: Words) -> Iterator[tuple[str, bytes | None]]:
    """What the table itself calls about, in words, and the picture of the place; None where the table has sent none."""
    view = scope.play().view
    for about in view.called_by_table:
        if about in SHOWN_CALLS:
            shown = scope.picture_of_call(view.deal_at_table or 0, about)
            yield words("alarm.called.by-table", about=table_call(about, words)), None if shown is None else shown.picture


def _reported_violations(scope: TableScope, words: Words) -> Iterator[dict[str, object]]:
    """The violations of the hand at the table that await a ruling, each with the shown hand that does not win; None where there is none.

    The pictures are of the last one of a seat and a kind.
    """
    view = scope.play().view
    n = view.deal_at_table or 0
    violations = [((violation.seat.value, violation.what), event) for violation, event in zip(view.violated, view.violations, strict=True)]
    last = dict(violations)
    for of, event in violations:
        pictures = scope.pictures_of_violation(n, *of) if last[of] is event else None
        hand = next((each for each in view.refused_hands if each.violation == event), None)
        shown, melds = (None, ()) if hand is None else (hand.shown, tiles_of(hand.melds))
        yield {"reported": log_row(event, words), "pictures": pictures, "shown": shown, "melds": melds}


LARGE = 2
"""This many of the likeliest kinds have large buttons."""


def which_tile(render: Renderer, scope: TableScope, words: Words) -> Iterator[Fragment]:
    """The pictures and the choice; a sentence where nothing is asked."""
    view, asked = scope.play().view, scope.question
    fault = None if asked is None else fault_asked_about(view, asked)
    discarded = asked is not None and asked.area == "river"
    seat = None if view.hand is None or view.hand.play is None or not discarded else view.hand.play.turn
    where = None if fault is None else place_name(fault, words)
    yield render.part("pictures", lambda: render("rulings/question_pictures.html", asked=asked, seat=seat, where=where))
    version = ("question", None if asked is None else (asked.n, asked.number, asked.where))
    yield render.part("kinds", lambda: render("rulings/question_kinds.html", asked=asked, large=LARGE), version=version)
