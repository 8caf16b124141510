"""The bundle of an evening, and its proof."""
