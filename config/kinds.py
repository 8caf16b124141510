"""What the texts and numbers that several forms share look like: names, addresses, ports."""

from __future__ import annotations

from typing import Annotated

from config.keys import SettingKey

NAME = r"\S(.*\S)?"
NAME_SHAPE = "a text without space at its ends"
RULES = r"[a-z][a-z0-9-]*"

_PORT = r"(:[1-9][0-9]{0,4})?"
_LOOPBACK = rf"http://(127\.0\.0\.1|localhost|\[::1\]){_PORT}"
_DEVICE = r"(v4l2|picamera2):[0-9]{1,3}|files:\S(.*\S)?"
LOCAL_CAMERA = rf"({_LOOPBACK}/\S*|{_DEVICE})"
_DEVICE_SHAPE = '"v4l2:0" or "picamera2:0" (a device of this machine), "files:FOLDER"'
LOCAL_CAMERA_SHAPE = f'{_DEVICE_SHAPE} or "http://127.0.0.1:PORT/PATH"'
CAMERA = rf"(http://[^/\s]+/\S*|{_DEVICE})"
CAMERA_SHAPE = f'{_DEVICE_SHAPE} or "http://HOST:PORT/PATH"'
CLOCK = rf"(system|http://[^/\s:]+{_PORT}/?)"
MQTT = rf"mqtts?://[^/\s:]+{_PORT}"

EventName = Annotated[str, SettingKey("The event, as in its plan of deals.", pattern=NAME, shape=NAME_SHAPE)]
Host = Annotated[
    str, SettingKey("Address to listen at; 127.0.0.1 keeps it to this machine.", pattern=r"\S+", shape="a host name or address")
]
Port = Annotated[int, SettingKey("TCP port to listen at.", least=1, most=65535)]
