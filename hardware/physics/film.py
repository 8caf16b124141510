"""Film strip of one trial as SVG: tiles and parts as boxes, seen from the player's side and from above."""

from __future__ import annotations

import numpy as np

from hardware.physics.scene import TrialScene

_FRAMES = 6
_SCALE = 1.6
_WIDE, _HIGH = 250.0, 190.0
_FACES = ((0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6), (0, 2, 6, 4), (1, 3, 7, 5))
_SEEN = np.array([[1.0, 0.28, 0.0], [0.0, -0.42, -1.0]])
"""Right and down on the paper, of x, y and z."""
_TOWARDS = np.array([0.25, -1.0, 0.45])


def strip(scene: TrialScene, title: str) -> str:
    """As many pictures side by side as fit, evenly over the trial."""
    frames = scene.frames or []
    chosen = [frames[round(each)] for each in np.linspace(0, len(frames) - 1, _FRAMES)]
    tiles = [corners for _, boxes in chosen for kind, corners in boxes if kind == "tile"]
    middle = np.array([*np.concatenate(tiles).mean(axis=0)[:2], 0.0])
    pictures = "".join(
        f'<g transform="translate({_WIDE * number:.0f} 0)"><text x="8" y="18">{seconds * 1000:.0f} ms</text>{_picture(boxes, middle)}</g>'
        for number, (seconds, boxes) in enumerate(chosen)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDE * len(chosen):.0f} {_HIGH:.0f}" role="img" aria-label="{title}"'
        f' font-family="sans-serif" font-size="13"><rect width="100%" height="100%" fill="#fff"/>{pictures}</svg>\n'
    )


def _picture(boxes: list[tuple[str, np.ndarray]], middle: np.ndarray) -> str:
    drawn = []
    for kind, corners in sorted(boxes, key=lambda box: float(box[1].mean(axis=0) @ _TOWARDS)):
        fill, opacity = {"tile": ("#f4efdd", 1.0), "moved": ("#5a7aa5", 0.75), "still": ("#9aa0a6", 0.18)}[kind]
        for face in sorted(_FACES, key=lambda face: float(corners[list(face)].mean(axis=0) @ _TOWARDS))[-3:]:
            points = (corners[list(face)] - middle) @ _SEEN.T * _SCALE + (_WIDE / 2, _HIGH - 40.0)
            outline = " ".join(f"{x:.1f},{y:.1f}" for x, y in np.clip(points, (2.0, 24.0), (_WIDE - 2.0, _HIGH - 2.0)))
            drawn.append(f'<polygon points="{outline}" fill="{fill}" fill-opacity="{opacity}" stroke="#444" stroke-width=".6"/>')
    return "".join(drawn)
