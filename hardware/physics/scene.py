"""Scene: one trial's bodies in MuJoCo's form, in mm and at SI's scale inside. What is right is left to ``ways``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import cos, log, pi, radians, sin, sqrt

import mujoco
import numpy as np

from hardware.dimensions import DrawnSizes
from twinwall.values import frozen

_STIFFNESS_HZ = 800.0
"""Angular frequency of a contact: a tile of 27 g sinks in by 15 µm."""
_SOFT_HZ = 300.0
"""Of rubber."""
_AROUND_M = 0.04
"""Radius of gyration of a moved part; only one that can tilt needs it."""
RIGHT_TILT_DEG, _RIGHT_HEIGHT_MM = 3.0, 1.0
"""What lies flat is tilted less, and off its height less."""
_TILES = 1
"""Group of the tiles' forms."""
_MU0_BY_4PI = 1e-7
_MAGNET_STEPS = 4
"""After which the magnets' forces are worked out again."""
Place = tuple[float, float, float]


@frozen
class TrialVerdict:
    """What came of a trial, and the first signal of ``hardware/wiring.toml`` that says that it is not right."""

    right: bool
    seen: str | None


@frozen
class TileSize:
    """One tile, in mm."""

    width: float
    length: float
    thickness: float


def turned(x_deg: float = 0.0, y_deg: float = 0.0, z_deg: float = 0.0, tilted_deg: float = 0.0) -> tuple[float, float, float, float]:
    """The quaternion of small turns about the three axes, z last, then down along x."""
    whole = np.array([1.0, 0.0, 0.0, 0.0])
    for axis, angle in (((1, 0, 0), x_deg), ((0, 1, 0), y_deg), ((0, 0, 1), z_deg), ((0, 1, 0), tilted_deg)):
        half = radians(angle) / 2
        turn, product_ = np.array([cos(half), *(sin(half) * each for each in axis)]), np.zeros(4)
        mujoco.mju_mulQuat(product_, turn, whole)
        whole = product_
    return float(whole[0]), float(whole[1]), float(whole[2]), float(whole[3])


