"""The page that shows a referee the violations on which nobody has ruled: what happened, which rule it breaks, and the place where a
camera saw it.

It is for a call: he rules at the table's own page. A violation that a gate or a key told has no picture.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from flask import Flask, abort, render_template

from dashboard.access.access_policy import AccessPolicy
from dashboard.access.login import viewer
from dashboard.access.viewer_scope import TableScope
from dashboard.i18n.words import Words
from dashboard.pages.table.presentation import LogRow, log_row
from twinwall.wire.messages.tile_question import ShownViolation


@dataclass(frozen=True, slots=True)
class ToldViolation:
    """A violation in the words of the history, and the pictures of its place; None where the table has sent none."""

    told: LogRow
    pictures: ShownViolation | None


def add_violations(app: Flask, policy: AccessPolicy, words: Callable[[], Words]) -> None:
    """Add ``/table/<name>/violations``."""

    @app.get("/table/<path:name>/violations")
    def violations(name: str) -> str:
        opened = policy.open_table(viewer(), name)
        if opened is None:
            abort(404)
        return render_template("rulings/violations.html", name=name, violations=tuple(told_violations(opened, words())))


def told_violations(opened: TableScope, words: Words) -> Iterator[ToldViolation]:
    """The violations of the hand at the table on which nobody has ruled. The pictures are of the last one of a seat and a kind."""
    view = opened.play().view
    n = view.deal_at_table or 0
    last = {(str(event.fields["seat"]), str(event.fields["what"])): event for event in view.violations}
    for event in view.violations:
        of = str(event.fields["seat"]), str(event.fields["what"])
        yield ToldViolation(log_row(event, words), opened.pictures_of_violation(n, *of) if last[of] is event else None)
