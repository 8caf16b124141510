"""Whole hands on a table in memory, as people play, disturb and violate: what the recorder's benchmarks and tests are measured with."""
