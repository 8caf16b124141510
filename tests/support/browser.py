"""The browser of tests and benchmarks: Chromium's headless shell, which takes far less processor time than whole Chromium."""

from pathlib import Path

CHROMIUM = Path("/usr/bin/chromium-headless-shell")
QUIET = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync")
