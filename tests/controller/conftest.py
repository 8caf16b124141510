"""A rig for every test that wants one."""

from tests.support.controller.fixtures import make_rig, rig

__all__ = ["make_rig", "rig"]
