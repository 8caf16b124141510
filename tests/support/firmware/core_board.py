"""The firmware's products, brought up to date before a test uses them."""

from __future__ import annotations

import subprocess
from pathlib import Path

FIRMWARE = Path(__file__).parents[3] / "firmware"


def built(target: str, product: str) -> Path:
    """A product of the firmware's Makefile, brought up to date first."""
    subprocess.run(["make", "--silent", "-C", str(FIRMWARE), target], check=True)
    return FIRMWARE / "build" / product
