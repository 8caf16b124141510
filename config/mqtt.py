"""Settings of the connection to the event's broker, for any process."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from config.keys import SettingKey
from config.kinds import MAKE_PASSWORD, MQTT


@dataclass(frozen=True, slots=True)
class MqttSettings:
    """The broker: the embedded one (`twinwall broker`) or any other that speaks MQTT 3.1.1."""

    url: Annotated[str, SettingKey("Where the broker is.", pattern=MQTT, shape='an address such as "mqtt://127.0.0.1:1883"')]
    user: Annotated[
        str, SettingKey("User name; the broker gives each table and the server its own.", pattern=r"\S*", shape="a name, or nothing")
    ] = ""
    password_file: Annotated[
        Path | None,
        SettingKey("File that holds the password alone.", made_by=MAKE_PASSWORD),
    ] = None
