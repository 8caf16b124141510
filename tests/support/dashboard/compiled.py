"""What all applications of a test run share: compiled templates, and the compiled functions that build addresses of routes.

Each application would compile both anew, which took four fifths of a page's test.
"""

from __future__ import annotations

from collections.abc import Callable

from flask import Flask
from jinja2 import BytecodeCache
from jinja2.bccache import Bucket
from werkzeug.routing import Rule

AddressBuilder = Callable[..., tuple[str, str]]


class CompiledTemplates(BytecodeCache):
    """Keeps compiled templates in memory; Jinja compares the source of each with what was compiled."""

    def __init__(self) -> None:
        self._compiled: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill the bucket, where the template was compiled before."""
        if bucket.key in self._compiled:
            bucket.bytecode_from_string(self._compiled[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep what was compiled."""
        self._compiled[bucket.key] = bucket.bytecode_to_string()


class CompiledRule(Rule):
    """A route whose address builder is compiled once: it depends on the route's text, its defaults and one switch alone."""

    builders: dict[tuple[str, str, str, bool], AddressBuilder] = {}  # noqa: RUF012 - shared on purpose

    def _compile_builder(self, append_unknown: bool = True) -> AddressBuilder:
        key = (self.rule, repr(self._trace), repr(self.defaults), append_unknown)
        if key not in self.builders:
            self.builders[key] = super()._compile_builder(append_unknown)
        return self.builders[key]


def share_compiled() -> None:
    """Let every application that is made from now on share what is compiled."""
    Flask.jinja_options = {"bytecode_cache": CompiledTemplates(), **Flask.jinja_options}
    Flask.url_rule_class = CompiledRule
