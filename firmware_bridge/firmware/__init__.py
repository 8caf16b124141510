"""The feeder's firmware as Python sees it: the C core as a library, the table's record, and the port of the machine behind its pins.

``library`` runs the core of ``firmware/core``; ``port`` names the motions and edges that ``firmware_bridge.electrics`` makes of
its pins. Whatever lies behind the port is a plant: the simulated machine, or a person at the manual station.
"""
