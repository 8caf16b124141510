"""Boards of our own as KiCad files, made from ``hardware/wiring.toml``: schematic, copper, Gerbers and pictures."""
