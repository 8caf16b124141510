"""Simulated cameras: frames of reading gate and table, rendered on request.

They run in a process of their own and know the world only by the scenes that it answers. A client sees HTTP cameras.
"""

from simulator.cameras.gate import GateCamera
from simulator.cameras.server import CameraServer, HttpScenes, TableScenes, WorldSilentError, serve
from simulator.cameras.table import TableCamera
