"""What all applications of a test run share: compiled templates and compiled routes.

Each application would compile both anew, which took four fifths of a page's test.
"""

from __future__ import annotations

from types import CodeType, MethodType

from flask import Flask
from jinja2 import BytecodeCache
from jinja2.bccache import Bucket
from werkzeug.routing import Rule


class CompiledTemplates(BytecodeCache):
    """Keeps compiled templates in memory, each with the digest of its source."""

    def __init__(self) -> None:
        self._compiled: dict[str, tuple[str, CodeType]] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill the bucket, where this source was compiled before."""
        digest, code = self._compiled.get(bucket.key, ("", None))
        if digest == bucket.checksum:
            bucket.code = code

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep what was compiled."""
        assert bucket.code is not None
        self._compiled[bucket.key] = (bucket.checksum, bucket.code)


class CompiledRule(Rule):
    """A route that is compiled once: its parts and its address builders depend on its text and its defaults alone."""

    kept: dict[tuple[object, ...], CompiledRule] = {}  # noqa: RUF012 - shared on purpose

    def compile(self) -> None:
        """Take what was compiled for the same text, or compile it."""
        key = (self.rule, self.subdomain, self.merge_slashes, repr(self.defaults))
        if key not in self.kept:
            super().compile()
            self.kept[key] = self
            return
        kept = self.kept[key]
        self._parts, self._trace, self._converters, self.arguments = kept._parts, kept._trace, kept._converters, kept.arguments
        self._build = MethodType(kept._build.__func__, self)  # type: ignore[attr-defined]  # werkzeug has made it a method
        self._build_unknown = MethodType(kept._build_unknown.__func__, self)  # type: ignore[attr-defined]  # and this one


def share_compiled() -> None:
    """Let every application that is made from now on share what is compiled."""
    Flask.jinja_options = {"bytecode_cache": CompiledTemplates(), **Flask.jinja_options}
    Flask.url_rule_class = CompiledRule
