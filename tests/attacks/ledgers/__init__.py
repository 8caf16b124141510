"""Attacks with lines that were played, ledgers and the store: changed, forged, or read for what they hide."""
