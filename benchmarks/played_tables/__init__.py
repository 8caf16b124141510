"""Whole hands on a table in memory, with the ways people play, disturb and violate: material for the recorder's benchmarks and tests."""
