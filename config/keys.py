"""What a settings key may hold, the error for anything else, and keys that several forms share."""

from pathlib import Path
from typing import Annotated

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
