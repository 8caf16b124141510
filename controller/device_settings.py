"""Settings of a table's devices: feeder, cameras, tile reader and sets, keys and lamps, and what a repair may keep."""

from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from config.connections import AllowClearText, NetworkSection, is_loopback
from config.reading import (
    CAMERA,
    CAMERA_SHAPE,
    LOCAL_CAMERA,
    LOCAL_CAMERA_SHAPE,
    NAME,
    NAME_SHAPE,
    TABLE_PHONES,
    TABLE_PHONES_SHAPE,
    SettingKey,
)
from twinwall.values import frozen
from twinwall.wire.shapes.panel import PanelPins
from vision.cameras.lock import CameraLock

_LAST_PIN, _PINS = 27, PanelPins()
_OfSeats = tuple[int, int, int, int]


@frozen
class FeederSection:
    """The serial line to the feeder."""

    port: Annotated[
        str,
        SettingKey(
            "The feeder's serial device, best by its lasting name in /dev/serial/by-id.",
            pattern=r"/(.*\S)",
            shape="the full path of a device",
        ),
    ]
    baud_rate: Annotated[int, SettingKey("Bits per second; USB feeders ignore it.", 9600, 3_000_000)] = 115_200
    uid: Annotated[
        str,
        SettingKey(
            "The feeder's own number, as `twinwall feeder check` prints it. With it another feeder is refused, and this one is found again "
            "when its device gets another name.",
            pattern=r"([0-9a-f]{16})?",
            shape="16 hexadecimal digits, or nothing for any feeder",
        ),
    ] = ""
    search: Annotated[
        tuple[str, ...],
        SettingKey("Devices at which a feeder of that number is looked for when it is not at its port; * stands for any letters."),
    ] = ("/dev/serial/by-id/*", "/dev/ttyACM*", "/dev/ttyUSB*")
    gates: Annotated[int, SettingKey("Gates at which its tiles come up, each with a camera.", 1, 4)] = 1
    exchangers: Annotated[int, SettingKey("Exchangers that carry tiles between gates; 0 with one gate.", 0, 4)] = 0
    pocket_places: Annotated[int, SettingKey("Tiles that may wait for an exchanger at each gate; 0 with one gate.", 0, 8)] = 0
    shuttles: Annotated[int, SettingKey("Shuttles of a seat.", 1, 2)] = 1
    bypass_cells: Annotated[int, SettingKey("Bypass cells of a gate; 0 where its record has none, and at a machine with lanes.", 0, 8)] = 4

    def __post_init__(self) -> None:
        if len({self.gates > 1, self.exchangers > 0, self.pocket_places > 0}) > 1:
            raise ValueError("has several gates with exchangers and pocket_places, or one gate without: set all three")


_OVER_THE_MAT = CameraLock(width=1920, height=1080)
"""1280 × 720 would show a whole mat with 0.95 px a millimetre, too coarse for its tiles."""


@frozen
class GateCameraSection:
    """The camera under the gate. It sees concealed tiles, so it must be a device of this machine or on its loopback."""

    source: Annotated[str, SettingKey("Where frames come from.", pattern=LOCAL_CAMERA, shape=LOCAL_CAMERA_SHAPE)]
    calibration: Annotated[Path | None, SettingKey("How it was on the day it was calibrated (twinwall tiles calibrate).")] = None
    lock: CameraLock = CameraLock()


@frozen
class TableCameraSection(NetworkSection):
    """The camera above the table. It sees only face-up tiles."""

    source: Annotated[str, SettingKey("Where frames come from.", pattern=CAMERA, shape=CAMERA_SHAPE)]
    frame_interval_s: Annotated[float, SettingKey("Pause between two frames while the table watches the mat.", 0.02, 5.0)] = 0.1
    calibration: Annotated[Path | None, SettingKey("How it was on the day it was calibrated (twinwall tiles calibrate).")] = None
    lock: CameraLock = _OVER_THE_MAT
    allow_clear_text: AllowClearText = False

    def __post_init__(self) -> None:
        self.refuse_clear_text("use a camera of this machine")

    @property
    def in_clear(self) -> str | None:
        """The camera's address if it is on another machine."""
        is_local = not self.source.startswith("http://") or is_loopback(urlsplit(self.source).hostname or "")
        return None if is_local else f"source {self.source}"


@frozen
class CameraSection:
    """The two cameras, and those of further gates."""

    gate: GateCameraSection
    table: TableCameraSection
    read_timeout_s: Annotated[float, SettingKey("A camera that is silent for longer counts as lost.", 0.1, 30.0)] = 2.0
    other_gates: Annotated[
        tuple[str, ...],
        SettingKey("Where frames of the gates after the first come from, in their order.", pattern=LOCAL_CAMERA, shape=LOCAL_CAMERA_SHAPE),
    ] = ()
    other_calibrations: Annotated[
        tuple[Path, ...], SettingKey("How those cameras were on the day they were calibrated; none, or one each.")
    ] = ()

    def __post_init__(self) -> None:
        if self.other_calibrations and len(self.other_calibrations) != len(self.other_gates):
            cameras, files = len(self.other_gates), len(self.other_calibrations)
            raise ValueError(f"names {cameras} other_gates and {files} other_calibrations: name one for each, or none")


