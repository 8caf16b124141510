"""Custody of a field's deals: which venue's vault gets which deal, and when a slip is released to everybody."""
