"""The routes of the overlay: a page of 1920 × 1080 with a transparent background, and the document that it plays."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import msgspec
from flask import Flask, Response, abort, render_template, request

from dashboard.access.access_policy import SPECTATOR, AccessPolicy
from dashboard.i18n.words import WIND_CHARACTERS, Words
from dashboard.pages.replay.overlay import OverlayDocument, overlay_of, overlay_values
from dashboard.pages.replay.replay_pieces import GEOMETRY, OVERLAY_SCRIPTS
from dashboard.pages.table import board_picture

_LONGEST_MIN = 24 * 60


def add_overlays(app: Flask, policy: AccessPolicy, words: Callable[[], Words], now: Callable[[], datetime]) -> None:
    """Add ``/overlay/<table>`` and ``/overlay/<table>.json``: they show what all may see, to every viewer.

    ``?minutes=`` is how long after its release a deal is shown.
    """

    def shown(table: str) -> OverlayDocument | None:
        delay = _delay()
        return overlay_of(policy.results(SPECTATOR), table, now() - delay if delay else None)

    @app.get("/overlay/<table>")
    def overlay(table: str) -> str:
        document = shown(table)
        values = {} if document is None else overlay_values(document, words())
        geometry = msgspec.json.encode(GEOMETRY).decode()
        place = {"geometry": geometry, "view_box": board_picture.VIEW_BOX, "winds": WIND_CHARACTERS}
        return render_template("overlay.html", table=table, minutes=request.args.get("minutes"), scripts=OVERLAY_SCRIPTS, **place, **values)

    @app.get("/overlay/<table>.json")
    def overlay_feed(table: str) -> Response:
        document = shown(table)
        headers = {"Cache-Control": "no-cache"}
        return Response(msgspec.json.encode(document), 200 if document is not None else 404, headers, mimetype="application/json")


def _delay() -> timedelta:
    """How long after its release a deal may be shown, by the address; ends the request where that is no such time."""
    asked = request.args.get("minutes", "0")
    try:
        minutes = float(asked)
    except ValueError:
        minutes = -1.0
    if not 0 <= minutes <= _LONGEST_MIN:
        abort(Response(f"minutes={asked[:20]} is no delay: give 0 to {_LONGEST_MIN} minutes\n", 400, mimetype="text/plain"))
    return timedelta(minutes=minutes)
