"""Reads settings: a TOML file becomes a form, a frozen dataclass of sections. An unknown key, a wrong type, a missing key or file, and a
forbidden value are errors: one sentence names the file, the key and what is allowed. Paths are relative to the settings file's folder."""

import json
import re
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import msgspec

from config.keys import SettingKey, SettingsError
from twinwall.values import frozen

Form = TypeVar("Form")

_ANYTHING = SettingKey("")
_MOST_SHOWN = 60
_NAMES = {bool: "true or false", int: "a whole number", float: "a number", str: "a text", Path: "a path"}


def load(path: Path, form: type[Form]) -> Form:
    """Read a TOML file into ``form``, a dataclass of sections; raises SettingsError."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise SettingsError(f"{path}: there is no such settings file; config/default has one to start from.") from None
    except OSError as error:
        raise SettingsError(f"{path}: the settings file cannot be read ({error.strerror}).") from None
    except UnicodeDecodeError:
        raise SettingsError(f"{path}: the settings file is not UTF-8 text.") from None
    return loads(text, form, path)


def loads(text: str, form: type[Form], path: Path) -> Form:
    """As ``load``, from text; ``path`` names the file in errors, and relative paths begin at its folder."""
    try:
        document: dict[str, object] = tomllib.loads(text)
    except RecursionError:
        raise SettingsError(f"{path}: this is not TOML that can be read: lists lie too deep in each other.") from None
    except ValueError as error:  # also a number with too many digits
        raise SettingsError(f"{path}: this is not TOML: {' '.join(str(error).split())}.") from None
    return cast(Form, _SectionReader(path).section("", document, form))


@frozen
class SettingField:
    """One key of a section: its type without annotation, what it may hold, and whether it is required."""

    name: str
    type: object
    key: SettingKey
    required: bool

    @property
    def is_section(self) -> bool:
        return is_dataclass(_without_none(self.type))


def keys_of(section: type) -> tuple[SettingField, ...]:
    """The keys of a section's dataclass in order: its sections, and the fields with a ``SettingKey``."""
    hints: Mapping[str, object] = get_type_hints(section, include_extras=True)
    found = []
    for field in fields(section):
        hint, key = hints[field.name], _ANYTHING
        if get_origin(hint) is Annotated:
            hint, key = get_args(hint)
        elif not is_dataclass(_without_none(hint)):
            continue
        required = field.default is MISSING and field.default_factory is MISSING
        found.append(SettingField(field.name, hint, key, required))
    return tuple(found)


def allowed(hint: object, key: SettingKey) -> str:
    """What a key may hold, in words: ``a number from 0.5 to 60``."""
    hint = _without_none(hint)
    if key.choices:
        return "one of " + ", ".join(json.dumps(choice) for choice in key.choices)
    if key.shape:
        return key.shape
    if get_origin(hint) is tuple:
        kinds = get_args(hint)
        count = "any number of times" if kinds[-1] is Ellipsis else f"{len(kinds)} times"
        return f"a list, {count} {allowed(kinds[0], key)}"
    name = _NAMES[cast(type, hint)]
    match key.least, key.most:
        case None, None:
            return name
        case least, None:
            return f"{name} of at least {least}"
        case None, most:
            return f"{name} of at most {most}"
        case least, most:
            return f"{name} from {least} to {most}"


@frozen
class _SectionReader:
    path: Path

    def section(self, name: str, given: object, form: type) -> object:
        """Read a TOML table into a dataclass."""
        if not isinstance(given, dict):
            raise self._wrong(name, "a section", given)
        document = cast(dict[str, object], given)
        known = {field.name: field for field in keys_of(form)}
        for key in document:
            if key in (retired := getattr(form, "RETIRED", {})):
                raise SettingsError(f"{self.path}: {inside(name, key)} is no longer a key: {retired[key]}.")
            if key not in known:
                what = "section" if all(field.is_section for field in known.values()) else "key"
                raise SettingsError(f"{self.path}: there is no {what} {inside(name, key)}; known here: {', '.join(known)}.")
        for key, field in known.items():
            if field.required and key not in document:
                raise SettingsError(f"{self.path}: {inside(name, key)} is missing; it must be {self._expected(field)}.")
        values = {key: self._value(inside(name, key), value, known[key].type, known[key].key) for key, value in document.items()}
        try:
            return form(**values)
        except ValueError as error:
            raise SettingsError(f"{self.path}: {f'[{name}] ' if name else ''}{error}.") from None

    def _value(self, name: str, given: object, hint: object, key: SettingKey) -> object:
        hint = _without_none(hint)
        if isinstance(hint, type) and is_dataclass(hint):
            return self.section(name, given, hint)
        try:
            return cast(object, msgspec.convert(given, _checked(hint, key), dec_hook=self._path))
        except msgspec.ValidationError:
            raise self._wrong(name, allowed(hint, key), given) from None

    def _path(self, _kind: type, given: object) -> Path:
        """Read a path; a relative one begins at the settings file's folder."""
        if not isinstance(given, str) or not given or "\0" in given:
            raise ValueError("no path")
        return self.path.parent / Path(given).expanduser()

    def _expected(self, field: SettingField) -> str:
        return "a section" if field.is_section else allowed(field.type, field.key)

    def _wrong(self, name: str, expected: str, given: object) -> SettingsError:
        return SettingsError(f"{self.path}: {name} must be {expected}, not {_shown(given)}.")


def _checked(hint: object, key: SettingKey) -> object:
    """The type of a key with its limits, for msgspec."""
    if get_origin(hint) is tuple:
        return tuple[tuple(kind if kind is Ellipsis else _checked(kind, key) for kind in get_args(hint))]  # type: ignore[misc]  # built at run time
    if hint is str and (pattern := "|".join(map(re.escape, key.choices)) or key.pattern):
        return Annotated[str, msgspec.Meta(pattern=rf"\A(?:{pattern})\Z")]
    if hint is int or hint is float:
        furthest = sys.float_info.max if hint is float else None  # neither infinite nor NaN
        least = -furthest if key.least is None and furthest else key.least
        return Annotated[hint, msgspec.Meta(ge=least, le=furthest if key.most is None else key.most)]
    return hint


def _without_none(hint: object) -> object:
    """Return X for ``X | None``: an optional key is left out, never null."""
    if get_origin(hint) in (Union, UnionType):
        return next(kind for kind in get_args(hint) if kind is not NoneType)
    return hint


def inside(section: str, key: str) -> str:
    return f"{section}.{key}" if section else key


def _shown(given: object) -> str:
    text = json.dumps(given, ensure_ascii=False, default=str)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"
