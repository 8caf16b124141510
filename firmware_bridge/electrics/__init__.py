"""Electrics: the wiring between the pins of a feeder's board and the machine that the board drives.

``WiredCore`` runs the C core in this process at that wiring. The maker of a ``WiredMachine`` decides what the machine is:
simulated mechanics, or a person at a manual station.
"""
