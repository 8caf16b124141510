"""The public page of trust: what was committed before the first deal, what is proved about each released deal, and what is not. The page is
only the server's claim. It offers what checks the claim without trust in the server: slips, plan, start, and the verify page."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache

from flask import Flask, Response, render_template

from dashboard.access.access_policy import AccessPolicy
from dashboard.access.login import viewer
from dashboard.access.viewer_scope import ViewerScope
from dashboard.prints.paper import qr_picture
from dashboard.verify_page.page import page
from dashboard.web_app import download
from twinwall.event.drawn_tiles import TilesRead, value_parts

VERIFY_PAGE = "verify.html"
SHOWN_READINGS = 5
"""Number of last readings of drawn tiles that are shown; the count includes all."""
NOT_PROVED = ("source", "people", "programme", "last", "page")
"""Sentences about what no file of the event proves (``trust.not.…``)."""


def proved_deals(scope: ViewerScope) -> list[dict[str, object]]:
    """The released deals in order; ``same`` are the tables that published this deal before play."""
    return [
        {"deal": deal, "same": [table for table in dict.fromkeys(hand.table for hand in deal.hands) if table not in deal.differing]}
        for deal in scope.results.deals()
    ]


_verify_page = cache(page)


def add_trust(
    app: Flask, policy: AccessPolicy, readings: Callable[[], Sequence[TilesRead]], vault_keys: Mapping[str, str], *, signed: bool
) -> None:
    """Add ``/trust`` and ``/verify.html``; ``readings`` returns those of the tiles drawn for the public value, ``vault_keys`` are the
    vaults' public keys by holder, and lines are ``signed`` except in a rehearsal."""

    @app.get("/trust")
    def trust() -> str:
        scope = policy.results(viewer())
        started = scope.started()
        deals, read = proved_deals(scope), readings()
        return render_template(
            "trust.html",
            started=started,
            code="" if started is None else qr_picture(started.start.words),
            deals=deals,
            sealed=0 if started is None else len(started.plan.deals) - len(deals),
            vault_keys=vault_keys,
            lines_signed=signed,
            tables=[table.name for table in scope.tables()],
            readings=read[-SHOWN_READINGS:],
            read_times=len(read),
            parts=[] if started is None or not read else value_parts(started.start.public, read[-1].tables),
            not_proved=NOT_PROVED,
        )

    @app.get(f"/{VERIFY_PAGE}")
    def verify_page() -> Response:
        return download(_verify_page(), VERIFY_PAGE, "text/html")
