"""Puts the feeder's firmware, as a library for this computer, into the wheel: an installed program needs no compiler.

hatchling calls it (``pyproject.toml``). An editable installation uses the library where ``make -C firmware memory`` builds it.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from sysconfig import get_platform

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

LIBRARY = "libtwinwall-feeder.so"


class FirmwareInWheel(BuildHookInterface):  # type: ignore[type-arg]  # the hook has no settings
    """Builds the library and adds it beside the module that loads it."""

    def initialize(self, version: str, build_data: dict[str, object]) -> None:
        """Called before a wheel is written; ``version`` is ``standard`` or ``editable``."""
        if version == "editable":
            return
        top = Path(self.root)
        subprocess.run(["make", "--silent", "-C", str(top / "firmware"), "memory"], check=True)  # noqa: S603, S607  # words of our own
        build_data["force_include"] = {str(top / "firmware" / "build" / LIBRARY): f"firmware_bridge/board/{LIBRARY}"}
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{get_platform().replace('-', '_').replace('.', '_')}"
