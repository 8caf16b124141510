"""The page ``/decisions``: which decisions won and cost most, of the event or of one player. Everybody may see what is released."""

from __future__ import annotations

from collections.abc import Callable

from flask import Flask, render_template, request

from dashboard.access.access_policy import AccessPolicy
from dashboard.access.login import viewer
from dashboard.i18n.words import Words, signed
from dashboard.pages.deals.decision_pieces import PartingBook, decision_values


def add_decisions(app: Flask, policy: AccessPolicy, words: Callable[[], Words]) -> None:
    """Add ``/decisions``; ``?player=`` is a player's number."""
    book = PartingBook()

    @app.get("/decisions")
    def decisions() -> str | tuple[str, int]:
        scope, number = policy.results(viewer()), request.args.get("player", "")
        if number and scope.players.card(number) is None:
            return render_template("missing.html", sentence=words()("refusal.unknown-player", name=number)), 404
        player = scope.players.name(number) if number else ""
        return render_template(
            "decisions.html", number=number, player=player, signed=signed, **decision_values(scope, book, words(), number)
        )
