"""Conformance to TWF/1: every rule of PROTOCOL.md, tried on any machine that can be reached over a line.

``suite.run`` tries the rules on a ``Wire``; what a person has to do at the machine goes through
``Hands``. Nothing here knows what is at the other end: firmware on a board, in an emulator, or the
simulator.
"""
