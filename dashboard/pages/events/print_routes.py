"""What is printed of an event: seating slips for the players of a session, and a card for each table with a QR code for each seat."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote

from flask import Flask, Response, abort, render_template, request

from dashboard.access.access_policy import AccessPolicy
from dashboard.access.login import viewer
from dashboard.access.seat_codes import SeatCode
from dashboard.access.viewer_scope import ViewerScope
from dashboard.i18n.words import WIND_CHARACTERS, Words
from dashboard.prints.paper import PrintError, pdf
from twinwall.event.natural_order import natural
from twinwall.game.tiles import SEATS

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SeatingSlip:
    """Where one player sits in a session, in the first hand's winds."""

    name: str
    table: str
    character: str
    wind: str


@dataclass(frozen=True, slots=True)
class CardPlace:
    """A place of a table by its first wind, and the address that its QR code opens."""

    character: str
    address: str


@dataclass(frozen=True, slots=True)
class TableCard:
    """A table and its four places, counter-clockwise."""

    table: str
    places: tuple[CardPlace, ...]


def seating_slips(scope: ViewerScope, session: int, words: Words) -> list[SeatingSlip]:
    """A slip for each player of a session, in the order of the names, so that they are handed out at the door."""
    slips = [
        SeatingSlip(player, at.table, WIND_CHARACTERS[seat], words.seat(seat))
        for at in scope.seats(session)
        for seat, player in zip(SEATS, at.players, strict=True)
    ]
    return sorted(slips, key=lambda slip: natural(slip.name))


def table_cards(scope: ViewerScope, address: Callable[[str, int], str]) -> list[TableCard]:
    """A card for each table of the event; ``address`` is that of a table's place 0 to 3."""
    return [
        TableCard(table, tuple(CardPlace(WIND_CHARACTERS[seat], address(table, place)) for place, seat in enumerate(SEATS)))
        for table in scope.event.tables
    ]


def add_prints(app: Flask, policy: AccessPolicy, words: Callable[[], Words], site: str | None, code: SeatCode) -> None:
    """Add the prints, for the staff; ``site`` is how browsers reach the pages, None as they did for this request, and ``code`` the code of
    a seat."""

    def printed(template: str, name: str, **values: object) -> Response | tuple[str, int]:
        try:
            content = pdf(app.jinja_env, template, words(), event=policy.scope(viewer()).event_name, **values)
        except PrintError as problem:
            _LOG.error("%s", problem)
            return render_template("missing.html", sentence=words()("print.missing")), 503
        return Response(content, mimetype="application/pdf", headers={"Content-Disposition": f'inline; filename="{name}.pdf"'})

    def seat_address(table: str, place: int) -> str:
        return f"{(site or request.host_url).rstrip('/')}/seat/{quote(table)}/{place}?code={code(table, place)}"

    @app.get("/print/seating/<int:session>.pdf")
    def print_seating(session: int) -> Response | tuple[str, int]:
        slips = seating_slips(_staff_scope(policy), session, words())
        if not slips:
            return render_template("missing.html", sentence=words()("refusal.not-seated", session=session)), 404
        return printed("seating_slips.html", f"seating-{session}", slips=slips, session=session)

    @app.get("/print/tables.pdf")
    def print_tables() -> Response | tuple[str, int]:
        return printed("table_cards.html", "tables", cards=table_cards(_staff_scope(policy), seat_address))


def _staff_scope(policy: AccessPolicy) -> ViewerScope:
    """What the staff sees; answers 404 to everybody else."""
    if not viewer().staff:
        abort(404)
    return policy.scope(viewer())
