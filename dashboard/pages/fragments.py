"""Fragments: the parts of a page, each with the number of its last change.

A browser gets the fragments that changed after the number it has, so a resumed stream is complete
whatever was missed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from markupsafe import Markup

from dashboard.access.viewer_scope import ViewerScope

REST_S = 0.1
"""A page that was made again rests this long before its streams have it made again: the lines of one moment are made together."""
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

    def __init__(self, scope: ViewerScope, render: RenderPage, clock: Callable[[], float] = time.monotonic) -> None:
        """``render`` makes all fragments of the page from what the scope shows now; ``clock`` gives seconds."""
        self.scope = scope
        self._render = render
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: dict[str, _NumberedFragment] = {}
        self._at = -1
        self._rests_until_s = clock()

    @property
    def rest_s(self) -> float:
        """How long its streams wait now before they have it made again."""
        return max(0.0, self._rests_until_s - self._clock())

    def current(self) -> tuple[int, Mapping[str, Markup]]:
        """The number of the last change and every fragment as of that number, by id."""
        with self._lock:
            self._refresh()
            return self._at, {name: kept.fragment.html for name, kept in self._kept.items()}

    def changed_since(self, sequence: int | None) -> tuple[int, tuple[Fragment, ...]]:
        """A number, and the fragments that changed after ``sequence`` (all of them for None) and up to that number.

        While the page rests, who lacks something of it as it was made last gets that alone.
        """
        with self._lock:
            if sequence is None or sequence >= self._at or not self.rest_s:
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
        self._kept, self._at, self._rests_until_s = fresh, now, self._clock() + REST_S
