"""Writes settings as TOML with a comment for every key. Reading gives the same settings. ``config/default`` is written by it."""

import json
import os
import textwrap
from collections.abc import Iterator
from dataclasses import is_dataclass
from pathlib import Path

from config.reading import SettingField, allowed, keys_of

_COMMENT_WIDTH = 110


def dumps(settings: object) -> str:
    """The TOML text of a form; an optional key without a value becomes a comment."""
    return "\n".join([*_comment(_heading(settings)), *_section_lines("", settings)]) + "\n"


def write(path: Path, settings: object) -> None:
    """Write a settings file that only its owner can read."""
    with open(path, "w", encoding="utf-8", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        file.write(dumps(settings))


def _section_lines(name: str, section: object) -> Iterator[str]:
    """A section's own keys, then its sub-sections, as TOML requires."""
    values = [(field, getattr(section, field.name)) for field in keys_of(type(section))]
    for field, value in values:
        if not is_dataclass(value) and not field.is_section:
            yield from _key_lines(field, value)
    for field, value in values:
        if is_dataclass(value):
            inner = f"{name}.{field.name}" if name else field.name
            yield ""
            yield from _comment(_heading(value))
            yield f"[{inner}]"
            yield from _section_lines(inner, value)


def _key_lines(field: SettingField, value: object) -> Iterator[str]:
    yield from _comment(f"{field.key.says} ({allowed(field.type, field.key)})")
    yield f"# {field.name} is left out" if value is None else f"{field.name} = {_toml(value)}"


def _heading(section: object) -> str:
    return (type(section).__doc__ or "").strip().splitlines()[0]


def _comment(text: str) -> Iterator[str]:
    return (f"# {line}" for line in textwrap.wrap(text, _COMMENT_WIDTH))


def _toml(value: object) -> str:
    if isinstance(value, bool | str | int):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Path):
        return _toml(str(value))
    if isinstance(value, tuple):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    return repr(value)
