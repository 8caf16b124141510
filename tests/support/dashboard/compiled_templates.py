"""Compiled templates that all applications of a test run share: compiling them anew for each took four fifths of a page's test."""

from __future__ import annotations

from flask import Flask
from jinja2 import BytecodeCache
from jinja2.bccache import Bucket


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


def keep_compiled_templates() -> None:
    """Let every application that is made from now on share its compiled templates."""
    Flask.jinja_options = {"bytecode_cache": CompiledTemplates(), **Flask.jinja_options}
