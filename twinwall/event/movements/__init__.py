"""Movements: who sits where, against whom, in every session. No I/O."""
