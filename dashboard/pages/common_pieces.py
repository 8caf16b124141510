"""Renders what every live page has: the state of the broker, what was announced, and for the staff how many calls are open
and how many machines need somebody."""

from __future__ import annotations

from collections.abc import Iterator

from dashboard.access.viewer_scope import ViewerScope
from dashboard.i18n.words import Words
from dashboard.pages.fragments import Fragment
from dashboard.pages.hall.machine_rows import troubled
from dashboard.pages.rendering import Renderer


def common(render: Renderer, scope: ViewerScope, words: Words) -> Iterator[Fragment]:
    """The fragments; a badge is empty where there is nothing to count."""
    yield Fragment("broker", render("common/broker.html", words, connected=scope.connected))
    event = scope.event
    text = words.announced(event.announcement) if event.announcement else ""
    yield Fragment("announcement", render("common/announcement.html", words, text=text, paused=event.paused))
    badge = render("common/machines_badge.html", words, count=troubled(scope, words) if scope.staff else 0)
    yield Fragment("machines-badge", badge)
    yield Fragment("calls-badge", render("common/calls_badge.html", words, count=unanswered(scope) if scope.staff else 0))


def unanswered(scope: ViewerScope) -> int:
    """How many calls nobody has taken yet; what goes away by itself is none."""
    return sum(call.acknowledged is None for call in scope.calls())
