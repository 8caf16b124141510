"""Hands as a data set for research: a row for each decision, as JSON lines or, with pyarrow installed, as a Parquet file."""

import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import get_args, get_origin, get_type_hints

import msgspec

from cli.usage import UsageError
from twinwall.event.replay.decisions import PlayedDecision, decisions
from twinwall.game.record import HandRecord

DATASET = "dataset"
PARQUET = ".parquet"


def dataset(records: Sequence[HandRecord], out: Path | None) -> bytes:
    """The decisions of released hands in their order; Parquet where ``out`` ends so."""
    rows = (row for record in records for row in decisions(record))
    if out is not None and out.suffix == PARQUET:
        return _parquet(rows)
    return b"".join(msgspec.json.encode(row) + b"\n" for row in rows)


def _parquet(rows: Iterator[PlayedDecision]) -> bytes:
    try:
        import pyarrow  # noqa: PLC0415 - an extra, which most installations do not have
        import pyarrow.parquet  # noqa: PLC0415
    except ImportError:
        raise UsageError("a Parquet file needs pyarrow: install twinwall[dataset], or name a file that ends with .jsonl") from None
    schema = pyarrow.schema([(name, _column(pyarrow, kind)) for name, kind in get_type_hints(PlayedDecision).items()])
    content = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([msgspec.to_builtins(row) for row in rows], schema), content)
    return content.getvalue()


def _column(pyarrow: ModuleType, kind: object) -> object:
    """The Arrow type of a field: the same in every file, whatever the hands of one happen to lack."""
    if get_origin(kind) is list:
        return pyarrow.list_(_column(pyarrow, get_args(kind)[0]))
    return pyarrow.int64() if kind is int else pyarrow.string()
