"""How a camera converts the light that a path tracer computes: lens, exposure, noise, JPEG."""

import cv2
import numpy as np
from numpy.random import Generator

from benchmarks.rendered.camera import MIDDLE_PX, OverheadCamera
from benchmarks.rendered.looks import TracedSensor
from simulator.cameras.ground import SIDE_PX
from simulator.cameras.optics import Light, Picture

_BRIGHT = 97.0
"""Exposure brings this percentile of a picture's light to the level of white paper."""


def seen_through_lens(light: Light, rendered: OverheadCamera, camera: OverheadCamera) -> Light:
    """Return what a camera's lens shows (SIDE_PX square), from a straight lens's picture (2 × ``rendered_half_px`` square). The rendering
    camera may be slightly beside this one; things above the mat then shift by a hundredth of a pixel against it."""
    half = len(light) / 2
    y, x = np.mgrid[0:SIDE_PX, 0:SIDE_PX]
    straight = camera.straight(np.stack((x - MIDDLE_PX, y - MIDDLE_PX), axis=-1))
    ideal = camera.straight_in(rendered, straight) + half - 0.5
    across, down = (np.ascontiguousarray(ideal[:, :, axis], np.float32) for axis in (0, 1))
    return np.asarray(cv2.remap(light, across, down, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE), np.float32)


def exposed(light: Light, sensor: TracedSensor, gain: float, rng: Generator) -> Picture:
    """Return one exposure (BGR): light times ``gain``, blurred, darker at the corners, with the sensor's noise."""
    seen = np.maximum(light, 0) * np.float32(gain) * np.array(sensor.balance[::-1], np.float32)
    if sensor.blur_px:
        seen = np.asarray(cv2.GaussianBlur(seen, (0, 0), sensor.blur_px), np.float32)
    y, x = (np.mgrid[0 : len(seen), 0 : len(seen)] / (len(seen) - 1) * 2 - 1).astype(np.float32)
    seen *= (1 - sensor.vignette * (x * x + y * y) / 2)[:, :, None]
    deviation = np.sqrt(sensor.read_noise**2 + sensor.shot_noise**2 * np.clip(seen, 0, 1))
    seen += rng.standard_normal(seen.shape, np.float32) * deviation
    return levels(np.asarray(seen, np.float32))


def gain_of(light: Light, exposure: float) -> float:
    """Return how much a camera brightens a table's pictures: the same for all its frames."""
    bright = float(np.percentile(light.max(axis=2), _BRIGHT))
    return 0.75 * exposure / max(bright, 1e-6)


def levels(light: Light) -> Picture:
    """Return the levels of a picture of light, by the sRGB curve."""
    shown = np.clip(light, 0, 1)
    curved = np.where(shown <= 0.0031308, shown * 12.92, 1.055 * np.power(np.maximum(shown, 1e-8), 1 / 2.4) - 0.055)
    return np.asarray(np.rint(curved * 255), np.uint8)
