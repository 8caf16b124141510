"""Renders one fragment from its template. Templates escape, so the result is markup."""

from __future__ import annotations

from dataclasses import dataclass

from jinja2 import Environment
from markupsafe import Markup

from dashboard.i18n.words import Words


@dataclass(frozen=True, slots=True)
class Renderer:
    """The pieces' templates in one environment."""

    environment: Environment

    def __call__(self, template: str, words: Words, **values: object) -> Markup:
        """The markup of ``pieces/<template>`` with these values."""
        return Markup(self.environment.get_template(f"pieces/{template}").render(words=words, **values).strip())  # noqa: S704 - the templates escape
