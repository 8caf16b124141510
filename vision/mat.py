"""Slots of the mat as vision uses them. The geometry is in ``twinwall.art.mat``."""

from twinwall.art.mat import MELD_SLOTS, Area, Mat, Slot, Spot

__all__ = ["MELD_SLOTS", "Area", "Mat", "Slot", "Spot"]
