"""Slots of the mat as vision uses them. The geometry is in ``twinwall.art.mat``."""

from twinwall.art.mat import Area, Mat, Slot, Spot

__all__ = ["Area", "Mat", "Slot", "Spot"]
