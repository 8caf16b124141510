"""What holds for every test: how long one example of a property takes is no law, a loaded machine must not make it fail."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("twinwall", deadline=None)
settings.load_profile("twinwall")
