"""The deals of an event, for directors: made and committed in the vaults, then the start by a public value, then its code. The passphrase
goes from the form straight to the vaults, sealed to each; no page, log or file has it. The page reloads while it waits for a vault."""

from collections.abc import Sequence

from flask import Flask, request
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict

from dashboard.access.login import missing, viewer
from dashboard.actions.deal_orders import LONGEST_SOURCE, fix_public, make_event_deals, refused_order
from dashboard.actions.event_changes import Answer
from dashboard.custody.deal_making import DealMaking
from dashboard.custody.hall_vault import VaultStep
from dashboard.custody.tile_draw import TileDraw
from dashboard.pages.setup.setup_frame import SetupPages
from dashboard.prints.paper import qr_picture
from dashboard.web_app import download, see_other
from twinwall.event.deal_state import MadeDeals, NoDeals, StartedEvent, tile_readings
from twinwall.event.drawn_tiles import TableTiles, TilesRead
from twinwall.game.deals import tiles_drawn
from twinwall.game.documents import canonical_json
from twinwall.game.tiles import parse_tiles

SOURCES = ("tiles: 32", "tiles: 64")
"""Public values that a hall can draw itself: a number of tiles, turned up at the tables, read in the hall's order."""
_NOTATION = parse_tiles("1m 9m 1p 9p 1s 9s E S W N C F P")
"""Example tiles, shown with the letters for typing them."""
_WAITING = (VaultStep.ORDERED, VaultStep.SILENT)


def add_deals(app: Flask, setup: SetupPages, deals: DealMaking | None, draw: TileDraw) -> None:
    """Add the page ``/event/deals``; ``deals`` is None if the hall's settings name no vault that takes orders."""

    @app.get("/event/deals")
    def event_deals() -> str:
        return _page(setup, deals, draw)

    @app.post("/event/deals")
    def change_deals() -> ResponseReturnValue:
        problem = Answer("deals.problem.vault") if deals is None else _carry_out(setup, deals, draw)
        if problem is not None:
            return _page(setup, deals, draw, problem), 409
        if (
            request.form.get("do") == "read"
            and deals is not None
            and any(seen.trouble and row for seen, row in _shown_rows(tile_readings(deals.state)))
        ):
            return _page(setup, deals, draw), 200  # a redirect would lose them
        return see_other("event_deals")

    @app.get("/commitments.json")
    def commitments() -> ResponseReturnValue:
        state = NoDeals() if deals is None else deals.state
        if not isinstance(state, MadeDeals | StartedEvent):
            return missing("error.404")
        return download(canonical_json(state.commitments.to_json()), "commitments.json")


def _page(setup: SetupPages, deals: DealMaking | None, draw: TileDraw, problem: Answer | None = None) -> str:
    desk, state = setup.desk(), NoDeals() if deals is None else deals.state
    progress = () if deals is None else deals.progress
    custody = desk.hall.programme.custody
    locked = any(each.takes_passphrase for each in progress)
    working = custody is None and any(each.step is VaultStep.ORDERED for each in progress)
    return setup.page(
        "events/event_deals.html",
        state=type(state).__name__,
        public=(source := "" if isinstance(state, NoDeals) else state.plan.public),
        drawn=tiles_drawn(source),
        notation=_NOTATION,
        drawing=draw.shares(tiles_drawn(source)),
        has_cameras=draw.has_cameras,
        readings=len(readings := tile_readings(state)),
        rows=_shown_rows(readings),
        root=state.commitments.root.hex() if isinstance(state, MadeDeals | StartedEvent) else "",
        start_words="" if custody is None else custody.start.words,
        code=qr_picture(custody.start.words) if custody is not None else "",
        value="" if custody is None else custody.start.public,
        progress=progress,
        locked=locked,
        working=working,
        waits=not locked and (working or (not isinstance(state, NoDeals) and any(each.step in _WAITING for each in progress))),
        has_vault=deals is not None,
        sources=SOURCES,
        problem=problem,
        asked=request.form if problem is not None else MultiDict[str, str](),
        longest=LONGEST_SOURCE,
        here="deals",
    )


def _carry_out(setup: SetupPages, deals: DealMaking, draw: TileDraw) -> Answer | None:
    form, by, event = request.form, viewer().name, setup.desk().hall.programme.event
    passphrase = form.get("passphrase", "")
    match form.get("do"):
        case "make":
            if passphrase != form.get("again", ""):
                return Answer("deals.problem.differ")
            return make_event_deals(
                deals, event, setup.desk().event, source=form.get("source") or form.get("other", ""), passphrase=passphrase, by=by
            )
        case "read":
            return refused_order(draw.read(deals, by))
        case "start":
            return _fix_start(deals, by)
        case "unlock":
            deals.unlock(passphrase)
            return None
        case _:
            return Answer("refusal.nothing")


def _known_readings() -> int:
    return request.form.get("readings", 0, type=int)


def _shown_rows(readings: Sequence[TilesRead]) -> tuple[tuple[TableTiles, str], ...]:
    """The tables of the last reading, each with its row of tiles; typed tiles are kept, but after a newer reading only at tables that no
    camera reads."""
    if not readings:
        return ()
    known = _known_readings()
    before = readings[known - 1].tables if 0 < known <= len(readings) else ()
    typed = dict(zip((seen.table for seen in before), request.form.getlist("public"), strict=False))
    return tuple(
        (seen, (typed.get(seen.table, "") if seen.trouble or known == len(readings) else "") or seen.tiles) for seen in readings[-1].tables
    )


def _fix_start(deals: DealMaking, by: str) -> Answer | None:
    rows = [row.strip() for row in request.form.getlist("public")]
    readings, known = tile_readings(deals.state), _known_readings()
    wrong = _wrong_rows(rows, readings) if known == len(readings) else None
    return wrong or fix_public(deals, " ".join(filter(None, rows)), by, known)


def _wrong_rows(rows: Sequence[str], readings: Sequence[TilesRead]) -> Answer | None:
    """Why the tables' rows are no value yet: each must have its table's share, and a person must compare them. None if nothing was read."""
    if not readings:
        return None
    for row, seen in zip(rows, readings[-1].tables, strict=False):
        if len(rows) > 1 and len(row.split()) != seen.wanted:
            return Answer("deals.problem.tiles.share", {"table": seen.table, "count": len(row.split()), "wanted": seen.wanted})
    return None if request.form.get("seen") else Answer("deals.problem.compare")
