"""The page that shows a referee the violations that await a ruling.

It is for a call: he rules at the table's own page.
"""

from __future__ import annotations

from flask import Flask, abort, url_for

from dashboard.pages.page_routes import Pages, show_live


def add_violations(app: Flask, pages: Pages) -> None:
    """Add ``/table/<name>/violations``."""

    @app.get("/table/<path:name>/violations")
    def violations(name: str) -> str:
        page = pages.violations(name)
        if page is None:
            abort(404)
        return show_live(page, url_for("events", table=name, page="violations"), name=name)
