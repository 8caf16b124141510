"""Settings of a station: a table without a feeder, where a person does the feeder's work."""

import os
from dataclasses import field
from pathlib import Path
from typing import Annotated

from config.reading import (
    LOCAL_CAMERA,
    LOCAL_CAMERA_SHAPE,
    NAME,
    NAME_SHAPE,
    REHEARSAL_MODE,
    TABLE_PHONES,
    TABLE_PHONES_SHAPE,
    Mode,
    SettingKey,
)
from twinwall.values import frozen
from vision.cameras.lock import CameraLock


@frozen
class StationSection:
    """The station itself."""

    feeder_link: Annotated[Path, SettingKey("Where the controller finds the station: name it in the table's settings as [feeder] port.")]
    memory: Annotated[Path, SettingKey("What lies where, as people have confirmed it; keep it on a disk that lasts.")]
    port: Annotated[
        int, SettingKey("Port of the screen (http://127.0.0.1:PORT/) and of the camera for the table (/gate.jpg).", 1, 65535)
    ] = 8105
    builders: Annotated[
        int,
        SettingKey(
            "People who build a wall together, showing tiles by turns: with 2, what both may have in hand is asked for after a power cut.",
            1,
            2,
        ),
    ] = 1
    backs: Annotated[
        tuple[int, int], SettingKey("The two sets' backs as in the table's settings, first the one that is built first.", 1, 255)
    ] = (1, 2)
    names: Annotated[tuple[str, str], SettingKey("What people call them.", pattern=NAME, shape=NAME_SHAPE)] = ("blue", "green")
    ledger: Annotated[
        Path | None,
        SettingKey("Folder of this table's ledger, as its settings name it: the screen shows the start code under which the table runs."),
    ] = None
    phones: Annotated[
        str | None,
        SettingKey(
            "The phones' server with the table's name, where the station's cameras are phones; at an event no other address may be one.",
            pattern=TABLE_PHONES,
            shape=TABLE_PHONES_SHAPE,
        ),
    ] = None
    mode: Mode = REHEARSAL_MODE
    machine: Annotated[
        Path | None,
        SettingKey("Serial device of a machine that brings the tiles to lanes (a record with --lanes). Left out, people show them."),
    ] = None

    def __post_init__(self) -> None:
        if self.backs[0] == self.backs[1] or self.names[0] == self.names[1]:
            raise ValueError("names two sets that cannot be told apart: give them backs and names of their own")
        machine = self.machine
        if machine is None:
            return
        if self.builders > 1:
            raise ValueError("builders is 2, but one machine brings all tiles: leave builders out")
        if machine.resolve() == self.feeder_link.resolve():
            raise ValueError("machine and feeder_link are one port: give machine the board's, and feeder_link a path of its own")
        if os.path.exists(machine) and not machine.is_char_device():  # noqa: PTH110 - Path raises what is not permitted
            raise ValueError(f"machine is {machine}, which is no serial device: give the board's, best from /dev/serial/by-id")


@frozen
class StationCameraSection:
    """The camera over the frame. It sees concealed tiles, so it must be a device of this machine or on its loopback."""

    source: Annotated[str, SettingKey("Where frames come from.", pattern=LOCAL_CAMERA, shape=LOCAL_CAMERA_SHAPE)]
    read_timeout_s: Annotated[float, SettingKey("A camera that is silent for longer counts as lost.", 0.1, 30.0)] = 2.0
    look_interval_s: Annotated[float, SettingKey("Pause between two looks into the frame.", 0.0, 1.0)] = 0.04
    lock: CameraLock = field(default_factory=CameraLock)


@frozen
class WallsSection:
    """A camera above the mat on which walls are built. It sees which places are taken, and so a tile that was put wrongly."""

    source: Annotated[
        str | None,
        SettingKey(
            "Where frames come from. Left out, nobody sees a tile that is put wrongly.", pattern=LOCAL_CAMERA, shape=LOCAL_CAMERA_SHAPE
        ),
    ] = None
    height_mm: Annotated[float, SettingKey("How high the camera hangs above the mat.", 300.0, 5000.0)] = 1600.0
    look_interval_s: Annotated[float, SettingKey("Pause between two looks at the walls.", 0.02, 5.0)] = 0.2
    settle_s: Annotated[
        float, SettingKey("A tile lies where it was put once its place has been taken for so long; a hand goes sooner.", 0.1, 5.0)
    ] = 0.5
    lock: CameraLock = field(default_factory=CameraLock)


_UNWATCHED = WallsSection()


@frozen
class StationSettings:
    """Settings of a station: twinwall table station --settings FILE"""

    station: StationSection
    camera: StationCameraSection
    walls: WallsSection = _UNWATCHED

    def __post_init__(self) -> None:
        if self.walls.source == self.camera.source:
            raise ValueError("walls.source and camera.source are one camera: above the walls another one is needed")
