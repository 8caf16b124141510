"""The browser of tests and benchmarks: Chromium's headless shell, which takes a third of the processor time of whole Chromium."""

from __future__ import annotations

from pathlib import Path

CHROMIUM = Path("/usr/bin/chromium-headless-shell")
QUIET = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync")
