"""Renders what every live page has: a line about the broker, and for the staff the number of open calls."""

from __future__ import annotations

from collections.abc import Iterator

from dashboard.fragments import Fragment
from dashboard.rendering import Renderer
from dashboard.sight import Sight
from dashboard.words import Words


def common(render: Renderer, sight: Sight, words: Words) -> Iterator[Fragment]:
    """The fragments; a badge is empty where there is nothing to count."""
    yield Fragment("broker", render("broker.html", words, connected=sight.connected))
    yield Fragment("calls-badge", render("calls_badge.html", words, count=unanswered(sight) if sight.staff else 0))


def unanswered(sight: Sight) -> int:
    """How many calls nobody has taken yet; what goes away by itself is none."""
    return sum(call.acknowledged is None for call in sight.calls())
