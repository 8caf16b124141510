"""The wires between the pins of a feeder's board and the machine that it drives.

``WiredCore`` runs the C core in this process at such wires; what the machine is, simulated mechanics or a person at a manual
station, is left to whoever makes a ``WiredMachine``.
"""
