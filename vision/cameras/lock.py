"""Camera controls that are fixed, and their keys in a settings file."""

from typing import Annotated

from config.reading import SettingKey
from twinwall.values import frozen

_DEVICE_UNITS = "in the device's own units"


@frozen
class CameraLock:
    """What is fixed at a camera of this machine, so that two frames of one tile look alike. Left out, the device decides."""

    width: Annotated[int, SettingKey("Width of its pictures in px.", 160, 8192)] = 1280
    height: Annotated[int, SettingKey("Height of its pictures in px.", 120, 8192)] = 720
    frames_per_s: Annotated[float, SettingKey("Frames a second.", 1.0, 240.0)] = 30.0
    exposure: Annotated[
        float | None, SettingKey(f"Exposure, {_DEVICE_UNITS}: µs at a Pi camera, mostly 100 µs at USB cameras.", 0.1, 1e6)
    ] = None
    gain: Annotated[float | None, SettingKey(f"Gain, {_DEVICE_UNITS}.", 0.0, 1e4)] = None
    focus: Annotated[float | None, SettingKey(f"Focus, {_DEVICE_UNITS}; a Pi camera's in dioptres.", 0.0, 1e4)] = None
    white_balance_k: Annotated[float | None, SettingKey("White balance of a USB camera in kelvin.", 1000.0, 20000.0)] = None
    colour_gains: Annotated[tuple[float, float] | None, SettingKey("White balance of a Pi camera: gains of red and blue.", 0.1, 32.0)] = (
        None
    )
