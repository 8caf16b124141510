"""Simulated players: each decides by what a person at its place sees, and acts through the simulated world."""
