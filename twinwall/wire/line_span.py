"""A span of a trace, as ``line_traces`` makes it and ``line_spans`` sends it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LineSpan:
    """One span: its numbers, its name, its times (nanoseconds since 1970) and what it names. ``parent`` is 0 for the first of a trace."""

    trace: int
    number: int
    parent: int
    name: str
    start_ns: int
    end_ns: int
    named: Mapping[str, str | int]
