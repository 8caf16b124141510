"""The simulated table at the wires of a board (``firmware_bridge.electrics``), for firmware that is not Python.

``board`` carries the wires over a socket and keeps the process of the board, which may be killed at any moment as by a power cut.
"""
