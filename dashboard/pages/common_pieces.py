"""Renders what every live page has: the broker's state, the announcement, and for staff the numbers of open calls and machines in need."""

from collections.abc import Callable

from markupsafe import Markup

from dashboard.access.viewer_scope import ViewerScope
from dashboard.i18n.words import Words
from dashboard.pages.hall.machine_rows import troubled
from dashboard.pages.rendering import Fragments, Renderer
from twinwall.event.management.managed_event import EventStage


def common(render: Renderer, scope: ViewerScope, words: Words) -> Fragments:
    """The fragments; a badge is empty if its number is 0."""
    yield render.part("broker", lambda: render("common/broker.html", connected=scope.connected))
    event = scope.event
    text = words.announced(event.announcement) if event.announcement else ""
    yield render.part("announcement", lambda: render("common/announcement.html", text=text, notice=_standing(scope)))

    def badge(template: str, count: Callable[[], int]) -> Markup:
        return render(template, count=count() if scope.staff else 0)

    yield render.part("machines-badge", lambda: badge("common/machines_badge.html", lambda: troubled(scope, words)))
    yield render.part("calls-badge", lambda: badge("common/calls_badge.html", lambda: unanswered(scope)))


def _standing(scope: ViewerScope) -> str:
    """The message key of why no table begins a hand; empty if they do, or have played all of them."""
    if scope.event.stage is not EventStage.BETWEEN:
        return "sessions.paused" if scope.event.paused else ""
    progress = scope.progress
    return "sessions.ended" if progress.released < progress.hands else ""


def unanswered(scope: ViewerScope) -> int:
    """The number of unanswered calls, and of other things that wait for a person; without those that end by themselves."""
    return sum(call.acknowledged is None for call in scope.calls()) + len(scope.waits())
