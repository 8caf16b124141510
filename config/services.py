"""The settings of the processes that a hall has once: the dashboard and, where no other is used, the broker."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from config.keys import Key
from config.kinds import EventName, Host, Port
from config.mqtt import MqttSettings


@dataclass(frozen=True, slots=True)
class DashboardSection:
    """The page's server."""

    password_hash: Annotated[
        str,
        Key(
            "The password's hash.",
            pattern=r"(scrypt|pbkdf2):\S+\$\S+\$\S+",
            shape="a hash as werkzeug.security.generate_password_hash makes it",
        ),
    ]
    secret_file: Annotated[Path, Key("File of the key that signs sessions; made at the first start.")]
    host: Host = "127.0.0.1"
    port: Port = 8080
    language: Annotated[str, Key("Language of the page.", choices=("en", "ja", "zh-Hans"))] = "en"


@dataclass(frozen=True, slots=True)
class EventSection:
    """The event to show."""

    name: EventName
    tables: Annotated[
        tuple[str, ...],
        Key("The tables' names, in the order of the hall.", pattern=r"[^\s/+#]+", shape="a list of names without space, /, + or #"),
    ]


@dataclass(frozen=True, slots=True)
class DashboardSettings:
    """Settings of the dashboard: twinwall dashboard --settings FILE"""

    dashboard: DashboardSection
    mqtt: MqttSettings
    event: EventSection


@dataclass(frozen=True, slots=True)
class BrokerSection:
    """The embedded broker. It forgets everything when it stops, which costs nothing: tables keep their events."""

    passwords: Annotated[Path, Key("File of user names and password hashes, in Mosquitto's form.")]
    rights: Annotated[Path, Key("File of who may publish and read what, in Mosquitto's form.")]
    host: Host = "127.0.0.1"
    port: Port = 1883


@dataclass(frozen=True, slots=True)
class BrokerSettings:
    """Settings of the embedded broker: twinwall broker --settings FILE"""

    broker: BrokerSection
