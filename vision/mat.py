"""The mat as vision speaks of it: slots to look at. The geometry itself is drawn, and kept, in ``twinwall.art.mat``."""

from twinwall.art.mat import Area, Mat, Slot, Spot

__all__ = ["Area", "Mat", "Slot", "Spot"]
