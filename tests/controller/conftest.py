"""The controller rig as a fixture."""

from tests.support.controller.fixtures import make_rig, rig

__all__ = ["make_rig", "rig"]
