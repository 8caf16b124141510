"""Attacks on who opens a deal, and when: seeds, start, vault, withdrawal."""
