"""The machine as a source: dimensions with tolerances, and a physics model of a tile's ways. Nobody has built it."""