@frozen
class VisionSection:
    """The reader of tiles. Left out, each is as shipped and measured."""

    model: Annotated[Path | None, SettingKey("Another model than the one shipped.")] = None
    accept_probability: Annotated[float | None, SettingKey("A read below this calibrated probability is a refusal.", 0.5, 1.0)] = None
    gate_frames: Annotated[
        int, SettingKey("Frames that the gate takes of a tile at most. Of several, two must agree and none contradict.", 1, 3)
    ] = 2


@frozen
class SetSection:
    """One tile set: its backs, and how its faces are read where that differs from [vision]."""

    back: Annotated[int, SettingKey("The number by which the feeder tells the colour of its backs.", 0, 255)]
    name: Annotated[str, SettingKey("What people call it.", pattern=NAME, shape=NAME_SHAPE)]
    profile: Annotated[
        Path | None,
        SettingKey("Its profile, as twinwall tiles enrol writes it, for gate and mat. Left out, the model reads it as a set never seen."),
    ] = None
    model: Annotated[Path | None, SettingKey("A model of its own.")] = None
    accept_probability: Annotated[float | None, SettingKey("Its own bound below which a read is a refusal.", 0.5, 1.0)] = None

    def __post_init__(self) -> None:
        if self.profile is not None and self.accept_probability is not None:
            raise ValueError("has accept_probability beside profile: a profile brings limits of its own, leave one of them out")


@frozen
class SetsSection:
    """The two tile sets, told apart by their backs: one is built into the next wall while the other is played."""

    first: SetSection = SetSection(1, "blue")
    second: SetSection = SetSection(2, "green")

    def __post_init__(self) -> None:
        if self.first.back == self.second.back or self.first.name == self.second.name:
            raise ValueError("names two sets that cannot be told apart: give them backs and names of their own")


@frozen
class PanelSection:
    """Keys and lamps, on the Pi's header (BCM numbers); lamps are lit by a high level (docs/reference/panel.md)."""

    enabled: Annotated[bool, SettingKey("Whether there is a panel on the header.")] = True
    phones: Annotated[
        str | None,
        SettingKey(
            "Keys and lamps on phones as well, or instead: the phones' server with the table's name (docs/how-to/table/phones.md).",
            pattern=TABLE_PHONES,
            shape=TABLE_PHONES_SHAPE,
        ),
    ] = None
    rows: Annotated[_OfSeats, SettingKey("Key rows, places 0 to 3.", 0, _LAST_PIN)] = _PINS.rows
    columns: Annotated[
        tuple[int, int, int, int, int, int, int], SettingKey("Key columns: CHOW PUNG KONG WIN CONFIRM REFEREE RIICHI.", 0, _LAST_PIN)
    ] = _PINS.columns
    turn: Annotated[_OfSeats, SettingKey("Lamps: your gate is open or it is your turn.", 0, _LAST_PIN)] = _PINS.turn
    call: Annotated[_OfSeats, SettingKey("Lamps: your press counts.", 0, _LAST_PIN)] = _PINS.call
    window: Annotated[int, SettingKey("Lamp: the discard may be claimed.", 0, _LAST_PIN)] = _PINS.window
    fault: Annotated[int, SettingKey("Lamp: staff is needed.", 0, _LAST_PIN)] = _PINS.fault
    buzzer: Annotated[int, SettingKey("Buzzer.", 0, _LAST_PIN)] = _PINS.buzzer
    wall: Annotated[
        _OfSeats | None,
        SettingKey("Lamps for who builds walls by hand: the tile in hand goes to this wall. Left out, there are none.", 0, _LAST_PIN),
    ] = None
    scan_period_s: Annotated[float, SettingKey("Pause between two scans of the keys while one is down.", 0.001, 0.1)] = 0.005
    debounce_s: Annotated[float, SettingKey("How long a key must be down, or up, to count.", 0.0, 0.5)] = 0.015

    def __post_init__(self) -> None:
        used = [*self.rows, *self.columns, *self.turn, *self.call, self.window, self.fault, self.buzzer, *(self.wall or ())]
        twice = sorted({pin for pin in used if used.count(pin) > 1})
        if twice:
            raise ValueError(f"gives {', '.join(map(str, twice))} to more than one wire, and a pin can have only one")


@frozen
class ServiceSection:
    """For repairs and rehearsals: what the table keeps or reports with these may show tiles."""

    switch: Annotated[bool, SettingKey("Whether `twinwall admin pack` may put in what names tiles.")] = False
    keep_refused: Annotated[Path | None, SettingKey("With switch on: folder for the gate's refused frames. Left out, none is kept.")] = None
    most_kept: Annotated[int, SettingKey("Most frames kept; then the oldest are deleted.", 1, 10_000)] = 200
