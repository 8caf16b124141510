"""The station's screen as browsers get it: its scripts, its style and its texts in three languages.

The page of the table and that of a phone which is the builder's screen both show it; what it shows comes from ``tableside/station``.
"""
