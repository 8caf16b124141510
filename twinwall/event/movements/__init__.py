"""Movements: who sits where, against whom, in every session; pure functions, without files, clock or pages."""
