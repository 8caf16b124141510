"""``twinwall hall``: its files, and how a table gets its certificate."""
