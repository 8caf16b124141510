"""Renders one fragment from its template, and keeps what could not be made for the staff. Templates escape, so the result is markup."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from jinja2 import Environment
from markupsafe import Markup

from dashboard.i18n.words import Words
from dashboard.pages.fragments import Fragment

_LOG = logging.getLogger(__name__)
MOST_NAMED = 8
"""The staff see no more failures at a time; the log has all."""


@dataclass(frozen=True, slots=True)
class FailedParts:
    """The pages and parts of pages that could not be made when they were asked for last, each with the kind of the error.

    The message of an error may name what is secret: it goes to the log alone.
    """

    kinds: dict[tuple[str, tuple[object, ...]], str] = field(default_factory=dict)

    def note(self, what: str, page: tuple[object, ...], problem: BaseException) -> None:
        """A page, by its route, or a part, by its id, could not be made at the address that ``page`` stands for."""
        self.kinds[what, page] = type(problem).__name__
        if len(self.kinds) > MOST_NAMED:
            self.kinds.pop(next(iter(self.kinds)), None)

    def made(self, what: str, page: tuple[object, ...]) -> None:
        """It could be made."""
        self.kinds.pop((what, page), None)

    def named(self) -> tuple[str, ...]:
        """What the staff read: each with its error, once."""
        return tuple(dict.fromkeys(f"{what}: {kind}" for (what, _), kind in self.kinds.copy().items()))


@dataclass(frozen=True, slots=True)
class Renderer:
    """The pieces' templates in one environment; without ``failed`` an error of a part ends the page, as in a site that is published.

    ``page`` says which page they are for, ``may_open`` whether its reader may open an address.
    """

    environment: Environment
    failed: FailedParts | None = None
    page: tuple[object, ...] = ()
    may_open: Callable[[str], bool] = lambda _address: True

    def __call__(self, template: str, words: Words, **values: object) -> Markup:
        """The markup of ``pieces/<template>`` with these values."""
        return Markup(self.environment.get_template(f"pieces/{template}").render(words=words, **values).strip())  # noqa: S704 - the templates escape

    def part(self, name: str, words: Words, make: Callable[[], Markup], *, inside_svg: bool = False, version: object = None) -> Fragment:
        """A fragment of a page; where ``make`` fails, a sentence stands in its place, and the rest of the page is shown all the same."""
        if self.failed is None:
            return Fragment(name, make(), inside_svg, version)
        try:
            made = Fragment(name, make(), inside_svg, version)
        except Exception as problem:
            _LOG.exception("%s cannot be shown", name)
            self.failed.note(name, self.page, problem)
            return Fragment(name, self("common/failed_part.html", words, id=name, inside_svg=inside_svg), inside_svg)
        self.failed.made(name, self.page)
        return made
