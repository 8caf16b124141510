"""Renders the fragments of a table's page for the referee who opened it."""

import unicodedata
from functools import partial

from markupsafe import Markup
from msgspec import structs

from dashboard.access.viewer_scope import TableScope
from dashboard.actions.rulings import entry_words
from dashboard.i18n.words import WIND_CHARACTERS, Values, Words
from dashboard.pages.hall import hall_cards
from dashboard.pages.rendering import Fragments, Renderer
from dashboard.pages.rulings.ruling_pieces import pieces
from dashboard.pages.table import presentation
from dashboard.pages.table.board_picture import ROTATION, meld_tiles, seat_pictures
from dashboard.pages.table.hands_with_fans import hands_by_rules, hands_with_fans
from dashboard.pages.table.log_rows import log_rows
from dashboard.projections.hall_views import TableSnapshot
from dashboard.projections.table_view import HandView, Preparation, TableView, shown_hand, stage
from twinwall.game.tiles import SEATS, Seat

LEAST_NAME, LARGEST_NAME = 12.0, 22.0
"""Sizes of a name on a plate, in units of the board."""
PLATES = {Seat.EAST: (345, 924, 310, 62), Seat.SOUTH: (926, 395, 116, 210), Seat.WEST: (345, 14, 310, 62), Seat.NORTH: (-42, 395, 116, 210)}
"""Each seat's plate on its side of the picture: x, y, width, height."""


def table(render: Renderer, scope: TableScope, words: Words) -> Fragments:
    """One table with its play: what it does, its alarms, its picture, its result, possible rulings, and its history."""
    status = scope.play()
    view = status.view
    yield render.part("now", lambda: _now(render, status, words))
    yield render.part("alarms", lambda: render("table/alarms.html", alarms=presentation.alarms(status, words)))
    yield render.part("feeder-line", lambda: render("table/feeder_line.html", line=status.feeder_line))
    yield hall_cards.seat_check(render, scope, scope.channel.table)
    yield render.part("result", lambda: _result(render, view.hand, words))
    yield from pieces(render, scope, words)
    released = view.hand.n if view.hand is not None and view.hand.n in scope.released() else None
    yield render.part("trust", lambda: render("table/trust.html", released=released))
    yield render.part("log", lambda: render("table/log.html", rows=log_rows(view, words)))
    yield from _board(render, status, words)


def _result(render: Renderer, hand: HandView | None, words: Words) -> Markup:
    shown, for_all = ([], None) if hand is None else hands_with_fans(hand, hands_by_rules(hand), words)
    entered = () if hand is None or len(hand.entries) < 2 else tuple(entry_words(entry, words) for entry in hand.entries)
    return render("table/result.html", hand=hand, shown=shown, for_all=for_all, entered=entered)


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


def _board(render: Renderer, status: TableSnapshot, words: Words) -> Fragments:
    view, hand = status.view, _seen_hand(status.view)
    sheets = view.deal is not None and view.deal.preparation is Preparation.SHEETS

    def plate(seat: Seat) -> Markup:
        return render("table/plate.html", plate=_plate(hand, seat))

    yield render.part("centre", lambda: render("table/centre.html", **_centre(status, words)), inside_svg=True)
    for picture in seat_pictures(hand, None if sheets else view.deal):
        seat = picture.seat
        for name in ("wall", "river", "hand"):
            make = partial(render, f"table/{name}.html", picture=picture, seat=seat)
            yield render.part(f"{name}-{seat.value}", make, inside_svg=True)
        yield render.part(f"plate-{seat.value}", partial(plate, seat), inside_svg=True)
    yield render.part("seats", lambda: render("table/seats.html", plates=[_plate(hand, seat) for seat in SEATS] if hand else []))


def _seen_hand(view: TableView) -> HandView | None:
    """The hand at the table; a hand on paper shows no tile, no turn and no walls."""
    hand = shown_hand(view)
    return structs.replace(hand, play=None) if hand is not None and hand.paper else hand


def _centre(status: TableSnapshot, words: Words) -> Values:
    view = status.view
    hand, deal = _seen_hand(view), view.deal
    number = presentation.hand_number(view)
    play = None if hand is None else hand.play
    left = None if play is None else sum(seat.draws_left for seat in play.seats)
    turn = play.turn if play is not None and view.playing else None
    return {
        "name": words.hand(number) if number else None,
        "n": hand.n if hand is not None else deal.n if deal is not None else None,
        "turn": None if play is None else presentation.turn_number(play),
        "state": "state.unheard" if status.heard is None else f"state.{stage(view)}",
        "left": left,
        "arrow": None if turn is None else ROTATION[turn],
        "deal": deal if hand is None else None,
    }


def _plate(hand: HandView | None, seat: Seat) -> Values:
    """A seat's plate. ``lamp`` is lit as at the table: ``turn``, ``call`` (then ``call`` names it) or ``win``."""
    x, y, width, height = PLATES[seat]
    tall = height > width
    shape = {"x": x, "y": y, "width": width, "height": height, "tall": tall}
    if hand is None:
        return {"seat": seat, "shape": shape, "lines": (), "left": None, "lamp": None, "call": None}
    seen = hand.play.seat(seat) if hand.play is not None else None
    return {
        "seat": seat,
        "shape": shape,
        "wind": WIND_CHARACTERS[seat],
        "name": hand.names[seat],
        "lines": name_lines(hand.names[seat], 98 if tall else 216, two=tall),
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
    """The name in one line, or in two split at its first space or else first hyphen, each with the font size that fits. What would be too
    small to read is cut short; the list of seats has the whole name."""
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
    """The approximate width of a text, in widths of a Chinese character."""
    return sum(1.0 if unicodedata.east_asian_width(character) in "WF" else 0.6 for character in text)
