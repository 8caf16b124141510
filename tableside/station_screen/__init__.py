"""The station's screen for browsers: its scripts, its style and its texts in three languages. The page of the table and that of a builder's
phone both show it; its content comes from ``tableside/station``."""
