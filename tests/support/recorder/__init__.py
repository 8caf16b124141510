"""Whole hands of people at simulated tables, told to the recorder's decoder, for its tests and figures."""
