"""Rigid-body model of a tile's ways through the machine, in MuJoCo (dependency group ``hardware``)."""
