"""The settings of a station: a table without a feeder, where a person does what a machine would do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from config.keys import Key
from config.kinds import LOCAL_CAMERA, LOCAL_CAMERA_SHAPE, NAME, NAME_SHAPE
from config.table import LockSection

_UNLOCKED = LockSection()


@dataclass(frozen=True, slots=True)
class StationSection:
    """The station itself."""

    feeder_link: Annotated[Path, Key("Where the controller finds the station: name it in the table's settings as [feeder] port.")]
    memory: Annotated[Path, Key("What lies where, as people have confirmed it; keep it on a disk that lasts.")]
    port: Annotated[
        int, Key("Port of the screen (http://127.0.0.1:PORT/) and of the camera for the table (/gate.jpg).", least=1, most=65535)
    ] = 8105
    backs: Annotated[
        tuple[int, int], Key("The two sets' backs as in the table's settings, first the one that is built first.", least=1, most=255)
    ] = (1, 2)
    names: Annotated[tuple[str, str], Key("What people call them.", pattern=NAME, shape=NAME_SHAPE)] = ("blue", "green")

    def __post_init__(self) -> None:
        if self.backs[0] == self.backs[1] or self.names[0] == self.names[1]:
            raise ValueError("names two sets that cannot be told apart: give them backs and names of their own")


@dataclass(frozen=True, slots=True)
class StationCameraSection:
    """The camera over the frame. It sees concealed tiles, so it must be a device of this machine or on its loopback."""

    source: Annotated[str, Key("Where frames come from.", pattern=LOCAL_CAMERA, shape=LOCAL_CAMERA_SHAPE)]
    read_timeout_s: Annotated[float, Key("A camera that is silent for longer counts as lost.", least=0.1, most=30.0)] = 2.0
    look_interval_s: Annotated[float, Key("Pause between two looks into the frame.", least=0.0, most=1.0)] = 0.04
    lock: LockSection = _UNLOCKED


@dataclass(frozen=True, slots=True)
class StationSettings:
    """Settings of a station: twinwall station --settings FILE"""

    station: StationSection
    camera: StationCameraSection
