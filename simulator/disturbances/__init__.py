"""How people disturb play: kinds and rates, and what they really do in place of an act that they mean."""
