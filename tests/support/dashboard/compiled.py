"""What all applications of a test run share: compiled templates and compiled routes.

Each application would compile both anew, which took four fifths of a page's test.
"""

from __future__ import annotations

from functools import partialmethod
from pathlib import Path
from types import CodeType, MethodType

from flask import Flask
from jinja2 import Environment, FileSystemBytecodeCache
from jinja2.bccache import Bucket
from werkzeug.routing import Rule

FOLDER = Path(__file__).parents[3] / ".build" / "templates"
"""Of compiled templates, for the next run and for the other workers."""


class CompiledTemplates(FileSystemBytecodeCache):
    """Keeps compiled templates in memory and in files, each with the digest of its source."""

    def __init__(self) -> None:
        FOLDER.mkdir(parents=True, exist_ok=True)
        super().__init__(str(FOLDER))
        self._compiled: dict[tuple[str, str], CodeType] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill the bucket, where this source was compiled before."""
        bucket.code = self._compiled.get((bucket.key, bucket.checksum))
        if bucket.code is None:
            super().load_bytecode(bucket)
            self._keep(bucket)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep what was compiled."""
        self._keep(bucket)
        super().dump_bytecode(bucket)

    def _keep(self, bucket: Bucket) -> None:
        if bucket.code is not None:
            self._compiled[bucket.key, bucket.checksum] = bucket.code


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
    """Let all that is made from now on share what is compiled."""
    Environment.__init__ = partialmethod(Environment.__init__, bytecode_cache=CompiledTemplates())  # type: ignore[assignment]
    Flask.url_rule_class = CompiledRule
