"""Conformance suite for TWF: it tries every rule of PROTOCOL.md on a feeder.

``suite.run`` tries the rules through a ``Wire``. ``Hands`` asks for what a person has to do at the machine. The suite does not
know what it tests: firmware on a board, firmware in an emulator, or the simulator.
"""
