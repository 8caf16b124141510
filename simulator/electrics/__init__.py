"""The simulated table at the wires of a board (``firmware_bridge.electrics``), for firmware that is not Python.

``core`` runs the C core in this process. ``board`` carries the wires over a socket and keeps the process of the
board, which may be killed at any moment as by a power cut.
"""
