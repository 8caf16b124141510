"""Renders the machine room: the tables that need somebody, the worst first, and the figures of all."""

from collections.abc import Iterator

from dashboard.access.viewer_scope import ViewerScope
from dashboard.i18n.words import Words
from dashboard.pages.hall.machine_rows import MachineNeed, machine_rows
from dashboard.pages.rendering import Fragment, Renderer


def pieces(render: Renderer, scope: ViewerScope, words: Words) -> Iterator[Fragment]:
    """The fragments of the page."""
    yield render.part("machines", lambda: render("hall/machines.html", rows=machine_rows(scope, words), well=MachineNeed.NONE))
