"""How people disturb play: kinds and rates, the acts that people really do, and whole hands on a table in memory."""
