"""The routes of the overlay: a page of 1920 × 1080 with a transparent background, and the document that it plays."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from flask import Flask, Response, render_template

from dashboard.access.access_policy import SPECTATOR, AccessPolicy
from dashboard.i18n.words import WIND_CHARACTERS, Words
from dashboard.pages.replay.overlay import overlay_of, overlay_values
from dashboard.pages.replay.replay_pieces import GEOMETRY, OVERLAY_SCRIPTS
from dashboard.pages.table import board_picture


def add_overlays(app: Flask, policy: AccessPolicy, words: Callable[[], Words]) -> None:
    """Add ``/overlay/<table>`` and ``/overlay/<table>.json``: they show what everybody may see, whoever asks."""

    @app.get("/overlay/<table>")
    def overlay(table: str) -> str:
        document = overlay_of(policy.results(SPECTATOR), table)
        values = {} if document is None else overlay_values(document, words())
        geometry = msgspec.json.encode(GEOMETRY).decode()
        place = {"geometry": geometry, "view_box": board_picture.VIEW_BOX, "winds": WIND_CHARACTERS}
        return render_template("overlay.html", table=table, scripts=OVERLAY_SCRIPTS, **place, **values)

    @app.get("/overlay/<table>.json")
    def overlay_feed(table: str) -> Response:
        document = overlay_of(policy.results(SPECTATOR), table)
        headers = {"Cache-Control": "no-cache"}
        return Response(msgspec.json.encode(document), 200 if document is not None else 404, headers, mimetype="application/json")
