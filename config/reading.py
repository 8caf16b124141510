"""Reads settings: a TOML file becomes a form, a frozen dataclass of sections. An unknown key, a wrong type, a missing key or file, and a
forbidden value are errors: one sentence names the file, the key and what is allowed. Paths are relative to the settings file's folder.

Writes settings as TOML with a comment for every key. Reading gives the same settings. ``config/default`` is written by it.
"""

import json
import os
import re
import sys
import textwrap
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import msgspec

from twinwall.values import frozen


class SettingsError(Exception):
    """A settings file cannot be used; one sentence names the file, the key and what is allowed."""


@frozen
class SettingKey:
    """What a key of a settings file may hold: ``Annotated[type, SettingKey(…)]`` at a section's field."""

    says: str
    """One line for the person who edits the file."""
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()
    pattern: str | None = None
    """A regular expression for the whole text."""
    shape: str | None = None
    """That pattern in words."""
    made_by: str | None = None
    """How to make the file before the process starts; None when the process makes it or does not need it."""


def named_keys(lines: tuple[str, ...]) -> dict[str, bytes]:
    """Keys by name, from lines of a name (which may have blanks) and a key in hex."""
    return {name: bytes.fromhex(key) for name, _, key in (line.rpartition(" ") for line in lines)}


def given_together(keys: str, *values: object) -> None:
    """Raise ValueError when only some of these keys are given."""
    if len({value is None for value in values}) > 1:
        raise ValueError(f"{keys} are given together or not at all")


NAME = r"\S(.*\S)?"
PLAYER_NUMBER = "[1-9][0-9]{0,3}"
NAME_SHAPE = "a text without space at its ends"
RULES = r"[a-z][a-z0-9-]*"
DEFAULT_RULES = "mcr-duplicate"
"""The rule set when a file names none; a test compares it with ``twinwall.game.rules``."""
RULES_SHAPE = f'a name such as "{DEFAULT_RULES}"'

_PORT = r"(:[1-9][0-9]{0,4})?"
LOOPBACK = rf"http://(127\.0\.0\.1|localhost|\[::1\]){_PORT}"
_DEVICE = r"(v4l2|picamera2):[0-9]{1,3}|v4l2:/dev/\S+|files:\S(.*\S)?"
TABLE_PHONES = rf"{LOOPBACK}/[^\s/]+"
"""The phones' server of this computer, and a table's name."""
TABLE_PHONES_SHAPE = '"http://127.0.0.1:PORT/TABLE"'
LOCAL_CAMERA = rf"({LOOPBACK}/\S*|{_DEVICE})"
_DEVICE_SHAPE = '"v4l2:0", "v4l2:/dev/v4l/by-id/NAME" or "picamera2:0" (a device of this machine), "files:FOLDER"'
LOCAL_CAMERA_SHAPE = f'{_DEVICE_SHAPE} or "http://127.0.0.1:PORT/PATH"'
CAMERA = rf"(http://[^/\s]+/\S*|{_DEVICE})"
CAMERA_SHAPE = f'{_DEVICE_SHAPE} or "http://HOST:PORT/PATH"'
CLOCK = rf"(system|{LOOPBACK}/?)"
HTTP_ADDRESS = rf"https?://([^/\s:@]+|\[[0-9a-fA-F:]+\]){_PORT}"
MQTT = rf"mqtts?://[^/\s:]+{_PORT}"

PUBLIC_KEY = "[0-9a-f]{64}"
PUBLIC_KEY_SHAPE = "64 lower-case hex digits"
HOLDER_KEY = rf".*\S {PUBLIC_KEY}"
HOLDER_KEY_SHAPE = f'a list of texts such as "server 3f0c…", a holder and {PUBLIC_KEY_SHAPE}'

REHEARSAL_MODE, EVENT_MODE = "rehearsal", "event"
DEMO_EVENT = "Demo"
Mode = Annotated[
    str,
    SettingKey(
        "At an event every setting of a rehearsal is refused at start, by its name; in a rehearsal the program says that it is one.",
        choices=(REHEARSAL_MODE, EVENT_MODE),
    ),
]
EventName = Annotated[str, SettingKey("The event, as in its plan of deals.", pattern=NAME, shape=NAME_SHAPE)]
Host = Annotated[
    str, SettingKey("Address to listen at; 127.0.0.1 keeps it to this machine.", pattern=r"\S+", shape="a host name or address")
]
Port = Annotated[int, SettingKey("TCP port to listen at.", 1, 65535)]
Holder = Annotated[str, SettingKey("Whose vault this is: a seed holder of the plan.", pattern=r".*\S.*", shape="a name")]
Compared = Annotated[str, SettingKey("What is compared: players seat by seat, or teams.", choices=("individual", "team"))]
ScaleFile = Annotated[Path | None, SettingKey("The IMP scale's file; left out, the provisional one that comes with the program.")]

MAKE_KEY = "twinwall vault key FILE"
MAKE_STAFF = "twinwall hall staff invite --settings FILE NAME --role ROLE"
MAKE_SEED = "twinwall vault seed"
MAKE_PASSWORD = "write the broker account's password into it, and nothing else"  # noqa: S105  # a sentence
MAKE_DATABASE_PASSWORD = "write the database user's password into it, and nothing else"  # noqa: S105  # a sentence
MAKE_PASSWORDS = "mosquitto_passwd -c FILE USER, once for each account"
MAKE_RIGHTS = "write it as docs/how-to/broker.md says"
MAKE_CERTIFICATE = "twinwall hall certificates"
MAKE_PLAN = "twinwall deals plan"
MAKE_START = "twinwall deals start"
MAKE_COMMITMENTS = "twinwall vault commit"

VaultKeyFile = Annotated[Path, SettingKey("File of the key with which this vault signs what it gives.", made_by=MAKE_KEY)]
VaultStart = Annotated[Path, SettingKey("The event's start; the vault's folder keeps to the first that it was given.", made_by=MAKE_START)]
Commitments = Annotated[
    Path | None, SettingKey("The published commitments; left out where the plan has one holder.", made_by=MAKE_COMMITMENTS)
]


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
