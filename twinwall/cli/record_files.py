"""Files of hand records: one record, or a list of them as ``twinwall export`` writes it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from twinwall.cli.errors import UsageError
from twinwall.game.documents import DocumentError, parse_list
from twinwall.game.record import HandRecord

LARGEST_FILE = 64 * 2**20
"""Bytes; the records of a whole championship are a quarter of it."""


def text_of_file(path: Path) -> str:
    """The text of a file; raises UsageError for one that is too large to be one of hands, or is no UTF-8 text."""
    size = path.stat().st_size
    if size > LARGEST_FILE:
        raise UsageError(
            f"{path} has {size // 2**20} MiB, and a file of hands at most {LARGEST_FILE // 2**20}: it is not read; divide it into several"
        )
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: byte {error.start + 1} is no UTF-8 text") from None


def records_in(path: Path) -> list[HandRecord]:
    """The records of a file; raises UsageError naming it."""
    try:
        content = text_of_file(path)
        texts = [json.dumps(item) for item in parse_list(content, "the list of records")] if is_list(content) else [content]
        if not texts:
            raise DocumentError("the list holds no hand records")
        return [HandRecord.from_json(text) for text in texts]
    except DocumentError as error:
        raise UsageError(f"{path}: {error}") from error


def is_list(content: str) -> bool:
    """Whether the text of a file is a list rather than one record."""
    return content.lstrip().startswith("[")


def records_json(records: Sequence[HandRecord]) -> bytes:
    """A list of records as a file."""
    return (json.dumps([record.to_json() for record in records], ensure_ascii=False, indent=1) + "\n").encode()
