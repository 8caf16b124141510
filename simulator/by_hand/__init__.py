"""Simulated table without a feeder: the tiles, and a simulated person who follows the station's screen."""
