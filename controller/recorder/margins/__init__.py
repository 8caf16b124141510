"""How certain events and violations of the best path are, and the questions where they are not certain enough."""