class TrialScene:
    """Collects walls, tiles and moved parts; ``model`` compiles them."""

    def __init__(self, drawn: DrawnSizes) -> None:
        self.drawn = drawn
        self.step_s = drawn("model.step_ms") / 1000
        self.gravity = "0 0 -9.81"
        self._assets: list[str] = []
        self._fixed: list[str] = []
        self._bodies: list[str] = []
        self._actuators: list[str] = []
        self.bounce: float | None = None
        """Of all contacts, where it is not drawn."""
        self.sizes: list[TileSize] = []
        self.frames: list[tuple[float, list[tuple[str, np.ndarray]]]] | None = None
        """What is to be drawn of the trial, if anything is: times, and the parts as boxes."""
        self.took_s: float | None = None
        """How long the tile was on its way, where that counts."""

    def tile_size(self) -> TileSize:
        """One more tile of the set."""
        drawn = self.drawn
        width, length, thickness = (drawn(f"tile.{name}") + drawn.each("tile.spread") for name in ("width", "length", "thickness"))
        return TileSize(width, length, thickness)

    def tile(self, at: Place, turn: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0), size: TileSize | None = None) -> int:
        """Lay a tile with its middle at a place in mm; return its number."""
        size, number = size or self.tile_size(), len(self.sizes)
        self.sizes.append(size)
        half, corner = (size.width / 2, size.length / 2, size.thickness / 2), self.drawn("tile.corner") * (2 - sqrt(2))
        points = [
            tuple(sign * (side if axis == sharp else side - corner) for axis, (sign, side) in enumerate(zip(signs, half, strict=True)))
            for signs in product((-1, 1), repeat=3)
            for sharp in range(3)
        ]
        vertices = " ".join(f"{each / 1000:.7f}" for point in points for each in point)
        self._assets.append(f'<mesh name="tile{number}" vertex="{vertices}"/>')
        self._bodies.append(
            f'<body name="tile{number}" pos="{_metres(at)}" quat="{" ".join(f"{each:.7f}" for each in turn)}"><freejoint/>'
            f'<geom name="tile{number}" type="mesh" mesh="tile{number}" density="{self.drawn("tile.density_kg_per_m3"):.1f}"'
            f' friction="{self.drawn("surface.tile_on_tile"):.4f} 0 0" rgba=".95 .93 .85 1" group="{_TILES}"/></body>'
        )
        return number

    def box(self, low: Place, high: Place, turn: str = "", *, restitution: float | None = None) -> None:
        """A part that stands still, between two corners in mm; ``turn`` is an attribute that turns it about its middle."""
        self._fixed.append(self.geom(low, high, turn if restitution is None else f"{turn} {soft(restitution)}"))

    def bed(self, low: Place, high: Place) -> None:
        """A floor without friction."""
        self._fixed.append(self.geom(low, high, friction=0.0))

    def geom(self, low: Place, high: Place, turn: str = "", *, finger: bool = False, friction: float | None = None) -> str:
        """The form of such a part, of the tray's stuff or of a finger's, if nothing else is said."""
        middle = (low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2
        half = abs(high[0] - low[0]) / 2, abs(high[1] - low[1]) / 2, abs(high[2] - low[2]) / 2
        if friction is None:
            friction = self.drawn("surface.tile_on_finger" if finger else "surface.tile_on_tray")
        kind = 'condim="4" priority="2" rgba=".35 .45 .6 1"' if finger else 'priority="1" rgba=".6 .62 .65 .5"'
        return f'<geom type="box" pos="{_metres(middle)}" size="{_metres(half)}" friction="{friction:.4f} 0.003 0" {kind} {turn}/>'

    def moved(self, name: str, axis: str, geoms: str, inner: str = "", *, mass_kg: float = 0.05, ends: str = "-1 1") -> str:
        """A part on a slide along an axis between its ends (m), with others on it; ``add`` puts it into the scene."""
        turns = " ".join([f"{mass_kg * _AROUND_M**2:.2e}"] * 3)
        inertia = f'<inertial pos="0 0 0" mass="{mass_kg}" diaginertia="{turns}"/>'
        joint = f'<joint name="{name}" type="slide" axis="{axis}" range="{ends}" limited="true" {rigid()}/>'
        return f'<body name="{name}">{inertia}{joint}{geoms}{inner}</body>'

    def add(self, body: str) -> None:
        """Put a part with its joints into the scene."""
        self._bodies.append(body)

    def servo(self, joint: str, stiffness: float, damping: float, least_n: float, most_n: float) -> None:
        """Let a slide follow a position (m) with a limited force."""
        self._actuators.append(
            f'<position name="{joint}" joint="{joint}" kp="{stiffness}" kv="{damping}" forcerange="{least_n} {most_n}" ctrlrange="-1 1"/>'
        )

    def motor(self, joint: str) -> None:
        """Let a slide be moved by a force (N)."""
        self._actuators.append(f'<motor name="{joint}" joint="{joint}"/>')

    def model(self) -> mujoco.MjModel:
        """Compile it."""
        solref = _solref(_STIFFNESS_HZ, self.drawn("surface.restitution") if self.bounce is None else self.bounce)
        return mujoco.MjModel.from_xml_string(
            f'<mujoco><option timestep="{self.step_s}" gravity="{self.gravity}" tolerance="1e-6" cone="elliptic" impratio="3">'
            '<flag multiccd="enable"/></option>'
            f'<default><geom solref="{solref}" condim="3"/></default><asset>{"".join(self._assets)}</asset>'
            f"<worldbody>{''.join(self._fixed)}{''.join(self._bodies)}</worldbody>"
            f"<actuator>{''.join(self._actuators)}</actuator></mujoco>"
        )


class Running:
    """A compiled scene as time passes; lengths in mm."""

    def __init__(self, scene: TrialScene) -> None:
        self.scene = scene
        self.model = scene.model()
        self.data = mujoco.MjData(self.model)
        mujoco.mj_forward(self.model, self.data)
        self._tiles = np.array([self.model.body(f"tile{number}").id for number in range(len(scene.sizes))])
        self._magnet = scene.drawn("tile.magnet_am2") if len(scene.sizes) > 1 else 0.0
        self._steps, self._pulls = 0, np.zeros((len(scene.sizes), 6))

    @property
    def now_s(self) -> float:
        """Since the trial began."""
        return float(self.data.time)

    def set(self, servo: str, millimetres: float) -> None:
        """Send a slide to a position."""
        self.data.actuator(servo).ctrl[0] = millimetres / 1000

    def step(self, seconds: float = 0.0) -> None:
        """Let time pass, at least one step of the model."""
        pressed = self.data.xfrc_applied.copy()
        for _ in range(max(1, round(seconds / self.scene.step_s))):
            self._steps += 1
            if self._magnet and self._steps % _MAGNET_STEPS == 1:
                self._pulls = pulls(self.data.xpos[self._tiles], self._magnet * self.data.xmat[self._tiles][:, 2::3])
            self.data.xfrc_applied[self._tiles] = pressed[self._tiles] + self._pulls
            mujoco.mj_step(self.model, self.data)
            if self.scene.frames is not None:
                self.scene.frames.append((self.now_s, boxes_of(self.model, self.data)))
        self.data.xfrc_applied[:] = 0

    def at(self, tile: int) -> Place:
        """Where a tile's middle is."""
        x, y, z = 1000 * self.data.body(f"tile{tile}").xpos
        return float(x), float(y), float(z)

    def finds(self, begin: Place, way: Place, most_mm: float) -> bool:
        """Whether a tile is met from a place along an axis, no further away than that."""
        groups, met = np.arange(mujoco.mjNGROUP) == _TILES, np.zeros(1, dtype=np.int32)
        far = mujoco.mj_ray(self.model, self.data, np.array(begin) / 1000, np.array(way, dtype=float), groups, 1, -1, met)
        return bool(0.0 <= far <= most_mm / 1000)

    def lies(self, tile: int, floor_mm: float = 0.0) -> bool:
        """Whether a tile lies flat at this height."""
        above = self.at(tile)[2] - floor_mm - self.scene.sizes[tile].thickness / 2
        return self.tilt_deg(tile) < RIGHT_TILT_DEG and abs(above) < _RIGHT_HEIGHT_MM

    def stand(self, stacks: Mapping[int, Sequence[int]], off_mm: float, floor_mm: float = 0.0) -> bool:
        """Whether every tile lies flat in its column, so far beside its middle at most, on what it should lie on."""
        pitch = self.scene.drawn("tray.pitch")
        for column, stack in stacks.items():
            height = floor_mm
            for tile in stack:
                if not self.lies(tile, height) or abs(self.at(tile)[0] - column * pitch) > off_mm:
                    return False
                height += self.scene.sizes[tile].thickness
        return True

    def tilt_deg(self, tile: int) -> float:
        """How far a tile is from lying flat."""
        return float(np.degrees(np.arccos(min(abs(self.data.body(f"tile{tile}").xmat[8]), 1.0))))

    def yaw_deg(self, tile: int) -> float:
        """How far a tile is turned from across the tray, 90 at most."""
        matrix = self.data.body(f"tile{tile}").xmat
        return float(np.degrees(np.arctan2(abs(matrix[1]), abs(matrix[0]))))

    def velocity(self, tile: int, off_y_mm: float = 0.0) -> tuple[float, float]:
        """How fast a point of a tile moves along x and y, in m/s; the point is off its middle along y."""
        first = self.model.jnt_dofadr[self.model.body(f"tile{tile}").jntadr[0]]
        vx, vy, turns = (float(self.data.qvel[first + each]) for each in (0, 1, 5))
        return vx - turns * off_y_mm / 1000, vy

    def throw(self, tile: int, mm_per_s: float, down_deg: float = 0.0) -> None:
        """Let a tile move along x, and down."""
        first, way = self.model.jnt_dofadr[self.model.body(f"tile{tile}").jntadr[0]], radians(down_deg)
        self.data.qvel[first : first + 3] = mm_per_s / 1000 * cos(way), 0.0, -mm_per_s / 1000 * sin(way)

    def weight_n(self, tile: int) -> float:
        """What a tile weighs."""
        return float(9.81 * self.model.body(f"tile{tile}").mass[0])

    def press(self, tile: int, force_n: Place, off_mm: Place) -> None:
        """Let one more force work on a tile, at a point off its middle, until ``step``."""
        applied = self.data.xfrc_applied[self.model.body(f"tile{tile}").id]
        applied[:3] += force_n
        applied[3:] += np.cross(np.array(off_mm) / 1000, force_n)


def pulls(places: np.ndarray, moments: np.ndarray) -> np.ndarray:
    """Forces and torques (N × 6) between dipoles at places in m, with moments in A·m² (N × 3).

    Griffiths, Introduction to Electrodynamics, 6.3: the force on a dipole in another's field; torque is moment times field.
    """
    apart = places[:, None] - places[None]
    far = np.sqrt((apart**2).sum(-1)) + np.eye(len(places)) * 1e9
    way = apart / far[..., None]
    along = np.einsum("ijk,jk->ij", way, moments)
    own = np.einsum("ijk,ik->ij", way, moments)
    field = _MU0_BY_4PI * ((3 * along[..., None] * way - moments[None]) / far[..., None] ** 3).sum(1)
    parts = along[..., None] * moments[:, None] + own[..., None] * moments[None] + (moments @ moments.T - 5 * along * own)[..., None] * way
    force = 3 * _MU0_BY_4PI * (parts / far[..., None] ** 4).sum(1)
    return np.concatenate([force, np.cross(moments, field)], axis=1)


def soft(restitution: float) -> str:
    """The attribute of a form of rubber."""
    return f'solref="{_solref(_SOFT_HZ, restitution)}"'


def rigid() -> str:
    """The attribute of a joint whose ends are as hard as other parts."""
    return f'solreflimit="{_solref(_STIFFNESS_HZ, 0.1)}"'


def _solref(stiffness_hz: float, restitution: float) -> str:
    """A contact as a spring and a damper that give a share of the speed back."""
    bounce = log(restitution)
    damping = -bounce / sqrt(pi**2 + bounce**2)
    return f"{-(stiffness_hz**2):.0f} {-2 * damping * stiffness_hz:.1f}"


def boxes_of(model: mujoco.MjModel, data: mujoco.MjData) -> list[tuple[str, np.ndarray]]:
    """Every part as its kind and the eight corners of its box, in mm."""
    found = []
    for geom in range(model.ngeom):
        middle, half = model.geom_aabb[geom][:3], model.geom_aabb[geom][3:]
        corners = np.array([middle + half * np.array(signs) for signs in product((-1, 1), repeat=3)])
        placed = corners @ data.geom_xmat[geom].reshape(3, 3).T + data.geom_xpos[geom]
        kind = "tile" if model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_MESH else "still" if model.geom_bodyid[geom] == 0 else "moved"
        found.append((kind, 1000 * placed))
    return found


def _metres(place: Place) -> str:
    return " ".join(f"{each / 1000:.7f}" for each in place)
