"""Fragments: the parts of a page, each with the number of its last change.

A browser gets the fragments that changed after the number it has, so a resumed stream is complete
whatever was missed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from markupsafe import Markup

from dashboard.access.viewer_scope import ViewerScope

RenderPage = Callable[[], Iterable["Fragment"]]


@dataclass(frozen=True, slots=True)
class Fragment:
    """One element of a page by its id. ``inside_svg`` pieces travel in an ``svg`` wrapper.

    ``version`` decides whether it changed, its own text when None: a list that holds other fragments
    changes only when its members do, not their contents.
    """

    id: str
    html: Markup
    inside_svg: bool = False
    version: object = None


@dataclass(frozen=True, slots=True)
class _NumberedFragment:
    fragment: Fragment
    changed: int

    def same(self, fresh: Fragment) -> bool:
        if fresh.version is not None:
            return self.fragment.version == fresh.version
        return self.fragment.html == fresh.html


class LivePage:
    """One page in one language, for all its viewers who have the same scope."""

    def __init__(self, scope: ViewerScope, render: RenderPage) -> None:
        """``render`` makes all fragments of the page from what the scope shows now."""
        self.scope = scope
        self._render = render
        self._lock = threading.Lock()
        self._kept: dict[str, _NumberedFragment] = {}
        self._at = -1

    def current(self) -> tuple[int, Mapping[str, Markup]]:
        """The number of the last change and every fragment as of that number, by id."""
        with self._lock:
            self._refresh()
            return self._at, {name: kept.fragment.html for name, kept in self._kept.items()}

    def changed_since(self, sequence: int | None) -> tuple[int, tuple[Fragment, ...]]:
        """The number of the last change, and the fragments that changed after ``sequence`` (all of them for None)."""
        with self._lock:
            self._refresh()
            kept = self._kept.values()
            return self._at, tuple(one.fragment for one in kept if sequence is None or one.changed > sequence)

    def _refresh(self) -> None:
        now = self.scope.sequence
        if now == self._at:
            return
        fresh: dict[str, _NumberedFragment] = {}
        for fragment in self._render():
            old = self._kept.get(fragment.id)
            changed = old.changed if old is not None and old.same(fragment) else now
            fresh[fragment.id] = _NumberedFragment(fragment, changed)
        self._kept, self._at = fresh, now
