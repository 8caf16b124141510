"""How certain events and violations of the best path are, and the questions about uncertain ones."""
