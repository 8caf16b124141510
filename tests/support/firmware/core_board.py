"""The firmware's products, brought up to date before a test uses them."""

import fcntl
import subprocess
from pathlib import Path

FIRMWARE = Path(__file__).parents[3] / "firmware"


def built(target: str, product: str) -> Path:
    """A product of the firmware's Makefile, brought up to date first. Workers take turns: one make runs at a time."""
    build = FIRMWARE / "build"
    build.mkdir(exist_ok=True)
    with (build / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(["make", "--silent", "-C", str(FIRMWARE), target], check=True)
    return build / product
