"""Renders what every live page has: the state of the broker, what was announced, and for the staff how many calls are open
and how many machines need somebody."""

from collections.abc import Callable

from markupsafe import Markup

from dashboard.access.viewer_scope import ViewerScope
from dashboard.i18n.words import Words
from dashboard.pages.hall.machine_rows import troubled
from dashboard.pages.rendering import Fragments, Renderer
from twinwall.event.management.managed_event import EventStage


def common(render: Renderer, scope: ViewerScope, words: Words) -> Fragments:
    """The fragments; a badge is empty where there is nothing to count."""
    yield render.part("broker", lambda: render("common/broker.html", connected=scope.connected))
    event = scope.event
    text = words.announced(event.announcement) if event.announcement else ""
    yield render.part("announcement", lambda: render("common/announcement.html", text=text, notice=_standing(scope)))

    def badge(template: str, count: Callable[[], int]) -> Markup:
        return render(template, count=count() if scope.staff else 0)

    yield render.part("machines-badge", lambda: badge("common/machines_badge.html", lambda: troubled(scope, words)))
    yield render.part("calls-badge", lambda: badge("common/calls_badge.html", lambda: unanswered(scope)))


def _standing(scope: ViewerScope) -> str:
    """The key of the sentence that says why no table begins a hand; none where they do, or have played all of them."""
    if scope.event.stage is not EventStage.BETWEEN:
        return "sessions.paused" if scope.event.paused else ""
    progress = scope.progress
    return "sessions.ended" if progress.released < progress.hands else ""


def unanswered(scope: ViewerScope) -> int:
    """How many calls are not yet taken, and what else of the hall waits for a person; what goes away by itself is none."""
    return sum(call.acknowledged is None for call in scope.calls()) + len(scope.waits())
