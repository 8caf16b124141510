"""Custody of the deals: who may open a deal and when; seeds, seals, and the release of slips."""
