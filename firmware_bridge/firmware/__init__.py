"""The feeder's firmware in Python: TWF/1 bytes on one side, a machine's narrow port (``port.Plant``) on the other.

It drives the simulated machine in place of a board, and the station where a person does what a machine would do
(``twinwall.station``). It knows neither of them: whatever lies behind the port is a plant.
"""
