"""Twinwall: every table of a duplicate mahjong event plays the same tiles."""
