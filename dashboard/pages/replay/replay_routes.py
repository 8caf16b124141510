"""The routes of replays: a page of each released deal, and the same as one file to send. Everybody may see what is released."""

from __future__ import annotations

from collections.abc import Callable

from flask import Flask, Response, render_template, request

from dashboard.access.access_policy import AccessPolicy
from dashboard.access.login import viewer
from dashboard.access.shown_results import ReleasedDeal
from dashboard.i18n.words import Words
from dashboard.pages.replay.replay_pieces import SCRIPTS, ReplayView, replay_file, replay_values, replay_view


def add_replays(app: Flask, policy: AccessPolicy, words: Callable[[], Words]) -> None:
    """Add ``/deal/<n>/replay`` and ``/deal/<n>/replay.html``; ``?table=`` names the table that is shown first."""

    def view_of(n: int) -> ReplayView | str:
        """The replay, or why there is none."""
        found = policy.results(viewer()).deal(n)
        if found is None:
            return words()("error.deal", n=n)
        if not isinstance(found, ReleasedDeal):
            return words()("replay.sealed")
        view = None if found.held else replay_view(found, request.args.get("table"), words())
        return view or words()("replay.held" if found.held else "replay.none")

    @app.get("/deal/<int:n>/replay")
    def replay(n: int) -> str | tuple[str, int]:
        view = view_of(n)
        if isinstance(view, str):
            return render_template("missing.html", sentence=view), 404
        return render_template("replay.html", n=n, scripts=SCRIPTS, tiles="/tiles.svg", **replay_values(view, words()))

    @app.get("/deal/<int:n>/replay.html")
    def replay_as_file(n: int) -> Response | tuple[str, int]:
        view = view_of(n)
        if isinstance(view, str):
            return render_template("missing.html", sentence=view), 404
        html = replay_file(app.jinja_env, view, policy.results(viewer()).event_name, words())
        headers = {"Content-Disposition": f'attachment; filename="replay-{n:04d}.html"'}
        return Response(html, mimetype="text/html", headers=headers)
